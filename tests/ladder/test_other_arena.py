"""A season goes on under other software only if that plays its games the same."""

import shutil
from pathlib import Path

import pytest

import arena
from arena.io import shipped
from arena.ladder.book.book import Book
from arena.ladder.config import load_config
from arena.ladder.folder import Folder
from arena.ladder.season import season as seasons
from arena.ladder.season.season import STORE, open_season
from arena.league.keeping.prune import prune
from arena.league.play.software import identity
from arena.league.store.store import Store
from tests.cli.command import error_line, run
from tests.ladder import club as clubs
from tests.ladder.club import inside
from tests.league.store import edit

OLDER = "arena 0.1.0 (0123456789ab) on Python 3.11 and msgspec 0.20"


@pytest.fixture
def older(copy: Path) -> Path:
    """Return a ladder that an older arena has run."""
    with Book(Folder(copy), writes=True) as book:
        book.set_fact("arena", OLDER)
    return copy


def noted(club: Path) -> str:
    """Return the software that was the last to run a ladder."""
    with Book(Folder(club)) as book:
        return book.facts()["arena"]


@pytest.mark.slow
def test_another_arena_that_plays_the_same_goes_on(older: Path) -> None:
    """With a new version, which plays in place of the one before."""
    clubs.admitted(older, "one", clubs.REUSABLE, author="ann", number=2)
    with inside(older) as ladder:
        ladder.until(lambda: clubs.is_in_state(older, "one@2", "rated"))
    assert noted(older) == identity()
    with Book(Folder(older)) as book:
        [told] = [event.text for event in book.events() if "goes on with" in event.text]
    assert f"{identity()}, not {OLDER}: " in told
    before = clubs.versions(older)["one@1"]
    assert (before["state"], before["why"]) == ("resting", "one@2 plays in its place")


def forge(store: Path) -> str:
    """Give a stored fixture other dice, hashes and all; returns its id."""
    before = edit.edit_record(store, 1, lambda record: record["fixture"].update(dice="other"))
    return str(before["fixture"]["id"])


def test_another_arena_that_plays_a_game_otherwise_is_refused(older: Path) -> None:
    forged = forge(older / "seasons/1" / STORE)
    for _ in range(2):
        ran = run("ladder", "run", older, cwd=older.parent)
        words = f"this arena plays fixture {forged} otherwise: the schedule has no such fixture"
        error_line(ran, words, f"go on with {OLDER}, or close it there")
    assert noted(older) == OLDER


@pytest.mark.slow
def test_build_with_one_changed_rule_is_refused(copy: Path, tmp_path: Path) -> None:
    """Its version is the same: who doubts rightly loses the die."""
    build = tmp_path / "build"
    shutil.copytree(
        Path(arena.__file__).parent, build / "arena", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("docs", "protocol", "reports", "sample_bots"):
        (build / name).symlink_to(shipped.folder(name))
    rule = build / "arena/game/rules/round.py"
    text = rule.read_text(encoding="utf-8")
    assert text.count("count >= bid.quantity else") == 1
    rule.write_text(text.replace("count >= bid", "count < bid"), encoding="utf-8")
    before = noted(copy)
    ran = run("ladder", "run", copy, cwd=copy.parent, env={"PYTHONPATH": str(build)})
    error_line(ran, "this arena plays fixture ", "event ", f"go on with {identity()}")
    assert noted(copy) == before == identity()


def replayed(club: Path) -> int:
    """Return how many games are replayed."""
    folder = Folder(club)
    with open_season(folder, 1, load_config(folder.config), print) as season:
        return season.check_games(OLDER)


def test_about_200_games_of_all_ages_are_replayed(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(copy / "seasons/1" / STORE) as store:
        stored = sum(len(one.games) for one in store.results())
    assert stored < seasons._REPLAYED == 200
    assert replayed(copy) == stored
    monkeypatch.setattr(seasons, "_REPLAYED", stored // 2)
    assert stored // 2 <= replayed(copy) < stored


def test_games_without_logs_are_not_replayed(copy: Path) -> None:
    with Store(copy / "seasons/1" / STORE, create=True) as store:
        prune(store, 0)
    assert replayed(copy) == 0
