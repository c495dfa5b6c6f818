"""Containers that a busy engine fails to start, or loses before their bot began."""

import os
import select
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from docker.errors import APIError

from arena.bots.sandboxes.base import Program
from arena.bots.sandboxes.docker import engine
from arena.bots.sandboxes.docker.container import PIPES, SUPERVISOR, FifoContainer
from arena.bots.sandboxes.docker.sandbox import DockerSandbox
from tests.support.live import HANG


def api_error(status: int) -> APIError:
    response = requests.Response()
    response.status_code = status
    return APIError("cannot start a stopped process: unknown", response)


@pytest.mark.parametrize(
    ("answers", "attempts"),
    [([200], 1), ([500, 200], 2), ([500, 500, 200], 3), ([500, 500, 500], 3), ([404], 1)],
)
def test_server_errors_are_retried(answers: list[int], attempts: int) -> None:
    given: list[int] = []

    def start() -> str:
        given.append(answers[len(given)])
        if given[-1] != 200:
            raise api_error(given[-1])
        return "id"

    if answers[-1] == 200:
        assert engine.retry_server_errors(start) == "id"
    else:
        with pytest.raises(APIError):
            engine.retry_server_errors(start)
    assert len(given) == attempts


class FakeEngine:
    """Starts the supervisor without a container, and loses the first few before they begin."""

    def __init__(self, folder: Path, lost: int) -> None:
        self.launched = 0
        self._folder, self._lost = folder, lost

    def launch(self) -> tuple[str, int]:
        self.launched += 1
        if self.launched > self._lost:
            script = SUPERVISOR.replace(PIPES, str(self._folder))
            script = script.replace("/bot", str(self._folder))
            self.supervisor = subprocess.Popen(["sh", "-c", script, "supervisor", "cat"])
        return str(self.launched), 0

    def is_running(self, container: str) -> bool:
        return int(container) > self._lost

    def remove(self, container: str) -> None:
        raise AssertionError(container)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pipes").mkdir()
    return tmp_path / "pipes"


def read_output(fd: int) -> bytes:
    assert select.select([fd], [], [], HANG)[0]
    return os.read(fd, 4096)


def test_container_lost_before_its_bot_began_is_launched_again(folder: Path) -> None:
    fake = FakeEngine(folder, lost=1)
    container = FifoContainer(folder, fake.launch, fake.is_running, fake.remove)
    os.write(container.stdin, b"word\n")
    assert read_output(container.stdout) == b"word\n"
    container.end_input()
    assert container.exit_code() == 0
    container.close()
    # It read the end of the lease, or came to it when it was gone.
    assert fake.supervisor.wait() in (1, 2)
    assert fake.launched == 2


@pytest.mark.slow
def test_engine_that_loses_every_container_is_reported(folder: Path) -> None:
    fake = FakeEngine(folder, lost=99)
    container = FifoContainer(folder, fake.launch, fake.is_running, remove=lambda container: None)
    assert read_output(container.exit_fd) == b"125\n"
    assert b"see the Docker engine's log" in read_output(container.stderr)
    container.end_input()
    assert fake.launched == 3


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Any]:
    program = Program(tmp_path, ["cat"], "python")
    container = DockerSandbox().start(program)
    yield container
    container.close()


def test_engine_tells_which_containers_run(running: Any) -> None:
    os.write(running.stdin, b"word\n")
    assert read_output(running.stdout) == b"word\n"
    # The bot may answer before the call that started it returns.
    running._started.wait()
    assert engine.is_running(running._id)
    assert not engine.is_running("no-such-container")


@pytest.mark.usefixtures("no_docker")
def test_silent_engine_has_lost_no_container() -> None:
    assert engine.is_running("no-such-container")
