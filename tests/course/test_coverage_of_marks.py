"""Intervals of marks hold the true mark in about 95 % of cases, also at the ends of the scale."""

import numpy as np
import pytest

from arena.course.baselines import PER_BLOCK
from arena.course.points import FAIR, Total, against, share_of, total_of

POINTS = 30.0
REFERENCE = {"weak": 0.95, "strong": 0.8}
"""The reference's share of games won against each baseline."""
BLOCKS = 20
MARKS = 400


def _total(strength: float, draw: np.random.Generator) -> Total:
    """Return the mark of a student: 0 is the strength of the baselines, 1 the reference's."""
    parts = {}
    for name, reference in REFERENCE.items():
        won = draw.binomial(PER_BLOCK, FAIR + strength * (reference - FAIR), BLOCKS).tolist()
        parts[name] = against(share_of(won, PER_BLOCK), reference, POINTS)
    return total_of(parts)


@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0], ids=["baseline", "middle", "reference"])
def test_intervals_of_marks_hold_the_true_mark(strength: float) -> None:
    draw, true = np.random.default_rng(1), strength * POINTS * len(REFERENCE)
    totals = [_total(strength, draw) for _ in range(MARKS)]
    held = sum(total.low <= true <= total.high for total in totals)
    assert held >= 0.93 * MARKS


@pytest.mark.parametrize("strength", [0.0, 1.0], ids=["baseline", "reference"])
def test_intervals_of_marks_stay_within_the_scale(strength: float) -> None:
    draw = np.random.default_rng(2)
    for total in (_total(strength, draw) for _ in range(50)):
        assert 0 <= total.low <= total.points <= total.high <= POINTS * len(REFERENCE)
