"""Containers that a busy engine fails to start, or loses before their bot began: no bot's fault."""

import os
import select
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from docker.errors import APIError

from arena.errors import ArenaError
from arena.sandboxes.base import Program
from arena.sandboxes.docker import engine
from arena.sandboxes.docker.container import KEEPER, PIPES, Container
from arena.sandboxes.docker.sandbox import DockerSandbox

LIMIT = 30.0


def refusal(status: int) -> APIError:
    response = requests.Response()
    response.status_code = status
    return APIError("cannot start a stopped process: unknown", response)


@pytest.mark.parametrize(
    ("answers", "tries"),
    [([200], 1), ([500, 200], 2), ([500, 500, 200], 3), ([500, 500, 500], 3), ([404], 1)],
)
def test_what_the_engine_failed_at_is_tried_again(answers: list[int], tries: int) -> None:
    made: list[int] = []

    def start() -> str:
        made.append(answers[len(made)])
        if made[-1] != 200:
            raise refusal(made[-1])
        return "id"

    if answers[-1] == 200:
        assert engine.retry_server_errors(start) == "id"
    else:
        with pytest.raises(APIError):
            engine.retry_server_errors(start)
    assert len(made) == tries


class Engine:
    """Starts the keeper without a container, and loses the first few before they begin."""

    def __init__(self, folder: Path, lost: int) -> None:
        self.launched = 0
        self._folder, self._lost = folder, lost

    def launch(self) -> tuple[str, int | None]:
        self.launched += 1
        if self.launched > self._lost:
            keeper = KEEPER.replace(PIPES, str(self._folder)).replace("/bot", str(self._folder))
            self.keeper = subprocess.Popen(["sh", "-c", keeper, "keeper", "cat"])
        return str(self.launched), None

    def runs(self, container: str) -> bool:
        return int(container) > self._lost

    def remove(self, container: str) -> None:
        raise AssertionError(container)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pipes").mkdir()
    return tmp_path / "pipes"


def said(fd: int) -> bytes:
    assert select.select([fd], [], [], LIMIT)[0]
    return os.read(fd, 4096)


def test_a_container_that_was_lost_before_its_bot_began_is_started_again(folder: Path) -> None:
    fake = Engine(folder, lost=1)
    container = Container(folder, fake.launch, fake.runs, fake.remove)
    os.write(container.stdin, b"word\n")
    assert said(container.stdout) == b"word\n"
    container.end_input()
    assert container.exit_code() == 0
    container.close()
    assert fake.keeper.wait() == 1
    assert fake.launched == 2


def test_an_engine_that_loses_them_all_is_named(folder: Path) -> None:
    fake = Engine(folder, lost=99)
    container = Container(folder, fake.launch, fake.runs, remove=lambda container: None)
    assert said(container.exit_fd) == b"125\n"
    assert b"see the log of the Docker engine" in said(container.stderr)
    container.end_input()
    assert fake.launched == 3


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Any]:
    program = Program(tmp_path, ["cat"], "python")
    container = DockerSandbox().start(program)
    yield container
    container.close()


def test_the_engine_knows_which_containers_run(running: Any) -> None:
    os.write(running.stdin, b"word\n")
    assert said(running.stdout) == b"word\n"
    # The bot may well speak before the call that started it is back.
    running._wait_for_start()
    assert engine.is_running(running._id)
    assert not engine.is_running("nothing-of-that-name")


def test_an_engine_that_does_not_answer_has_lost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent() -> None:
        raise ArenaError("Docker does not answer")

    monkeypatch.setattr(engine, "calls", silent)
    assert engine.is_running("nothing-of-that-name")
