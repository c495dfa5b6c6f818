"""The time at which something is stored: setting the machine's clock does not move it."""

import time

import pytest

from arena.league.store.store import steady_clock


@pytest.mark.parametrize("years", [-30, 30])
def test_setting_the_clock_does_not_move_times(monkeypatch: pytest.MonkeyPatch, years: int) -> None:
    set_by = 0.0
    real = time.time
    monkeypatch.setattr("time.time", lambda: real() + set_by)
    now = steady_clock()
    before = now()
    set_by = years * 365 * 86_400.0
    after = now()
    assert 0 <= after - before < abs(set_by)
    assert abs(steady_clock()() - (after + set_by)) < abs(set_by)


def test_time_advances() -> None:
    now = steady_clock()
    times = [now() for _ in range(1000)]
    assert times == sorted(times)
    assert times[0] < times[-1]
