"""The clock that stands still while the arena does not run."""

import fcntl
import os
import resource
import time

import pytest

from arena.io.uptime import TICK, Uptime, wait_readable


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


def test_descriptors_above_those_of_select_are_waited_for() -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limits[1] != resource.RLIM_INFINITY and limits[1] < 2048:
        pytest.skip("this machine allows no descriptor above 1023")
    resource.setrlimit(resource.RLIMIT_NOFILE, (2048, limits[1]))
    reader, writer = os.pipe()
    try:
        high = fcntl.fcntl(reader, fcntl.F_DUPFD_CLOEXEC, 1100)
        assert wait_readable([high], 0) == []
        os.write(writer, b".")
        assert wait_readable([high], TICK) == [high]
        os.close(high)
    finally:
        os.close(reader)
        os.close(writer)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
