"""The game that is shown, as the door shows it: how the table is after each step."""

import time
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from arena.game.records import BidMade, Placed
from arena.game.rules.books import PACO
from arena.game.rules.dice import count_face
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.ladder.book.shown import (
    LiveGame,
    PublicEvent,
    RoundBegun,
    WasCalled,
    WasOut,
    decoded_game,
)
from arena.ladder.door.api import GameStep
from arena.ladder.web.templates import fragment

_SAID = 6
"""How many earlier steps are told."""
_PLACES = ("", "1st", "2nd", "3rd", "4th", "5th", "6th")


class LiveNow(NamedTuple):
    """What is shown at a moment."""

    fact: str
    """As the book has it."""
    game: LiveGame | None
    steps: int
    """The events that are shown."""
    again: bool = False
    """Whether all of it was shown before."""


class LiveSeat(Struct):
    """A seat at the table."""

    name: str
    mark: str
    """The classes of its mark."""
    left: int = 0
    """How many dice it has."""
    dice: Sequence[int] = ()
    """Their faces, if they may be seen."""
    word: str = ""
    """What it did last."""
    acts: bool = False


class LiveTable:
    """A table after some steps of a game."""

    def __init__(self, game: LiveGame, steps: int, *, again: bool = False) -> None:
        self.game = game
        self.again = again
        """Whether all of it was shown before."""
        self.step = steps
        self.seats = [LiveSeat(*seat) for seat in zip(game.seats, game.marks, strict=True)]
        self.round = 0
        self.bid: BidMade | None = None
        self.wild = True
        self.told: list[str] = []
        """What happened, step by step."""
        for event in game.events[:steps]:
            self._take(event)

    @property
    def shows_dice(self) -> bool:
        """Whether every table with these dice is played."""
        return bool(self.game.dice)

    @property
    def is_over(self) -> bool:
        """Whether all of the game is shown."""
        return self.step == len(self.game.events) and self.game.is_over

    @property
    def now(self) -> str:
        """What happened last."""
        return self.told[-1] if self.told else ""

    @property
    def before(self) -> list[str]:
        """What happened before, the newest first."""
        return self.told[-2 : -2 - _SAID : -1]

    def _take(self, event: PublicEvent) -> None:
        for seat in self.seats:
            seat.acts = False
        match event:
            case RoundBegun():
                self._begin(event)
            case BidMade():
                self.bid = event
                self._say(event.seat, f"bids {_named(event)}", _named(event))
            case WasCalled():
                self._call(event)
            case WasOut():
                self.seats[event.seat].left = 0
                self._say(event.seat, f"faults and is out: {event.cause}", "out by a fault")
            case Placed():
                self._end(event)

    def _begin(self, event: RoundBegun) -> None:
        self.bid = None
        self.wild = event.wild
        hands = self.game.dice[self.round] if self.round < len(self.game.dice) else ()
        for number, (seat, left) in enumerate(zip(self.seats, event.counts, strict=True)):
            seat.left = left
            seat.word = "" if left else "out"
            seat.dice = sorted(hands[number]) if hands else ()
        self.round += 1
        palifico = ", palifico" if event.palifico_seat is not None else ""
        palifico += "" if self.wild else ": pacos are not wild"
        self.told.append(f"Round {self.round}: {sum(event.counts)} dice{palifico}.")

    def _call(self, event: WasCalled) -> None:
        told = f"calls {event.call}"
        if self.bid:
            told += f" on {_named(self.bid)}"
            if self.shows_dice:
                wild = PACO if self.wild else None
                hands = [tuple(seat.dice) for seat in self.seats]
                told += f": there are {count_face(hands, self.bid.face, wild)}"
        self._say(event.seat, told, event.call)
        for seat, verb, dice in ((event.loser, "loses", -1), (event.gainer, "regains", 1)):
            if seat is not None:
                self.seats[seat].left += dice
                self.seats[seat].word = f"{verb} a die"
                self.told[-1] += f" {self.seats[seat].name} {verb} a die."

    def _end(self, event: Placed) -> None:
        for seat, place in zip(self.seats, event.places, strict=True):
            seat.word = _PLACES[place]
            seat.acts = place == 1
        winner = self.seats[event.places.index(1)].name
        self.told.append(f"{winner} wins the game.")

    def _say(self, seat: int, told: str, word: str) -> None:
        self.seats[seat].word = word
        self.seats[seat].acts = True
        self.told.append(f"{self.seats[seat].name} {told}.")


def _named(bid: BidMade) -> str:
    return name_bid(Bid(bid.quantity, bid.face))


def live_now(fact: str, before: LiveNow | None) -> LiveNow:
    """Return what is shown now, of the game that a fact holds."""
    game = before.game if before and before.fact == fact else decoded_game(fact)
    if game is None:
        return LiveNow(fact, None, 0)
    now = time.time()
    return LiveNow(fact, game, game.steps(now), game.is_shown_again(now))


def live_table(live: LiveNow) -> LiveTable | None:
    """Return the table that is shown; None if there is none."""
    if live.game is None or not live.steps:
        return None
    return LiveTable(live.game, live.steps, again=live.again)


def current_table(live: LiveNow) -> LiveTable | None:
    """Return the table that is shown at this moment, of a game that was looked up before."""
    return live_table(live_now(live.fact, live))


def game_step(live: LiveNow) -> GameStep | None:
    """Return what listeners are told of the game."""
    table = live_table(live)
    if table is None:
        return None
    html = fragment("live_table.html", table=table)
    return GameStep(game=table.game.id, step=table.step, text=table.now, html=html)
