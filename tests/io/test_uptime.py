"""The clock that stands still while the arena does not run."""

import time

import pytest

from arena.io.uptime import TICK, Uptime


def test_time_without_a_look_at_the_clock_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    resumed: list[float] = []
    uptime = Uptime(lambda: resumed.append(now))
    for _ in range(4):
        now += TICK
        uptime.tick()
    assert uptime.now() == 4 * TICK
    now += 20.0
    assert uptime.tick() == 4 * TICK
    assert resumed == [now]
    now += TICK
    assert uptime.tick() == 5 * TICK
