"""The advice on planted leaks: the right words, thresholds and directions, and where they are."""

import re

import pytest
from msgspec.structs import replace

from arena.game.rules.books import variant
from arena.game.rules.round import Bid, Raises
from arena.game.rules.view import SeatBid
from arena.playstats.coach.changes import (
    AFTER_A_BID,
    CHANGES,
    OPENINGS,
    Change,
    advice,
    better,
    features,
    gains,
)
from arena.playstats.coach.coach import Coach, Judgement
from arena.playstats.coach.decisions import Decision, DecisionAction, Position
from tests.support import leaky, records
from tests.support.leaky import BASE, LEAKS, Settings
from tests.support.sampling import sample

GAMES = 25
SEATS = (("bot", "rival"), ("rival", "bot"))


def coached(leak: Settings) -> Judgement:
    rules = variant("bga", {}, calza="calza" in leak)
    coach = Coach("bot")
    for index, names in enumerate(SEATS):
        fixture = records.fixture(names, GAMES, id=f"{index}", index=index, seed=f"s/{index}")
        bots = [leaky.seated(leak if name == "bot" else BASE, rules) for name in names]
        coach.add(leaky.play(fixture, bots, rules, [index]), rules)
    return coach.judgement()


# ---------------------------------------------------------------- planted leaks

TOLD: dict[str, tuple[str, str, object]] = {
    "doubts bids below 55 %": ("doubts too early", "doubt", (0.15, 0.4)),
    "doubts bids below 10 % only": ("doubts too late", "doubt", (0.12, 0.3)),
    "raises one die too high": ("raises too high", "quantity", {"-1", "lowest", "expected"}),
    "raises on the highest face": ("raises on the wrong face", "face", {"surest", "longest"}),
    "opens two dice too high": ("opens too high", "quantity", {"held", "-2"}),
    "opens with what is expected": ("opens too high", "quantity", {"held", "-1"}),
    "calls calza from 15 % on": ("calls calza where it should not", "calza", (0.25, 0.6)),
    "opens palifico two dice too high": ("opens too high in palifico", "quantity", {"-2"}),
    "opens palifico on a face that it lacks": (
        "opens on the wrong face in palifico",
        "face",
        {"longest", "surest"},
    ),
    "never doubts in palifico": ("doubts too late in palifico", "doubt", (0.15, 0.5)),
}
"""Of the first leak: its name, what the change is about, and the values that are right."""


def tried() -> list[str]:
    """Return the leaks to plant: one of each kind, and one in palifico, outside `make long`."""
    palifico = [name for name in LEAKS if "palifico" in name]
    kinds = {name: TOLD[name][1] for name in LEAKS if name not in palifico}
    each = [[name for name in kinds if kinds[name] == kind] for kind in sorted({*kinds.values()})]
    return [name for names in [*each, palifico] for name in sample(names, 1, f"like {names[0]}")]


@pytest.mark.slow
@pytest.mark.parametrize("name", tried())
def test_planted_leak_comes_first_with_the_change_that_mends_it(name: str) -> None:
    what, rule, right = TOLD[name]
    leak = coached(LEAKS[name]).leaks[0]
    assert (leak.what, leak.rule) == (what, rule)
    if isinstance(right, tuple):
        assert right[0] <= float(leak.value) <= right[1]
    else:
        assert isinstance(right, set)
        assert leak.value in right
    assert 0 < leak.times <= leak.of
    assert len(leak.examples) == 3
    assert len({tuple(sorted(one.hand)) for one in leak.examples}) == 3
    assert {one.kind for one in leak.examples} == {leak.kind}


@pytest.mark.slow
def test_place_of_mistakes_is_said_if_it_is_not_that_of_all_turns() -> None:
    """It doubts every second bid of pacos, and nothing else too early."""
    found = coached({"doubt on pacos": 0.7})
    [leak] = [leak for leak in found.leaks if leak.kind == "doubts too early"]
    assert re.fullmatch(r"\d+ of \d+ on a bid of pacos \(of all such turns \d+ %\)", leak.where[0])


# ---------------------------------------------------------------- rules, move by move

DUDO = DecisionAction("dudo")


def bids(quantity: int, face: int) -> DecisionAction:
    return DecisionAction("bid", quantity, face)


def position(
    hand: tuple[int, ...], last: Bid | None, *legal: Raises, unseen: int = 5, wild: int | None = 1
) -> Position:
    values = {bids(n, one.face): 0.5 for one in legal for n in range(one.min, one.max + 1)}
    return Position(hand, unseen, wild, last, legal, {DUDO: 0.4, **values})


REPLY = position((2, 2, 5, 5, 5), Bid(2, 5), Raises(5, 3, 9), Raises(6, 2, 9), Raises(1, 1, 9))
OPENING = position((1, 2, 2, 4, 6), None, *(Raises(face, 1, 9) for face in range(2, 7)))


@pytest.mark.parametrize(
    ("change", "at", "made", "instead"),
    [
        # Three of its own: the bid is true for certain, and the surest raise is 3 fives.
        (Change("doubts too early", "doubt", 0.95), REPLY, DUDO, bids(3, 5)),
        (Change("doubts too early", "doubt", 0.05), REPLY, bids(3, 5), None),
        (Change("doubts too late", "doubt", 0.95), REPLY, bids(3, 5), None),
        (Change("raises on the wrong face", "face", "longest"), REPLY, bids(2, 6), bids(3, 5)),
        (Change("raises on the wrong face", "face", "table"), REPLY, bids(2, 6), bids(3, 5)),
        (Change("raises on the wrong face", "face", "pacos"), REPLY, bids(2, 6), bids(1, 1)),
        (Change("raises on the wrong face", "face", "longest"), REPLY, bids(4, 5), None),
        (Change("raises too high", "quantity", "lowest"), REPLY, bids(5, 5), bids(3, 5)),
        (Change("raises too high", "quantity", "-1"), REPLY, bids(5, 5), bids(4, 5)),
        (Change("raises too high", "quantity", "-3"), REPLY, bids(5, 5), bids(3, 5)),
        (Change("raises too high", "quantity", "held"), REPLY, bids(3, 5), None),
        # Three of its own and a third of five.
        (Change("raises too low", "quantity", "expected"), REPLY, bids(3, 5), bids(4, 5)),
        (Change("opens too low", "quantity", "held"), OPENING, bids(1, 2), bids(3, 2)),
        (Change("opens too low", "quantity", "held + 1"), OPENING, bids(1, 4), bids(3, 4)),
        (Change("opens too low", "quantity", "+2"), OPENING, bids(1, 4), bids(3, 4)),
        (Change("opens on the wrong face", "face", "longest"), OPENING, bids(2, 6), bids(2, 2)),
    ],
)
def test_rules_are_followed_to_the_letter(
    change: Change, at: Position, made: DecisionAction, instead: DecisionAction | None
) -> None:
    assert (OPENINGS if at.last is None else AFTER_A_BID)[change](at, made) in {instead, None}
    found = dict(gains(at, made))
    assert (change in found) == (instead is not None)
    if instead:
        assert found[change] == pytest.approx(at.values[instead] - at.values[made])


@pytest.mark.parametrize(
    ("change", "palifico", "words"),
    [
        (
            Change("doubts too early", "doubt", 0.35),
            False,
            (
                "doubt a bid only if it is less than 35 % likely to be true by its own dice;"
                " otherwise raise"
            ),
        ),
        (
            Change("doubts too late", "doubt", 0.2),
            True,
            "in palifico: doubt every bid that is less than 20 % likely to be true by its own dice",
        ),
        (
            Change("calls calza where it should not", "calza", 0.4),
            False,
            "call a bid exact only if that is at least 40 % likely by its own dice",
        ),
        (
            Change("raises on the wrong face", "face", "longest"),
            False,
            "raise on the face that it holds most of, wild pacos counted, as low as is legal",
        ),
        (
            Change("raises on the wrong face", "face", "table"),
            False,
            "raise on the face of the bid on the table, as low as is legal",
        ),
        (
            Change("opens too high", "quantity", "-2"),
            False,
            "open with two dice fewer, on the same face",
        ),
        (
            Change("opens too low", "quantity", "+1"),
            False,
            "open with one die more, on the same face",
        ),
        (
            Change("raises too high", "quantity", "held"),
            False,
            (
                "raise with at most as many dice as it holds itself, wild pacos counted, on the"
                " same face"
            ),
        ),
        (
            Change("raises too high", "quantity", "lowest"),
            False,
            "raise as low as is legal, on the same face",
        ),
    ],
)
def test_changes_are_said_in_words(change: Change, *, palifico: bool, words: str) -> None:
    assert change in CHANGES
    assert advice(change, palifico=palifico) == words


def test_every_change_has_words() -> None:
    said = [advice(change, palifico=False) for change in CHANGES]
    assert all(said)
    assert len({(change.mends, text) for change, text in zip(CHANGES, said, strict=True)}) == len(
        said
    )


@pytest.mark.parametrize(
    ("made", "best", "words"),
    [
        (bids(3, 5), bids(5, 5), "two dice more"),
        (bids(4, 5), bids(3, 5), "one die fewer"),
        (bids(2, 6), bids(3, 5), "its longest face"),
        (bids(2, 6), bids(1, 1), "pacos"),
        (bids(3, 5), bids(2, 6), "a face that it holds none of"),
        (DUDO, bids(3, 5), "a raise on its longest face"),
        (bids(3, 5), DUDO, ""),
    ],
)
def test_better_actions_are_told_apart(
    made: DecisionAction, best: DecisionAction, words: str
) -> None:
    decision = replace(coached_decision(), action=made, best=best)
    assert better(decision, REPLY) == words


def coached_decision() -> Decision:
    heard = (SeatBid(0, 2, 5),)
    return Decision(
        fixture=0,
        game=0,
        round=0,
        step=2,
        seat=1,
        dice=5,
        hand=REPLY.hand,
        table=10,
        palifico=False,
        bids=heard,
        last=bids(2, 5),
        action=DUDO,
        best=DUDO,
        chance=0.4,
        loss=0.1,
        error=0.0,
        kind="doubts too early",
    )


def test_turns_are_described() -> None:
    assert [*features(coached_decision(), REPLY)] == [
        "with five dice",
        "on the first bid of a round",
    ]
    pacos = REPLY._replace(last=Bid(1, 1), hand=(1, 2, 5, 5, 5))
    assert "on a bid of pacos" in features(coached_decision(), pacos)
    assert "with a paco of its own" in features(coached_decision(), pacos)
