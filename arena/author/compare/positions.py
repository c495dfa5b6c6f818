"""Tables of a comparison at which both versions are asked again: which, and what they decide.

All that the version's seat was told and asked at a table is put to both versions, in new processes,
with the seed of the table; and once more with another seed, because a bot that draws at random
differs from itself, too.
"""

from bisect import insort
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from hashlib import sha256
from itertools import islice, product

from arena.author.compare.decisions import Behaviour, summary
from arena.author.compare.names import version_seat
from arena.bots.sandboxes.base import Program, Sandbox
from arena.game.records import Division, Fixture, LeagueInfo
from arena.league.play.process_pool import ProcessEngine, map_ordered
from arena.league.store.rows import PackedFixture
from arena.league.table.decisions_by_build import Build, RecordedRequest, ask

MOST_POSITIONS = 2000
"""Positions at which the versions are asked again, at most."""
_MOST_TABLES = 40
_MOST_GAMES = 200
"""Games of a table that are kept, so that long ones take no memory."""
_EVERY = 8
"""At one of so many tables they are asked again, at most: it takes four processes."""


class TableSample:
    """Tables of each division, drawn at random but for the seed, in whatever order they come."""

    def __init__(self, seed: str, divisions: Sequence[Division]) -> None:
        self._seed = seed
        self._most = max(1, _MOST_TABLES // len(divisions))
        self._kept: dict[Division, list[tuple[str, PackedFixture]]] = {one: [] for one in divisions}
        self._seen = Counter[Division]()

    def add(self, packed: PackedFixture, fixture: Fixture) -> None:
        """Add a table that was played."""
        lot = sha256(f"{self._seed}/asked/{fixture.id}".encode()).hexdigest()
        kept = self._kept[fixture.division]
        games, logs = packed.games[:_MOST_GAMES], packed.logs[:_MOST_GAMES]
        insort(kept, (lot, packed._replace(games=games, logs=logs)), key=lambda one: one[0])
        del kept[self._most :]
        self._seen[fixture.division] += 1

    def drawn(self) -> list[PackedFixture]:
        """Return at most an eighth of the tables of each division, but at least one."""
        sizes = {one: max(1, self._seen[one] // _EVERY) for one in self._kept}
        return [packed for one, kept in self._kept.items() for _, packed in kept[: sizes[one]]]


def compare_behaviour(
    conditions: LeagueInfo,
    tables: Sequence[PackedFixture],
    versions: Sequence[Program],
    engine: ProcessEngine,
    sandbox: Sandbox,
) -> Behaviour:
    """Put the positions of these tables to both versions, on the engine's workers."""
    most = MOST_POSITIONS // max(1, len(tables))
    calls = [partial(_ask_at, conditions, one, versions, sandbox, most) for one in tables]
    workers = engine.worker_count()
    with engine.executor(workers) as executor:
        positions = [one for found in map_ordered(executor, calls, 2 * workers) for one in found]
    return summary(positions, len(tables))


def _ask_at(
    conditions: LeagueInfo,
    packed: PackedFixture,
    versions: Sequence[Program],
    sandbox: Sandbox,
    most: int,
) -> list[RecordedRequest]:
    """Put the first positions of a table to both versions, and again with another seed."""
    stored = packed.stored(None)
    played = stored.played(stored.record())
    fixture = played.fixture
    _, seat = version_seat(fixture)
    seeds = fixture.seed, f"{fixture.seed}/again"
    builds = [Build(program, seed) for seed, program in product(seeds, versions)]
    rules = conditions.variants[fixture.variant]
    with closing(ask(played, rules, seat, builds, sandbox, conditions.limits)) as positions:
        return list(islice(positions, most))
