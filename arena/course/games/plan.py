"""How many games are played against each baseline: until a mark is precise enough.

Decided by complete blocks of one bot alone, so the same results lead to the same games.
"""

from collections.abc import Mapping
from math import ceil

from arena.course.games.tables import PER_BLOCK
from arena.course.points import FAIR, Part, total_of
from arena.ratings.maths.intervals import Z95

FIRST = 4
"""Blocks against each baseline before the first look."""
FOR_BASELINES = 0.9
"""The part of the precision that the baselines get if there is a field; the squares add up to 1."""
_GROWTH = 1.6
"""How many times as many blocks there are at the next look, at most."""
_LEAST_GAIN = 0.02
"""Of a reference over a baseline, where it is not known yet."""
_WORTHWHILE = 0.25
"""A baseline gets more games if it has so much of the variance of the one that has most."""


def target(precision: float, field: float) -> float:
    """Return the half-width that the points against baselines together may have."""
    return precision * FOR_BASELINES if field else precision


def more_blocks(
    blocks: Mapping[str, int], parts: Mapping[str, Part], wanted: float, most: int
) -> dict[str, int]:
    """Return how many blocks to play against each baseline; the same again if that is all.

    `wanted` is the half-width that the sum of the parts may have, `most` the budget in blocks.
    """
    planned = dict(blocks)
    half = total_of(parts).half_width
    if half <= wanted:
        return planned
    factor = min(_GROWTH, 1.1 * (half / wanted) ** 2)
    spread = {name: _spread(part) for name, part in parts.items() if blocks[name] < most}
    widest = max(spread.values(), default=0.0)
    for name, square in spread.items():
        if widest and square >= _WORTHWHILE * widest:
            planned[name] = min(most, max(blocks[name] + 1, ceil(blocks[name] * factor)))
    return planned


def expected_blocks(
    points: Mapping[str, float], shares: Mapping[str, float], wanted: float, most: int
) -> int:
    """Return how many blocks against each baseline a bot halfway to the reference needs.

    `points` and the reference's `shares` are by baseline, `wanted` the half-width of the sum.
    """
    square = 0.0
    for name, of in points.items():
        gain = max(shares[name] - FAIR, _LEAST_GAIN)
        share = FAIR + gain / 2
        square += (of / gain) ** 2 * share * (1.0 - share)
    needed = ceil(Z95**2 * square / wanted**2 / PER_BLOCK)
    return min(most, max(min(FIRST, most), needed))


def _spread(part: Part) -> float:
    return max(part.below, part.above) ** 2
