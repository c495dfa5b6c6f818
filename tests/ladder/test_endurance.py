"""A minute of `benchmarks/endurance.py`: a ladder at full tilt that is killed again and again."""

from pathlib import Path

import pytest

from tests.ladder.endurance.endurance import Endurance, Plan, table
from tests.support.depth import depth
from tests.support.sampling import SEED

PLAN = depth(
    Plan(30.0, SEED, kills=2.0, authors=3, visitors=2, readers=2, submits=4.0, season=15.0),
    Plan(600.0, SEED),
)


@pytest.mark.slow
def test_ladder_at_full_tilt_loses_and_repeats_nothing(tmp_path: Path) -> None:
    lines = Endurance(PLAN, tmp_path).run()
    assert not [line for line in lines if line.broken], table(lines)
