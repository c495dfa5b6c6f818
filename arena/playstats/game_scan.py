"""One scan of a fixture's games, which counts all that pages say of them.

This is the report's inner loop: a million games have about fifty million events. Odds are looked
up, and nothing is built that is not kept.
"""

from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from arena.game_walk import PlayedRound, walk
from arena.perudo.dice import count_face
from arena.perudo.odds import at_least, unknown
from arena.perudo.round import Bid, Raises, may_gain, raises
from arena.perudo.rules import FACES, Rules
from arena.playstats.key_moves import KeyMove, KeyMoves, Shortlist
from arena.playstats.luck import has_luck, round_luck
from arena.playstats.style import BINS, MILLION, THOUSAND, Calibration, Style
from arena.records import BidMade, CallMade, Cause, Faulted, Fixture, GameRecord


class FaultEntry(Struct, frozen=True):
    """One fault and where to find it; counts are from 0."""

    cause: Cause
    bot: str
    variant: str
    players: int
    fixture: str
    index: int
    """The fixture's place in the schedule, from 0."""
    game: int
    round: int
    step: int
    """The fault's place among the events of its game, from 0."""
    seat: int
    opponents: tuple[str, ...]
    detail: str


class _Odds(NamedTuple):
    """A probability, ready to be counted."""

    millionths: int
    bin: int


@lru_cache(maxsize=1 << 16)
def _odds(needed: int, dice: int, faces: int) -> _Odds:
    chance = at_least(needed, dice, faces)
    return _Odds(round(chance * MILLION), min(BINS - 1, int(chance * BINS)))


class GameScan:
    """What the seats of one fixture do, counted while its games go by."""

    def __init__(self, fixture: Fixture, rules: Rules) -> None:
        seats = range(len(fixture.seats))
        self._styles = [Style() for _ in seats]
        self.calibrations = [Calibration() for _ in seats]
        self.faults: list[FaultEntry] = []
        self.luck: list[float] = []
        self._best = [Shortlist(bad=False) for _ in seats]
        self._worst = [Shortlist(bad=True) for _ in seats]
        self._fixture, self._rules = fixture, rules
        self._has_luck = has_luck(rules, len(fixture.seats))

    @property
    def styles(self) -> list[Style]:
        """What each seat did so far; a bluff is a bid in the lower half of the bins."""
        for style, calibration in zip(self._styles, self.calibrations, strict=True):
            style.bids = sum(calibration.bids)
            style.bluffs = sum(calibration.bids[: BINS // 2])
        return self._styles

    @property
    def key_moves(self) -> tuple[KeyMoves, ...]:
        """The best and the worst moves of each seat so far."""
        pairs = zip(self._best, self._worst, strict=True)
        return tuple(KeyMoves(best.kept(), worst.kept()) for best, worst in pairs)

    def add(self, record: GameRecord) -> None:
        """Count one game; raises ForbiddenEventError if the rules forbid an event of it."""
        self._game, luck = record.game, 0.0
        for played in walk(record, self._rules, self._fixture.max_rounds):
            self._round = played
            self._add_bids(played)
            if played.call and played.now.bid:
                self._add_call(played.call, played.now.bid)
            for step, fault in enumerate(played.faults, played.end):
                self._add_fault(step, fault)
            if self._has_luck:
                luck += round_luck(played)
        if self._has_luck:
            self.luck.append(luck)

    def _add_bids(self, played: PlayedRound) -> None:
        hands, dice, wild = played.hands, played.dice, played.wild
        last: BidMade | None = None
        counts: dict[int, int] = {}
        if played.call and played.now.bid:
            counts[played.now.bid.face] = played.call.count
        for bid in played.bids:
            seat, quantity, face = bid.seat, bid.quantity, bid.face
            own = hands[seat]
            likely, bin_ = _odds(*unknown(quantity, face, own, dice - len(own), wild))
            calibration = self.calibrations[seat]
            calibration.bids[bin_] += 1
            calibration.said[bin_] += likely
            if face not in counts:
                counts[face] = count_face(hands, face, wild)
            if counts[face] >= quantity:
                calibration.held[bin_] += 1
            if last is None:
                self._add_opening(self._styles[seat], quantity, face)
            elif self._worst[seat].takes(likely - MILLION):
                self._weigh_raise(last, bid, likely, counts[face] >= quantity)
            last = bid

    def _add_opening(self, style: Style, quantity: int, face: int) -> None:
        """Count how bold an opening is: its quantity against that to be expected of all dice."""
        _, dice, faces = unknown(quantity, face, (), self._round.dice, self._round.wild)
        boldness = round(THOUSAND * FACES * quantity / (faces * dice))
        style.openings += 1
        style.boldness += boldness
        style.boldness_squared += boldness * boldness

    def _weigh_raise(self, last: BidMade, bid: BidMade, likely: int, true: bool) -> None:
        """Weigh a raise against a dudo."""
        seat, worst = bid.seat, self._worst[bid.seat]
        false = MILLION - self._odds_of(seat, last.quantity, last.face).millionths
        edge = likely - false
        if edge < 0 and worst.takes(edge):
            raised = bid.quantity, bid.face
            self._keep(worst, bid, last, raised, (likely, false, edge), right=true)

    def _add_call(self, call: CallMade, bid: Bid) -> None:
        style = self._styles[call.seat]
        if call.call == "dudo":
            style.dudos += 1
            style.dudos_right += call.right
            self._weigh_dudo(call, bid)
        else:
            style.calzas += 1
            style.calzas_right += call.right
            self._weigh_calza(call, bid)

    def _weigh_dudo(self, call: CallMade, bid: Bid) -> None:
        """Weigh a dudo against the most likely legal raise."""
        seat = call.seat
        false = MILLION - self._odds_of(seat, bid.quantity, bid.face).millionths
        best, worst = self._best[seat], self._worst[seat]
        may_be_best = false < MILLION and best.takes(false) and self._is_believed(bid)
        if not may_be_best and not worst.takes(false - MILLION):
            return
        likely, raised = self._likeliest_raise(seat)
        edge = false - likely
        shortlist = worst if edge < 0 else best
        if raised and (edge < 0 or may_be_best) and shortlist.takes(edge):
            bid_instead, chances = (raised.min, raised.face), (false, likely, edge)
            self._keep(shortlist, call, bid, bid_instead, chances, right=call.right)

    def _is_believed(self, bid: Bid) -> bool:
        """Tell whether a player who saw no dice at all would take a bid for true."""
        played = self._round
        odds = _odds(*unknown(bid.quantity, bid.face, (), played.dice, played.wild))
        return odds.bin >= BINS // 2

    def _likeliest_raise(self, seat: int) -> tuple[int, Raises | None]:
        """Return how likely the most likely bid of the seat on turn is, and its range."""
        own, unseen, wild = self._round.seen_by(seat)
        likely, found = -1, None
        for one in raises(self._round.now):
            # Of each face the lowest: no higher one is likelier.
            chance = _odds(*unknown(one.min, one.face, own, unseen, wild)).millionths
            if chance > likely:
                likely, found = chance, one
        return likely, found

    def _weigh_calza(self, call: CallMade, bid: Bid) -> None:
        """Weigh a calza against passing."""
        seat = call.seat
        at_least_one_more = self._odds_of(seat, bid.quantity + 1, bid.face).millionths
        exact = self._odds_of(seat, bid.quantity, bid.face).millionths - at_least_one_more
        gain = exact if may_gain(self._round.now.standing, seat) else 0
        edge = gain - (MILLION - exact)
        shortlist = self._worst[seat] if edge < 0 else self._best[seat]
        if exact < MILLION and shortlist.takes(edge):
            chances = exact, MILLION, edge
            self._keep(shortlist, call, bid, None, chances, right=call.right)

    def _odds_of(self, seat: int, quantity: int, face: int) -> _Odds:
        """Return how likely a bid is to be true, to one who knows this seat's dice alone."""
        return _odds(*unknown(quantity, face, *self._round.seen_by(seat)))

    def _keep(
        self,
        shortlist: Shortlist,
        move: BidMade | CallMade,
        last: Bid | BidMade,
        raised: tuple[int, int] | None,
        chances: tuple[int, int, int],
        *,
        right: bool,
    ) -> None:
        played, fixture = self._round, self._fixture
        chance, instead, edge = chances
        key_move = KeyMove(
            variant=fixture.variant,
            players=len(fixture.seats),
            index=fixture.index,
            game=self._game,
            round=played.number,
            step=played.step_of(move),
            seat=move.seat,
            action=move.call if isinstance(move, CallMade) else "bid",
            quantity=last.quantity,
            face=last.face,
            raised=raised,
            chance=chance / MILLION,
            instead=instead / MILLION,
            edge=edge / MILLION,
            dice=played.dice,
            right=right,
        )
        shortlist.add(edge, key_move)

    def _add_fault(self, step: int, event: Faulted) -> None:
        fixture, seats = self._fixture, self._fixture.seats
        fault = FaultEntry(
            cause=event.cause,
            bot=seats[event.seat],
            variant=fixture.variant,
            players=len(seats),
            fixture=fixture.id,
            index=fixture.index,
            game=self._game,
            round=self._round.number,
            step=step,
            seat=event.seat,
            opponents=seats[: event.seat] + seats[event.seat + 1 :],
            detail=event.detail,
        )
        self.faults.append(fault)
