"""One walk through the events of a fixture's games, counting all that pages say of them.

This is the report's inner loop: a million games have some fifty million events. Odds are looked up,
not worked out, and nothing is made that is not kept.
"""

from functools import lru_cache
from typing import Literal, NamedTuple

from msgspec import Struct

from arena.perudo.dice import Hand
from arena.perudo.odds import at_least, unknown
from arena.perudo.round import Bid, Round, Standing, raises
from arena.perudo.rules import FACES, PACO, Rules
from arena.playstats.key_moves import KeyMove, KeyMoves, Shortlist
from arena.playstats.style import BINS, MILLION, THOUSAND, Calibration, Style
from arena.records import BidMade, CallMade, Faulted, Fixture, GameRecord, RoundStarted


class Game(Struct, frozen=True):
    """One game in short."""

    game: int
    places: tuple[int, ...]
    """The finishing place of each seat, 1 is the winner."""
    faulted: tuple[int, ...]
    """The seats that faulted."""
    rounds: int
    """Void rounds count, too."""
    actions: int
    """Bids and calls."""


class Fault(NamedTuple):
    """A fault and where in its game it came."""

    game: int
    step: int
    round: int | None
    event: Faulted


class _Odds(NamedTuple):
    """A probability, made ready to be counted."""

    millionths: int
    bin: int
    bluff: bool


@lru_cache(maxsize=1 << 16)
def _odds(needed: int, dice: int, faces: int) -> _Odds:
    chance = at_least(needed, dice, faces)
    return _Odds(round(chance * MILLION), min(BINS - 1, int(chance * BINS)), chance < 0.5)


@lru_cache(maxsize=1 << 16)
def _lowest(
    rules: Rules, players: int, quantity: int, face: int, *, palifico: bool, veteran: bool
) -> tuple[tuple[int, int], ...]:
    """Return the lowest legal raise of each face: no higher one is likelier."""
    # Of the dice only two things matter to raises: whether the seat has one, and how many began.
    dice = (1 if veteran else 2,) * players
    used = (veteran,) * players
    standing = Standing(rules, dice, used, 1, 1 if palifico else None)
    found = raises(Round(standing, 0, Bid(quantity, face), 1))
    return tuple([(one.min, one.face) for one in found])


class GameScan:
    """The seats of one fixture while its games go by; what is counted can be read at any time."""

    def __init__(self, fixture: Fixture, rules: Rules) -> None:
        seats = range(len(fixture.seats))
        self.styles = [Style() for _ in seats]
        self.calibration = [Calibration() for _ in seats]
        self.faults: list[Fault] = []
        self._best = [Shortlist(bad=False) for _ in seats]
        self._worst = [Shortlist(bad=True) for _ in seats]
        self._fixture, self._rules = fixture, rules
        self._take = {
            RoundStarted: self._round,
            BidMade: self._bid,
            CallMade: self._call,
            Faulted: self._fault,
        }

    @property
    def moments(self) -> tuple[KeyMoves, ...]:
        """The best and the worst moments of each seat so far."""
        ends = zip(self._best, self._worst, strict=True)
        return tuple(KeyMoves(best.kept(), worst.kept()) for best, worst in ends)

    def play(self, record: GameRecord) -> Game:
        """Count one game."""
        self._game, self._out = record.game, len(self.faults)
        self._number: int | None = None
        self._rounds = self._actions = 0
        self._veterans: set[int] = set()
        self._hands: tuple[Hand, ...] = ((),) * len(self.styles)
        self._all: list[int] = []
        self._palifico: int | None = None
        self._bid_on: BidMade | None = None
        for self._step, event in enumerate(record.events):
            # No type says that each class of event has a method which takes just that class.
            self._take[event.__class__](event)  # type: ignore[operator]
        out = tuple([fault.event.seat for fault in self.faults[self._out :]])
        return Game(record.game, record.places, out, self._rounds, self._actions)

    def _round(self, event: RoundStarted) -> None:
        self._rounds += 1
        self._number = event.number
        self._hands = event.dice
        self._all = [die for hand in event.dice for die in hand]
        self._palifico = event.palifico_seat
        self._wild = PACO if event.palifico_seat is None else None
        self._bid_on = None

    def _bid(self, event: BidMade) -> None:
        self._actions += 1
        seat, quantity, face = event.seat, event.quantity, event.face
        likely, bin_, bluff = self._odds_of(seat, quantity, face)
        style, calibration = self.styles[seat], self.calibration[seat]
        style.bids += 1
        style.bluffs += bluff
        calibration.bids[bin_] += 1
        calibration.said[bin_] += likely
        if self._count(face) >= quantity:
            calibration.held[bin_] += 1
        if self._bid_on is None:
            self._open(style, quantity, face)
        else:
            self._weigh_raise(event, likely)
        self._bid_on = event

    def _open(self, style: Style, quantity: int, face: int) -> None:
        """Count how bold an opening is: its quantity against that to be expected of all dice."""
        shown = 1 if self._wild in (None, face) else 2
        boldness = round(THOUSAND * FACES * quantity / (shown * len(self._all)))
        style.openings += 1
        style.boldness += boldness
        style.boldness_squared += boldness * boldness

    def _weigh_raise(self, event: BidMade, likely: int) -> None:
        """Weigh a raise against a dudo."""
        bid = self._bid_on
        if bid is None:
            return
        false = MILLION - self._odds_of(event.seat, bid.quantity, bid.face).millionths
        edge = likely - false
        if edge < 0 and self._worst[event.seat].takes(edge):
            right = self._count(event.face) >= event.quantity
            raised = event.quantity, event.face
            moment = self._moment("bid", event.seat, bid, raised, (likely, false, edge), right)
            self._worst[event.seat].add(moment)

    def _call(self, event: CallMade) -> None:
        self._actions += 1
        style = self.styles[event.seat]
        if event.call == "dudo":
            style.dudos += 1
            style.dudos_right += event.loser != event.seat
        else:
            style.calzas += 1
            style.calzas_right += event.loser is None
        if self._bid_on is not None:
            weigh = self._weigh_dudo if event.call == "dudo" else self._weigh_calza
            weigh(event, self._bid_on)
        if self._palifico is not None:
            self._veterans.add(self._palifico)

    def _weigh_dudo(self, event: CallMade, bid: BidMade) -> None:
        """Weigh a dudo against the most likely legal raise."""
        seat = event.seat
        false = MILLION - self._odds_of(seat, bid.quantity, bid.face).millionths
        best, worst = self._best[seat], self._worst[seat]
        may_be_best = false < MILLION and best.takes(false) and self._is_believed(bid)
        if not may_be_best and not worst.takes(false - MILLION):
            return
        likely, raised = self._best_raise(seat, bid)
        edge = false - likely
        shortlist = worst if edge < 0 else best
        if raised is None or not (edge < 0 or may_be_best) or not shortlist.takes(edge):
            return
        right = event.loser != seat
        shortlist.add(self._moment("dudo", seat, bid, raised, (false, likely, edge), right))

    def _is_believed(self, bid: BidMade) -> bool:
        """Tell whether one who saw no dice at all would take a bid for true."""
        return not _odds(*unknown(bid.quantity, bid.face, (), len(self._all), self._wild)).bluff

    def _best_raise(self, seat: int, bid: BidMade) -> tuple[int, tuple[int, int] | None]:
        """Return the most likely raise that a seat may make, and how likely it is to be true."""
        palifico = self._palifico is not None
        veteran = palifico and self._is_veteran(seat)
        found = _lowest(
            self._rules,
            len(self.styles),
            bid.quantity,
            bid.face,
            palifico=palifico,
            veteran=veteran,
        )
        odds = [(self._odds_of(seat, *one).millionths, one) for one in found]
        return max(odds, key=lambda one: one[0], default=(0, None))

    def _is_veteran(self, seat: int) -> bool:
        """Tell whether a seat has one die and had its own palifico in an earlier round."""
        return len(self._hands[seat]) == 1 and seat in self._veterans and seat != self._palifico

    def _weigh_calza(self, event: CallMade, bid: BidMade) -> None:
        """Weigh a calza against passing."""
        seat = event.seat
        at_least_one_more = self._odds_of(seat, bid.quantity + 1, bid.face).millionths
        exact = self._odds_of(seat, bid.quantity, bid.face).millionths - at_least_one_more
        gains = len(self._hands[seat]) < self._rules.starting_dice
        edge = (exact if gains else 0) - (MILLION - exact)
        shortlist = self._worst[seat] if edge < 0 else self._best[seat]
        if exact < MILLION and shortlist.takes(edge):
            chances = exact, MILLION, edge
            moment = self._moment("calza", seat, bid, None, chances, event.loser is None)
            shortlist.add(moment)

    def _fault(self, event: Faulted) -> None:
        self.faults.append(Fault(self._game, self._step, self._number, event))

    def _odds_of(self, seat: int, quantity: int, face: int) -> _Odds:
        """Return how likely a bid is to be true, to one who knows this seat's dice alone."""
        own = self._hands[seat]
        return _odds(*unknown(quantity, face, own, len(self._all) - len(own), self._wild))

    def _count(self, face: int) -> int:
        """Return how many dice on the table match a face."""
        if self._wild in (None, face):
            return self._all.count(face)
        return self._all.count(face) + self._all.count(PACO)

    def _moment(
        self,
        action: Literal["bid", "dudo", "calza"],
        seat: int,
        bid: BidMade,
        raised: tuple[int, int] | None,
        odds: tuple[int, int, int],
        right: bool,
    ) -> KeyMove:
        chance, instead, edge = odds
        fixture = self._fixture
        return KeyMove(
            variant=fixture.variant,
            players=len(fixture.seats),
            index=fixture.index,
            game=self._game,
            round=self._number or 0,
            step=self._step,
            seat=seat,
            action=action,
            quantity=bid.quantity,
            face=bid.face,
            raised=raised,
            chance=chance / MILLION,
            instead=instead / MILLION,
            edge=edge / MILLION,
            dice=len(self._all),
            right=right,
        )
