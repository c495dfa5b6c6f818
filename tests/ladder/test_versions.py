"""Ladders that another version of the arena made are refused."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.ladder.book.schema import VERSION
from arena.ladder.folder import Folder
from tests.cli.command import error_line, run
from tests.ladder import club as clubs


def set_version(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize("command", ["run", "restore", "status"])
@pytest.mark.parametrize("name", ["door", "ladder"])
def test_ladder_of_another_version_is_refused(tmp_path: Path, command: str, name: str) -> None:
    club = clubs.make(tmp_path)
    other: Path = getattr(Folder(club), name)
    set_version(other, 41)
    before = other.read_bytes()
    more = ["new"] if command == "restore" else []
    ran = run("ladder", command, club, *more, cwd=tmp_path)
    hint = f"{other} / a newer arena made it: pipx upgrade perudo-arena"
    error_line(ran, f"it has version 41, this arena reads version {VERSION} / ", hint)
    assert other.read_bytes() == before


def test_foreign_table_is_refused(tmp_path: Path) -> None:
    club = clubs.make(tmp_path)
    door = Folder(club).door
    with closing(sqlite3.connect(door)) as file:
        file.execute("CREATE TABLE words (word TEXT)")
    ran = run("ladder", "run", club, cwd=tmp_path)
    error_line(ran, "the arena did not make its 'words'", f"{door} / ")
