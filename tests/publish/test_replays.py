"""Replays: what each step says, and how likely bids and calls were to be right."""

import pytest

from arena.game.records import CallMade, Cause, Faulted, GameRecord, RoundStarted
from arena.game.rules.books import VARIANTS, variant
from arena.game.rules.dice import Hand
from arena.game.rules.odds import at_least
from arena.publish.replay_steps import Step, likely, replay
from tests.support import played_games as games
from tests.support.games import Action, round_events

SEATS = ("alpha", "beta", "gamma")
RULES = variant("bga", {}, calza=True, starting_dice=2)
FIRST = ((1, 2), (5, 5), (2, 3))
"""alpha opens with 3 twos, there are three, and beta loses a die by its dudo."""
SECOND = ((1, 2), (5,), (2, 5))
"""The palifico round of beta."""


def steps(*actions: Action, hands: tuple[tuple[int, ...], ...] = FIRST) -> list[Step]:
    """The steps of a game of one round, its start and the game's end among them."""
    events = round_events(RULES, [hands], [actions])
    return replay(GameRecord(7, (2, 1, 3), events), SEATS, RULES).steps


def palifico_steps(*actions: Action) -> list[Step]:
    """The steps of the second round of a game, which is palifico, and the game's end."""
    events = round_events(RULES, [FIRST, SECOND], [[(3, 2), "dudo"], actions])
    return replay(GameRecord(7, (2, 1, 3), events), SEATS, RULES).steps[3:]


def test_a_round_says_how_many_dice_each_seat_has_and_who_opens() -> None:
    assert steps()[0].said == "Round 1. 6 dice: alpha 2, beta 2, gamma 2. alpha opens."
    assert palifico_steps()[0].said == (
        "Round 2. 5 dice: alpha 2, beta 1, gamma 2. beta opens. It is the palifico round of beta."
    )


def test_a_bid_has_the_odds_of_its_bidder_and_the_truth() -> None:
    step = steps((3, 5))[1]
    assert (step.odds, step.count, step.right) == (likely(at_least(2, 4, 2)), 3, True)
    assert (step.chance, step.bluff) == (40.7, True)
    assert step.said == "alpha bids 3 fives."
    assert step.knew == "Odds by own dice: 41\u202f%, a bluff."
    assert step.truth == "In truth there are 3: the bid is true."


@pytest.mark.parametrize(
    ("chance", "shown"),
    [(0, "0"), (1e-9, "under 1"), (0.006, "1"), (0.994, "99"), (0.999, "over 99"), (1, "100")],
)
def test_only_what_is_certain_is_said_to_be(chance: float, shown: str) -> None:
    assert likely(chance) == f"{shown}\u202f%"


def test_pacos_are_not_wild_in_a_palifico_round() -> None:
    step = palifico_steps((3, 5))[1]
    assert (step.odds, step.count, step.right) == (likely(at_least(2, 4, 1)), 2, False)


def test_pacos_count_themselves_alone() -> None:
    step = steps((2, 3), (1, 1))[2]
    assert (step.odds, step.count) == (likely(at_least(1, 4, 1)), 1)
    assert step.said == "beta bids 1 paco."
    assert step.truth == "In truth there is 1: the bid is true."


def test_a_dudo_is_right_as_often_as_the_bid_is_false_for_its_caller() -> None:
    step = steps((4, 5), "dudo")[2]
    assert (step.odds, step.right, step.word) == (likely(1 - at_least(2, 4, 2)), True, "dudo")
    assert step.said == ("beta calls dudo. The bid is 4 fives, and there are 3. alpha loses a die.")


def test_a_calza_is_right_as_often_as_the_bid_is_exact_for_its_caller() -> None:
    step = steps((3, 5), "calza 1 2")[2]
    exact = at_least(1, 4, 2) - at_least(2, 4, 2)
    assert (step.odds, step.right) == (likely(exact), True)
    assert "gamma did so in the same moment, but further off." in step.said
    assert step.said.endswith("Nobody loses a die.")


def test_a_right_calza_regains_a_lost_die() -> None:
    step = palifico_steps((1, 5), (2, 5), "calza 1")[3]
    assert step.said.endswith("beta gains a die.")


def test_the_last_die_is_the_end_of_a_seat() -> None:
    step = palifico_steps((1, 5), (3, 5), "calza 1")[3]
    assert step.right is False
    assert step.said.endswith("beta loses a die and is out.")


def test_faults_and_the_end_are_told() -> None:
    told = steps(Faulted(2, Cause.FLOOD, "a\x1b[2Jb\nc"))
    assert told[1].said == r"gamma faults and is out: wrote too much. a\x1b[2Jb\nc"
    assert told[1].word == "wrote too much"
    assert told[2].said == "The game is over: 1st beta, 2nd alpha, 3rd gamma."
    assert told[2].seat == 1


@pytest.mark.parametrize(
    ("hands", "told"),
    [
        (((1, 1), (2, 3)), "+0.36 wins for alpha"),
        (((2, 3), (1, 1)), "+0.41 wins for beta"),
    ],
)
def test_the_end_of_a_game_of_two_tells_the_luck_of_the_dice(
    hands: tuple[Hand, ...], told: str
) -> None:
    rules = variant("bga", {}, starting_dice=2)
    events = round_events(rules, [hands], [[(1, 2), "dudo"]])
    said = replay(GameRecord(0, (1, 2), events), SEATS[:2], rules).steps[-1].said
    assert said == f"The game is over: 1st alpha, 2nd beta. Luck of the dice: {told}."


def test_luck_that_rounds_to_nothing_is_nobodys() -> None:
    said = replay(GameRecord(0, (1, 2), []), SEATS[:2], RULES).steps[-1].said
    assert said.endswith("Luck of the dice: none for either.")


@pytest.mark.parametrize("book", VARIANTS)
def test_steps_are_the_events_of_a_real_game(book: str) -> None:
    record = games.play(VARIANTS[book], 4, "seed", 3)
    shown = replay(record, ("a", "b", "c", "d"), VARIANTS[book])
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
