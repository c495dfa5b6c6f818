"""`arena ladder run --serve`: the ladder and its web door, which end together."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from itertools import product
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM

import pytest

from arena.ladder.folder import Folder, is_running
from tests.cli.command import HANG, arena, environment, error_line, run
from tests.e2e.live import processes, wait_for_death, wait_until
from tests.ladder import club as clubs
from tests.support.depth import depth

pytestmark = pytest.mark.slow

OPEN = "the door is open: "
STOPPING = "stopping after what is being played"


class Both:
    """`arena ladder run --serve` in a process of its own, its door open."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stderr
        self.process, self._stderr = process, process.stderr
        self.said = ""
        while OPEN not in self.said:
            line = self._stderr.readline()
            assert line, self.said
            self.said += line
        self.host = self.said.rpartition("http://")[2].strip()
        [self.door] = self.children()  # nothing is submitted: no worker, no check

    def children(self) -> list[int]:
        ours = self.process.pid
        return [
            pid
            for pid, process in processes().items()
            if process.parent == ours and "spawn_main" in process.command
        ]

    def ask(self) -> bytes:
        """Return what the door says of itself and the ladder."""
        with closing(HTTPConnection(self.host, timeout=HANG)) as connection:
            connection.request("GET", "/healthz")
            return connection.getresponse().read()

    def end(self) -> int:
        """Wait for the end of both; returns the exit code."""
        self.said += self._stderr.read()
        code = self.process.wait(HANG)
        wait_for_death(self.door)
        return code


@contextmanager
def both(club: Path) -> Iterator[Both]:
    words = arena("ladder", "run", club, "--serve", "--port", 0)
    with subprocess.Popen(
        words, env=environment(), stderr=subprocess.PIPE, text=True, process_group=0
    ) as process:
        try:
            yield Both(process)
        finally:
            process.kill()


def test_one_command_opens_the_door_of_a_ladder_that_runs(tmp_path: Path) -> None:
    """A second one is refused, and opens no door."""
    club = clubs.make(tmp_path)
    with both(club) as started:
        wait_until(lambda: b'"ladder":"running"' in started.ask())
        ran = run("ladder", "run", club, "--serve", "--port", 0, cwd=tmp_path)
        error_line(ran, "another ladder runs in this folder / ", "arena ladder status")
        assert OPEN not in ran.err
        assert b'"door":"up"' in started.ask()


@pytest.mark.parametrize(
    ("number", "whole_group"),
    # As a terminal signals, and as an operator does; `make long` tries every pair.
    depth([(SIGINT, True), (SIGTERM, False)], [*product((SIGINT, SIGTERM), (True, False))]),
)
def test_a_signal_ends_both(tmp_path: Path, number: signal.Signals, whole_group: bool) -> None:
    with both(clubs.make(tmp_path)) as started:
        pid = started.process.pid
        if whole_group:
            os.killpg(pid, number)
        else:
            os.kill(pid, number)
        assert started.end() == 0
    assert STOPPING in started.said
    assert "error" not in started.said
    assert "Traceback" not in started.said


def test_a_ladder_that_is_killed_takes_its_door_along(tmp_path: Path) -> None:
    club = clubs.make(tmp_path)
    with both(club) as started:
        started.process.kill()
        assert started.end() == -signal.SIGKILL
    with both(club) as again:  # nothing is locked
        assert b'"door":"up"' in again.ask()


@pytest.mark.parametrize("number", depth([SIGKILL], [SIGKILL, SIGTERM]))
def test_a_door_that_is_killed_ends_the_ladder_too(tmp_path: Path, number: signal.Signals) -> None:
    club = clubs.make(tmp_path)
    with both(club) as started:
        os.kill(started.door, number)
        assert started.end() == 2
    lines = started.said.splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    assert errors == lines[-1:]
    assert f"the web door has ended: signal {number} / {club} / start both again" in errors[0]
    assert "Traceback" not in started.said
    assert not is_running(Folder(club))


def test_a_door_that_cannot_open_ends_the_ladder_before_its_first_season(tmp_path: Path) -> None:
    club = clubs.make(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run("ladder", "run", club, "--serve", "--port", port, cwd=tmp_path)
    error_line(ran, "the door cannot listen there", f"127.0.0.1:{port}", "--port")
    assert "season 1 begins" not in clubs.log(club)


def test_a_worker_that_is_killed_leaves_the_door_open(copy: Path) -> None:
    clubs.change(copy, blocks=5000)
    assert run("ladder", "season", "close", copy, cwd=copy.parent).code == 0
    store = clubs.store_of(copy, 2)
    with both(copy) as started:
        wait_until(lambda: clubs.played(store) > 0)
        worker = next(pid for pid in started.children() if pid != started.door)
        os.kill(worker, signal.SIGKILL)
        wait_for_death(worker)
        before = clubs.played(store)
        wait_until(lambda: clubs.played(store) > before + 1)
        assert b'"ladder":"running"' in started.ask()
        os.kill(started.process.pid, signal.SIGTERM)
        assert started.end() == 0


@pytest.mark.parametrize("options", [("--port", 1), ("--host", "::1"), ("--behind-proxy",)])
def test_options_of_the_door_need_a_door(tmp_path: Path, options: tuple[object, ...]) -> None:
    club = clubs.make(tmp_path)
    ran = run("ladder", "run", club, *options, cwd=tmp_path)
    error_line(ran, f"{options[0]} is for the web door", "--serve")
