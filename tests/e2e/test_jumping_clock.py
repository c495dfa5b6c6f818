"""A wall clock that keeps jumping by hours and years: no limit and no speed depends on it."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.command import HANG, bot, league, records, run
from tests.publish.pages import timeless
from tests.support.sampling import sample

JUMPING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

typedef int (*real_clock)(clockid_t, struct timespec *);

static int real(clockid_t id, struct timespec *at) {
    static real_clock found;
    if (!found) found = (real_clock)dlsym(RTLD_NEXT, "clock_gettime");
    return found(id, at);
}

/* Every 20 ms the wall clock is somewhere else. */
static time_t jump(void) {
    static const time_t by[] = {0, 3600, -7200, 315360000, -63072000, 30, -45};
    struct timespec now;
    real(CLOCK_MONOTONIC, &now);
    return by[(now.tv_sec * 50 + now.tv_nsec / 20000000) % 7];
}

int clock_gettime(clockid_t id, struct timespec *at) {
    int failed = real(id, at);
    if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += jump();
    return failed;
}

int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
"""
LOOK = """
import time
seen = set()
while len(seen) < 4:
    seen.add(round(time.time() / 600))
"""
"""Ends when the wall clock was at several places."""


@pytest.fixture
def jumping(tmp_path: Path) -> dict[str, str]:
    """The environment of a program for which the wall clock jumps."""
    source, library = tmp_path / "jumping.c", tmp_path / "jumping.so"
    source.write_text(JUMPING)
    command = ["cc", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    env = {"LD_PRELOAD": str(library)}
    look = [sys.executable, "-c", LOOK]
    subprocess.run(look, env=env, timeout=HANG, check=True)
    return env


def play(folder: Path, name: str, sandbox: str, env: dict[str, str]) -> float:
    """Play the league; returns the last speed that was told, in games a second."""
    ends = ("--store", f"{name}.sqlite", "--site", name, "--workers", "2", "--trust-bots")
    ran = run("run", "league.yaml", "--sandbox", sandbox, *ends, cwd=folder, env=env)
    assert ran.code == 0, ran.err
    told = [line for line in ran.err.splitlines() if " fixtures, " in line]
    numbers = re.fullmatch(r"6/6 fixtures, 12 games, (\d+) games/s, 0 s left, faults 0", told[-1])
    assert numbers, told
    assert not any("-" in line for line in told)
    return float(numbers[1])


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", sample(["process", "bubblewrap"], 1, "jumping clock"))
def test_jumping_wall_clock_changes_no_result_and_no_speed(
    tmp_path: Path, jumping: dict[str, str], sandbox: str
) -> None:
    for name in "abc":
        bot(tmp_path / name)
    league(tmp_path, bots=list("abc"))
    play(tmp_path, "even", sandbox, {})
    began = time.monotonic()
    told = play(tmp_path, "jumping", sandbox, jumping)
    took = time.monotonic() - began
    assert records(tmp_path / "jumping.sqlite") == records(tmp_path / "even.sqlite")
    assert timeless(tmp_path / "jumping") == timeless(tmp_path / "even")
    ran = run("status", "league.yaml", "--store", "jumping.sqlite", "--json", cwd=tmp_path)
    found = json.loads(ran.out)["games_per_second"]
    # 10 games came after the first two, in less than the whole run took; the told one is rounded.
    assert found * took >= 10
    assert (told + 0.5) * took >= 12
    store = ("--store", "jumping.sqlite")
    assert run("verify", "league.yaml", *store, cwd=tmp_path, env=jumping).code == 0
    again = run("status", "league.yaml", *store, "--json", cwd=tmp_path, env=jumping)
    assert again.out == ran.out
