"""Memory is counted by what is used; what a runtime only reserves is limited on its own."""

import os
import signal
import subprocess
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, PAGESIZE, mmap
from pathlib import Path
from threading import Thread

import pytest

from arena.bots.sandboxes.base import MIB, Program, Quota
from arena.bots.sandboxes.bubblewrap import BubblewrapSandbox
from arena.bots.sandboxes.docker.sandbox import DockerSandbox
from arena.bots.sandboxes.kernel.processes import used_memory
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sandboxes.run_once import RunResult, run_once
from tests.support.live import HANG

QUOTA = Quota(memory=64 * MIB)
RESERVES = """
import mmap
reserved = mmap.mmap(-1, 512 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
used = b"x" * (32 << 20)
print("works")
"""
"""As Node.js 24 does: much is reserved, little is used."""
USES = """
import signal
used = b"x" * (128 << 20)
signal.pause()
"""
IN_A_CHILD = """
import os, signal
child = os.fork()
if not child:
    used = b"x" * (128 << 20)
    signal.pause()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

on_this_kernel = pytest.mark.parametrize("sandbox", [ProcessSandbox, BubblewrapSandbox])
HostSandbox = type[ProcessSandbox | BubblewrapSandbox]


def ran(sandbox: HostSandbox, program: str, runtime: str) -> RunResult:
    """Run a Python program to its end where no control group counts its memory."""
    started = Program(Path("/usr"), ["python3", "-I", "-S", "-c", program], runtime)
    return run_once(sandbox(QUOTA, use_cgroups=False), started, HANG)


@on_this_kernel
def test_node_may_reserve_much_and_use_little(sandbox: HostSandbox) -> None:
    reserved = ran(sandbox, RESERVES, "node")
    assert (reserved.code, reserved.stdout) == (0, b"works\n"), reserved.stderr
    refused = ran(sandbox, RESERVES, "python")
    assert refused.code == 1
    assert b"Cannot allocate memory" in refused.stderr


@on_this_kernel
def test_a_program_that_uses_more_than_it_may_is_killed(sandbox: HostSandbox) -> None:
    killed = ran(sandbox, USES, "node")
    assert killed.code in (-signal.SIGKILL, 128 + signal.SIGKILL), killed.stderr
    refused = ran(sandbox, USES, "python")
    assert refused.code == 1
    assert b"MemoryError" in refused.stderr


@on_this_kernel
def test_a_child_that_uses_more_than_it_may_is_killed(sandbox: HostSandbox) -> None:
    survived = ran(sandbox, IN_A_CHILD, "node")
    assert survived.stdout == b"%d\n" % -signal.SIGKILL, survived.stderr


def test_a_container_may_reserve_as_much(no_docker: None) -> None:
    docker = DockerSandbox(QUOTA)
    for runtime, data in (("python", 64 * MIB), ("node", 576 * MIB)):
        reserves = Program(Path("/usr"), ["bot"], runtime).reserves
        ulimits = docker._limits([], 0, reserves)["ulimits"]
        assert {"Name": "data", "Soft": data, "Hard": data} in ulimits


@pytest.mark.parametrize(
    ("command", "runtime", "reserves"),
    [
        (["node", "bot.js"], "any", True),
        (["sh", "bot.sh"], "node", True),
        (["node", "bot.js"], "node", True),
        (["python3", "bot.py"], "any", False),
        (["./node"], "any", False),
        (["node", "bot.js"], "python", False),
    ],
)
def test_the_runtime_or_the_command_says_what_is_reserved(
    command: list[str], runtime: str, reserves: bool
) -> None:
    assert bool(Program(Path("/usr"), command, runtime).reserves) == reserves


def test_only_pages_that_are_written_are_used() -> None:
    with mmap(-1, 64 * MIB, flags=MAP_PRIVATE | MAP_ANONYMOUS) as memory:
        before = used_memory(os.getpid())
        for page in range(0, len(memory), PAGESIZE):
            memory[page] = 1
        assert 48 * MIB < used_memory(os.getpid()) - before < 80 * MIB


def test_a_process_that_is_gone_uses_nothing() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert used_memory(gone.pid) == 0


def test_a_program_that_cannot_be_watched_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", no_thread)
    with pytest.raises(BlockingIOError, match="can't start new thread"):
        ran(ProcessSandbox, USES, "node")
