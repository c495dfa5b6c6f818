"""The referee of one game: a state machine without I/O.

It has the requests to the seats, takes answers and faults, and keeps the record. The caller runs
the bots. Positions of a round are worked out once: the raises over a bid do not depend on who made
it, so all rounds of the same kind share theirs, with the end of the line that asks for one of them.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.json import Encoder
from msgspec.structs import astuple

from arena.game.records import (
    BidMade,
    CallMade,
    Cause,
    Event,
    Fault,
    Faulted,
    GameRecord,
    RoundStarted,
)
from arena.game.rules import round as rounds
from arena.game.rules.books import FACES, MAX_PLAYERS, Rules
from arena.game.rules.dice import Hand, first_opener, roll_all
from arena.game.rules.explain import why_illegal_bid, why_illegal_call
from arena.game.rules.round import Bid, Outcome, Raises, Round, Standing, order_by_dice
from arena.game.rules.view import SeatBid, own_hand, seen_by, seen_by_all
from arena.game.wire.codec import encode
from arena.game.wire.messages import (
    Answer,
    CalzaOffer,
    EndReason,
    FaultNotice,
    GameEnd,
    RoundEnd,
    Turn,
)

_encode: Final = Encoder().encode
_BEGINNINGS: Final = [b'{"type":"turn","seat":%d,"dice":' % seat for seat in range(MAX_PLAYERS)]
_NO_BIDS: Final = b',"bids":['


class RoundLines:
    """The lines of one round's turns."""

    __slots__ = ("_bids", "_round", "_table")

    def __init__(self, standing: Standing, game: int, number: int) -> None:
        self._bids = _NO_BIDS
        table = _encode(seen_by_all(standing))
        self._table = b'],%b,"id":' % table[1:-1]
        self._round = b',"game":%d,"round":%d,"raises":' % (game, number)

    def add(self, bid: bytes) -> None:
        """Add a bid to those of the round, as `bid_part` has it."""
        self._bids = self._bids + bid if self._bids is _NO_BIDS else b"%b,%b" % (self._bids, bid)

    def line(self, seat: int, hand: Hand, id_: int, raises: bytes) -> bytes:
        """Return the line for a seat that sees its hand; `raises` are as `raises_part` has them."""
        parts = (
            _BEGINNINGS[seat],
            _encode(hand),
            self._bids,
            self._table,
            b"%d" % id_,
            self._round,
            raises,
        )
        return b"".join(parts)


def bid_part(bid: SeatBid) -> bytes:
    """Return a bid as it stands in a line."""
    return _encode(bid)


def raises_part(raises: tuple[Raises, ...], *, dudo: bool) -> bytes:
    """Return the end of a line: the legal bids, and whether there is a bid to doubt."""
    return b'%b,"dudo":%b}\n' % (_encode(raises), _encode(dudo))


_TABLES = 64
"""Rules and numbers of players whose positions are kept."""


class PlacedBid:
    """A seat's bid: as an event, as others see it, and as they are sent it."""

    __slots__ = ("event", "line", "seen")

    def __init__(self, seat: int, bid: Bid) -> None:
        self.event = BidMade(seat, bid.quantity, bid.face)
        self.seen = SeatBid(seat, bid.quantity, bid.face)
        self.line = bid_part(self.seen)


class Position:
    """A bid on the table, or the start of a round.

    `raises` are the legal bids over it, `line` the end of a request for one of them.
    """

    __slots__ = ("_after", "_by_seat", "_known", "_now", "line", "raises")

    def __init__(self, now: Round, known: dict[int, "Position"]) -> None:
        self._now = now
        self._known = known
        self._after: dict[int, Position] = {}
        self._by_seat: list[PlacedBid | None] = [None for _ in now.standing.dice]
        self.raises = rounds.raises(now)
        self.line = raises_part(self.raises, dudo=now.bid is not None)

    def after(self, quantity: int, face: int) -> "Position | None":
        """Return the position after a bid, None if it is not legal."""
        if face > FACES:
            return None
        key = quantity * (FACES + 1) + face
        if known := self._after.get(key):
            return known
        bid = Bid(quantity, face)
        if not rounds.is_among(self.raises, bid):
            return None
        if key not in self._known:
            self._known[key] = Position(rounds.place(self._now, bid), self._known)
        position = self._after[key] = self._known[key]
        return position

    def placed_by(self, seat: int) -> PlacedBid:
        """Return the bid on the table as one of a seat; raises ValueError without one."""
        placed = self._by_seat[seat]
        if placed is None:
            bid, _ = rounds.on_table(self._now)
            placed = self._by_seat[seat] = PlacedBid(seat, bid)
        return placed


class Positions:
    """The positions of all rounds under some rules with so many players."""

    __slots__ = ("_palifico", "_usual")

    def __init__(self) -> None:
        self._usual: Position | None = None
        self._palifico: Position | None = None

    def opening(self, standing: Standing) -> Position:
        """Return the position in which a round starts."""
        if standing.palifico_seat is None:
            if self._usual is None:
                self._usual = _opening(standing)
            return self._usual
        if rounds.raises_depend_on_seat(standing):
            return _opening(standing)
        if self._palifico is None:
            self._palifico = _opening(standing)
        return self._palifico


def _opening(standing: Standing) -> Position:
    return Position(rounds.open_round(standing), {})


@lru_cache(_TABLES)
def positions_of(rules: Rules, players: int) -> Positions:  # noqa: ARG001 - they are the key
    """Return the positions that all games share which have these rules and players."""
    return Positions()


Notice = RoundEnd | FaultNotice | GameEnd
Roll = Callable[[str, int, int, tuple[int, ...]], tuple[Hand, ...]]
"""Rolls all hands: from the seed, the game, the round and the number of dice of each seat."""


class Referee:
    """One game in progress.

    `waiting` holds the seats that must answer now; it is empty when the game is over. They are
    offered calza if `offering` is true, else one is asked for its turn. `calza_seats` are the seats
    that want to be offered calza. Call `take` for every waiting seat, in any order. After
    `max_rounds` rounds the dice left decide the game.
    """

    def __init__(
        self,
        rules: Rules,
        players: int,
        seed: str,
        game: int,
        calza_seats: frozenset[int] = frozenset(),
        roll: Roll = roll_all,
        max_rounds: int | UnsetType = UNSET,
    ) -> None:
        highest_roll = rules.first_opener == "highest_roll"
        opener = first_opener(seed, game, players, highest_roll=highest_roll)
        self.game = game
        self.events: list[Event] = []
        self.notices: list[Notice] = []
        self.waiting: tuple[int, ...] = ()
        self._seed = seed
        self._calza_seats = calza_seats
        self._roll_hands = roll
        self._max_rounds = max_rounds
        self._standing = rounds.first_standing(rules, players, opener)
        self._places = [0] * players
        self._number = -1
        self._hands: tuple[Hand, ...] = ()
        self._positions = positions_of(rules, players)
        self._position = self._positions.opening(self._standing)
        self.to_act = opener
        """The seat on turn."""
        self._bids: list[SeatBid] = []
        self._lines = RoundLines(self._standing, game, self._number)
        self._callers: set[int] = set()
        self._faults: dict[int, Fault] = {}
        self.offering = False
        self._start_round()

    @property
    def record(self) -> GameRecord:
        """The record of a finished game."""
        return GameRecord(self.game, self.places, self.events)

    @property
    def standing(self) -> Standing:
        """How the table stood when the round began."""
        return self._standing

    @property
    def _now(self) -> Round:
        if not self._bids:
            return Round(self._standing, self.to_act)
        seat, quantity, face = astuple(self._bids[-1])
        return Round(self._standing, self.to_act, Bid(quantity, face), seat)

    @property
    def places(self) -> tuple[int, ...]:
        """The finishing place of each seat; 0 for those that are still in the game."""
        return tuple(self._places)

    @property
    def alive(self) -> set[int]:
        """The seats that are still in the game."""
        return {seat for seat, left in enumerate(self._standing.dice) if left}

    def request(self, seat: int, id_: int) -> Turn | CalzaOffer:
        """Return the request to a waiting seat, with the seat's view of the round."""
        seen = astuple(seen_by(seat, self._now, self._hands, self._bids))
        if self.offering:
            return CalzaOffer(*seen, id=id_, game=self.game, round=self._number)
        return Turn(
            *seen,
            id=id_,
            game=self.game,
            round=self._number,
            raises=self._position.raises,
            dudo=bool(self._bids),
        )

    def request_line(self, seat: int, id_: int) -> bytes:
        """Return the request as it is sent: the line that `request` is encoded to, sooner."""
        if self.offering:
            return encode(self.request(seat, id_))
        hand = own_hand(seat, self._hands)
        return self._lines.line(seat, hand, id_, self._position.line)

    def take(self, seat: int, reply: Answer | Fault) -> Fault | None:
        """Take a waiting seat's answer or fault; returns the fault: an illegal answer is one."""
        fault = self.illegal(seat, reply) if isinstance(reply, Answer) else reply
        if fault:
            self._faults[seat] = fault
        elif isinstance(reply, Answer) and reply.action == "calza":
            self._callers.add(seat)
        if len(self.waiting) > 1:
            self.waiting = tuple([other for other in self.waiting if other != seat])
        else:
            self.waiting = ()
            self._go_on(reply)
        return fault

    def forfeit(self, faults: dict[int, Fault]) -> None:
        """Take out seats whose bots could not be started, before they are asked anything."""
        self._faults.update(faults)
        self._settle_faults()

    def illegal(self, seat: int, answer: Answer) -> Fault | None:
        """Return the fault that a waiting seat's answer would be, None if it is legal."""
        if self.offering:
            legal = answer.action in ("calza", "pass")
        elif answer.action == "bid":
            legal = self._position.after(answer.quantity, answer.face) is not None
        else:
            legal = answer.action == "dudo" and bool(self._bids)
        return None if legal else Fault(Cause.ILLEGAL_ACTION, self._why_illegal(seat, answer))

    def _why_illegal(self, seat: int, answer: Answer) -> str:
        if self.offering:
            return "an offer of calza was open"
        if answer.action == "bid":
            wrong = why_illegal_bid(self._now, seat, Bid(answer.quantity, answer.face))
        elif answer.action == "dudo":
            wrong = why_illegal_call(self._now, seat, "dudo")
        else:
            wrong = None
        if wrong is None:
            return f"{answer.action} is no answer to a turn"
        reason, clauses = wrong
        return f"{reason} ({', '.join(clauses)})"

    def _go_on(self, reply: Answer | Fault) -> None:
        if self._faults:
            self._settle_faults()
        elif self._callers:
            # The caller nearest after the bidder counts (CALZA-MANY).
            called = [seat for seat in rounds.calza_seats(self._now) if seat in self._callers]
            first, *rivals = called
            self._settle(rounds.calza(self._now, self._hands, first), tuple(rivals))
        elif self.offering:
            self.offering = False
            self.waiting = (self.to_act,)
        elif isinstance(reply, Answer) and reply.action == "bid":
            self._bid(reply)
        else:
            self._settle(rounds.dudo(self._now, self._hands))

    def _bid(self, answer: Answer) -> None:
        seat = self.to_act
        position = self._position.after(answer.quantity, answer.face)
        assert position is not None  # noqa: S101 - narrows the type: only legal bids are taken
        self._position = position
        placed = position.placed_by(seat)
        self.events.append(placed.event)
        self._bids.append(placed.seen)
        self._lines.add(placed.line)
        self.to_act = rounds.left_of(self._standing.dice, seat)
        self.waiting = (self.to_act,)
        if self._calza_seats:
            offered = [s for s in rounds.calza_seats(self._now) if s in self._calza_seats]
            if offered:
                self.offering = True
                self.waiting = tuple(offered)

    def _settle(self, outcome: Outcome, rivals: tuple[int, ...] = ()) -> None:
        loser, gainer = outcome.loser, outcome.gainer
        self.events.append(
            CallMade(outcome.caller, outcome.call, outcome.count, loser, gainer, rivals)
        )
        self.notices.append(
            RoundEnd(
                game=self.game,
                round=self._number,
                palifico_seat=self._standing.palifico_seat,
                bids=self._bids,
                caller=outcome.caller,
                call=outcome.call,
                dice=self._hands,
                count=outcome.count,
                loser=loser,
                gainer=gainer,
            )
        )
        if loser is not None and not outcome.after.dice[loser]:
            self._places[loser] = self._standing.alive
        self._standing = outcome.after
        self._start_round()

    def _settle_faults(self) -> None:
        """Take out faulted seats, lowest first; the last one standing wins even if it faulted."""
        for seat in sorted(self._faults):
            if self._standing.winner is not None:
                break
            fault = self._faults[seat]
            self.events.append(Faulted(seat, fault.cause, fault.detail))
            self.notices.append(
                FaultNotice(game=self.game, round=self._number, seat=seat, cause=fault.cause.value)
            )
            self._places[seat] = self._standing.alive
            self._standing = rounds.leave(self._standing, seat)
        self._start_round()

    def _start_round(self) -> None:
        self.offering = False
        self._callers = set()
        self._faults = {}
        if self._standing.winner is not None:
            self._end("winner")
        elif self._number + 1 == self._max_rounds:
            self._end("max_rounds")
        else:
            self._roll()

    def _end(self, reason: EndReason) -> None:
        order = order_by_dice(self._standing.dice, self._seed, self.game)
        for place, seat in enumerate(order, 1):
            self._places[seat] = place
        self.waiting = ()
        end = GameEnd(game=self.game, places=tuple(self._places), reason=reason)
        self.notices.append(end)

    def _roll(self) -> None:
        standing = self._standing
        self._number += 1
        self._bids = []
        self._hands = self._roll_hands(self._seed, self.game, self._number, standing.dice)
        self.events.append(
            RoundStarted(self._number, standing.opener, standing.palifico_seat, self._hands)
        )
        self._position = self._positions.opening(standing)
        self._lines = RoundLines(standing, self.game, self._number)
        self.to_act = standing.opener
        self.waiting = (standing.opener,)
