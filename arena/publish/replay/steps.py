"""Page model of a replay: a game as steps, each told in words, with the chances of its bids."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from arena.perudo.dice import Hand, count_face
from arena.perudo.odds import bid_exact, bid_holds
from arena.perudo.round import Bid
from arena.perudo.rules import PACO
from arena.publish.output.text import clipped, one_line, percent
from arena.records import BidMade, CallMade, Event, Faulted, GameRecord, RoundStarted

DETAIL_SHOWN = 1000
"""Characters of a fault's detail; the data files have all."""
_FACES = ("", "paco", "two", "three", "four", "five", "six")
_PLACES = ("", "1st", "2nd", "3rd", "4th", "5th", "6th")


class Rolled(Struct, frozen=True):
    """A round: what was on the table, and the step with which it starts."""

    number: int
    first: int
    opener: int
    palifico: int | None
    dice: tuple[Hand, ...]


class Step(Struct, frozen=True, omit_defaults=True):
    """One step of a replay. Step n is event n of the record; the last says how the game ended.

    The words are in three parts, so that a reader who sees through one seat's eyes is told no more:
    what everybody heard, what it looked like to the one who acted, and how it really was.
    """

    kind: Literal["round", "bid", "call", "fault", "end"]
    seat: int
    """Who acted: the opener, the bidder, the caller, the seat that faulted, or the winner."""
    said: str
    round: int | None = None
    """A place in the list of rounds; None before the first dice."""
    knew: str = ""
    truth: str = ""
    word: str = ""
    """What was called, or the cause of a fault."""
    quantity: int = 0
    face: int = 0
    odds: str = ""
    """The probability that a bid is true, or a call is right, as the one who acted knew it."""
    count: int | None = None
    """The dice that match the bid, with all dice known."""
    right: bool | None = None
    """Whether the bid was true, or the call right."""


class Replay(Struct, frozen=True):
    """One game, ready to be shown."""

    game: int
    places: tuple[int, ...]
    rounds: list[Rolled]
    steps: list[Step]


def shown_name(name: str) -> str:
    """Return a bot's name as replays say it: one line, nothing in it that a browser obeys."""
    return one_line(name)


def replay(record: GameRecord, seats: Sequence[str]) -> Replay:
    """Tell a game step by step; `seats` are the names to say, seat 0 first."""
    walk = _Walk(seats)
    steps = [walk.step(event) for event in record.events]
    return Replay(record.game, record.places, walk.rounds, [*steps, _end(record, seats)])


class _Walk:
    """What is on the table while the events of one game go by."""

    def __init__(self, seats: Sequence[str]) -> None:
        self.seats = seats
        self.rounds: list[Rolled] = []
        self.at = 0
        self.hands: tuple[Hand, ...] = ((),) * len(seats)
        self.wild: int | None = PACO
        self.bid: Bid | None = None

    def step(self, event: Event) -> Step:
        """Take one event in, and return what to show of it."""
        if isinstance(event, RoundStarted):
            step = self._round(event)
        elif isinstance(event, BidMade):
            step = self._bid(event)
        elif isinstance(event, CallMade):
            step = self._call(event)
        else:
            step = self._fault(event)
        self.at += 1
        return step

    @property
    def number(self) -> int | None:
        """The round's place in the list."""
        return len(self.rounds) - 1 if self.rounds else None

    def _round(self, event: RoundStarted) -> Step:
        self.hands, self.bid = event.dice, None
        self.wild = PACO if event.palifico_seat is None else None
        self.rounds.append(
            Rolled(event.number, self.at, event.opener, event.palifico_seat, event.dice)
        )
        said = f"Round {event.number}. {self._table()} {self.seats[event.opener]} opens."
        if event.palifico_seat is not None:
            said += f" It is the palifico round of {self.seats[event.palifico_seat]}."
        return Step("round", event.opener, said, self.number)

    def _table(self) -> str:
        left = [
            f"{name} {len(hand)}" for name, hand in zip(self.seats, self.hands, strict=True) if hand
        ]
        return f"{_dice(sum(map(len, self.hands)))}: {', '.join(left)}."

    def _bid(self, event: BidMade) -> Step:
        self.bid = bid = Bid(event.quantity, event.face)
        odds = likely(bid_holds(bid, *self._seen_by(event.seat)))
        count = count_face(self.hands, bid.face, self.wild)
        right = count >= bid.quantity
        return Step(
            "bid",
            event.seat,
            f"{self.seats[event.seat]} bids {spoken(bid)}.",
            self.number,
            knew=f"{odds} likely by its own dice.",
            truth=f"In truth {there(count)}: the bid is {'true' if right else 'false'}.",
            quantity=bid.quantity,
            face=bid.face,
            odds=odds,
            count=count,
            right=right,
        )

    def _call(self, event: CallMade) -> Step:
        odds = likely(self._chance_of(event, self.bid)) if self.bid else ""
        return Step(
            "call",
            event.seat,
            " ".join(self._told(event)),
            self.number,
            knew=f"The call was {odds} likely to be right by the caller's own dice."
            if odds
            else "",
            word=event.call,
            quantity=self.bid.quantity if self.bid else 0,
            face=self.bid.face if self.bid else 0,
            odds=odds,
            count=event.count,
            right=event.loser != event.seat,
        )

    def _told(self, event: CallMade) -> Iterator[str]:
        yield f"{self.seats[event.seat]} calls {event.call}."
        if event.rivals:
            rivals = ", ".join(self.seats[seat] for seat in event.rivals)
            yield f"{rivals} did so in the same moment, but further off."
        if self.bid:
            yield f"The bid is {spoken(self.bid)}, and {there(event.count)}."
        if event.loser is not None:
            left = len(self.hands[event.loser]) - 1
            out = "" if left > 0 else " and is out"
            yield f"{self.seats[event.loser]} loses a die{out}."
        elif event.gainer is not None:
            yield f"{self.seats[event.gainer]} gains a die."
        else:
            yield "Nobody loses a die."

    def _chance_of(self, event: CallMade, bid: Bid) -> float:
        """Return the chance that a call is right, for one who sees the caller's dice."""
        if event.call == "calza":
            return bid_exact(bid, *self._seen_by(event.seat))
        return 1.0 - bid_holds(bid, *self._seen_by(event.seat))

    def _seen_by(self, seat: int) -> tuple[Hand, int, int | None]:
        """Return a seat's own dice, how many others there are, and the wild face.

        Who remembers the rounds knows how many dice there are, whether or not they are shown.
        """
        own = self.hands[seat]
        return own, sum(map(len, self.hands)) - len(own), self.wild

    def _fault(self, event: Faulted) -> Step:
        said = f"{self.seats[event.seat]} faults and is out: {event.cause.value}."
        detail = clipped(one_line(event.detail), DETAIL_SHOWN)
        told = f"{said} {detail}".strip()
        return Step("fault", event.seat, told, self.number, word=event.cause.value)


def _end(record: GameRecord, seats: Sequence[str]) -> Step:
    order = sorted(range(len(seats)), key=lambda seat: record.places[seat])
    said = ", ".join(f"{_PLACES[record.places[seat]]} {seats[seat]}" for seat in order)
    rounds = sum(isinstance(event, RoundStarted) for event in record.events)
    return Step("end", order[0], f"The game is over: {said}.", rounds - 1 if rounds else None)


def likely(chance: float) -> str:
    """Return a chance in whole per cent; only what is certain is 0 % or 100 %."""
    if 0 < chance < 0.005:
        return f"under {percent(0.01, 0)}"
    if 0.995 <= chance < 1:
        return f"over {percent(0.99, 0)}"
    return percent(chance, 0)


def there(count: int) -> str:
    """Return how many dice match, in words."""
    return f"there is {count}" if count == 1 else f"there are {count}"


def spoken(bid: Bid) -> str:
    """Return a bid in words: `3 fives`, `1 six`, `2 pacos`."""
    return f"{bid.quantity} {_FACES[bid.face]}{_plural(bid)}"


def _plural(bid: Bid) -> str:
    if bid.quantity == 1:
        return ""
    return "es" if bid.face == 6 else "s"


def _dice(count: int) -> str:
    return "1 die" if count == 1 else f"{count} dice"


def replays(records: Iterable[GameRecord], seats: Sequence[str]) -> dict[str, Replay]:
    """Return the replays of one table's games, by game number."""
    names = [shown_name(name) for name in seats]
    return {str(record.game): replay(record, names) for record in records}
