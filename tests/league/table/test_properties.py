"""Properties of every game, whatever the rules and the play: secrecy, fair offers, an end."""

from random import Random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.records import CallMade, RoundStarted
from arena.game.referee import Referee
from arena.game.rules.books import FACES, Rules
from arena.game.rules.dice import Hand
from arena.game.wire.messages import Turn
from tests.league.table.driver import Driven, bid, driven_games, play_on
from tests.league.table.fakes import Deal, written_to_seats
from tests.support.depth import depth
from tests.support.random_games import rules

each_table = settings(max_examples=depth(20, 150), deadline=None, database=None)
few_tables = settings(max_examples=depth(8, 40), deadline=None, database=None)
FACES_AND_MORE = range(FACES + 2)


# ---------------------------------------------------------------- secrecy


def others_changed(viewer: int, changed: int, rng: Random) -> Deal:
    """Deal as rolled, but in round `changed` every die of every other seat shows another face."""

    def deal(number: int, seat: int, hand: Hand) -> Hand:
        if number != changed or seat == viewer:
            return hand
        return tuple((face - 1 + rng.randint(1, FACES - 1)) % FACES + 1 for face in hand)

    return deal


def until_reveal(lines: list[bytes], number: int) -> tuple[list[bytes], bytes | None]:
    """Return the lines before a round's dice are shown, and the line that shows them, if any."""
    for place, line in enumerate(lines):
        message: dict[str, Any] = msgspec.json.decode(line)
        if message["type"] == "round_end" and message["round"] == number:
            return lines[:place], line
    return lines, None


@each_table
@given(rules(), st.integers(2, 6), st.integers(0, 2**32), st.sampled_from([0.0, 0.02, 0.2]))
def test_no_byte_reveals_hidden_dice(book: Rules, players: int, script: int, risk: float) -> None:
    """LOST-DICE, DUDO: dice show at the end of their round; those of a void round never do.

    The same game is played twice by seats that do not look at their dice. The two deals differ in
    the hidden dice of one round; until they are shown, a seat that kept its own dice is sent the
    same bytes in both.
    """
    lines = written_to_seats(book, players, script, risk)
    rng = Random(script)
    viewer, number = rng.randrange(players), rng.randrange(rounds_in(lines))
    deal = others_changed(viewer, number, rng)
    other = written_to_seats(book, players, script, risk, deal)
    hidden, shown = until_reveal(lines[viewer], number)
    other_hidden, other_shown = until_reveal(other[viewer], number)
    assert hidden == other_hidden
    assert (shown is None) == (other_shown is None)
    assert shown is None or shown != other_shown


def rounds_in(lines: list[list[bytes]]) -> int:
    """Return how many rounds were begun, including those that a fault made void."""
    messages = [msgspec.json.decode(line) for seat in lines for line in seat]
    numbers: list[int] = [message.get("round", 0) for message in messages]
    return 1 + max(numbers)


# ---------------------------------------------------------------- offers


@few_tables
@given(rules(), st.integers(2, 6), st.integers(0, 2**32))
def test_referee_accepts_exactly_the_offered_bids(book: Rules, players: int, seed: int) -> None:
    """Every possible bid, tried in the same position, is a fault unless it was offered."""
    referee = position(book, players, seed)
    if not referee.waiting:
        return
    (seat,) = referee.waiting
    request = referee.request(seat, 0)
    assert isinstance(request, Turn)
    offered = {(n, span.face) for span in request.raises for n in range(span.min, span.max + 1)}
    for quantity in range(players * book.starting_dice + 3):
        for face in FACES_AND_MORE:
            fault = position(book, players, seed).take(seat, bid(quantity, face))
            assert (fault is None) == ((quantity, face) in offered)


def position(book: Rules, players: int, seed: int) -> Referee:
    """Return a game that stands at a turn, or is over: the same one for the same seed."""
    rng = Random(seed)
    referee = Referee(book, players, f"seed {seed}", 0, frozenset(range(players)))
    play_on(referee, rng.randint(0, 40), rng)
    while referee.offering:
        play_on(referee, 1, rng)
    return referee


# ---------------------------------------------------------------- an end


@each_table
@given(driven_games())
def test_game_ends_within_its_bound(game: Driven) -> None:
    """With C dice at the start, R right calzas and F faults: at most C - 1 + 2R + F rounds.

    A round that was settled took a die unless a right calza settled it, which gives back at most
    one, and one die is left in the end: so at most C - 1 + R rounds took one. A round that was not
    settled is void by at least one fault, and a seat faults once.
    """
    events = game.record.events
    begun = sum(isinstance(event, RoundStarted) for event in events)
    right = sum(isinstance(event, CallMade) and event.loser is None for event in events)
    dice = len(game.fixture.seats) * game.rules.starting_dice
    faulted = sum(len(seats) for seats, _ in game.fault_moments)
    assert begun <= dice - 1 + 2 * right + faulted
