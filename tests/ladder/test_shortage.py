"""A ladder whose machine lacks something for a while: it goes on, and tries again."""

import errno
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.io.job import Job
from arena.ladder import guests, run
from arena.ladder.pages import site
from arena.ladder.season.season import Season
from tests.e2e.live import wait_until
from tests.ladder import club as clubs

FAILS = 2
"""How often each fails before it works."""


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """What is tried, by name: publications, tables of guests, and play."""
    counted = Counter[str]()

    def lacks(name: str, number: int) -> None:
        counted[name] += 1
        if counted[name] <= FAILS:
            raise OSError(number, os.strerror(number))

    def job(call: Callable[[], Any], **options: Any) -> Job:
        lacks(call.func.__name__, errno.EAGAIN)  # type: ignore[attr-defined]
        return Job(call, **options)

    def play(*arguments: Any) -> bool:
        lacks("play", errno.EMFILE)
        return real_play(*arguments)

    real_play = Season.play
    monkeypatch.setattr(Season, "play", play)
    monkeypatch.setattr(run, "_PUT_OFF", 0.1)
    monkeypatch.setattr(run, "_SHORT", 0.1)
    for module in (guests, site):
        monkeypatch.setattr(module, "Job", job)
    return counted


@pytest.mark.slow
def test_ladder_tries_again_what_lacked_something(tmp_path: Path, tries: Counter[str]) -> None:
    club = clubs.make(tmp_path, guests=1)
    said: list[str] = []

    def all_work() -> bool:
        return len(tries) == 3 and min(tries.values()) > FAILS

    with clubs.in_thread(club, said.append) as ladder:
        wait_until(lambda: all_work() or not ladder.is_alive())
        assert ladder.is_alive()
    assert set(tries) == {"run_tables", "publish_all", "play"}
    # Once, and again if all worked in between.
    assert 1 <= sum("short of processes" in line for line in said) <= 2
    assert sum("short of open files" in line for line in said) == 1
