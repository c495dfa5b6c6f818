"""What versions decide differently: by kind of decision, with examples; and at which tables."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from arena.author.compare.behaviour import Behaviour, DifferingShare, TableSample, summary
from arena.game.records import Division
from arena.game.rules.round import Raises
from arena.game.rules.view import SeatBid, View
from arena.game.wire.messages import CalzaOffer, Turn
from arena.league.store.rows import pack
from arena.league.table.decisions_by_build import BuildDecision, RecordedRequest
from tests.support import factory, records

SEATS = ("old", "field/ann")
FIXTURE = records.fixture(SEATS)
TWO_FIVES, TWO_SIXES, THREE_FIVES = (BuildDecision("bid", *bid) for bid in ((2, 5), (2, 6), (3, 5)))
DUDO, PASS, CALZA, FAULT = (BuildDecision(one) for one in ("dudo", "pass", "calza", "fault"))
ANSWERS: list[BuildDecision | None] = [TWO_FIVES, TWO_SIXES, THREE_FIVES, DUDO, FAULT, None]


def position(
    *decisions: BuildDecision | None,
    bids: int = 1,
    dice: tuple[int, ...] = (2, 3),
    palifico: int | None = None,
    offer: bool = False,
) -> RecordedRequest:
    """Return a position with the decisions of old, new, old again and new again."""
    made = [SeatBid(1, 1, face) for face in range(2, 2 + bids)]
    seen = astuple(View(0, dice, made, (0, 1), None, palifico))
    if offer:
        return RecordedRequest(FIXTURE, CalzaOffer(*seen, id=1, game=0, round=0), decisions)
    raises, dudo = (Raises(5, 2, 10),), bids > 0
    turn = Turn(*seen, id=1, game=0, round=0, raises=raises, dudo=dudo)
    return RecordedRequest(FIXTURE, turn, decisions)


def shares(behaviour: Behaviour) -> dict[str, tuple[int, int]]:
    """Return at how many positions of each kind the versions were asked, and differ."""
    found = {one.kind: one.versions for one in behaviour.differences}
    return {kind: (share.positions, share.otherwise) for kind, share in found.items()}


ALL = "all decisions"
KINDS = {
    "opening": (position(TWO_FIVES, TWO_SIXES, bids=0), {ALL: 1, "opening bid": 1}),
    "same": (
        position(TWO_FIVES, TWO_FIVES),
        {ALL: 0, "raise or dudo": 0, "face of a raise": 0, "quantity on the same face": 0},
    ),
    "dudo": (position(DUDO, TWO_SIXES), {ALL: 1, "raise or dudo": 1}),
    "both doubt": (position(DUDO, DUDO), {ALL: 0, "raise or dudo": 0}),
    "face": (
        position(TWO_FIVES, TWO_SIXES),
        {ALL: 1, "raise or dudo": 0, "face of a raise": 1},
    ),
    "quantity": (
        position(TWO_FIVES, THREE_FIVES),
        {ALL: 1, "raise or dudo": 0, "face of a raise": 0, "quantity on the same face": 1},
    ),
    "calza": (position(PASS, CALZA, offer=True), {ALL: 1, "calza or pass": 1}),
    "palifico": (
        position(TWO_FIVES, DUDO, palifico=1),
        {ALL: 1, "raise or dudo": 1, "in palifico rounds": 1},
    ),
    "last die": (
        position(DUDO, DUDO, dice=(4,)),
        {ALL: 0, "raise or dudo": 0, "with one die left": 0},
    ),
    "fault": (position(FAULT, DUDO), {ALL: 1, "raise or dudo": 1}),
    "no answer": (position(None, DUDO), {}),
}


@pytest.mark.parametrize(("asked", "expected"), KINDS.values(), ids=KINDS)
def test_decisions_differ_by_kind(asked: RecordedRequest, expected: dict[str, int]) -> None:
    full = RecordedRequest(FIXTURE, asked.request, (*asked.decisions, None, None))
    found = shares(summary([full], 1))
    assert found == {kind: (1, otherwise) for kind, otherwise in expected.items()}


def test_versions_are_compared_with_each_other_and_with_themselves() -> None:
    positions = [
        position(DUDO, TWO_FIVES, DUDO, TWO_SIXES),
        position(DUDO, DUDO, TWO_FIVES, DUDO),
        position(DUDO, DUDO, None, FAULT),
    ]
    found = summary(positions, 7)
    first = found.differences[0]
    assert (first.versions, first.old, first.new) == (
        DifferingShare(3, 1),
        DifferingShare(2, 1),
        DifferingShare(3, 2),
    )
    assert (found.tables, found.faults) == (7, {"old": 0, "new": 1})


def test_examples_are_the_surest_of_three_kinds() -> None:
    drawn = position(DUDO, TWO_FIVES, TWO_FIVES, TWO_FIVES)
    sure = position(DUDO, THREE_FIVES, DUDO, THREE_FIVES)
    opening = position(TWO_FIVES, TWO_SIXES, TWO_FIVES, TWO_SIXES, bids=0)
    calza = position(CALZA, PASS, CALZA, PASS, offer=True)
    face = position(TWO_FIVES, TWO_SIXES, TWO_SIXES, TWO_FIVES)
    same = position(DUDO, DUDO, DUDO, DUDO)
    found = summary([same, drawn, face, opening, sure, sure, calza], 1).examples
    shown = [(example.request, example.old, example.new) for example in found]
    assert shown == [(one.request, *one.decisions[:2]) for one in (opening, sure, calza)]
    assert {(example.variant, example.seats) for example in found} == {("bga", SEATS)}


@given(st.lists(st.tuples(*[st.sampled_from(ANSWERS)] * 4)))
def test_kinds_of_turns_add_up(decided: list[tuple[BuildDecision | None, ...]]) -> None:
    positions = [position(*one, bids=number % 2) for number, one in enumerate(decided)]
    found = shares(summary(positions, 1))
    parts = ("opening bid", "raise or dudo", "face of a raise", "quantity on the same face")
    assert found.get(ALL, (0, 0))[1] == sum(found.get(one, (0, 0))[1] for one in parts)
    asked = sum(found.get(one, (0, 0))[0] for one in parts[:2])
    assert found.get(ALL, (0, 0))[0] == asked


DIVISIONS = [Division("bga", 2), Division("house rules", 2)]


def drawn(seed: str, tables: dict[str, int], rng: Random) -> list[int]:
    """Return the indexes in the schedule of the tables drawn; `tables` are counts by variant."""
    labels = [label for label, count in tables.items() for _ in range(count)]
    played = [factory.fixture(index, ("a", "b"), label) for index, label in enumerate(labels)]
    rng.shuffle(played)
    sample = TableSample(seed, DIVISIONS)
    for one in played:
        sample.add(pack(one), one.fixture)
    return [packed.row.position for packed in sample.drawn()]


def test_tables_are_drawn_by_the_seed_in_whatever_order_they_were_played() -> None:
    tables = {"bga": 40, "house rules": 20}
    found = drawn("s", tables, Random(1))
    assert found == drawn("s", tables, Random(2)) != drawn("t", tables, Random(1))
    assert len(set(found)) == len(found) == 5 + 2
    assert sum(index < 40 for index in found) == 5


def test_each_division_has_a_table_and_none_more_than_its_share() -> None:
    assert len(drawn("s", {"bga": 1, "house rules": 3}, Random(1))) == 2
    assert len(drawn("s", {"bga": 400, "house rules": 8}, Random(1))) == 20 + 1


def test_long_tables_take_no_memory() -> None:
    sample = TableSample("s", DIVISIONS)
    long = factory.fixture(0, ("a", "b"), "bga", games=500)
    sample.add(pack(long), long.fixture)
    [packed] = sample.drawn()
    stored = packed.stored(None)
    assert stored.played().games == long.games[:200]
    assert len(packed.logs) == 200
