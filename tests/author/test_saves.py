"""Saves in a bot's folder: told once, when they are whole."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.author.watch import Saves
from tests.cli.command import bot


def remove_folder(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


CHANGES: dict[str, Callable[[Path], object]] = {
    "written": lambda folder: (folder / "bot.py").write_text("x"),
    "added": lambda folder: (folder / "more.py").write_text(""),
    "removed": lambda folder: (folder / "bot.py").unlink(),
    "replaced": lambda folder: (folder / "bot.py").replace(folder / "bot.yaml"),
    "made executable": lambda folder: (folder / "bot.py").chmod(0o755),
    "all gone": remove_folder,
}


@pytest.mark.parametrize("change", CHANGES)
def test_save_is_told_once_when_two_looks_agree(tmp_path: Path, change: str) -> None:
    folder = bot(tmp_path / "mine")
    saves = Saves(folder)
    assert not saves.came()
    CHANGES[change](folder)
    assert [saves.came() for _ in range(3)] == [False, True, False]


def test_save_in_pieces_is_told_at_its_end(tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine")
    saves = Saves(folder)
    for size in range(1, 4):
        (folder / "bot.py").write_text("x" * size)
        assert not saves.came()
    assert saves.came()


def test_files_that_are_never_part_of_a_bot_do_not_count(tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine")
    saves = Saves(folder)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "bot.pyc").write_text("")
    assert [saves.came() for _ in range(3)] == [False] * 3


@pytest.mark.slow
def test_large_folder_is_looked_at_less_often(tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine")
    small = Saves(folder).interval
    for number in range(3000):
        (folder / f"{number}").touch()
    assert Saves(folder).interval > small
