"""`arena mend`: what is damaged is dropped and played again; nothing is destroyed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.io.errors import ArenaError, FindingError
from arena.league.keeping.mend import Mended, mend
from arena.league.keeping.verify import Verified, verify
from arena.league.store.files import logs_path
from arena.league.store.rows import GAMES
from arena.league.store.store import Store
from tests.league import leagues
from tests.league.store import edit
from tests.league.store.edit import execute
from tests.support.sampling import sample


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return edit.copied(whole, tmp_path / "league.sqlite")


def check(path: Path) -> Verified:
    with Store(path) as store:
        return verify(store)


def change_rows(path: Path) -> None:
    execute(path, "UPDATE fixtures SET decisions = 1 WHERE position = 2")
    execute(path, f"UPDATE games SET seats = x'0201' WHERE key = {5 * GAMES}")  # noqa: S608
    execute(path, f"UPDATE games SET rounds = 99 WHERE key = {5 * GAMES}")  # noqa: S608


def change_variant(path: Path) -> None:
    execute(path, "UPDATE fixtures SET fixture = replace(fixture, 'bga', 'abg') WHERE position = 4")


def change_logs(path: Path) -> None:
    execute(logs_path(path), f"UPDATE logs SET log = x'00' WHERE key = {7 * GAMES}")  # noqa: S608


def forge_a_game(path: Path) -> None:
    edit.edit_record(path, 3, lambda record: record["games"][0]["places"].reverse())


def remove_rows(path: Path) -> None:
    execute(path, "DELETE FROM fixtures WHERE position IN (0, 9)")


def zero_the_last_page(path: Path) -> None:
    data = bytearray(logs_path(path).read_bytes())
    data[-4096:] = bytes(4096)
    logs_path(path).write_bytes(data)


DAMAGES = [change_rows, change_variant, change_logs, forge_a_game, remove_rows, zero_the_last_page]


@pytest.mark.parametrize("damage", DAMAGES)
def test_sound_fixtures_are_kept_and_damaged_ones_set_aside(
    copy: Path, damage: Callable[[Path], None]
) -> None:
    damage(copy)
    before = copy.read_bytes(), logs_path(copy).read_bytes()
    mended = mend(copy)
    assert mended.dropped or mended.lost
    assert mended.kept + len(mended.dropped) + mended.lost == 12
    aside = mended.aside
    assert aside == copy.with_name("league.damaged-1.sqlite")
    assert (aside.read_bytes(), logs_path(aside).read_bytes()) == before
    assert (check(copy).findings, check(copy).fixtures) == ([], mended.kept)


@pytest.mark.parametrize("damage", sample(DAMAGES, 1, "mended and replayed"))
def test_mended_and_replayed_league_has_the_root_of_an_undamaged_one(
    whole: Path, copy: Path, damage: Callable[[Path], None]
) -> None:
    damage(copy)
    aside = mend(copy).aside
    assert aside
    assert leagues.play(leagues.league(copy.parent), copy)
    assert (check(copy).findings, check(copy).root) == ([], check(whole).root)
    assert mend(copy) == Mended(12, [], 0, None)
    names = {path.name for path in copy.parent.glob("*sqlite*")}
    assert names == {path.name for path in (copy, logs_path(copy), aside, logs_path(aside))}


def test_fixtures_that_are_sound_keep_every_byte(copy: Path) -> None:
    before = edit.stored(copy)
    change_rows(copy)
    mend(copy)
    assert edit.stored(copy) == [one for one in before if one.position not in (2, 5)]


def test_store_whose_log_is_missing_is_mended(whole: Path, tmp_path: Path) -> None:
    written, copy = edit.copied(whole, tmp_path / "w.sqlite"), tmp_path / "copy.sqlite"
    edit.forget(written, "position > 7")
    with Store(whole) as source, Store(written, create=True) as store:
        for one in list(source.stored())[8:]:
            store.insert(one)
        edit.copied(written, copy)
    with pytest.raises(ArenaError, match="missing or empty"):
        Store(copy)
    mended = mend(copy)
    assert (mended.kept, mended.dropped, mended.lost) == (8, [], 0)
    assert mended.aside
    assert check(copy).findings == []


def test_second_damage_is_kept_beside_the_first(copy: Path) -> None:
    for number in (1, 2):
        execute(copy, "DELETE FROM games WHERE key = (SELECT max(key) FROM games)")
        assert mend(copy).aside == copy.with_name(f"league.damaged-{number}.sqlite")


def test_damaged_conditions_cannot_be_mended(copy: Path) -> None:
    execute(copy, "UPDATE league SET info = replace(info, 'tests', 'tasts')")
    before = copy.read_bytes()
    with pytest.raises(FindingError, match="the stored conditions of the league are damaged"):
        mend(copy)
    assert copy.read_bytes() == before
    assert sorted(path.name for path in copy.parent.glob("*sqlite*")) == [
        "league.logs.sqlite",
        "league.sqlite",
    ]


def test_store_that_is_played_is_not_mended(copy: Path) -> None:
    with (
        Store(copy, create=True),
        pytest.raises(ArenaError, match="another arena is playing into this store"),
    ):
        mend(copy)


def test_mend_that_was_cut_short_is_done_again(whole: Path, copy: Path) -> None:
    """The logs are new, and the rows old."""
    change_rows(copy)
    old = copy.read_bytes()
    mend(copy)
    copy.write_bytes(old)
    mend(copy)
    assert leagues.play(leagues.league(copy.parent), copy)
    assert check(copy).root == check(whole).root
