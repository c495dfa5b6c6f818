"""The decisions of both versions in the same positions, of a sample of the tables of a comparison.

Both versions, in new processes, are told and asked all that the version's seat was told and asked
at a table: once with the seed of the table, and once more with another seed, because a bot that
draws at random differs from itself, too.
"""

from bisect import insort
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from hashlib import sha256
from itertools import chain, islice, product
from math import ceil
from operator import itemgetter

from arena.author.compare.differences import Behaviour, summary
from arena.author.compare.names import version_seat
from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sessions.warm_pool import WarmPool
from arena.game.records import Division, Fixture, LeagueInfo
from arena.league.play.process_pool import ProcessEngine, map_ordered
from arena.league.store.format.rows import PackedFixture
from arena.league.table.decisions_by_build import Build, RecordedRequest, ask

MOST_POSITIONS = 2000
"""Positions at which the versions are asked again, at most."""
_MOST_TABLES = 40
_MOST_GAMES = 200
"""Games of a table that are kept, so that long ones take no memory."""
_EVERY = 8
"""At one of so many tables they are asked again, at most: it takes four processes."""
_SHARES = 2
"""Parts of the tables that a worker gets, one after another."""


class TableSample:
    """Tables of each division, drawn at random but for the seed, in whatever order they come."""

    def __init__(self, seed: str, divisions: Sequence[Division]) -> None:
        self._seed = seed
        self._most = max(1, _MOST_TABLES // len(divisions))
        self._drawn: dict[Division, list[tuple[str, PackedFixture]]] = {
            division: [] for division in divisions
        }
        """Each table with its lot; those with the least lots."""
        self._seen = Counter[Division]()

    def add(self, packed: PackedFixture, fixture: Fixture) -> None:
        """Add a table that was played."""
        lot = sha256(f"{self._seed}/asked/{fixture.id}".encode()).hexdigest()
        drawn = self._drawn[fixture.division]
        games, logs = packed.games[:_MOST_GAMES], packed.logs[:_MOST_GAMES]
        insort(drawn, (lot, packed._replace(games=games, logs=logs)), key=itemgetter(0))
        del drawn[self._most :]
        self._seen[fixture.division] += 1

    def drawn(self) -> list[PackedFixture]:
        """Return at most an eighth of the tables of each division, but at least one."""
        tables: list[PackedFixture] = []
        for division, drawn in self._drawn.items():
            size = max(1, self._seen[division] // _EVERY)
            tables += [packed for _lot, packed in drawn[:size]]
        return tables


def compare_behaviour(
    conditions: LeagueInfo,
    tables: Sequence[PackedFixture],
    versions: Sequence[Program],
    engine: ProcessEngine,
    sandbox: Sandbox,
    tell: Callable[[str], None],
) -> Behaviour:
    """Put the positions of these tables to both versions, on the engine's workers.

    `tell` hears how far it is.
    """
    most = MOST_POSITIONS // max(1, len(tables))
    workers = engine.worker_count()
    size = ceil(len(tables) / (_SHARES * workers)) or 1
    shares = [tables[first : first + size] for first in range(0, len(tables), size)]
    calls = [partial(_ask, conditions, share, versions, sandbox, most) for share in shares]
    with engine.executor(workers) as executor:
        positions: list[RecordedRequest] = []
        for number, asked in enumerate(map_ordered(executor, calls, len(calls)), 1):
            positions += asked
            tell(f"asked at {min(number * size, len(tables))} of {len(tables)} tables")
    return summary(positions, len(tables))


def _ask(
    conditions: LeagueInfo,
    tables: Sequence[PackedFixture],
    versions: Sequence[Program],
    sandbox: Sandbox,
    most: int,
) -> list[RecordedRequest]:
    """Put the first positions of some tables to both versions, in as few processes as they let."""
    pool = WarmPool()
    try:
        asked = [_ask_at(conditions, table, versions, sandbox, most, pool) for table in tables]
        return [*chain.from_iterable(asked)]
    finally:
        pool.end()


def _ask_at(
    conditions: LeagueInfo,
    packed: PackedFixture,
    versions: Sequence[Program],
    sandbox: Sandbox,
    most: int,
    pool: WarmPool,
) -> list[RecordedRequest]:
    """Put the first positions of a table to both versions, and again with another seed."""
    stored = packed.stored(None)
    played = stored.played(stored.record())
    fixture = played.fixture
    _, seat = version_seat(fixture)
    seeds = fixture.seed, f"{fixture.seed}/again"
    builds = [Build(program, seed) for seed, program in product(seeds, versions)]
    rules = conditions.variants[fixture.variant]
    asked = ask(played, rules, seat, builds, sandbox, conditions.limits, pool)
    with closing(asked) as positions:
        return list(islice(positions, most))
