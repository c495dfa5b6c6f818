"""Sandboxes that could not start a program: no bot is blamed for that, and none can feign it."""

import errno
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.bots.sandboxes.base import ENVIRONMENT, Program, Quota, Sandbox
from arena.bots.sandboxes.bubblewrap import BubblewrapSandbox
from arena.bots.sandboxes.child_process import process_trees
from arena.bots.sandboxes.kernel.cgroups import Cgroup, SystemdScopes
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sandboxes.registry import AUTO, make_sandbox
from arena.bots.sandboxes.run_once import run_once
from arena.bots.sessions.clock import READY
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Cause, Fault, LimitsInfo
from arena.io.errors import ArenaError, ShortageError
from tests.bots.sandboxes.test_cgroups import needs_cgroups

PATIENT = LimitsInfo(start=60.0, answer=60.0, game=300.0)
SECONDS = 60.0
NO_FORK = "bwrap: Can't fork for pid 1: Resource temporarily unavailable"


def greeted(sandbox: Sandbox, program: Program) -> Fault:
    """Return the fault of a bot that is greeted."""
    with Multiplexer([program], sandbox, PATIENT) as multiplexer:
        multiplexer.start(0, b"{}\n")
        [(_, id_, fault)] = multiplexer.wait()
    assert id_ == READY
    assert isinstance(fault, Fault)
    return fault


@pytest.fixture
def no_fork(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bubblewrap that finds no process left."""
    tool = runs / "bwrap"
    tool.write_text(f'#!/bin/sh\necho "{NO_FORK}" >&2\nexit 1\n')
    tool.chmod(0o755)
    monkeypatch.setitem(ENVIRONMENT, "PATH", f"{runs}:{ENVIRONMENT['PATH']}")


@pytest.mark.usefixtures("no_fork")
def test_no_bot_is_blamed_for_a_sandbox_that_could_not_start_it(runs: Path) -> None:
    with pytest.raises(ShortageError) as error:
        greeted(BubblewrapSandbox(), Program(runs, ["cat"]))
    assert error.value.what == f"this machine is short of processes: {NO_FORK}"
    assert error.value.hint.startswith("raise pids.max")


REFUSALS = {
    "prlimit": "prlimit: failed to set the NOFILE resource limit: Operation not permitted",
    "setpriv": "setpriv: set parent death signal failed: Invalid argument",
    "systemd-run": "Failed to start transient scope unit: Connection timed out",
    "sh": "sh: cannot create /sys/fs/cgroup/gone/cgroup.procs: Directory nonexistent",
}


@pytest.mark.parametrize("tool", REFUSALS)
def test_no_bot_is_blamed_for_the_tools_that_start_it_as_a_process(
    runs: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tool == "systemd-run":
        scopes = "arena.bots.sandboxes.child_process.process_trees"
        monkeypatch.setattr(scopes, lambda: SystemdScopes(("--user",)))
    fake = runs / tool
    fake.write_text(f'#!/bin/sh\necho "{REFUSALS[tool]}" >&2\nexit 1\n')
    fake.chmod(0o755)
    monkeypatch.setitem(ENVIRONMENT, "PATH", f"{runs}:{ENVIRONMENT['PATH']}")
    with pytest.raises(ShortageError) as error:
        greeted(ProcessSandbox(), Program(runs, ["cat"]))
    assert error.value.what == f"the sandbox 'process' could not start a bot: {REFUSALS[tool]}"


@needs_cgroups
def test_group_that_is_gone_before_a_bot_joins_it_is_not_its_fault(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An arena that cannot see this one may have removed it."""

    def remove(group: Cgroup, *words: Any) -> list[str]:
        command = wrap(group, *words)
        group.close()
        return command

    wrap = Cgroup.wrap
    monkeypatch.setattr(Cgroup, "wrap", remove)
    with pytest.raises(ShortageError, match=r"could not start a bot: .*cgroup"):
        greeted(ProcessSandbox(), Program(runs, ["cat"]))


@needs_cgroups
def test_group_that_is_gone_before_it_has_its_limits_is_not_the_fault_of_a_bot(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Cgroup) -> None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr(Cgroup, "open_files", fail)
    with pytest.raises(ShortageError, match="could not start a bot: "):
        greeted(ProcessSandbox(), Program(runs, ["cat"]))


@pytest.mark.usefixtures("no_fork", "no_docker")
@pytest.mark.parametrize("name", [AUTO, "bubblewrap"])
def test_no_weaker_sandbox_is_taken_for_a_shortage(name: str) -> None:
    with pytest.raises(ShortageError, match="short of processes"):
        make_sandbox(name)


def test_real_bubblewrap_without_processes(runs: Path) -> None:
    if not process_trees():
        pytest.skip("no control group can be made here")
    ran = run_once(BubblewrapSandbox(Quota(processes=0)), Program(runs, ["true"]), SECONDS)
    assert b"Resource temporarily unavailable" in ran.stderr
    assert not ran.ran


LIAR = f'echo "{NO_FORK}" >&2; exit 1'
ENDS = {
    "a liar": (["sh", "-c", LIAR], "exit code 1"),
    "no program": (["./missing"], "exit code 127"),
    "no permission": (["./closed"], "exit code 126"),
    "its own 125": (["sh", "-c", "exit 125"], "exit code 125"),
    "killed": (["sh", "-c", "kill -9 $$"], "killed by SIGKILL"),
}


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("make", [BubblewrapSandbox, ProcessSandbox])
def test_bot_cannot_feign_that_it_was_not_started(
    make: Callable[[], Sandbox], how: str, runs: Path
) -> None:
    (runs / "closed").write_text("#!/bin/sh\n")
    command, words = ENDS[how]
    fault = greeted(make(), Program(runs, command))
    assert fault.cause is Cause.CRASH
    assert words in fault.detail


def test_start_that_the_machine_refuses_is_no_fault(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    with (
        Multiplexer([Program(runs, ["cat"])], ProcessSandbox(), PATIENT) as multiplexer,
        pytest.raises(ShortageError, match="short of open files"),
    ):
        multiplexer.start(0, b"{}\n")


@pytest.mark.parametrize("make", [BubblewrapSandbox, ProcessSandbox])
def test_limits_below_those_of_a_bot_are_not_its_fault(
    make: Callable[[], Sandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "arena.bots.sandboxes.child_process.getrlimit",
        lambda limit: (32, 32) if limit == resource.RLIMIT_NOFILE else (-1, -1),
    )
    reason = make().unavailable_reason()
    assert reason is not None
    assert reason.what == "a bot may use 256 open files, and the limit here is 32"
    assert reason.hint == "raise it: ulimit -n 4096"


@pytest.mark.usefixtures("no_docker")
def test_no_sandbox_at_all_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.bots.sandboxes.child_process.getrlimit", lambda _: (32, 32))
    with pytest.raises(ArenaError, match="no sandbox works here: a bot may use 256 open files"):
        make_sandbox(AUTO)
