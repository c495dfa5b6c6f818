"""Exact odds of a bid: binomial tails over the dice that a player cannot see."""

from functools import lru_cache
from math import comb

from arena.game.rules.books import FACES
from arena.game.rules.dice import Hand
from arena.game.rules.round import Bid


@lru_cache(maxsize=4096)
def at_least(needed: int, dice: int, faces: int) -> float:
    """Return P(at least `needed` of `dice` fair dice show one of `faces` given faces).

    `faces` is 2 if pacos are wild and the bid is on a number, else 1.
    """
    if needed <= 0:
        return 1.0
    miss = FACES - faces
    ways = sum(
        comb(dice, hit) * faces**hit * miss ** (dice - hit) for hit in range(needed, dice + 1)
    )
    return float(ways / FACES**dice)


def bid_holds(bid: Bid, own: Hand, unseen: int, wild: int | None) -> float:
    """Return the probability that a bid is true for who sees `own` and not `unseen` dice."""
    return at_least(*unknown(bid.quantity, bid.face, own, unseen, wild))


def unknown(
    quantity: int, face: int, own: Hand, unseen: int, wild: int | None
) -> tuple[int, int, int]:
    """Return the arguments of `at_least` for a bid: the dice needed, the unseen dice, the faces."""
    if wild is None or wild == face:
        return quantity - own.count(face), unseen, 1
    return quantity - own.count(face) - own.count(wild), unseen, 2


def bid_exact(bid: Bid, own: Hand, unseen: int, wild: int | None) -> float:
    """Return the probability that a bid is exact (a right calza) for a player who sees `own`."""
    return bid_holds(bid, own, unseen, wild) - bid_holds(
        Bid(bid.quantity + 1, bid.face), own, unseen, wild
    )
