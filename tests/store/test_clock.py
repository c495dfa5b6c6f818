"""The time at which something was stored: a clock that is set does not move it."""

import time

import pytest

from arena.store.clock import steady_clock


@pytest.mark.parametrize("years", [-30, 30])
def test_a_clock_that_is_set_changes_nothing(monkeypatch: pytest.MonkeyPatch, years: int) -> None:
    set_by = 0.0
    real = time.time
    monkeypatch.setattr("time.time", lambda: real() + set_by)
    now = steady_clock()
    before = now()
    set_by = years * 365 * 86_400.0
    after = now()
    assert 0 <= after - before < abs(set_by)
    assert abs(steady_clock()() - (after + set_by)) < abs(set_by)


def test_time_goes_on() -> None:
    now = steady_clock()
    times = [now() for _ in range(1000)]
    assert times == sorted(times)
    assert times[0] < times[-1]
