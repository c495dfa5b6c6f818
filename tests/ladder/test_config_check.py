"""`arena ladder check`: whether ladder.yaml would be taken, before a restart."""

import json
from pathlib import Path

import pytest

from arena.ladder.book.book import Book
from arena.ladder.config import load_config
from arena.ladder.folder import Folder
from tests.cli.command import Ran, error_line, run
from tests.ladder import club as clubs


def check(club: Path, *more: str) -> Ran:
    return run("ladder", "check", club, *more, cwd=club.parent)


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A ladder whose first season is open, and whose terms are fixed therefore."""
    club = clubs.make(tmp_path)
    folder = Folder(club)
    with Book(folder, writes=True) as book:
        book.open_season(1, load_config(folder.config).file.terms(), "commitment")
    return club


def test_check_says_that_a_ladder_yaml_would_be_taken(club: Path) -> None:
    ran = check(club)
    assert (ran.code, ran.out) == (0, f"{club}/ladder.yaml would be taken; season 1 goes on\n")
    assert json.loads(check(club, "--json").out) == {"season": 1, "begins": False}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"games": "many"}, ("games: expected a whole number", "ladder.yaml:")),
        ({"disk": {"free": "little"}}, ("'little' is not a size", "ladder.yaml:")),
        ({"games": 4}, ("changed what decides games: games is 4, not 2", "season close")),
        ({"sandbox": "none"}, ("none", "ladder.yaml:")),
    ],
)
def test_check_refuses_what_the_ladder_would_refuse(
    club: Path, change: dict[str, object], words: tuple[str, ...]
) -> None:
    clubs.change(club, **change)
    error_line(check(club), *words)


def test_other_terms_are_taken_once_the_season_is_to_be_closed(club: Path) -> None:
    clubs.change(club, games=4)
    assert run("ladder", "season", "close", club, cwd=club.parent).code == 0
    assert check(club).out.endswith("ladder.yaml would be taken; season 2 begins\n")


def test_status_says_that_a_restart_would_fail(club: Path) -> None:
    clubs.change(club, games=4)
    ran = run("ladder", "status", club, cwd=club.parent)
    assert (ran.code, "ladder.yaml would not be taken: changed what" in ran.out) == (1, True)
