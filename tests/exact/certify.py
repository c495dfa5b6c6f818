"""Exact bounds on a game's value: the best responses to plans in fractions.

If the opener wins at most q against a plan of the other seat, and at least q with a plan of its
own, then q is the value of the game. Neither bound depends on how the plans were found: floats that
were rounded badly make the bounds differ, never wrong.
"""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from tests.exact.game import START, Game, Sequence, before, edges, info_sets, wins
from tests.exact.lp import solve

Plan = dict[Sequence, Fraction]
"""A realization plan: a seat's probability of all its actions up to an edge; 0 if absent."""

LARGEST_DENOMINATOR = 1000
"""Of the fractions that the probabilities of a float solution are rounded to."""


class Bounds(NamedTuple):
    """The probability that the opener can guarantee to win, and the most it can win."""

    low: Fraction
    high: Fraction


def certified(game: Game) -> Bounds:
    """Solve a game and return the bounds that the rounded plans prove."""
    plans = solve(game).plans
    return Bounds(
        lower_bound(game, rounded(game, 0, plans[0])),
        upper_bound(game, rounded(game, 1, plans[1])),
    )


def rounded(game: Game, seat: int, floats: dict[Sequence, float]) -> Plan:
    """Round a plan to fractions; the actions of an information set sum exactly to the weight of
    the sequence before it."""
    plan = {(START, kind): Fraction(1) for kind in range(len(game.kinds[seat]))}
    for node, kind in info_sets(game, seat):
        if reach := plan.get((before(game, node), kind)):
            weights = {edge: max(floats[edge, kind], 0.0) for edge in edges(game, node)}
            for edge, share in shares(weights).items():
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


def lower_bound(game: Game, mine: Plan) -> Fraction:
    """Return the least that the opener wins with a plan, whatever the other seat does."""
    lost = ((other, -chance * mine[said]) for said, other, chance in wins(game) if said in mine)
    return -best_response(game, 1, lost)


def upper_bound(game: Game, other: Plan) -> Fraction:
    """Return the most that the opener wins against a plan of the other seat."""
    won = ((mine, chance * other[said]) for mine, said, chance in wins(game) if said in other)
    return best_response(game, 0, won)


def best_response(game: Game, seat: int, ends: Iterable[tuple[Sequence, Fraction]]) -> Fraction:
    """Return the most that a seat can get, given its gain at each end of the round.

    Backward induction: each information set adds its best action to the sequence before it.
    """
    brings: defaultdict[Sequence, Fraction] = defaultdict(Fraction)
    for said, gain in ends:
        brings[said] += gain
    for node, kind in reversed(info_sets(game, seat)):
        best = max(brings[edge, kind] for edge in edges(game, node))
        brings[before(game, node), kind] += best
    return sum((brings[START, kind] for kind in range(len(game.kinds[seat]))), Fraction(0))
