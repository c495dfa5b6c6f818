"""Bots and probes written by tests, and fixtures for the sandboxes they run in."""

import gc
import json
import os
import stat
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.staging import stage
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import SANDBOXES, make_sandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.bots.sandboxes.run_once import run_once
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import Log
from arena.game.records import Fixture, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules
from arena.io import shipped
from arena.league.table.play_fixture import play_fixture
from tests.support.sampling import sample

HANG = 60.0
"""Seconds after which something is taken to hang: far above what any test needs."""
PYTHON = "python3 -I -S bot.py"
BOMB = """
import json, os, signal
children = []
try:
    while len(children) < 500:
        child = os.fork()
        if not child:
            signal.pause()
        children.append(child)
except OSError as error:
    print(json.dumps([len(children), error.strerror]))
"""
"""A bot that starts processes until it fails, and prints how many, and the error."""


class Ran(Struct):
    """The result of a program in a sandbox."""

    code: int
    out: bytes
    err: bytes

    @property
    def told(self) -> Any:
        """What the program printed as JSON."""
        assert self.code == 0, self.err.decode()
        return json.loads(self.out)


@pytest.fixture(scope="session", params=list(SANDBOXES))
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each sandbox; one that does not work on this machine is an error, not a skip."""
    return make_sandbox(request.param)


def any_sandbox(name: str) -> pytest.MarkDecorator:
    """Mark a test of what the arena does in the same way for every sandbox: one stands for all."""
    return pytest.mark.parametrize("sandbox", sample(SANDBOXES, 1, name), indirect=True)


@pytest.fixture(scope="session", params=["bubblewrap", "docker"])
def isolating(request: pytest.FixtureRequest) -> Sandbox:
    """Each sandbox for untrusted bots."""
    return make_sandbox(request.param)


@pytest.fixture(scope="session")
def bubblewrap() -> Sandbox:
    return make_sandbox("bubblewrap")


@pytest.fixture
def no_docker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No Docker daemon answers."""
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with warnings.catch_warnings():
        # The SDK does not close a socket that could not connect.
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        gc.collect()


@pytest.fixture
def one_core() -> Iterator[None]:
    """All that runs here shares one core, as with `pin`, so that rivals take it from each other."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.fixture
def runs() -> Iterator[Path]:
    """A folder for bots that the sandbox's user can reach."""
    with run_folder() as folder:
        yield folder


def write_bot(folder: Path, program: str, command: str = PYTHON, more: str = "") -> Bot:
    """Write a bot's folder, its program in `bot.py`."""
    folder.mkdir(parents=True, exist_ok=True)
    name = json.dumps(folder.name)
    folder.joinpath("bot.yaml").write_text(
        f"name: {name}\ncommand: {json.dumps(command)}\n{more}", encoding="utf-8"
    )
    folder.joinpath("bot.py").write_text(program, encoding="utf-8")
    return load_bot(folder)


def write_built(folder: Path, script: str, program: str = "") -> Bot:
    """Write the folder of a bot whose build runs a shell script."""
    folder.mkdir()
    folder.joinpath("build.sh").write_text(script, encoding="utf-8")
    return write_bot(folder, program, more="build: sh build.sh\n")


def mode(path: Path) -> int:
    """Return the permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def good_bot(runs: Path, sandbox: Sandbox) -> StagedBot:
    """Stage a sample bot that plays well and quickly."""
    return stage(load_bot(shipped.folder("sample_bots") / "honest"), runs, sandbox)


def staged(runs: Path, sandbox: Sandbox, name: str, program: str) -> StagedBot:
    """Write and stage a bot."""
    return stage(write_bot(runs / "written" / name, program), runs, sandbox)


def in_place(bot: Bot) -> StagedBot:
    """Return a bot that runs from its own folder, without a copy or a build."""
    return StagedBot(bot.info, bot.folder, bot.command)


def play_bots(
    fixture: Fixture,
    rules: Rules,
    bots: Sequence[StagedBot],
    sandbox: Sandbox,
    limits: LimitsInfo,
    log: Log | None = None,
) -> PlayedFixture:
    """Play a fixture with live bots, in the order of its seats."""
    with Multiplexer([bot.program for bot in bots], sandbox, limits, log) as multiplexer:
        return play_fixture(fixture, rules, multiplexer)


def run_inside(sandbox: Sandbox, bot: StagedBot, said: bytes = b"") -> Ran:
    """Run a bot's command to its end, with `said` on its standard input."""
    ran = run_once(sandbox, bot.program, HANG, stdin=said)
    assert ran.code is not None, "it hangs"
    return Ran(ran.code, ran.stdout, ran.stderr)
