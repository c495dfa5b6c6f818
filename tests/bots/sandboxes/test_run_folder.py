"""Run folders: those of killed arenas are removed, those of live ones never."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from arena.bots.sandboxes.run_folder import RunFolder, is_in_use, remove_abandoned
from tests.support.depth import depth

FOLDERS = depth(100, 300)


@pytest.fixture
def switching() -> Iterator[None]:
    """Switch between threads as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_abandoned_run_folder_is_removed(tmp_path: Path) -> None:
    used = RunFolder(tmp_path)
    (tmp_path / "perudo-arena-dead.lock").touch()
    (tmp_path / "perudo-arena-dead" / "0").mkdir(parents=True)
    (tmp_path / "perudo-arena-dead" / "0" / "in").touch()
    remove_abandoned(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {used.path.name, f"{used.path.name}.lock"}
    assert is_in_use(used.path)
    used.remove()
    assert not is_in_use(used.path)
    assert list(tmp_path.iterdir()) == []


def test_folder_that_could_not_be_removed_is_tried_again(tmp_path: Path) -> None:
    """Its lock stays with it, as a file where the folder is expected shows."""
    folder = RunFolder(tmp_path)
    folder.path.rmdir()
    folder.path.touch()
    folder.remove()
    remove_abandoned(tmp_path)
    assert folder.path.exists()
    folder.path.unlink()
    folder.path.mkdir()
    remove_abandoned(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("switching")
def test_new_run_folder_is_not_taken_for_abandoned(tmp_path: Path) -> None:
    done = Event()

    def make() -> list[Path]:
        lost = []
        for _ in range(FOLDERS):
            folder = RunFolder(tmp_path)
            if not folder.path.is_dir() or not is_in_use(folder.path):
                lost.append(folder.path)
            folder.remove()
        return lost

    def remove() -> None:
        while not done.is_set():
            remove_abandoned(tmp_path)

    with ThreadPoolExecutor(5) as threads:
        removers = [threads.submit(remove) for _ in range(2)]
        makers = [threads.submit(make) for _ in range(3)]
        lost = [path for maker in makers for path in maker.result()]
        done.set()
        for remover in removers:
            remover.result()
    assert lost == []
