"""The game that is shown, as the door shows it: how the table is after each step."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from arena.game.records import BidMade, Placed
from arena.game.rules.books import PACO
from arena.game.rules.dice import count_face
from arena.game.rules.explain import name_bid, there
from arena.game.rules.odds import bid_holds
from arena.game.rules.round import Bid
from arena.game.table import PLACES, SeatShown, TableShown, counted_faces
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


class LiveNow(NamedTuple):
    """What is shown at a moment."""

    fact: str
    """As the book has it."""
    game: LiveGame | None
    steps: int
    """The events that are shown."""
    again: bool = False
    """Whether all of it was shown before."""
    pages: tuple[str, ...] = ()
    """Each seat's page on the site, relative to the door; "" for one that is not published."""


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
    """What it did last, if that is no bid."""
    bid: Bid | None = None
    acts: bool = False


class LiveTable:
    """A table after some steps of a game."""

    def __init__(
        self, game: LiveGame, steps: int, *, again: bool = False, pages: Sequence[str] = ()
    ) -> None:
        """`pages` are those of the seats, if they are known."""
        self.game = game
        self.pages = pages or ("",) * len(game.seats)
        self.again = again
        """Whether all of it was shown before."""
        self.step = steps
        self.seats = [LiveSeat(*seat) for seat in zip(game.seats, game.marks, strict=True)]
        self.round = 0
        self.bid: Bid | None = None
        self.is_called = False
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

    @property
    def shown(self) -> TableShown:
        """The table as a page shows it."""
        false = self.shows_dice and self.bid is not None and self._count < self.bid.quantity
        first = next((seat.name for seat in self.seats if seat.word == PLACES[1]), "")
        return TableShown(
            seats=[self._seat(place) for place in range(len(self.seats))],
            bid=self.bid,
            verdict=self._verdict(false=false),
            false=false,
            winner=f"{first} wins" if first else "",
            most=max(seat.left for seat in self.seats),
        )

    def _seat(self, place: int) -> SeatShown:
        seat = self.seats[place]
        return SeatShown(
            name=seat.name,
            mark=seat.mark,
            place=place,
            dice=seat.dice,
            counted=counted_faces(self.bid, self._wild),
            hidden=0 if seat.dice else seat.left,
            word=seat.word,
            bid=seat.bid,
            classes="acts" if seat.acts else "" if seat.left else "gone",
            href=self.pages[place],
        )

    def _verdict(self, *, false: bool) -> str:
        """Return whether the bid is true; without dice how likely that is to who sees none."""
        if self.bid is None:
            return "no bid yet"
        if self.shows_dice:
            return f"{there(self._count)}: {'false' if false else 'true'}"
        if self.is_called:
            return ""
        unseen = sum(seat.left for seat in self.seats)
        chance = round(100 * bid_holds(self.bid, (), unseen, self._wild))
        return f"about {min(99, max(1, chance))} % likely, if one sees no dice"

    @property
    def _wild(self) -> int | None:
        return PACO if self.wild else None

    @property
    def _count(self) -> int:
        """The dice that count for the bid."""
        if self.bid is None:
            return 0
        return count_face([tuple(seat.dice) for seat in self.seats], self.bid.face, self._wild)

    def _take(self, event: PublicEvent) -> None:
        for seat in self.seats:
            seat.acts = False
        match event:
            case RoundBegun():
                self._begin(event)
            case BidMade():
                self.bid = Bid(event.quantity, event.face)
                self._say(event.seat, f"bids {name_bid(self.bid)}", self.bid)
            case WasCalled():
                self._call(event)
            case WasOut():
                self.seats[event.seat].left = 0
                self._say(event.seat, f"faults and is out: {event.cause}", "out by a fault")
            case Placed():
                self._end(event)

    def _begin(self, event: RoundBegun) -> None:
        self.bid = None
        self.is_called = False
        self.wild = event.wild
        hands = self.game.dice[self.round] if self.round < len(self.game.dice) else ()
        for number, (seat, left) in enumerate(zip(self.seats, event.counts, strict=True)):
            seat.left = left
            seat.word = "" if left else "out"
            seat.bid = None
            seat.dice = sorted(hands[number]) if hands else ()
        self.round += 1
        palifico = ", palifico" if event.palifico_seat is not None else ""
        palifico += "" if self.wild else ": pacos are not wild"
        self.told.append(f"Round {self.round}: {sum(event.counts)} dice{palifico}.")

    def _call(self, event: WasCalled) -> None:
        told = f"calls {event.call}"
        if self.bid:
            told += f" on {name_bid(self.bid)}"
            if self.shows_dice:
                told += f": {there(self._count)}"
        self.is_called = True
        self._say(event.seat, told, event.call)
        for seat, verb, dice in ((event.loser, "loses", -1), (event.gainer, "regains", 1)):
            if seat is not None:
                self.seats[seat].left += dice
                self.seats[seat].word = f"{verb} a die"
                self.seats[seat].bid = None
                self.told[-1] += f" {self.seats[seat].name} {verb} a die."

    def _end(self, event: Placed) -> None:
        for seat, place in zip(self.seats, event.places, strict=True):
            seat.word = PLACES[place]
            seat.bid = None
            seat.acts = place == 1
        winner = self.seats[event.places.index(1)].name
        self.told.append(f"{winner} wins the game.")

    def _say(self, seat: int, told: str, did: str | Bid) -> None:
        self.seats[seat].word = did if isinstance(did, str) else ""
        self.seats[seat].bid = did if isinstance(did, Bid) else None
        self.seats[seat].acts = True
        self.told.append(f"{self.seats[seat].name} {told}.")


def live_now(fact: str, before: LiveNow | None, site: Path | None = None) -> LiveNow:
    """Return what is shown now, of the game that a fact holds.

    Pages of its bots are looked for on the site in a folder; without it they are those of before.
    """
    game = before.game if before and before.fact == fact else decoded_game(fact)
    if game is None:
        return LiveNow(fact, None, 0)
    now = time.time()
    pages = before.pages if before and not site else _published(game.pages, site)
    return LiveNow(fact, game, game.steps(now), game.is_shown_again(now), pages)


def _published(pages: Sequence[str], site: Path | None) -> tuple[str, ...]:
    return tuple(f"site/{page}" if site and (site / page).is_file() else "" for page in pages)


def live_table(live: LiveNow) -> LiveTable | None:
    """Return the table that is shown; None if there is none."""
    if live.game is None or not live.steps:
        return None
    return LiveTable(live.game, live.steps, again=live.again, pages=live.pages)


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
