"""How often two versions of a bot decide differently in the same positions, by kind of decision.

The positions are those of a sample of the tables of a comparison. Both versions, in new processes,
are told and asked all that the version's seat was told and asked at a table: once with the seed of
the table, and once more with another seed, because a bot that draws at random differs from itself,
too.
"""

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from hashlib import sha256
from itertools import chain, combinations, islice, product
from math import ceil
from operator import itemgetter

from msgspec import Struct

from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sessions.warm_pool import WarmPool
from arena.game.records import Conditions, Division, Fixture
from arena.game.wire.messages import CalzaOffer
from arena.league.play.process_pool import ProcessEngine, map_ordered
from arena.league.store.rows import PackedFixture
from arena.league.table.decisions_by_build import Build, BuildDecision, RecordedRequest, ask
from arena.league.table.live_seat import Request

OLD, NEW = VERSIONS = ("old", "new")
"""The names of the two versions at their tables."""
_EXAMPLES = 3
_Differs = Callable[[Request, BuildDecision, BuildDecision], bool | None]
"""Returns whether two decisions differ in this; None if it is no such position."""
MOST_POSITIONS = 2000
"""Positions at which the versions are asked again, at most."""
_MOST_TABLES = 40
_MOST_GAMES = 200
"""Games of a table that are kept, so that long ones take no memory."""
_EVERY = 8
"""At one of so many tables they are asked again, at most: it takes four processes."""
_SHARES = 2
"""Parts of the tables that a worker gets, one after another."""


def in_field(name: str) -> str:
    """Return the name of a bot of the field at a table, which is neither OLD nor NEW."""
    return f"field/{name}"


def from_field(name: str) -> str:
    """Return the own name of a bot of the field, given its name at a table."""
    return name.removeprefix(in_field(""))


def version_seat(fixture: Fixture) -> tuple[str, int]:
    """Return which version plays at a table, and in which seat."""
    version = NEW if NEW in fixture.seats else OLD
    return version, fixture.seats.index(version)


class DifferingShare(Struct, frozen=True):
    """The positions in which two decisions differ, of those that were compared."""

    positions: int
    otherwise: int


class KindDifference(Struct, frozen=True):
    """How often one kind of decision differs, as `KINDS` defines it."""

    kind: str
    versions: DifferingShare
    """The old version from the new one."""
    old: DifferingShare
    """The old version from itself, with another seed."""
    new: DifferingShare


class Example(Struct, frozen=True):
    """A position that the versions decide differently."""

    variant: str
    seats: tuple[str, ...]
    """The names at the table."""
    request: Request
    old: BuildDecision
    new: BuildDecision


class Behaviour(Struct, frozen=True):
    """How the decisions of the versions differ in recorded positions."""

    tables: int
    """The number of tables from which the positions are."""
    differences: tuple[KindDifference, ...]
    """All decisions first, then by kind."""
    examples: tuple[Example, ...]
    """Examples of different kinds of decisions; in each the versions surely differ."""
    faults: dict[str, int]
    """Requests that a version answered with a fault."""


def _opening(request: Request, first: BuildDecision, second: BuildDecision) -> bool | None:
    if isinstance(request, CalzaOffer) or request.bids:
        return None
    return first != second


def _doubt(request: Request, first: BuildDecision, second: BuildDecision) -> bool | None:
    if isinstance(request, CalzaOffer) or not request.bids:
        return None
    return first.action != second.action


def _face(request: Request, first: BuildDecision, second: BuildDecision) -> bool | None:
    if not request.bids or first.action != "bid" or second.action != "bid":
        return None
    return first.face != second.face


def _quantity(request: Request, first: BuildDecision, second: BuildDecision) -> bool | None:
    if _face(request, first, second) is not False:
        return None
    return first.quantity != second.quantity


def _calza(request: Request, first: BuildDecision, second: BuildDecision) -> bool | None:
    return first != second if isinstance(request, CalzaOffer) else None


def _palifico(request: Request, first: BuildDecision, second: BuildDecision) -> bool | None:
    return first != second if request.palifico_seat is not None else None


def _last_die(request: Request, first: BuildDecision, second: BuildDecision) -> bool | None:
    return first != second if len(request.dice) == 1 else None


_EXCLUSIVE: dict[str, _Differs] = {
    "opening bid": _opening,
    "raise or dudo": _doubt,
    "face of a raise": _face,
    "quantity on the same face": _quantity,
    "calza or pass": _calza,
}
KINDS: dict[str, _Differs] = {
    "all decisions": lambda _, first, second: first != second,
    **_EXCLUSIVE,
    "in palifico rounds": _palifico,
    "with one die left": _last_die,
}
"""Faces are compared where both raise, quantities where both raise on the same face."""


def summary(positions: Sequence[RecordedRequest], tables: int) -> Behaviour:
    """Sum up the decisions of the old version and the new one, and of both asked again."""
    differences = [
        KindDifference(
            kind,
            versions=_share(positions, differs, 0, 1),
            old=_share(positions, differs, 0, 2),
            new=_share(positions, differs, 1, 3),
        )
        for kind, differs in KINDS.items()
    ]
    return Behaviour(
        tables=tables,
        differences=tuple(
            difference for difference in differences if difference.versions.positions
        ),
        examples=tuple(_examples(positions)),
        faults={version: _faults(positions, number) for number, version in enumerate(VERSIONS)},
    )


def _share(
    positions: Sequence[RecordedRequest], differs: _Differs, first: int, second: int
) -> DifferingShare:
    times = Counter(
        differs(position.request, decision, instead)
        for position in positions
        if (decision := position.decisions[first]) and (instead := position.decisions[second])
    )
    return DifferingShare(times[True] + times[False], times[True])


def _faults(positions: Sequence[RecordedRequest], version: int) -> int:
    decisions = (decision for position in positions for decision in position.decisions[version::2])
    return sum(decision is not None and decision.action == "fault" for decision in decisions)


def _examples(positions: Sequence[RecordedRequest]) -> Iterator[Example]:
    """Yield positions that the versions decide differently most surely, each of another kind."""
    kinds: set[str] = set()
    for position in sorted(positions, key=_sureness, reverse=True):
        fixture, request = position.fixture, position.request
        old, new, *_ = position.decisions
        if not old or not new or old == new:
            continue
        kind = next(name for name, differs in _EXCLUSIVE.items() if differs(request, old, new))
        if kind not in kinds and len(kinds) < _EXAMPLES:
            kinds.add(kind)
            yield Example(fixture.variant, fixture.seats, request, old, new)


def _sureness(position: RecordedRequest) -> int:
    """Return how often the versions differ from each other, less how often from themselves."""
    old, new = position.decisions[::2], position.decisions[1::2]
    themselves = [*combinations(old, 2), *combinations(new, 2)]
    return sum(a != b for a, b in product(old, new)) - sum(a != b for a, b in themselves)


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
    conditions: Conditions,
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
    conditions: Conditions,
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
    conditions: Conditions,
    packed: PackedFixture,
    versions: Sequence[Program],
    sandbox: Sandbox,
    most: int,
    pool: WarmPool,
) -> list[RecordedRequest]:
    """Put the first positions of a table to both versions, and again with another seed."""
    stored = packed.stored(None)
    played = stored.played()
    fixture = played.fixture
    _, seat = version_seat(fixture)
    seeds = fixture.seed, f"{fixture.seed}/again"
    builds = [Build(program, seed) for seed, program in product(seeds, versions)]
    rules = conditions.variants[fixture.variant]
    asked = ask(played, rules, seat, builds, sandbox, conditions.limits, pool)
    with closing(asked) as positions:
        return list(islice(positions, most))
