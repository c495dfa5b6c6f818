"""The counts of summaries, made again the slow way, by the definitions in docs/report.md."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb
from typing import NamedTuple

from arena.perudo.round import Bid, Round, Standing, raises
from arena.perudo.rules import Rules
from arena.records import BidMade, CallMade, Faulted, GameRecord, PlayedFixture, RoundStarted

Hands = Sequence[Sequence[int]]


class Move(NamedTuple):
    """A bid or a call, and the table when it was made."""

    game: int
    step: int
    seat: int
    action: str
    bid: Bid | None
    """The bid on the table before it."""
    made: Bid | None
    hands: Hands
    palifico: int | None
    veterans: frozenset[int]
    call: CallMade | None = None

    @property
    def dice(self) -> int:
        return sum(map(len, self.hands))


def moves(record: GameRecord) -> Iterator[Move]:
    hands: Hands = ()
    palifico: int | None = None
    bid: Bid | None = None
    veterans: frozenset[int] = frozenset()
    for step, event in enumerate(record.events):
        if isinstance(event, RoundStarted):
            hands, palifico, bid = event.dice, event.palifico_seat, None
        elif isinstance(event, BidMade):
            made = Bid(event.quantity, event.face)
            yield Move(record.game, step, event.seat, "bid", bid, made, hands, palifico, veterans)
            bid = made
        elif isinstance(event, CallMade):
            yield Move(
                *(record.game, step, event.seat, event.call, bid, None, hands, palifico, veterans),
                event,
            )
            veterans |= {palifico} - {None} if palifico is not None else frozenset()


def matching(dice: Sequence[int], face: int, palifico: int | None) -> int:
    return sum(die == face or (die == 1 and palifico is None) for die in dice)


def exactly(hits: int, dice: int, shown: int) -> Fraction:
    return comb(dice, hits) * Fraction(shown, 6) ** hits * Fraction(6 - shown, 6) ** (dice - hits)


def likely(move: Move, bid: Bid, own: Sequence[int] | None = None) -> Fraction:
    """How likely a bid is to be true, to one who knows the mover's dice, or `own`."""
    seen = move.hands[move.seat] if own is None else own
    unseen = move.dice - len(seen)
    shown = 2 if move.palifico is None and bid.face != 1 else 1
    needed = bid.quantity - matching(seen, bid.face, move.palifico)
    tail = (exactly(hits, unseen, shown) for hits in range(max(0, needed), unseen + 1))
    return sum(tail, Fraction(0))


def legal(move: Move, rules: Rules) -> list[Bid]:
    """Every bid that the mover might have made instead."""
    assert move.bid is not None
    dice = tuple(map(len, move.hands))
    used = tuple(seat in move.veterans for seat in range(len(dice)))
    standing = Standing(rules, dice, used, 0, move.palifico)
    before = next(seat for seat in range(len(dice)) if seat != move.seat and dice[seat])
    found = raises(Round(standing, move.seat, move.bid, before))
    return [Bid(n, one.face) for one in found for n in range(one.min, one.max + 1)]


class Weighed(NamedTuple):
    edge: Fraction
    dice: int
    game: int
    step: int
    obvious: bool


def in_millionths(chance: Fraction) -> Fraction:
    return Fraction(round(chance * 1_000_000), 1_000_000)


def weighed(move: Move, rules: Rules) -> Weighed | None:
    """What a move saved against its alternative; None if it has none."""
    if move.bid is None:
        return None
    place = move.dice, move.game, move.step
    holds = in_millionths(likely(move, move.bid))
    if move.action == "bid":
        assert move.made is not None
        return Weighed(holds - (1 - in_millionths(likely(move, move.made))), *place, True)
    if move.action == "dudo":
        instead = legal(move, rules)
        if not instead:
            return None
        believed = likely(move, move.bid, ()) >= Fraction(1, 2)
        edge = 1 - holds - in_millionths(max(likely(move, bid) for bid in instead))
        return Weighed(edge, *place, holds == 0 or not believed)
    exact = holds - in_millionths(likely(move, Bid(move.bid.quantity + 1, move.bid.face)))
    gain = exact if len(move.hands[move.seat]) < rules.starting_dice else 0
    return Weighed(gain - (1 - exact), *place, exact == 1)


def counted(played: PlayedFixture, seat: int) -> Counter[str]:
    """A seat's style, by the names of docs/report.md."""
    found: Counter[str] = Counter()
    mine = [move for game in played.games for move in moves(game) if move.seat == seat]
    for move in mine:
        if move.made is not None:
            found["bids"] += 1
            found["bluffs"] += likely(move, move.made) < Fraction(1, 2)
            found["openings"] += move.bid is None
            found["turns_on_a_bid"] += move.bid is not None
        elif move.call is not None:
            found[f"{move.action}s"] += 1
            found["turns_on_a_bid"] += move.action == "dudo"
            right = move.call.loser != seat if move.action == "dudo" else move.call.loser is None
            found[f"{move.action}s_right"] += right
    return found


def boldness(played: PlayedFixture, seat: int) -> list[Fraction]:
    found = []
    for game, number in product(played.games, [seat]):
        for move in moves(game):
            if move.seat == number and move.made is not None and move.bid is None:
                shown = 2 if move.palifico is None and move.made.face != 1 else 1
                found.append(move.made.quantity / (Fraction(shown, 6) * move.dice))
    return found


def faults(played: PlayedFixture) -> list[tuple[int, int, int]]:
    return [
        (game.game, step, event.seat)
        for game in played.games
        for step, event in enumerate(game.events)
        if isinstance(event, Faulted)
    ]
