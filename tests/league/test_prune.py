"""A league whose logs were pruned: it verifies, and whatever is forged is found."""

from pathlib import Path
from typing import Any

import pytest

from arena.league.keeping.mend import mend
from arena.league.keeping.prune import Plan, remove
from arena.league.keeping.verify import StoreFinding, Verified, verify
from arena.league.store.files import logs_path
from arena.league.store.rows import GAMES
from arena.league.store.store import Store
from tests.league.store import edit
from tests.league.store.edit import execute


def check(path: Path, **options: Any) -> Verified:
    with Store(path) as store:
        return verify(store, **options)


@pytest.fixture(scope="module")
def pruned(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of which all fixtures but the last two are pruned."""
    copy = edit.copied(whole, tmp_path_factory.mktemp("pruned") / "league.sqlite")
    with Store(copy, create=True) as store:
        remove(store, Plan([], list(range(10)), 20, 0))
    return copy


@pytest.fixture
def copy(pruned: Path, tmp_path: Path) -> Path:
    return edit.copied(pruned, tmp_path / "league.sqlite")


def test_pruned_league_verifies_with_the_same_root_and_ratings(whole: Path, pruned: Path) -> None:
    before, after = check(whole), check(pruned, root=check(whole).root)
    assert after.findings == []
    assert (before.pruned, after.pruned) == (0, 2 * 10)
    assert (after.games, after.root, after.ratings) == (before.games, before.root, before.ratings)
    assert check(pruned, workers=2, games_per_call=4) == after


@pytest.mark.parametrize("column", ["stderr", "logs", "records", "luck", "hash"])
def test_changed_hash_of_pruned_logs_is_found(copy: Path, column: str) -> None:
    execute(logs_path(copy), f"UPDATE pruned SET {column} = x'00' WHERE position = 4")  # noqa: S608
    assert check(copy).findings


def test_logs_that_are_missing_without_being_pruned_are_found(copy: Path) -> None:
    execute(logs_path(copy), "DELETE FROM pruned WHERE position = 4")
    ids = [one.id for one in edit.stored(copy)]
    found = check(copy).findings
    assert {one.where for one in found} == {f"fixture {ids[4]}"}
    assert "its log is missing" in found[-1].what
    execute(logs_path(copy), f"DELETE FROM logs WHERE key = {11 * GAMES}")  # noqa: S608
    assert "its log is missing" in check(copy).findings[-1].what


def test_rows_of_pruned_games_cannot_be_forged(copy: Path) -> None:
    """Not even by somebody who computes the hashes again: the root proves the rows."""
    [one] = [one for one in edit.stored(copy) if one.position == 4]
    game = one.games[0]
    forged = one._replace(games=[game._replace(seats=game.seats[::-1]), *one.games[1:]])
    forged = forged.with_hashes()
    execute(copy, "UPDATE games SET seats = ? WHERE key = ?", forged.games[0].seats, game.key)
    change = "UPDATE fixtures SET hash = ?, rows_hash = ? WHERE position = 4"
    execute(copy, change, forged.hash, forged.rows_hash)
    what = "its content hash does not match its games"
    assert check(copy).findings == [StoreFinding(f"fixture {one.id}", what)]


def test_mended_store_stays_pruned(copy: Path) -> None:
    execute(copy, "UPDATE fixtures SET decisions = 1 WHERE position = 2")
    before = edit.stored(copy)
    assert mend(copy).dropped == [before[2].id]
    assert edit.stored(copy) == [one for one in before if one.position != 2]
    with Store(copy) as store:
        assert store.without_logs() == {*range(10)} - {2}
