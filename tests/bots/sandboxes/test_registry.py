"""Which sandbox is used, and the error if it cannot be."""

import os
from pathlib import Path

import pytest

from arena.bots.manifest import load_bot
from arena.bots.sandboxes.base import ENVIRONMENT
from arena.bots.sandboxes.bubblewrap import BubblewrapSandbox
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sandboxes.registry import AUTO, SANDBOXES, check_freezing, make_sandbox
from arena.bots.workshop import check_trust
from arena.game.records import LimitsInfo
from arena.io import shipped
from arena.io.errors import ArenaError
from tests.support.live import write_bot


def test_auto_takes_the_strongest() -> None:
    assert make_sandbox(AUTO).name == next(iter(SANDBOXES)) == "docker"


@pytest.mark.usefixtures("no_docker")
def test_without_docker_auto_takes_bubblewrap() -> None:
    assert make_sandbox(AUTO).name == "bubblewrap"
    with pytest.raises(ArenaError) as refusal:
        make_sandbox("docker")
    assert refusal.value.what == "the sandbox 'docker' does not work here: no Docker daemon answers"
    assert "sudo apt-get install docker.io" in refusal.value.hint


@pytest.mark.parametrize("name", SANDBOXES)
def test_sandbox_is_made_by_name(name: str) -> None:
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
def test_unknown_name_has_a_hint(name: str, hint: str) -> None:
    with pytest.raises(ArenaError) as refusal:
        make_sandbox(name)
    assert (refusal.value.what, refusal.value.hint) == (f"unknown sandbox '{name}'", hint)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH with what the process sandbox needs and nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("setpriv", "prlimit"):
        (folder / tool).symlink_to(Path("/usr/bin") / tool)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.usefixtures("tools", "no_docker")
def test_without_bubblewrap_auto_takes_the_next() -> None:
    assert make_sandbox(AUTO).name == "process"


@pytest.mark.usefixtures("tools")
def test_missing_bubblewrap_is_an_error_with_a_hint() -> None:
    with pytest.raises(ArenaError) as refusal:
        make_sandbox("bubblewrap")
    assert refusal.value.what == "the sandbox 'bubblewrap' does not work here: bwrap not found"
    assert refusal.value.hint == "sudo apt-get install bubblewrap, or --sandbox auto"


@pytest.mark.usefixtures("no_docker")
def test_failing_bubblewrap_reports_its_error(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a kernel without user namespaces: it is installed, but ends with an error."""
    broken = runs / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1")
    broken.chmod(0o755)
    monkeypatch.setitem(ENVIRONMENT, "PATH", f"{runs}:{ENVIRONMENT['PATH']}")
    assert make_sandbox(AUTO).name == "process"
    with pytest.raises(ArenaError, match="No permissions to create new namespace"):
        make_sandbox("bubblewrap")


def test_bubblewrap_outside_the_path_of_bots_cannot_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ENVIRONMENT, "PATH", str(tmp_path))
    assert "cannot be started: No such file or directory" in str(
        BubblewrapSandbox().unavailable_reason()
    )


def test_untrusted_bots_need_isolation(tmp_path: Path) -> None:
    other = write_bot(tmp_path / "other", "")
    shipped_bot = load_bot(shipped.folder("sample_bots") / "honest")
    with pytest.raises(ArenaError) as refusal:
        check_trust(ProcessSandbox(), [shipped_bot, other], trusted=False)
    assert "'process' does not isolate bots that did not come with the arena" in refusal.value.what
    assert refusal.value.where == str(other.folder)
    strongest = make_sandbox(AUTO).name
    assert refusal.value.hint.startswith(f"--sandbox {strongest} does, or --trust-bots if you")
    check_trust(ProcessSandbox(), [shipped_bot, other], trusted=True)
    check_trust(ProcessSandbox(), [shipped_bot], trusted=False)
    check_trust(BubblewrapSandbox(), [shipped_bot, other], trusted=False)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root must drop to another user")
def test_root_that_cannot_switch_user_is_refused(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container without other users."""
    broken = runs / "setpriv"
    broken.write_text("#!/bin/sh\necho 'setpriv: setresuid failed: Invalid argument' >&2\nexit 1")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{runs}:{os.environ['PATH']}")
    with pytest.raises(ArenaError, match="it would run as root, whom limits do not bind"):
        make_sandbox("bubblewrap")


def test_freezing_needs_a_sandbox_that_can() -> None:
    sandbox = ProcessSandbox()
    sandbox.freezes = False
    check_freezing(sandbox, LimitsInfo())
    with pytest.raises(ArenaError, match="'process' cannot freeze bots here") as refusal:
        check_freezing(sandbox, LimitsInfo(freeze=True))
    assert "arena doctor" in refusal.value.hint
    sandbox.freezes = True
    check_freezing(sandbox, LimitsInfo(freeze=True))
