"""Whole games of random players, for hypothesis: any rule book, any switches, any options."""

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import strategies as st
from msgspec import Struct

from arena.game.rules.books import FACES, SWITCHES, VARIANTS, Rules, variant
from arena.game.rules.dice import count_face
from arena.game.rules.round import (
    Bid,
    Outcome,
    Round,
    Standing,
    calza,
    calza_seats,
    dudo,
    first_standing,
    open_round,
    place,
    raises,
)
from arena.game.rules.view import SeatBid

Hands = tuple[tuple[int, ...], ...]
REVEALS = ("unstated", "caller_first", "at_once")
OPENERS = ("random", "highest_roll")
MANY_ROUNDS = 5000


class Played(Struct):
    """One round of a game: its states from the opening on, the hands, and the outcome."""

    states: list[Round]
    hands: Hands
    outcome: Outcome

    @property
    def before(self) -> Standing:
        return self.states[0].standing

    @property
    def said(self) -> list[SeatBid]:
        """The bids of the round, oldest first."""
        found = []
        for state in self.states[1:]:
            assert state.bid is not None
            assert state.bidder is not None
            found.append(SeatBid(state.bidder, state.bid.quantity, state.bid.face))
        return found


# ---------------------------------------------------------------- games


def values_of(switch: str) -> st.SearchStrategy[object]:
    if switch == "reveal":
        return st.sampled_from(REVEALS)
    if switch == "next_opener":
        return st.sampled_from(("loser", "winner", "left"))
    return st.sampled_from(OPENERS) if switch == "first_opener" else st.booleans()


OVERRIDES = st.fixed_dictionaries({name: values_of(name) for name in sorted(SWITCHES)})


@st.composite
def rules(draw: st.DrawFn) -> Rules:
    """One of the four rule books as it is or with every switch chosen anew, and any options."""
    changed: dict[str, Any] = draw(st.one_of(st.just({}), OVERRIDES))
    return variant(
        draw(st.sampled_from(sorted(VARIANTS))),
        changed,
        calza=draw(st.booleans()),
        lost_dice_visible=draw(st.booleans()),
        starting_dice=draw(st.integers(1, 6)),
    )


@st.composite
def games(draw: st.DrawFn) -> list[Played]:
    """A whole game of random players."""
    book, players = draw(rules()), draw(st.integers(2, 6))
    rng = Random(draw(st.integers(0, 2**32)))
    return list(play(first_standing(book, players, rng.randrange(players)), rng))


def play(standing: Standing, rng: Random) -> Iterator[Played]:
    """Play rounds until somebody has won; a game that does not end fails here."""
    for _ in range(MANY_ROUNDS):
        if standing.winner is not None:
            return
        hands = tuple(tuple(rng.choices(range(1, FACES + 1), k=n)) for n in standing.dice)
        played = play_round(open_round(standing), hands, rng)
        yield played
        standing = played.outcome.after
    raise AssertionError("the game does not end")


def play_round(now: Round, hands: Hands, rng: Random) -> Played:
    states = [now]
    while True:
        callers, ranges = calza_seats(now), raises(now)
        if callers and rng.random() < (0.6 if is_exact(now, hands) else 0.05):
            return Played(states, hands, calza(now, hands, poorest(callers, now.standing, rng)))
        if now.bid is not None and (not ranges or rng.random() < 0.15):
            return Played(states, hands, dudo(now, hands))
        span = rng.choice(ranges)
        high = span.max if rng.random() < 0.1 else min(span.max, span.min + 1)
        now = place(now, Bid(rng.randint(span.min, high), span.face))
        states.append(now)


def is_exact(now: Round, hands: Hands) -> bool:
    assert now.bid is not None
    return count_face(hands, now.bid.face, now.standing.wild) == now.bid.quantity


def poorest(callers: list[int], standing: Standing, rng: Random) -> int:
    """Mostly the caller with the fewest dice: it can gain one and fall to its last die again."""
    if rng.random() < 0.2:
        return rng.choice(callers)
    return min(callers, key=lambda seat: standing.dice[seat])
