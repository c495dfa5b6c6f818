"""The counts of summaries, made again the slow way, by docs/reference/statistics.md."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, log2
from typing import NamedTuple

from arena.game.records import BidMade, CallMade, Faulted, GameRecord, PlayedFixture, RoundStarted
from arena.game.rules.books import Rules
from arena.game.rules.round import Bid, Round, Standing, raises

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
                record.game,
                step,
                event.seat,
                event.call,
                bid,
                None,
                hands,
                palifico,
                veterans,
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


class Marvel(NamedTuple):
    """A highlight worth watching."""

    rank: float
    game: int
    step: int
    kind: str
    seat: int


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
        return Weighed(holds - (1 - in_millionths(likely(move, move.made))), *place)
    if move.action == "dudo":
        instead = legal(move, rules)
        if not instead:
            return None
        edge = 1 - holds - in_millionths(max(likely(move, bid) for bid in instead))
        return Weighed(edge, *place)
    exact = holds - in_millionths(likely(move, Bid(move.bid.quantity + 1, move.bid.face)))
    gain = exact if len(move.hands[move.seat]) < rules.starting_dice else 0
    return Weighed(gain - (1 - exact), *place)


def highlights(played: PlayedFixture, rules: Rules) -> Iterator[Marvel]:
    """Every bluff that survived, every brave call that was right, every comeback."""
    for game in played.games:
        every = list(moves(game))
        for move, after in zip(every, [*every[1:], None], strict=True):
            found = _bluff(move, after) if move.made else _brave(move, rules)
            if found:
                kind, chance = found
                yield Marvel(_rank(chance, move.dice), game.game, move.step, kind, move.seat)
        yield from _comeback(game)


def _rank(chance: Fraction, dice: int) -> float:
    return -dice * min(10.0, -log2(in_millionths(chance)) if in_millionths(chance) else 10.0)


def _bluff(move: Move, after: Move | None) -> tuple[str, Fraction] | None:
    if after is None or after.bid != move.made or after.made is None or move.made is None:
        return None
    chance, dice = likely(move, move.made), [die for hand in move.hands for die in hand]
    false = matching(dice, move.made.face, move.palifico) < move.made.quantity
    return ("bluff", chance) if false and chance < Fraction(1, 2) else None


def _brave(move: Move, rules: Rules) -> tuple[str, Fraction] | None:
    assert move.call is not None
    assert move.bid is not None
    if move.call.loser == move.seat or move.bid.quantity < 2:
        return None
    holds = in_millionths(likely(move, move.bid))
    if move.action == "dudo":
        brave = holds > Fraction(1, 2) and legal(move, rules)
        return ("call", 1 - holds) if brave else None
    exact = holds - in_millionths(likely(move, Bid(move.bid.quantity + 1, move.bid.face)))
    return ("calza", exact) if exact < Fraction(1, 2) else None


def _comeback(game: GameRecord) -> Iterator[Marvel]:
    """The deepest point of the winner, if it had at most half of its fair share of the dice."""
    winner = game.places.index(1)
    if any(isinstance(event, Faulted) for event in game.events):
        return
    for step, event in enumerate(game.events):
        if isinstance(event, RoundStarted):
            counts = [len(hand) for hand in event.dice if hand]
            own, dice = len(event.dice[winner]), sum(counts)
            if Fraction(own, dice) * 2 <= Fraction(1, len(counts)):
                yield Marvel(dice * log2(own / dice), game.game, step, "comeback", winner)


def counted(played: PlayedFixture, seat: int) -> Counter[str]:
    """A seat's style, by the names of docs/reference/statistics.md."""
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
