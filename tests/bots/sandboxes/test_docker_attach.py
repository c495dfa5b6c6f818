"""Containers over Docker's attach socket, for engines where FIFOs do not work."""

import os
from pathlib import Path

import pytest

from arena.bots.sandboxes.base import Program
from arena.bots.sandboxes.docker.sandbox import DockerSandbox
from arena.bots.sandboxes.run_once import run_once
from arena.game.records import Cause
from tests.support.live import HANG
from tests.support.live_tables import check_lost, faults, play
from tests.support.sampling import sample

FLOOD = "def act(m):\n    while True: os.write(1, b'x' * 65536)\n"


@pytest.fixture(scope="session")
def attached() -> DockerSandbox:
    sandbox = DockerSandbox(attach=True)
    assert sandbox.unavailable_reason() is None
    return sandbox


@pytest.mark.slow
def test_socket_is_used_if_fifos_do_not_work() -> None:
    """As when the engine runs in a virtual machine: the container sees other files."""
    sandbox = DockerSandbox(pipes="/elsewhere")
    assert sandbox.unavailable_reason() is None
    assert sandbox.attach


def test_fifos_are_used_if_they_work() -> None:
    sandbox = DockerSandbox()
    assert sandbox.unavailable_reason() is None
    assert not sandbox.attach


def test_mask_of_new_files_makes_no_difference() -> None:
    """A course keeps its files from others."""
    before = os.umask(0o077)
    try:
        assert DockerSandbox().unavailable_reason() is None
    finally:
        os.umask(before)


PROGRAMS = [
    (["cat"], 0, b"hello\n"),
    (["sh", "-c", "exit 7"], 7, b""),
    (["no-such-program"], 127, b""),
    (["sh", "-c", "kill -SEGV $$"], 139, b""),
]


@pytest.mark.parametrize(("command", "code", "stdout"), sample(PROGRAMS, 2, "attached programs"))
def test_program_runs_to_its_end(
    attached: DockerSandbox, runs: Path, command: list[str], code: int, stdout: bytes
) -> None:
    result = run_once(attached, Program(runs, command), HANG, stdin=b"hello\n")
    assert (result.code, result.stdout) == (code, stdout)


def test_program_that_does_not_end_is_killed(attached: DockerSandbox, runs: Path) -> None:
    result = run_once(attached, Program(runs, ["sleep", "infinity"]), 1.0)
    assert result.code is None


def test_unread_output_does_not_block_the_kill(attached: DockerSandbox, runs: Path) -> None:
    running = attached.start(Program(runs, ["yes"]))
    running.kill()
    running.close()


def test_game_is_played(attached: DockerSandbox, runs: Path) -> None:
    played = play(attached, runs, "", games=2)
    assert [faults(record) for record in played.games] == [[], []]


def test_bot_that_floods_loses(attached: DockerSandbox, runs: Path) -> None:
    played = play(attached, runs, FLOOD)
    check_lost(played.games[0], Cause.FLOOD, "more than 65536 bytes")
