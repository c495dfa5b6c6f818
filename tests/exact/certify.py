"""Exact bounds on a game's value: what the best response to a plan in fractions gets.

If the opener, against a plan of the other seat, wins at most q, and the other seat cannot hold a
plan of the opener below q either, then q is the value of the game. Neither half needs to know how
the plans were found: a float that was rounded badly makes the bounds differ, never wrong.
"""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from tests.exact.game import START, Game, Sequence, before, edges, spots, wins
from tests.exact.lp import solve

Plan = dict[Sequence, Fraction]
"""How often a seat says all that leads to an edge, as far as it decides; 0 where it is not in."""

LARGEST_DENOMINATOR = 1000
"""Of the probabilities to which a float solution is rounded."""


class Bounds(NamedTuple):
    """What the opener can be sure to win, and what the other seat can hold it to."""

    low: Fraction
    high: Fraction


def certified(game: Game) -> Bounds:
    """Solve a game and return the bounds that the rounded plans prove."""
    plans = solve(game).plans
    return Bounds(
        sure(game, rounded(game, 0, plans[0])),
        held(game, rounded(game, 1, plans[1])),
    )


def rounded(game: Game, seat: int, floats: dict[Sequence, float]) -> Plan:
    """Make a plan in fractions of one in floats: what is said at each spot, after rounding, adds
    up exactly to what the seat said before it."""
    plan = {(START, kind): Fraction(1) for kind in range(len(game.kinds[seat]))}
    for node, kind in spots(game, seat):
        if reach := plan.get((before(game, node), kind)):
            said = {edge: max(floats[edge, kind], 0.0) for edge in edges(game, node)}
            for edge, share in shares(said).items():
                plan[edge, kind] = reach * share
    return plan


def shares(weights: dict[int, float]) -> dict[int, Fraction]:
    """Round weights to fractions that sum to one."""
    total = sum(weights.values())
    near = {
        key: Fraction(weight / total).limit_denominator(LARGEST_DENOMINATOR)
        for key, weight in weights.items()
    }
    whole = sum(near.values())
    return {key: share / whole for key, share in near.items() if share}


def sure(game: Game, mine: Plan) -> Fraction:
    """Return what the opener wins with a plan at least, whatever the other seat does."""
    lost = ((other, -chance * mine[said]) for said, other, chance in wins(game) if said in mine)
    return -best_response(game, 1, lost)


def held(game: Game, other: Plan) -> Fraction:
    """Return what the opener wins at most when the other seat plays a plan."""
    won = ((mine, chance * other[said]) for mine, said, chance in wins(game) if said in other)
    return best_response(game, 0, won)


def best_response(game: Game, seat: int, ends: Iterable[tuple[Sequence, Fraction]]) -> Fraction:
    """Return the most that a seat can get where each end of the round brings it so much.

    The last words come first: each spot adds the best of its words to what led there.
    """
    brings: defaultdict[Sequence, Fraction] = defaultdict(Fraction)
    for said, gain in ends:
        brings[said] += gain
    for node, kind in reversed(spots(game, seat)):
        best = max(brings[edge, kind] for edge in edges(game, node))
        brings[before(game, node), kind] += best
    return sum((brings[START, kind] for kind in range(len(game.kinds[seat]))), Fraction(0))
