"""Folders of runs: what a killed arena left goes, what a living one holds never does."""

import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from arena.sandboxes import run_folder as runfolder
from arena.sandboxes.run_folder import RunFolder, is_in_use, remove_abandoned

FOLDERS = 300


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def switching() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def test_what_nobody_holds_goes(temporary: Path) -> None:
    held = RunFolder()
    (temporary / "perudo-arena-dead.lock").touch()
    (temporary / "perudo-arena-dead" / "0").mkdir(parents=True)
    (temporary / "perudo-arena-dead" / "0" / "in").touch()
    remove_abandoned()
    assert {path.name for path in temporary.iterdir()} == {
        held.path.name,
        f"{held.path.name}.lock",
    }
    assert is_in_use(held.path)
    held.remove()
    assert not is_in_use(held.path)
    assert list(temporary.iterdir()) == []


def test_what_could_not_be_removed_is_tried_again(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder()
    with monkeypatch.context() as failing:
        failing.setattr(runfolder, "remove", lambda _: None)
        folder.remove()
        remove_abandoned()
    assert folder.path.is_dir()
    remove_abandoned()
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("temporary", "switching")
def test_what_is_just_being_made_is_not_taken_for_abandoned() -> None:
    done = Event()

    def make() -> list[Path]:
        lost = []
        for _ in range(FOLDERS):
            folder = RunFolder()
            if not folder.path.is_dir() or not is_in_use(folder.path):
                lost.append(folder.path)
            folder.remove()
        return lost

    def clear() -> None:
        while not done.is_set():
            remove_abandoned()

    with ThreadPoolExecutor(5) as threads:
        clearing = [threads.submit(clear) for _ in range(2)]
        makers = [threads.submit(make) for _ in range(3)]
        lost = [path for maker in makers for path in maker.result()]
        done.set()
        for one in clearing:
            one.result()
    assert lost == []
