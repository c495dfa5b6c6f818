"""One scan of a fixture's games, which counts all that pages say of them.

This is the report's inner loop: a million games have about fifty million events. Odds are looked
up, and nothing is built that is not kept.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from arena.game.records import BidMade, CallMade, Faulted, Fixture, GameRecord
from arena.game.rules.books import FACES, Rules
from arena.game.rules.dice import count_face
from arena.game.rules.odds import at_least, unknown
from arena.game.rules.round import Bid, Raises, may_gain, raises
from arena.game.walk import PlayedRound, walk
from arena.playstats.fault_entry import FaultEntry
from arena.playstats.highlights import (
    OF_BOT,
    BestHighlights,
    Highlight,
    HighlightKind,
    is_behind,
    surprise,
)
from arena.playstats.luck import game_luck, has_luck
from arena.playstats.mistakes import Mistake, WorstMoves
from arena.playstats.style import BINS, MILLION, THOUSAND, Calibration, Style

HALF = MILLION // 2
LEAST_QUANTITY = 2
"""Calls of smaller bids are no highlights."""


class _Odds(NamedTuple):
    """A probability, ready to be counted."""

    millionths: int
    bin: int


@lru_cache(maxsize=1 << 16)
def _odds(needed: int, dice: int, faces: int) -> _Odds:
    chance = at_least(needed, dice, faces)
    return _Odds(round(chance * MILLION), min(BINS - 1, int(chance * BINS)))


class GameScan:
    """The statistics of one fixture's seats, counted game by game."""

    def __init__(self, fixture: Fixture, rules: Rules) -> None:
        seats = range(len(fixture.seats))
        self._styles = [Style() for _ in seats]
        self.calibrations = [Calibration() for _ in seats]
        self.faults: list[FaultEntry] = []
        self.luck: list[int] = []
        self._mistakes = [WorstMoves() for _ in seats]
        self._highlights = [BestHighlights(OF_BOT, OF_BOT) for _ in seats]
        self._fixture, self._rules = fixture, rules
        self._has_luck = has_luck(rules, len(fixture.seats))

    @property
    def styles(self) -> list[Style]:
        """The style of each seat so far; a bluff is a bid in the lower half of the bins."""
        for style, calibration in zip(self._styles, self.calibrations, strict=True):
            style.bids = sum(calibration.bids)
            style.bluffs = sum(calibration.bids[: BINS // 2])
        return self._styles

    @property
    def mistakes(self) -> list[tuple[Mistake, ...]]:
        """The worst moves of each seat so far."""
        return [worst.kept() for worst in self._mistakes]

    @property
    def highlights(self) -> list[tuple[Highlight, ...]]:
        """The best highlights of each seat so far, kind by kind."""
        return [best.kept for best in self._highlights]

    def add(self, record: GameRecord) -> None:
        """Count one game; raises ForbiddenEventError if the rules forbid an event of it."""
        self._game = record.game
        winner, faults = record.places.index(1), len(self.faults)
        behind: list[PlayedRound] = []
        rounds: list[PlayedRound] = []
        for played in walk(record, self._rules, self._fixture.max_rounds):
            self._round = played
            self._add_bids(played)
            if played.call and played.now.bid:
                self._add_call(played.call, played.now.bid)
            for step, fault in enumerate(played.faults, played.end):
                self._add_fault(step, fault)
            if self._has_luck:
                rounds.append(played)
            if is_behind(played.now.standing, winner):
                behind.append(played)
        if self._has_luck:
            self.luck.append(game_luck(rounds))
        if behind and len(self.faults) == faults:
            self._add_comeback(winner, behind)

    def _add_bids(self, played: PlayedRound) -> None:
        hands, dice, wild = played.hands, played.dice, played.wild
        last: BidMade | None = None
        bluff: int | None = None
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
            else:
                if bluff is not None and self._takes("bluff", last.seat, bluff):
                    self._keep_highlight("bluff", last, last, bluff)
                if self._mistakes[seat].takes(likely - MILLION):
                    self._weigh_raise(last, bid, likely, counts[face] >= quantity)
            last = bid
            bluff = likely if likely < HALF and counts[face] < quantity else None

    def _add_opening(self, style: Style, quantity: int, face: int) -> None:
        """Count how bold an opening is: its quantity against that to be expected of all dice."""
        _, dice, faces = unknown(quantity, face, (), self._round.dice, self._round.wild)
        boldness = round(THOUSAND * FACES * quantity / (faces * dice))
        style.openings += 1
        style.boldness += boldness
        style.boldness_squared += boldness * boldness

    def _weigh_raise(self, last: BidMade, bid: BidMade, likely: int, true: bool) -> None:
        """Weigh a raise against a dudo."""
        seat, worst = bid.seat, self._mistakes[bid.seat]
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
        brave = call.right and false < HALF and bid.quantity >= LEAST_QUANTITY
        is_highlight = brave and self._takes("call", seat, false)
        worst = self._mistakes[seat]
        if not is_highlight and not worst.takes(false - MILLION):
            return
        likely, raised = self._likeliest_raise(seat)
        if raised is None:
            return
        if is_highlight:
            self._keep_highlight("call", call, bid, false)
        if worst.takes(false - likely):
            bid_instead, chances = (raised.min, raised.face), (false, likely, false - likely)
            self._keep(worst, call, bid, bid_instead, chances, right=call.right)

    def _likeliest_raise(self, seat: int) -> tuple[int, Raises | None]:
        """Return how likely the most likely bid of the seat on turn is, and its range."""
        own, unseen, wild = self._round.seen_by(seat)
        likely, likeliest = -1, None
        for legal in raises(self._round.now):
            # Of each face the lowest: no higher one is likelier.
            chance = _odds(*unknown(legal.min, legal.face, own, unseen, wild)).millionths
            if chance > likely:
                likely, likeliest = chance, legal
        return likely, likeliest

    def _weigh_calza(self, call: CallMade, bid: Bid) -> None:
        """Weigh a calza against passing."""
        seat = call.seat
        at_least_one_more = self._odds_of(seat, bid.quantity + 1, bid.face).millionths
        exact = self._odds_of(seat, bid.quantity, bid.face).millionths - at_least_one_more
        gain = exact if may_gain(self._round.now.standing, seat) else 0
        edge = gain - (MILLION - exact)
        if self._mistakes[seat].takes(edge):
            chances = exact, MILLION, edge
            self._keep(self._mistakes[seat], call, bid, None, chances, right=call.right)
        brave = call.right and exact < HALF and bid.quantity >= LEAST_QUANTITY
        if brave and self._takes("calza", seat, exact):
            self._keep_highlight("calza", call, bid, exact)

    def _odds_of(self, seat: int, quantity: int, face: int) -> _Odds:
        """Return how likely a bid is to be true, to one who knows this seat's dice alone."""
        return _odds(*unknown(quantity, face, *self._round.seen_by(seat)))

    def _keep(
        self,
        shortlist: WorstMoves,
        move: BidMade | CallMade,
        last: Bid | BidMade,
        raised: tuple[int, int] | None,
        chances: tuple[int, int, int],
        *,
        right: bool,
    ) -> None:
        played, fixture = self._round, self._fixture
        chance, instead, edge = chances
        mistake = Mistake(
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
        shortlist.add(edge, mistake)

    def _takes(self, kind: HighlightKind, seat: int, chance: int) -> bool:
        score = surprise(chance / MILLION) * self._round.dice
        return self._highlights[seat].takes(kind, score)

    def _keep_highlight(
        self, kind: HighlightKind, move: BidMade | CallMade, bid: Bid | BidMade, chance: int
    ) -> None:
        step, known = self._round.step_of(move), chance / MILLION
        highlight = self._highlight(kind, self._round, move.seat, known, step=step, bid=bid)
        self._highlights[move.seat].add([highlight])

    def _add_comeback(self, winner: int, behind: Sequence[PlayedRound]) -> None:
        """Add the win of a seat that was far behind when these rounds began."""
        dice = [len(played.hands[winner]) for played in behind]
        self._highlights[winner].add(
            self._highlight(
                "comeback", played, winner, own / played.dice, step=played.step, own=own
            )
            for played, own in zip(behind, dice, strict=True)
        )

    def _highlight(
        self,
        kind: HighlightKind,
        played: PlayedRound,
        seat: int,
        chance: float,
        *,
        step: int,
        own: int = 0,
        bid: Bid | BidMade | None = None,
    ) -> Highlight:
        fixture = self._fixture
        return Highlight(
            kind=kind,
            score=surprise(chance) * played.dice,
            bot=fixture.seats[seat],
            variant=fixture.variant,
            players=len(fixture.seats),
            index=fixture.index,
            game=self._game,
            round=played.number,
            step=step,
            seat=seat,
            chance=chance,
            dice=played.dice,
            own=own,
            quantity=bid.quantity if bid else 0,
            face=bid.face if bid else 0,
        )

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
            dice=self._round.dice,
            opponents=seats[: event.seat] + seats[event.seat + 1 :],
            detail=event.detail,
        )
        self.faults.append(fault)
