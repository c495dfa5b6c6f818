"""Bots cannot signal each other, nor stop what guards them, by what they share of the machine."""

import json
import os
import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import StagedBot
from arena.bots.builds.staging import stage
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.docker import engine
from arena.bots.sandboxes.docker.container import FifoContainer
from arena.bots.sandboxes.docker.sandbox import DockerSandbox
from arena.bots.sandboxes.kernel.denied import HIDDEN_PROC, HIDDEN_SYS
from arena.bots.sandboxes.registry import make_sandbox
from tests.support.live import HANG, write_bot

PROGRAM = Path(__file__).with_name("signals.py")
Ask = Callable[..., Any]


def staged(runs: Path, sandbox: Sandbox) -> StagedBot:
    return stage(write_bot(runs / "bot", PROGRAM.read_text(encoding="utf-8")), runs, sandbox)


@contextmanager
def started(sandbox: Sandbox, bot: StagedBot) -> Iterator[Ask]:
    """Start the program; yield a function that gives it a task and returns its answer."""
    running = sandbox.start(bot.program)

    def ask(task: str, **more: object) -> Any:
        os.write(running.stdin, json.dumps({"task": task, **more}).encode() + b"\n")
        said = b""
        while not said.endswith(b"\n"):
            assert select.select([running.stdout], [], [], HANG)[0], "it hangs"
            chunk = os.read(running.stdout, 65_536)
            assert chunk, os.read(running.stderr, 65_536).decode()
            said += chunk
        return json.loads(said)

    try:
        yield ask
    finally:
        running.kill()
        running.close()


@pytest.mark.slow
def test_record_locks_are_no_signal(isolating: Sandbox, runs: Path) -> None:
    bot = staged(runs, isolating)
    with started(isolating, bot) as one, started(isolating, bot) as other:
        assert one("lock") == "locked"
        assert other("locks") == [False, False]


def test_record_locks_are_a_signal_without_a_sandbox(runs: Path) -> None:
    """The program does find locks where there are some."""
    trusted = make_sandbox("process")
    bot = staged(runs, trusted)
    with started(trusted, bot) as one, started(trusted, bot) as other:
        assert one("lock") == "locked"
        assert other("locks") == [True, True]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give each bot a user")
def test_every_bot_has_a_user_of_its_own(isolating: Sandbox, runs: Path) -> None:
    """The kernel counts inotify instances and memory of pipes by user."""
    bot = staged(runs, isolating)
    with started(isolating, bot) as one, started(isolating, bot) as other:
        assert one("user") != other("user")
        assert 0 not in {one("user"), other("user")}


def test_counters_of_the_kernel_are_hidden(isolating: Sandbox, runs: Path) -> None:
    with started(isolating, staged(runs, isolating)) as ask:
        said = ask("counts", paths=[*HIDDEN_PROC, *HIDDEN_SYS])
        assert said == dict.fromkeys(said, "")
        needed = ["/proc/stat", "/proc/meminfo", "/proc/loadavg", "/proc/cpuinfo"]
        assert all(ask("counts", paths=needed).values())


def test_databases_work(isolating: Sandbox, runs: Path) -> None:
    with started(isolating, staged(runs, isolating)) as ask:
        assert ask("keep_rows") == [2, 2]


def test_bot_stays_on_its_core(isolating: Sandbox, runs: Path) -> None:
    with started(isolating, staged(runs, isolating)) as ask:
        before, after = ask("choose_core")
        assert before == after


def test_processes_of_the_sandbox_are_out_of_reach(isolating: Sandbox, runs: Path) -> None:
    with started(isolating, staged(runs, isolating)) as ask:
        done = ask("reach_out")
        # Signals that a namespace's first process does not handle are dropped, not refused.
        assert [what for what in done if not what.startswith("stops 1 ")] == []


def test_supervisor_of_a_container_cannot_be_stopped(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends the container when its lease ends: the engine need not be asked."""
    sandbox = DockerSandbox()
    removed: list[str] = []
    monkeypatch.setattr(engine, "remove", removed.append)
    bot = staged(runs, sandbox)
    running = sandbox.start(bot.program)
    assert isinstance(running, FifoContainer)
    os.write(running.stdin, b'{"task":"stop_all"}\n')
    assert select.select([running.stdout], [], [], HANG)[0]
    running.kill()
    running.close()
    assert removed == []
