"""Containers over Docker's attach socket, for engines into whose containers no FIFO leads."""

from pathlib import Path

import pytest

from arena.records import Cause
from arena.sandboxes.base import Program
from arena.sandboxes.docker import sandbox as module
from arena.sandboxes.docker.sandbox import DockerSandbox
from arena.sandboxes.run_once import run_once
from tests.match.tables import check_lost, faults, play
from tests.support.live import HANG

FLOOD = "def act(m):\n    while True: os.write(1, b'x' * 65536)\n"


@pytest.fixture(scope="session")
def attached() -> DockerSandbox:
    found = DockerSandbox(attach=True)
    assert found.unavailable_reason() is None
    return found


def test_it_is_taken_where_fifos_do_not_cross(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the engine runs in a machine of its own: what is mounted there is not this FIFO."""
    monkeypatch.setattr(module, "PIPES", "/elsewhere")
    found = DockerSandbox()
    assert found.unavailable_reason() is None
    assert found.attach


def test_fifos_are_taken_where_they_cross() -> None:
    found = DockerSandbox()
    assert found.unavailable_reason() is None
    assert not found.attach


@pytest.mark.parametrize(
    ("command", "code", "out"),
    [
        (["cat"], 0, b"said\n"),
        (["sh", "-c", "exit 7"], 7, b""),
        (["no-such-program"], 127, b""),
        (["sh", "-c", "kill -SEGV $$"], 139, b""),
    ],
)
def test_a_program_runs_to_its_end(
    attached: DockerSandbox, runs: Path, command: list[str], code: int, out: bytes
) -> None:
    ran = run_once(attached, Program(runs, command), HANG, said=b"said\n")
    assert (ran.code, ran.out) == (code, out)


def test_one_that_does_not_end_is_killed(attached: DockerSandbox, runs: Path) -> None:
    ran = run_once(attached, Program(runs, ["sleep", "infinity"]), 1.0)
    assert ran.code is None


def test_a_flood_that_nobody_reads_does_not_block_the_end(
    attached: DockerSandbox, runs: Path
) -> None:
    running = attached.start(Program(runs, ["yes"]))
    running.kill()
    running.close()


def test_a_game_is_played(attached: DockerSandbox, runs: Path) -> None:
    played = play(attached, runs, "", games=2)
    assert [faults(record) for record in played.games] == [[], []]


def test_a_bot_that_floods_loses(attached: DockerSandbox, runs: Path) -> None:
    played = play(attached, runs, FLOOD)
    check_lost(played.games[0], Cause.FLOOD, "more than 65536 bytes")
