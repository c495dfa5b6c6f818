"""The speed of a league: games over the time in which they were stored, whatever the clock did."""

import pytest

from arena.league.keeping.status import speed

HOUR, YEAR = 3600.0, 31_536_000.0
EVEN = [(1000.0 + second, 10) for second in range(5)]


def moved(by: float) -> list[tuple[float, int]]:
    """Return five more fixtures, stored by a clock that was set before them."""
    return [(at + 5 + by, games) for at, games in EVEN]


@pytest.mark.parametrize("by", [0.0, HOUR, -HOUR, YEAR, -30 * YEAR])
def test_speed_ignores_a_clock_set_between_two_runs(by: float) -> None:
    assert speed(EVEN + moved(by)) == 10


@pytest.mark.parametrize("by", [-5.0, -7.5, 20.0])
def test_speed_stays_plausible_when_the_clock_is_set_by_seconds(by: float) -> None:
    """Two runs that seem to be one: the speed is that of one, or at most of both together."""
    found = speed(EVEN + moved(by))
    assert found is not None
    assert 0 < found <= 25


@pytest.mark.parametrize(
    "times", [[], [(5.0, 10)], [(5.0, 10), (5.0, 10)], [(5.0, 10), (5.0001, 10), (-YEAR, 10)]]
)
def test_too_short_a_time_has_no_speed(times: list[tuple[float, int]]) -> None:
    assert speed(times) is None
