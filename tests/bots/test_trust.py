"""The folders that a user has called their own, and what is said where nothing isolates bots."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.sandboxes.base import ENVIRONMENT
from arena.bots.sandboxes.bubblewrap import BubblewrapSandbox, how_to_allow
from arena.bots.sandboxes.doctor import examine
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.workshop import OwnFolders, UntrustedError, check_trust, why_not_own
from tests.support.live import no_docker, runs, write_bot

__all__ = ["no_docker", "runs"]
MANY = "sudo sysctl user.max_user_namespaces=15000"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is remembered."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "own"
    folder.mkdir()
    OwnFolders().add([folder])
    return folder


def test_it_is_remembered_for_this_user_alone(own: Path) -> None:
    known = OwnFolders()
    assert own in known
    assert own.parent not in known
    assert known.file.stat().st_mode & 0o777 == 0o600
    other = own.with_name("other")
    other.mkdir()
    known.add([other])
    assert own in OwnFolders()
    assert other in OwnFolders()


def _replace(folder: Path) -> None:
    made = folder.with_name("made")
    made.mkdir()
    shutil.rmtree(folder)
    made.rename(folder)


def _link(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(folder.with_name("gone"))


def _give_away(folder: Path) -> None:
    os.chown(folder, 12_345, -1)


def _open_to_a_group(folder: Path) -> None:
    os.chown(folder, -1, 12_345)
    folder.chmod(0o775)


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away")


@pytest.mark.parametrize(
    "change",
    [
        _replace,
        _link,
        shutil.rmtree,
        lambda folder: folder.chmod(0o757),
        pytest.param(_give_away, marks=as_root),
        pytest.param(_open_to_a_group, marks=as_root),
    ],
    ids=["replaced", "linked", "removed", "open to all", "given away", "open to a group"],
)
def test_changed_folder_is_not_remembered(own: Path, change: Callable[[Path], object]) -> None:
    change(own)
    assert own not in OwnFolders()


def test_a_folder_that_was_moved_must_be_named_again(own: Path) -> None:
    assert own.rename(own.with_name("moved")) not in OwnFolders()


def test_a_damaged_file_remembers_nothing(own: Path) -> None:
    OwnFolders().file.write_text("[1]")
    assert own not in OwnFolders()
    OwnFolders().add([own])
    assert own in OwnFolders()


def test_an_archive_is_not_remembered(tmp_path: Path) -> None:
    (tmp_path / "own.zip").touch()
    assert why_not_own(tmp_path / "own.zip") == "it is not a folder"


@pytest.mark.usefixtures("no_docker")
def test_bubblewrap_that_cannot_work_is_not_told_to_be_installed(
    tmp_path: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal says what `arena doctor` says."""
    broken = runs / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1")
    broken.chmod(0o755)
    monkeypatch.setitem(ENVIRONMENT, "PATH", f"{runs}:{ENVIRONMENT['PATH']}")
    with pytest.raises(UntrustedError) as refusal:
        check_trust(ProcessSandbox(), [write_bot(tmp_path / "mine", "")], trusted=False)
    said = examine("bubblewrap", BubblewrapSandbox).unavailable_reason
    assert said.startswith("bwrap: setting up uid map: Permission denied (")
    assert "apt-get" not in refusal.value.hint
    assert refusal.value.hint.startswith(f"bubblewrap does not work here: {said}, or --trust-bots")


@pytest.mark.parametrize(
    ("settings", "command"),
    [
        ({}, ""),
        ({"kernel/unprivileged_userns_clone": "1", "user/max_user_namespaces": "96364"}, ""),
        (
            {"kernel/apparmor_restrict_unprivileged_userns": "1"},
            "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (
            {"kernel/unprivileged_userns_clone": "0", "user/max_user_namespaces": "0"},
            f"sudo sysctl kernel.unprivileged_userns_clone=1 && {MANY}",
        ),
    ],
)
def test_the_setting_that_forbids_namespaces_is_named(
    tmp_path: Path, settings: dict[str, str], command: str
) -> None:
    for name, value in settings.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{value}\n")
    assert how_to_allow(tmp_path) == command
