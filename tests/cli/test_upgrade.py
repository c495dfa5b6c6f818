"""`arena upgrade --check`: what this version says of folders that exist, without a change."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena import __version__
from tests.cli.command import error_line, league, run
from tests.compatibility import kept_folders, kept_stores


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return all files of a folder, with their contents and times."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


def said(folder: Path, code: int = 0) -> dict[str, str]:
    """Check a folder, which must stay as it is; returns what is said of each file."""
    before = state(folder)
    ran = run("upgrade", "--check", folder, "--json", cwd=folder.parent)
    assert ran.code == code, ran
    assert state(folder) == before
    found = json.loads(ran.out)
    assert found["version"] == __version__
    return {Path(one["path"]).name: one["says"] for one in found["files"]}


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A league that was begun."""
    folder = tmp_path / "league"
    folder.mkdir()
    league(folder)
    kept_stores.copied("begun", folder)
    return folder


def test_league_that_was_begun_goes_on(begun: Path) -> None:
    games = f"10 games, begun by version {__version__}; goes on"
    assert said(begun) == {"league.yaml": "3 bots", "league.sqlite": games}


def test_ladder_and_all_its_seasons_are_read(tmp_path: Path) -> None:
    found = said(kept_folders.unpacked("ladder", tmp_path))
    assert found["ladder.yaml"] == "season 2 goes on"
    assert "finished" in found["league.sqlite"] or "goes on" in found["league.sqlite"]


def test_course_and_its_games_are_read(tmp_path: Path) -> None:
    found = said(kept_folders.unpacked("course", tmp_path))
    assert found["course.yaml"] == "4 students; 3 hand-ins are graded"
    assert len(found) == 3


def test_unknown_key_and_newer_store_are_each_said_in_a_line(begun: Path) -> None:
    league(begun, seeed=1)
    with closing(sqlite3.connect(begun / "league.sqlite")) as file:
        file.execute("PRAGMA user_version = 41")
    found = said(begun, code=1)
    assert "unknown key 'seeed'" in found["league.yaml"]
    assert "did you mean 'seed'?" in found["league.yaml"]
    assert "a newer arena made it: pipx upgrade perudo-arena" in found["league.sqlite"]
    ran = run("upgrade", "--check", begun, cwd=begun)
    lines = ran.out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["REFUSED", "REFUSED"]


def test_folder_without_any_is_refused(tmp_path: Path) -> None:
    ran = run("upgrade", "--check", tmp_path, cwd=tmp_path)
    error_line(ran, "no league, ladder or course", "name a folder with a league.yaml")


def test_upgrade_only_checks(tmp_path: Path) -> None:
    error_line(run("upgrade", tmp_path, cwd=tmp_path), "missing option '--check'")
