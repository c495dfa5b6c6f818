"""Prune a stored league: old standard error and logs are replaced by their hashes.

Only the file of logs changes, some fixtures in a transaction: whenever it is cut short, the rest is
pruned by the next call.
"""

from collections import Counter
from collections.abc import Callable, Container, Sequence
from math import inf

from msgspec import Struct

from arena.league.store.failures import damaged_fixtures
from arena.league.store.files import Logs, logs_path
from arena.league.store.rows import Pruned, StoredFixture, key_range, row_hash
from arena.league.store.store import Store
from arena.playstats.luck import rated_luck

_BATCH = 50
"""Fixtures that are pruned in a transaction."""
_PAGES = 256
"""Pages of the file that are given back in a transaction."""
_BESIDE = 48
"""Bytes that a log takes beside itself, about: its key, its hash and what SQLite adds."""
_KEPT = 200
"""Bytes that are kept of a pruned fixture, about; for less, no standard error is removed."""

Luck = Callable[[StoredFixture], Sequence[int]]
"""Returns the luck of a fixture's games as it is rated, which nothing tells without its logs."""


class Plan(Struct, frozen=True):
    """What is to go, by index in the schedule."""

    stderr: list[int]
    """Fixtures that lose their standard error only."""
    logs: list[int]
    """Fixtures that lose both, the oldest ones."""
    games: int
    """How many games those have."""
    freed: int
    """How many bytes become free, about."""


def used(store: Store) -> int:
    """Return the bytes that the logs and the standard error of a store take, in whole pages."""
    query = "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count"
    tables = "pragma_freelist_count JOIN pragma_page_size"
    [(size,)] = store.logs.file.rows(f"{query} JOIN {tables}")
    return int(size)


def plan_of(store: Store, cap: int, newest: int, most_stderr: float = inf) -> Plan:
    """Return what to prune of a store so that its logs take at most `cap` bytes.

    Standard error stays of fixtures in which a bot faulted and of each bot's `newest` games, unless
    their logs go; but of the oldest of these it goes, too, while it takes more than `most_stderr`
    bytes. Raises FindingError if rows are damaged.
    """
    stderr = _stderr_to_go(store, newest, most_stderr)
    freed = sum(size - _KEPT for size in stderr.values())
    logs = list[int]()
    games = 0
    left = used(store) - cap
    gone = store.without_logs()
    for position in store.positions():
        if freed >= left:
            break
        if position not in gone:
            count, size = _sizes(store.logs, position)
            freed += size - _KEPT - (stderr.pop(position) - _KEPT if position in stderr else 0)
            games += count
            logs.append(position)
    return Plan(sorted(stderr), logs, games, max(0, freed))


def carry_out(store: Store, what: Plan, luck: Luck) -> None:
    """Carry out a plan in a store that is open for writing, and make its file smaller.

    Raises FindingError at a fixture that is damaged; nothing of it is removed.
    """
    for at in range(0, len(what.stderr), _BATCH):
        fixtures = _sound(store, what.stderr[at : at + _BATCH])
        store.logs.prune({fixture.position: _without_stderr(fixture) for fixture in fixtures})
    for at in range(0, len(what.logs), _BATCH):
        fixtures = _sound(store, what.logs[at : at + _BATCH])
        with store.logs.file.translate_errors():
            kept = {}
            for fixture in fixtures:
                hashes = _without_stderr(fixture)._replace(
                    logs=row_hash(log.hash for log in fixture.logs),
                    records=row_hash(fixture.records()),
                )
                kept[fixture.position] = hashes.with_luck(luck(fixture))
        store.logs.prune(kept)
        store.logs.file.checkpoint_large_log()
    _give_back(store.logs)


def _stderr_to_go(store: Store, newest: int, most: float) -> dict[int, int]:
    """Return whose standard error is to go, by position, and its bytes."""
    query = "SELECT position, length(texts) FROM stderr WHERE length(texts) > ? ORDER BY position"
    sizes = dict(store.logs.file.rows(query, _KEPT))
    if not sizes:
        return {}
    gone = {position: sizes.pop(position) for position in _old(store, sizes, newest)}
    over = sum(sizes.values()) - most
    for position, size in sizes.items():
        if over <= 0:
            break
        gone[position] = size
        over -= size
    return gone


def _old(store: Store, positions: Container[int], newest: int) -> list[int]:
    """Return those fixtures without a fault that are among no bot's newest games."""
    left, old = Counter[str](), list[int]()
    for result in store.results():
        left.update(dict.fromkeys(result.fixture.seats, len(result.games)))
    for result in store.results():
        seats, position = result.fixture.seats, result.fixture.index
        left.subtract(dict.fromkeys(seats, len(result.games)))
        faulted = any(game.faulted for game in result.games)
        if position in positions and not faulted and all(left[bot] >= newest for bot in seats):
            old.append(position)
    return old


def _sizes(logs: Logs, position: int) -> tuple[int, int]:
    """Return how many logs there are of a fixture, and the bytes of them and of standard error."""
    query = "SELECT count(*), ifnull(sum(length(log)), 0) FROM logs WHERE key BETWEEN ? AND ?"
    [(count, size)] = logs.file.rows(query, *key_range(position))
    texts = "SELECT ifnull(sum(length(texts)), 0) FROM stderr WHERE position = ?"
    [(stderr,)] = logs.file.rows(texts, position)
    return int(count), int(size) + int(stderr) + int(count) * _BESIDE


def _sound(store: Store, positions: Sequence[int]) -> list[StoredFixture]:
    """Return fixtures; raises FindingError if one is not what was written there."""
    fixtures = list(store.stored(positions))
    gone = {*positions} - {fixture.position for fixture in fixtures}
    damaged = [fixture.id for fixture in fixtures if any(fixture.hash_mismatches())]
    if damaged := [*damaged, *(f"number {position}" for position in sorted(gone))]:
        raise damaged_fixtures(damaged, logs_path(store.path))
    return fixtures


def _without_stderr(stored: StoredFixture) -> Pruned:
    return stored.pruned or Pruned(row_hash([stored.stderr]))


def _give_back(logs: Logs) -> None:
    """Make the file as small as what it holds."""
    before, free = inf, int(logs.file.value("PRAGMA freelist_count"))
    while 0 < free < before:  # a damaged file may count pages that it does not have
        with logs.file.translate_errors():
            # Run by `execute` it ends after one page.
            logs.file.connection.executescript(f"PRAGMA incremental_vacuum({_PAGES})")
        logs.file.checkpoint_large_log()
        before, free = free, int(logs.file.value("PRAGMA freelist_count"))
    logs.file.checkpoint()


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
    plan, before = plan_of(store, cap, NEWEST), used(store)
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
    before = used(store)
    while True:
        plan = plan_of(store, cap, NEWEST, most_stderr)
        remove(store, plan)
        fixtures, games = fixtures + len(plan.logs), games + plan.games
        stderr += len(plan.stderr)
        # The bytes of a plan are an estimate.
        if not plan.logs:
            return PruneReport(fixtures, games, stderr, before, used(store))


def remove(store: Store, plan: Plan) -> None:
    """Carry out a plan; where ratings subtract luck, the luck of each game is kept."""
    variants = store.conditions().variants

    def luck(stored: StoredFixture) -> tuple[int, ...]:
        played = store.decoded(stored.played)
        rules = variants.get(played.fixture.variant)  # None if the league no longer has it
        return rated_luck(played, rules) if rules else ()

    carry_out(store, plan, luck)
