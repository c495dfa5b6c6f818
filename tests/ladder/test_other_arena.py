"""A season goes on under another version of the arena only if that plays its games the same."""

from pathlib import Path

import pytest

from arena import __version__
from arena.game.records import Fixture, GameRecord
from arena.game.rules.books import Rules
from arena.ladder.book.book import Book
from arena.ladder.config import load_config
from arena.ladder.folder import Folder
from arena.ladder.season import season as seasons
from arena.ladder.season.season import STORE, open_season
from arena.league.keeping.prune import prune
from arena.league.store.store import Store
from arena.league.table.recorded_game import replay
from tests.cli.command import error_line, run
from tests.ladder import club as clubs
from tests.ladder.club import running
from tests.league.store import edit


@pytest.fixture
def older(copy: Path) -> Path:
    """Return a ladder that an older arena has run."""
    with Book(Folder(copy), writes=True) as book:
        book.set_fact("arena", "0.0.1")
    return copy


def noted(club: Path) -> str:
    """Return the version of the arena that was the last to run a ladder."""
    with Book(Folder(club)) as book:
        return book.facts()["arena"]


@pytest.mark.slow
def test_another_arena_that_plays_the_same_goes_on(older: Path) -> None:
    clubs.admitted(older, "one", author="ann", number=2)
    with running(older) as ladder:
        ladder.until(lambda: clubs.is_in_state(older, "one@2", "rated"))
        assert ladder.stop() == 0
    assert noted(older) == __version__


def forge(store: Path) -> str:
    """Give a stored fixture other dice, hashes and all; returns its id."""
    before = edit.edit_record(store, 1, lambda record: record["fixture"].update(dice="other"))
    return str(before["fixture"]["id"])


def test_another_arena_that_plays_a_game_otherwise_is_refused(older: Path) -> None:
    forged = forge(older / "seasons/1" / STORE)
    for _ in range(2):
        ran = run("ladder", "run", older, cwd=older.parent)
        error_line(ran, f"this arena plays fixture {forged} otherwise / ", "close it there")
    assert noted(older) == "0.0.1"


def replayed(club: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many games are replayed."""
    games = list[GameRecord]()

    def counted(fixture: Fixture, rules: Rules, game: GameRecord) -> GameRecord:
        games.append(game)
        return replay(fixture, rules, game)

    monkeypatch.setattr(seasons, "replay", counted)
    folder = Folder(club)
    with open_season(folder, 1, load_config(folder.config), print) as season:
        season.check_games()
    return len(games)


def test_about_200_games_of_all_ages_are_replayed(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(copy / "seasons/1" / STORE) as store:
        stored = sum(len(one.games) for one in store.results())
    assert stored < seasons._REPLAYED == 200
    assert replayed(copy, monkeypatch) == stored
    monkeypatch.setattr(seasons, "_REPLAYED", stored // 2)
    assert stored // 2 <= replayed(copy, monkeypatch) < stored


def test_games_without_logs_are_not_replayed(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(copy / "seasons/1" / STORE, create=True) as store:
        prune(store, 0)
    assert replayed(copy, monkeypatch) == 0
