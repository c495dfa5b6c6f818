"""Replays: what each step says, and how likely bids and calls were to be right."""

import pytest

from arena.perudo.odds import at_least
from arena.perudo.rules import VARIANTS
from arena.publish.replay.steps import Step, likely, replay
from arena.records import (
    BidMade,
    CallMade,
    Cause,
    Event,
    Faulted,
    GameRecord,
    RoundStarted,
)
from tests.publish import games

SEATS = ("alpha", "beta", "gamma")
DICE = ((1, 2, 3), (5, 5, 6), (2,))


def steps(*events: Event, palifico: int | None = None) -> list[Step]:
    """The steps of a game of one round, its start and the game's end among them."""
    start = RoundStarted(4, 0, palifico, DICE)
    return replay(GameRecord(7, (2, 1, 3), [start, *events]), SEATS).steps


def test_a_round_says_who_has_what_and_who_opens() -> None:
    assert steps()[0].said == "Round 4. 7 dice: alpha 3, beta 3, gamma 1. alpha opens."
    assert steps(palifico=2)[0].said.endswith("It is the palifico round of gamma.")


def test_a_bid_has_the_odds_of_its_bidder_and_the_truth() -> None:
    step = steps(BidMade(0, 3, 5))[1]
    assert (step.odds, step.count, step.right) == (likely(at_least(2, 4, 2)), 3, True)
    assert step.said == "alpha bids 3 fives."
    assert step.knew == "41\u202f% likely by its own dice."
    assert step.truth == "In truth there are 3: the bid is true."


@pytest.mark.parametrize(
    ("chance", "shown"),
    [(0, "0"), (1e-9, "under 1"), (0.006, "1"), (0.994, "99"), (0.999, "over 99"), (1, "100")],
)
def test_only_what_is_certain_is_said_to_be(chance: float, shown: str) -> None:
    assert likely(chance) == f"{shown}\u202f%"


def test_pacos_are_not_wild_in_a_palifico_round() -> None:
    step = steps(BidMade(0, 3, 5), palifico=0)[1]
    assert (step.odds, step.count, step.right) == (likely(at_least(3, 4, 1)), 2, False)


def test_pacos_count_themselves_alone() -> None:
    step = steps(BidMade(1, 1, 1))[1]
    assert (step.odds, step.count) == (likely(at_least(1, 4, 1)), 1)
    assert step.said == "beta bids 1 paco."
    assert step.truth == "In truth there is 1: the bid is true."


def test_a_dudo_is_right_as_often_as_the_bid_is_false_for_its_caller() -> None:
    step = steps(BidMade(0, 4, 5), CallMade(1, "dudo", 3, 0, None))[2]
    assert (step.odds, step.right, step.word) == (likely(1 - at_least(2, 4, 2)), True, "dudo")
    assert step.said == ("beta calls dudo. The bid is 4 fives, and there are 3. alpha loses a die.")


def test_a_calza_is_right_as_often_as_the_bid_is_exact_for_its_caller() -> None:
    step = steps(BidMade(0, 3, 5), CallMade(1, "calza", 3, None, 1, (2,)))[2]
    exact = at_least(1, 4, 2) - at_least(2, 4, 2)
    assert (step.odds, step.right) == (likely(exact), True)
    assert "gamma did so in the same moment, but further off." in step.said
    assert step.said.endswith("beta gains a die.")


def test_the_last_die_is_the_end_of_a_seat() -> None:
    step = steps(BidMade(0, 1, 2), CallMade(2, "dudo", 2, 2, None))[2]
    assert step.right is False
    assert step.said.endswith("gamma loses a die and is out.")


def test_faults_and_the_end_are_told() -> None:
    told = steps(Faulted(2, Cause.FLOOD, "a\x1b[2Jb\nc"))
    assert told[1].said == r"gamma faults and is out: flood. a\x1b[2Jb\nc"
    assert told[2].said == "The game is over: 1st beta, 2nd alpha, 3rd gamma."
    assert told[2].seat == 1


def test_a_fault_before_the_dice_has_no_round() -> None:
    record = GameRecord(0, (2, 1), [Faulted(0, Cause.CRASH, "")])
    shown = replay(record, SEATS[:2])
    assert [step.round for step in shown.steps] == [None, None]
    assert shown.rounds == []


@pytest.mark.parametrize("book", VARIANTS)
def test_steps_are_the_events_of_a_real_game(book: str) -> None:
    record = games.play(VARIANTS[book], 4, "seed", 3)
    shown = replay(record, ("a", "b", "c", "d"))
    assert len(shown.steps) == len(record.events) + 1
    for at, event in enumerate(record.events):
        step = shown.steps[at]
        if isinstance(event, RoundStarted):
            assert step.round is not None
            assert (shown.rounds[step.round].first, step.kind) == (at, "round")
        elif isinstance(event, CallMade):
            bid = shown.steps[at - 1]
            assert (bid.kind, bid.count) == ("bid", event.count)
            assert step.right == (event.loser != event.seat)
        assert bool(step.odds) == (step.kind in {"bid", "call"})
