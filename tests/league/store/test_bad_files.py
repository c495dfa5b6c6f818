"""Files that are missing, damaged or not a store's: named in one line, and left as they are."""

from pathlib import Path

import msgspec
import pytest

from arena.game.rules.books import FACES, MAX_PLAYERS, MAX_STARTING_DICE
from arena.game.rules.round import ROUNDS_PER_DIE
from arena.io.errors import ArenaError
from arena.league.store import rows
from arena.league.store.files import logs_path
from arena.league.store.rows import pack
from arena.league.store.store import Store
from tests.league.store import edit, hostile
from tests.league.store.small import read, two_fixtures
from tests.support import factory
from tests.support.refusals import refused


@pytest.mark.parametrize("create", [True, False])
def test_missing_logs_are_reported(tmp_path: Path, *, create: bool) -> None:
    path = two_fixtures(tmp_path / "s")
    logs_path(path).rename(tmp_path / "elsewhere")
    with refused("the logs of s are missing", logs_path(path), "put the file back"):
        read(path, create=create)
    assert not logs_path(path).exists()
    (tmp_path / "elsewhere").rename(logs_path(path))
    read(path, create=create)


@pytest.mark.parametrize("create", [True, False])
def test_logs_of_another_store_are_refused(tmp_path: Path, *, create: bool) -> None:
    path = two_fixtures(tmp_path / "s")
    other = logs_path(two_fixtures(tmp_path / "other"))
    before = other.replace(logs_path(path)).read_bytes()
    with refused("but of another store", logs_path(path)):
        read(path, create=create)
    assert logs_path(path).read_bytes() == before


@pytest.mark.parametrize("create", [True, False])
def test_logs_without_their_rows_are_refused(tmp_path: Path, *, create: bool) -> None:
    path = two_fixtures(tmp_path / "s")
    before = logs_path(path).read_bytes()
    path.rename(tmp_path / "elsewhere")
    for _ in range(2):
        with refused("s is missing, but its logs exist", logs_path(path), "put s back"):
            Store(path, create=create)
    assert not path.exists()
    assert logs_path(path).read_bytes() == before
    (tmp_path / "elsewhere").rename(path)
    read(path, create=create)


@pytest.mark.parametrize("content", [b"", b"no database at all" * 99, b"\xff" * 5000])
def test_file_that_holds_no_logs_is_refused(tmp_path: Path, content: bytes) -> None:
    path = two_fixtures(tmp_path / "s")
    logs_path(path).write_bytes(content)
    with refused("", logs_path(path)):
        read(path)


@pytest.mark.parametrize("create", [True, False])
def test_file_of_logs_is_refused_as_a_store(tmp_path: Path, *, create: bool) -> None:
    logs = logs_path(two_fixtures(tmp_path / "s"))
    before = logs.read_bytes()
    with refused("these are the logs of a store"):
        Store(logs, create=create)
    assert logs.read_bytes() == before


def test_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    edit.execute(path, "CREATE TABLE mail (body TEXT)")
    before = path.read_bytes()
    for create in (True, False):
        with pytest.raises(ArenaError, match="another program's") as caught:
            Store(path, create=create)
        assert "not a store" in caught.value.hint
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"bots: []\n" * 500, b"\xff" * 5000, b"SQLite format 3\0oops"])
def test_file_that_is_not_a_store_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "s").write_bytes(content)
    with refused("", tmp_path / "s", "damaged or not a store"):
        Store(tmp_path / "s")


def test_folder_is_refused_as_a_store(tmp_path: Path) -> None:
    with pytest.raises(ArenaError) as caught:
        Store(tmp_path, create=True)
    assert "--store" in caught.value.hint


_DAMAGE = (
    "UPDATE fixtures SET fixture = substr(fixture, 1, 50)",
    "UPDATE fixtures SET fixture = x'00'",
    "UPDATE games SET seats = x'0101'",
    "UPDATE games SET seats = x'F102'",
    "UPDATE games SET seats = x'01'",
    "UPDATE games SET seats = 7",
    "UPDATE league SET info = x'7b'",
    "DROP TABLE fixtures",
    "DROP TABLE games",
    "DROP TABLE league",
)
_DAMAGE_OF_LOGS = (
    "UPDATE logs SET log = substr(log, 1, 50)",
    "UPDATE logs SET log = x'00'",
    "UPDATE logs SET log = 7",
    "DELETE FROM logs WHERE key % 2",
    "UPDATE stderr SET texts = x'78'",
    "DELETE FROM stderr",
    "DROP TABLE logs",
    "DROP TABLE pair",
)


@pytest.mark.parametrize(
    ("damage", "of_logs"),
    [*((damage, False) for damage in _DAMAGE), *((damage, True) for damage in _DAMAGE_OF_LOGS)],
)
def test_damage_is_reported_with_the_file(tmp_path: Path, damage: str, *, of_logs: bool) -> None:
    path = two_fixtures(tmp_path / "s")
    damaged = logs_path(path) if of_logs else path
    edit.execute(damaged, damage)
    with pytest.raises(ArenaError) as caught:
        read(path)
    assert caught.value.where == str(damaged)
    assert "damaged" in str(caught.value)


def test_truncated_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, create=True) as store:
        for index in range(60):
            store.add(pack(factory.fixture(index, ("a", "b"))))
    whole = path.read_bytes(), logs_path(path).read_bytes()
    for one, content in zip((path, logs_path(path)), whole, strict=True):
        one.write_bytes(content[:12_000])
        with pytest.raises(ArenaError, match="the store fails") as caught, Store(path) as store:
            list(store.played())
        assert caught.value.where == str(one)
        one.write_bytes(content)


def test_logs_that_share_their_pages_are_not_read_together(tmp_path: Path) -> None:
    """Each is a fraction of the file, all together would be several times as large."""
    path = two_fixtures(tmp_path / "s")
    hostile.overlapping(logs_path(path), "logs", "log", 256 * 4092 + 480)
    assert logs_path(path).stat().st_size < 1 << 21
    with Store(path) as store, pytest.raises(ArenaError, match="its logs overlap") as caught:
        list(store.stored())
    assert caught.value.where == str(logs_path(path))


def test_rows_that_come_again_and_again_are_not_all_read(tmp_path: Path) -> None:
    path = two_fixtures(tmp_path / "s")
    hostile.endless(path, "fixtures")
    for readers in (Store.results, Store.hashes, Store.stored, Store.damage):
        with Store(path) as store, pytest.raises(ArenaError, match="its pages lead in circles"):
            list(readers(store))


def test_longest_game_that_the_rules_allow_can_be_read() -> None:
    """Six seats with ten dice each, and in every round all bids that there can be."""
    dice = MAX_PLAYERS * MAX_STARTING_DICE
    hands = [[6] * MAX_STARTING_DICE] * MAX_PLAYERS
    rounds = ROUNDS_PER_DIE * dice
    one = [
        ["round", rounds, 5, 5, hands],
        *[["bid", 5, dice, 6]] * (dice * FACES),
        ["call", 5, "calza", dice, 5, 5, [0, 1, 2, 3, 4]],
    ]
    assert len(msgspec.json.encode(one)) * rounds < rows._MOST_GAME * 2 / 3
