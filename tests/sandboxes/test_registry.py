"""Which sandbox is taken, and what a person reads where it cannot be."""

import gc
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import shipped
from arena.errors import ArenaError
from arena.records import LimitsInfo
from arena.sandboxes.base import ENVIRONMENT
from arena.sandboxes.bubblewrap import BubblewrapSandbox
from arena.sandboxes.docker import engine
from arena.sandboxes.process import ProcessSandbox
from arena.sandboxes.registry import AUTO, SANDBOXES, check_freezing, make_sandbox
from arena.submissions.bot import check_trust
from arena.submissions.manifest import load_bot
from tests.support.live import write_bot


def test_auto_takes_the_strongest() -> None:
    assert make_sandbox(AUTO).name == next(iter(SANDBOXES)) == "docker"


@pytest.fixture
def no_docker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody answers where Docker would."""
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    monkeypatch.setattr(engine, "_version", engine._version.__wrapped__)
    with warnings.catch_warnings():
        # The SDK does not close a socket that could not connect.
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        gc.collect()


def test_without_docker_auto_takes_bubblewrap(no_docker: None) -> None:
    assert make_sandbox(AUTO).name == "bubblewrap"
    with pytest.raises(ArenaError) as refusal:
        make_sandbox("docker")
    assert refusal.value.what == "the sandbox 'docker' does not work here: no Docker daemon answers"
    assert "sudo apt-get install docker.io" in refusal.value.hint


@pytest.mark.parametrize("name", SANDBOXES)
def test_a_sandbox_by_name(name: str) -> None:
    sandbox = make_sandbox(name)
    assert (sandbox.name, sandbox.clock) == (name, "cpu")
    assert sandbox.isolates == (name != "process")
    assert sandbox.unavailable_reason() is None


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("bublewrap", "did you mean 'bubblewrap'?"),
        ("proces", "did you mean 'process'?"),
        ("kvm", "known: auto, bubblewrap, docker, process"),
    ],
)
def test_an_unknown_name(name: str, hint: str) -> None:
    with pytest.raises(ArenaError) as refusal:
        make_sandbox(name)
    assert (refusal.value.what, refusal.value.hint) == (f"unknown sandbox '{name}'", hint)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with what the process sandbox needs and nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("setpriv", "prlimit"):
        (folder / tool).symlink_to(Path("/usr/bin") / tool)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_without_bubblewrap_auto_takes_the_next(tools: Path, no_docker: None) -> None:
    assert make_sandbox(AUTO).name == "process"


def test_without_bubblewrap_it_cannot_be_asked_for(tools: Path) -> None:
    with pytest.raises(ArenaError) as refusal:
        make_sandbox("bubblewrap")
    assert refusal.value.what == "the sandbox 'bubblewrap' does not work here: bwrap not found"
    assert refusal.value.hint == "sudo apt-get install bubblewrap, or --sandbox auto"


def test_a_bubblewrap_that_does_not_work_says_why(
    runs: Path, monkeypatch: pytest.MonkeyPatch, no_docker: None
) -> None:
    """As where the kernel gives no user namespaces: it is there, but ends with an error."""
    broken = runs / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1")
    broken.chmod(0o755)
    monkeypatch.setitem(ENVIRONMENT, "PATH", f"{runs}:{ENVIRONMENT['PATH']}")
    assert make_sandbox(AUTO).name == "process"
    with pytest.raises(ArenaError, match="No permissions to create new namespace"):
        make_sandbox("bubblewrap")


def test_a_bubblewrap_that_is_found_but_not_where_bots_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ENVIRONMENT, "PATH", str(tmp_path))
    assert "cannot be started: No such file or directory" in str(
        BubblewrapSandbox().unavailable_reason()
    )


def test_strangers_need_a_sandbox_or_trust(tmp_path: Path) -> None:
    stranger = write_bot(tmp_path / "stranger", "")
    shipped_bot = load_bot(shipped.folder("sample_bots") / "honest")
    with pytest.raises(ArenaError) as refusal:
        check_trust(ProcessSandbox(), [shipped_bot, stranger], trusted=False)
    assert "'process' does not isolate bots that did not come with the arena" in refusal.value.what
    assert refusal.value.where == str(stranger.folder)
    assert "sudo apt-get install bubblewrap, or --trust-bots" in refusal.value.hint
    check_trust(ProcessSandbox(), [shipped_bot, stranger], trusted=True)
    check_trust(ProcessSandbox(), [shipped_bot], trusted=False)
    check_trust(BubblewrapSandbox(), [shipped_bot, stranger], trusted=False)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root must drop to another user")
def test_root_that_cannot_drop_is_refused(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that has no other user to give."""
    broken = runs / "setpriv"
    broken.write_text("#!/bin/sh\necho 'setpriv: setresuid failed: Invalid argument' >&2\nexit 1")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{runs}:{os.environ['PATH']}")
    with pytest.raises(ArenaError, match="it would run as root, whom limits do not hold"):
        make_sandbox("bubblewrap")


def test_limits_that_a_sandbox_cannot_keep() -> None:
    sandbox = ProcessSandbox()
    sandbox.freezes = False
    check_freezing(sandbox, LimitsInfo())
    with pytest.raises(ArenaError, match="'process' cannot freeze bots here") as refusal:
        check_freezing(sandbox, LimitsInfo(freeze=True))
    assert "arena doctor" in refusal.value.hint
    sandbox.freezes = True
    check_freezing(sandbox, LimitsInfo(freeze=True))
