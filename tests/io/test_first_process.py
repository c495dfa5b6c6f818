"""The arena as process 1 of a PID namespace, as in a container without an init."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import HANG, environment
from tests.support.namespaces import FIRST

BEGIN = "import os, signal, subprocess, sys, time; from pathlib import Path\n"
HAND_OVER = "from arena.io.signals import leave_first_process; leave_first_process()\n"
ORPHANS = """
for _ in range(20):
    subprocess.run(["sh", "-c", "(exit 0 &)"])
def states():
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            yield stat.read_text().rpartition(")")[2].split()[0]
        except OSError:
            pass
for _ in range(tries):
    if "Z" not in states():
        sys.exit(7)
    time.sleep(0.01)
sys.exit(9)
"""


def first(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*FIRST, sys.executable, "-c", BEGIN + code],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> int:
    out, err = process.communicate(timeout=HANG)
    assert err == "", out
    return process.returncode


def test_orphans_are_reaped() -> None:
    assert ended(first(HAND_OVER + f"tries = {int(HANG * 100)}" + ORPHANS)) == 7


def test_orphans_stay_without_that() -> None:
    assert ended(first("tries = 1" + ORPHANS)) == 9


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_reach_the_arena(number: signal.Signals) -> None:
    wait = f"signal.signal({int(number)}, lambda *_: sys.exit(5)); print('on', flush=True)\n"
    process = first(HAND_OVER + wait + "while True: signal.pause()")
    assert process.stdout
    assert process.stdout.readline() == "on\n"
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    os.kill(int(children.split()[0]), number)
    assert ended(process) == 5


def test_death_by_a_signal_is_an_exit_code() -> None:
    assert ended(first(HAND_OVER + "os.kill(os.getpid(), signal.SIGKILL)")) == 128 + 9


def test_other_processes_go_on_as_they_are() -> None:
    code = f"{HAND_OVER}print(os.getppid())"
    ran = subprocess.run(
        [sys.executable, "-c", BEGIN + code],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(ran.stdout) == os.getpid()
