"""Prune the oldest logs of a stored league, so that they take no more than a number of bytes."""

from math import inf

from msgspec import Struct

from arena.league.store import pruning
from arena.league.store.rows import StoredFixture
from arena.league.store.store import Store
from arena.playstats.luck import rated_luck

NEWEST = 50
"""Games of each bot whose standard error is kept, the newest ones."""


class PruneReport(Struct, frozen=True):
    """What was pruned, or what would be."""

    fixtures: int
    """Fixtures that lose their logs."""
    games: int
    """Games of those."""
    stderr: int
    """Other fixtures that lose their standard error."""
    before: int
    """Bytes of the logs and the standard error, as they were."""
    after: int
    """As they are, or would be, about."""


def plan_pruning(store: Store, cap: int) -> PruneReport:
    """Return what `prune` would do; nothing is changed."""
    what, before = pruning.plan(store, cap, NEWEST), pruning.used(store)
    after = before - what.freed
    return PruneReport(len(what.logs), what.games, len(what.stderr), before, after)


def prune(store: Store, cap: int, most_stderr: float = inf) -> PruneReport:
    """Prune a store that is open for writing until its logs take at most `cap` bytes.

    Of those, standard error may take `most_stderr`. Raises FindingError if something is damaged;
    what was pruned before stays pruned.
    """
    fixtures = games = stderr = 0
    before = pruning.used(store)
    while True:
        what = pruning.plan(store, cap, NEWEST, most_stderr)
        remove(store, what)
        fixtures, games = fixtures + len(what.logs), games + what.games
        stderr += len(what.stderr)
        # The bytes of a plan are an estimate.
        if not what.logs:
            return PruneReport(fixtures, games, stderr, before, pruning.used(store))


def remove(store: Store, what: pruning.Plan) -> None:
    """Carry out a plan; where ratings leave out luck, that of each game is kept."""
    variants = store.conditions().variants

    def luck(stored: StoredFixture) -> tuple[int, ...]:
        played = store.unpack(stored, store.record(stored))
        rules = variants.get(played.fixture.variant)  # None if the league no longer has it
        return rated_luck(played, rules) if rules else ()

    pruning.prune(store, what, luck)
