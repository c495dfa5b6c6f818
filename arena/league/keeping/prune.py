"""Prune the oldest logs of a stored league, so that they take no more than a number of bytes."""

from math import inf

from msgspec import Struct

from arena.league.store import pruning
from arena.league.store.format.rows import StoredFixture
from arena.league.store.store import Store
from arena.playstats.luck import rated_luck

NEWEST = 50
"""Games of each bot whose standard error is kept, the newest ones."""


class PruneReport(Struct, frozen=True):
    """The result of pruning, or of a plan."""

    fixtures: int
    """Fixtures that lose their logs."""
    games: int
    """The games of these fixtures."""
    stderr: int
    """Other fixtures that lose their standard error."""
    before: int
    """Bytes of the logs and the standard error before."""
    after: int
    """Bytes afterwards; an estimate for a plan."""


def plan_pruning(store: Store, cap: int) -> PruneReport:
    """Return the result that `prune` would have; nothing is changed."""
    plan, before = pruning.plan(store, cap, NEWEST), pruning.used(store)
    return PruneReport(
        fixtures=len(plan.logs),
        games=plan.games,
        stderr=len(plan.stderr),
        before=before,
        after=before - plan.freed,
    )


def prune(store: Store, cap: int, most_stderr: float = inf) -> PruneReport:
    """Prune a store that is open for writing until its logs take at most `cap` bytes.

    Standard error may take `most_stderr` of them. Raises FindingError if something is damaged;
    fixtures pruned before that stay pruned.
    """
    fixtures = games = stderr = 0
    before = pruning.used(store)
    while True:
        plan = pruning.plan(store, cap, NEWEST, most_stderr)
        remove(store, plan)
        fixtures, games = fixtures + len(plan.logs), games + plan.games
        stderr += len(plan.stderr)
        # The bytes of a plan are an estimate.
        if not plan.logs:
            return PruneReport(fixtures, games, stderr, before, pruning.used(store))


def remove(store: Store, plan: pruning.Plan) -> None:
    """Carry out a plan; where ratings subtract luck, the luck of each game is kept."""
    variants = store.conditions().variants

    def luck(stored: StoredFixture) -> tuple[int, ...]:
        played = store.unpack(stored, store.record(stored))
        rules = variants.get(played.fixture.variant)  # None if the league no longer has it
        return rated_luck(played, rules) if rules else ()

    pruning.prune(store, plan, luck)
