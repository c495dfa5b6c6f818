"""The table before the first bid and between rounds, at a referee: SETUP, FIRST, LOST-DICE."""

from hashlib import sha512

import pytest

from arena.game.records import RoundStarted
from arena.game.referee import Referee
from arena.game.rules.books import VARIANTS, variant
from arena.game.rules.dice import first_opener
from arena.game.wire.messages import Answer, Turn
from tests.rules.clauses import shows
from tests.rules.notation import ask, cannot_be

BY_CHANCE = ["bga", "italian"]
BY_ROLL = ["classic", "pressman"]
SEEDS = [f"table {number}" for number in range(200)]


def opens(book: str, seed: str, players: int) -> int:
    """Return the seat that a referee asks first; it is the one that opens the first round."""
    (seat,) = Referee(VARIANTS[book], players, seed, 0).waiting
    highest = VARIANTS[book].first_opener == "highest_roll"
    assert seat == first_opener(seed, 0, players, highest_roll=highest)
    return seat


def die(seed: str, attempt: int, seat: int) -> int:
    """The die that a seat rolls for the opening, worked out from the hash."""
    words = sha512(f"{seed}/0/opener/{attempt}".encode()).digest()
    return int.from_bytes(words[4 * seat : 4 * seat + 4], "big") % 6 + 1


def seats_with_the_highest(seed: str, attempt: int, seats: list[int]) -> list[int]:
    rolls = {seat: die(seed, attempt, seat) for seat in seats}
    return [seat for seat in seats if rolls[seat] == max(rolls.values())]


# ---------------------------------------------------------------- dice and players


@shows("SETUP")
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_two_to_six_players_with_five_dice_each(book: str, players: int) -> None:
    started = Referee(VARIANTS[book], players, "setup", 0).events[0]
    assert isinstance(started, RoundStarted)
    assert [len(hand) for hand in started.dice] == [5] * players
    assert {face for hand in started.dice for face in hand} <= set(range(1, 7))


@shows("SETUP")
@pytest.mark.parametrize("players", [1, 7])
def test_one_or_seven_players_are_refused(book: str, players: int) -> None:
    assert "a table has 2 to 6" in cannot_be(book, " ".join(["23456"] * players))


@shows("SETUP")
def test_six_dice_are_refused(book: str) -> None:
    assert "started with 5" in cannot_be(book, "234561 23456")


@shows("SETUP")
def test_bid_of_no_dice_or_of_an_unknown_face_is_illegal(book: str) -> None:
    for bid in ("0x2", "2x7", "2x0"):
        assert ask(book, "23456 23456", bid)["clauses"] == ["SETUP"]


# ---------------------------------------------------------------- who opens the game


@shows("FIRST", books=BY_CHANCE)
@pytest.mark.parametrize("players", [2, 6])
def test_random_player_opens(book: str, players: int) -> None:
    """No seat opens twice as often as it should, nor half as often; the seeds are fixed."""
    openers = [opens(book, seed, players) for seed in SEEDS]
    fair = len(SEEDS) / players
    assert all(fair / 2 < openers.count(seat) < 2 * fair for seat in range(players))


@shows("FIRST", books=BY_ROLL)
@pytest.mark.parametrize("players", [2, 6])
def test_the_highest_roll_opens(book: str, players: int) -> None:
    best = {seed: seats_with_the_highest(seed, 0, list(range(players))) for seed in SEEDS}
    clear = {seed: seats[0] for seed, seats in best.items() if len(seats) == 1}
    assert len(clear) > len(SEEDS) / 4
    assert {seed: opens(book, seed, players) for seed in clear} == clear


@shows("FIRST", books=BY_ROLL)
@pytest.mark.parametrize("players", [2, 6])
def test_ties_for_the_highest_die_roll_again(book: str, players: int) -> None:
    again = 0
    for seed in SEEDS:
        best, attempt = list(range(players)), 0
        while len(best) > 1:
            best, attempt = seats_with_the_highest(seed, attempt, best), attempt + 1
        again += attempt > 1
        assert opens(book, seed, players) == best[0]
    assert again > 10


# ---------------------------------------------------------------- lost dice


def after_a_lost_die(book: str, *, visible: bool) -> tuple[int, Turn]:
    """Bid the maximum and doubt it; return who lost a die, and its next turn."""
    referee = Referee(variant(book, {}, lost_dice_visible=visible), 3, "lost", 0)
    (loser,) = referee.waiting
    referee.take(loser, Answer(id=0, action="bid", quantity=15, face=2))
    referee.take(referee.waiting[0], Answer(id=0, action="dudo"))
    turn = referee.request(referee.waiting[0], 0)
    assert isinstance(turn, Turn)
    return loser, turn


@shows("LOST-DICE")
def test_lost_dice_are_hidden(book: str) -> None:
    """A seat sees its own dice, who is alive, and not how many dice the others have."""
    loser, turn = after_a_lost_die(book, visible=False)
    assert (turn.seat, len(turn.dice)) == (loser, 4)
    assert turn.dice_counts is None
    assert list(turn.alive) == [0, 1, 2]


@shows("LOST-DICE")
def test_lost_dice_are_visible_as_an_option(book: str) -> None:
    loser, turn = after_a_lost_die(book, visible=True)
    assert turn.dice_counts is not None
    assert list(turn.dice_counts) == [4 if seat == loser else 5 for seat in range(3)]


@shows("LOST-DICE")
def test_lost_dice_are_hidden_by_default(book: str) -> None:
    assert not VARIANTS[book].lost_dice_visible
