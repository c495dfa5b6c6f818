"""A bot's decisions, each against the best legal alternative."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct

from arena.game.records import BidMade, CallMade
from arena.game.rules.dice import Hand
from arena.game.rules.round import Bid, Raises, Round, after_right_calza, raises
from arena.game.rules.view import SeatBid
from arena.game.walk import PlayedRound
from arena.playstats.coach.lookahead import LEAST_CHANCE, Floats, Lookahead

Verb = Literal["bid", "dudo", "calza", "pass"]
CALLS_CALZA = "calls calza where it should not"
DOUBTS_EARLY = "doubts too early"
DOUBTS_LATE = "doubts too late"
_TIE = 1e-9
"""Chances that are this close are equal: they were added up in another order."""


class DecisionAction(Struct, frozen=True, omit_defaults=True):
    """An action of a seat, taken or possible."""

    do: Verb
    quantity: int = 0
    """The quantity of a bid; 0 for any other action."""
    face: int = 0

    @property
    def bid(self) -> Bid:
        """The bid that it makes, if it is one."""
        return Bid(self.quantity, self.face)


class Decision(Struct, frozen=True):
    """One decision. Counts are from 0; chances are chances to win the game."""

    fixture: int
    """The fixture's index in the schedule."""
    game: int
    round: int
    step: int
    """Its place among the events of its game."""
    seat: int
    dice: int
    """The seat's own dice."""
    hand: Hand
    """The faces of the seat's own dice."""
    table: int
    """All dice on the table."""
    palifico: bool
    """Whether pacos were not wild."""
    bids: tuple[SeatBid, ...]
    """The bids of the round so far; the last one is on the table."""
    last: DecisionAction | None
    """The bid on the table."""
    action: DecisionAction
    best: DecisionAction
    """The action with the highest value."""
    chance: float
    """The chance to win after the action, as its seat could know it."""
    loss: float
    """By how much that is less than after the best action."""
    error: float
    """The standard error of the loss; 0 if every hidden hand was counted."""
    kind: str
    """How the action differs from the best one, such as "doubts too early"."""


class GameKey(NamedTuple):
    """Which game a round belongs to, and what keys the deals that are drawn."""

    fixture: int
    game: int
    key: str


class Position(NamedTuple):
    """What a seat knew when it decided, and what each action was worth."""

    hand: Hand
    unseen: int
    """How many dice the others had."""
    wild: int | None
    last: Bid | None
    """The bid on the table."""
    legal: tuple[Raises, ...]
    values: Mapping[DecisionAction, float]
    """The chance to win after it: of dudo, calza, pass and all bids that are not far too unlikely
    to be true."""


class Judged(NamedTuple):
    """A decision and its result."""

    decision: Decision
    position: Position
    chance: float
    """How likely its bid was to be true, by its seat's own dice; 0 if it did not bid."""
    held: bool
    """Whether its bid was true."""


def judge_round(played: PlayedRound, seat: int, place: GameKey) -> Iterator[Judged]:
    """Yield the decisions of a seat in a round.

    Whether it passed when it could call calza is not recorded, so of calza only calls are judged.
    """
    called = played.call and played.call.seat == seat
    if called or any(bid.seat == seat for bid in played.bids):
        yield from _Judge(played, seat, place).judged()


def choices(played: PlayedRound, decision: Decision, place: GameKey) -> dict[DecisionAction, float]:
    """Return the chance to win after each legal action of a turn, the best action first."""
    judge = _Judge(played, decision.seat, place)
    judge.hear(decision.bids)
    chances = judge.chances(decision.action)
    return dict(sorted(chances.items(), key=lambda item: -item[1]))


class _Option(NamedTuple):
    action: DecisionAction
    values: Floats
    """The chance to win after it, deal by deal."""


class _Judge:
    """Judges what one seat did in one round."""

    def __init__(self, played: PlayedRound, seat: int, place: GameKey) -> None:
        self._played = played
        self._seat = seat
        self._place = place
        key = f"{place.key}/{place.game}/{played.number}/{seat}"
        self._look = Lookahead(played.now.standing, seat, played.hands[seat], key)
        self._heard: list[SeatBid] = []
        """The bids so far."""

    def judged(self) -> Iterator[Judged]:
        """Yield the decisions in their order."""
        played, look = self._played, self._look
        for event in played.bids:
            bid = Bid(event.quantity, event.face)
            if event.seat == self._seat:
                made = _bids(bid)
                held = played.matching(bid.face) >= bid.quantity
                chance = float(look.chances[look.number(bid)])
                yield Judged(*self._decision(event, made, self._on_turn(made)), chance, held)
            self._heard.append(SeatBid(event.seat, event.quantity, event.face))
        call = played.call
        if call and call.seat == self._seat:
            made = DecisionAction(call.call)
            options = self._on_turn(made) if self._seat == played.now.to_act else []
            if call.call == "calza" and self._last:
                options = self._with_calza(made, self._last, options)
            yield Judged(*self._decision(call, made, options), 0.0, held=False)

    def hear(self, bids: Iterable[SeatBid]) -> None:
        """Take in the bids before a decision."""
        self._heard += bids

    def chances(self, made: DecisionAction) -> dict[DecisionAction, float]:
        """Return the chance to win after each legal action."""
        options = self._on_turn(made, least=0.0)
        return {option.action: float(self._weights() @ option.values) for option in options}

    def _weights(self) -> Floats:
        return self._look.weights([(bid.seat, Bid(bid.quantity, bid.face)) for bid in self._heard])

    @property
    def _last(self) -> Bid | None:
        return Bid(self._heard[-1].quantity, self._heard[-1].face) if self._heard else None

    def _on_turn(self, made: DecisionAction, least: float = LEAST_CHANCE) -> list[_Option]:
        """Return what the seat on turn could do."""
        look, last = self._look, self._last
        options = [_Option(DecisionAction("dudo"), look.after_dudo(last))] if last else []
        numbers = look.alternatives(last, made.bid if made.do == "bid" else None, least)
        options += [
            _Option(_bids(look.bid(number)), column)
            for number, column in zip(numbers, look.after_bids(numbers).T, strict=True)
        ]
        return options

    def _with_calza(self, made: DecisionAction, last: Bid, on_turn: list[_Option]) -> list[_Option]:
        """Return what a seat that called calza could do: on its turn all else, otherwise pass."""
        now = self._played.now
        gained = self._look.after_calza(last, after_right_calza(now.standing, self._seat))
        others = on_turn or [
            _Option(DecisionAction("pass"), self._look.after_pass(last, now.to_act))
        ]
        return [_Option(made, gained), *others]

    def _decision(
        self, event: BidMade | CallMade, made: DecisionAction, options: Sequence[_Option]
    ) -> tuple[Decision, Position]:
        played = self._played
        standing = played.now.standing
        last = self._last
        weights = self._weights()
        values = np.stack([option.values for option in options], axis=1)
        actions = [option.action for option in options]
        chosen = actions.index(made)
        means = weights @ values
        best = int(means.argmax())
        if means[best] - means[chosen] < _TIE:
            best = chosen
        if self._look.deals.drawn:
            loss, error = _loss_in_sample(values, weights, chosen)
        else:  # every hidden hand is counted, so the loss has no error
            loss, error = float(means.max() - means[chosen]), 0.0
        decision = Decision(
            fixture=self._place.fixture,
            game=self._place.game,
            round=played.number,
            step=played.step_of(event),
            seat=self._seat,
            dice=standing.dice[self._seat],
            hand=played.hands[self._seat],
            table=played.dice,
            palifico=standing.palifico_seat is not None,
            bids=tuple(self._heard),
            last=_bids(last) if last else None,
            action=made,
            best=actions[best],
            chance=min(1.0, float(means[chosen])),
            loss=loss,
            error=error,
            kind=_kind(made, actions[best], last),
        )
        hand, unseen, wild = played.seen_by(self._seat)
        legal = raises(Round(standing, self._seat, last))
        chances = dict(zip(actions, means.tolist(), strict=True))
        return decision, Position(hand, unseen, wild, last, legal, chances)


def _loss_in_sample(values: Floats, weights: Floats, chosen: int) -> tuple[float, float]:
    """Return the loss, and its standard error, where hands were drawn.

    The best action of one half of the deals is compared on the other half: on its own it would look
    better than it is. So a loss may come out below 0.
    """
    halves = np.arange(len(weights)) < len(weights) // 2
    gaps = np.empty(len(weights))
    for half in (halves, ~halves):
        best = int((weights[~half] @ values[~half]).argmax())
        gaps[half] = values[half, best] - values[half, chosen]
    loss = float(weights @ gaps)
    return loss, sqrt(float((weights**2) @ (gaps - loss) ** 2))


def _kind(made: DecisionAction, best: DecisionAction, last: Bid | None) -> str:
    """Return how an action differs from the best one; "" if it does not."""
    if made == best:
        return ""
    match made.do, best.do:
        case "calza", _:
            return CALLS_CALZA
        case "dudo", _:
            return DOUBTS_EARLY
        case _, "dudo":
            return DOUBTS_LATE
    verb = "raises" if last else "opens"
    if made.face != best.face:
        return f"{verb} on the wrong face"
    return f"{verb} too {'high' if made.quantity > best.quantity else 'low'}"


def _bids(bid: Bid) -> DecisionAction:
    return DecisionAction("bid", bid.quantity, bid.face)
