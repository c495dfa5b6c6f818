"""How often two versions of a bot decide differently in the same positions, by kind of decision."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

from msgspec import Struct

from arena.author.compare.names import VERSIONS
from arena.game.wire.messages import CalzaOffer
from arena.league.table.decisions_by_build import BuildDecision, RecordedRequest
from arena.league.table.live_seat import Request

_EXAMPLES = 3


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
    """Of different kinds; each is one that differs most surely."""
    faults: dict[str, int]
    """Requests that a version answered with a fault."""


_Differs = Callable[[Request, BuildDecision, BuildDecision], bool | None]
"""Returns whether two decisions differ in this; None if it is no such position."""


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
        fixture, request, (old, new, *_) = position.fixture, position.request, position.decisions
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
