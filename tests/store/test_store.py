"""The store: what goes in comes out, once, also while others look."""

import fcntl
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from arena.bots.manifest import load_bot
from arena.bots.process import ProcessSandbox
from arena.errors import ArenaError
from arena.match.table import play_fixture
from arena.perudo.rules import variant
from arena.records import Fixture, LeagueInfo, LimitsInfo, PlayedFixture
from arena.shipped import folder
from arena.store.rows import Record, row_hash, unpack
from arena.store.schema import SCHEMA_VERSION
from arena.store.store import Store, is_played
from tests.publish import factory

PATIENT = LimitsInfo(start=60, answer=60, game=600)


def play(index: int, names: tuple[str, ...]) -> PlayedFixture:
    bots = [load_bot(folder("sample_bots") / name) for name in names]
    fixture = Fixture(f"real{index}", index, "italian", names, f"seed{index}", 2)
    rules = variant("italian", {}, calza=True, lost_dice_visible=True)
    return play_fixture(fixture, rules, bots, ProcessSandbox(), PATIENT)


@pytest.fixture(scope="module")
def played() -> list[PlayedFixture]:
    return [play(0, ("honest", "random")), play(1, ("memory", "odds", "bluffer"))]


def test_real_fixtures_come_back_byte_for_byte(tmp_path: Path, played: list[PlayedFixture]) -> None:
    stored = [*played, factory.fixture(2, ("a", "b"), stderr=("\0 naïve \u2028", ""))]
    with Store(tmp_path / "s", create=True) as store:
        for one in reversed(stored):
            store.add(one)
    with Store(tmp_path / "s") as store:
        again = list(store.played())
        records = list(store.records())
        assert store.finished() == {one.fixture.id for one in stored}
    encode = msgspec.json.encode
    assert all(one.stored_at for one in again)
    same = [replace(one, stored_at=None) for one in again]
    assert [encode(one) for one in same] == [encode(one) for one in stored]
    assert records == [
        (one.fixture.id, encode(Record(one.fixture, list(one.games)))) for one in stored
    ]


def test_rows_say_where_a_fixture_is_stored(tmp_path: Path) -> None:
    one = factory.fixture(7, ("a", "b"))
    with Store(tmp_path / "s", create=True) as store:
        store.add(one)
        [(row, digest)] = store.rows()
        assert [len(list(store.rows(*span))) for span in ((0, 6), (7, 7), (8, 9))] == [0, 1, 0]
    assert (row.position, row.id) == (7, one.fixture.id)
    assert digest == row_hash(row)
    assert row.stored_at is not None
    expected = replace(one, stored_at=row.stored_at)
    assert msgspec.json.encode(unpack(row)) == msgspec.json.encode(expected)


def test_a_fixture_is_stored_once_and_the_first_stays(tmp_path: Path) -> None:
    first = factory.fixture(0, ("a", "b"), stderr=("first", ""))
    second = factory.fixture(0, ("a", "b"), stderr=("second", ""))
    with Store(tmp_path / "s", create=True) as store:
        for one in (first, second, first):
            store.add(one)
        assert [one.stderr for one in store.played()] == [("first", "")]


def test_the_conditions_come_back(tmp_path: Path) -> None:
    info = factory.league(("a", "b"))
    with Store(tmp_path / "s", create=True) as store:
        assert store.league is None
        store.begin(info)
    with Store(tmp_path / "s") as store:
        assert store.league == info


def test_others_read_while_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, create=True) as writer:
        writer.add(factory.fixture(0, ("a", "b")))
        writer.add(factory.fixture(1, ("a", "b")))
        with Store(path) as reader:
            reading = reader.played()
            assert next(reading).fixture.index == 0
            writer.add(factory.fixture(2, ("a", "b")))
            assert [one.fixture.index for one in reading] == [1]
            assert [one.fixture.index for one in reader.played()] == [0, 1, 2]


def test_one_plays_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, create=True) as store:
        with pytest.raises(ArenaError, match="another arena is playing into this store"):
            Store(path, create=True)
        store.add(factory.fixture(0, ("a", "b")))
        with Store(path) as reader:
            assert len(reader.finished()) == 1
    with Store(path, create=True) as store:
        assert len(store.finished()) == 1


def test_who_asks_whether_a_store_is_played_leaves_it_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    assert not is_played(path)
    with Store(path, create=True) as store:
        assert is_played(path)
        store.add(factory.fixture(0, ("a", "b")))
    assert not is_played(path)
    with path.open() as asking:
        fcntl.flock(asking, fcntl.LOCK_SH)
        assert not is_played(path)


def test_nothing_played_yet(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="nothing was played yet") as caught:
        Store(tmp_path / "s")
    assert str(tmp_path / "s") in caught.value.where
    assert "arena run" in caught.value.hint
    assert not (tmp_path / "s").exists()


def test_a_newer_store_names_both_versions(tmp_path: Path) -> None:
    Store(tmp_path / "s", create=True).__exit__()
    change(tmp_path / "s", "PRAGMA user_version = 41")
    with pytest.raises(ArenaError) as caught:
        Store(tmp_path / "s")
    assert "version 41" in caught.value.what
    assert f"up to {SCHEMA_VERSION}" in caught.value.what
    assert "newer arena" in caught.value.hint


def old_store(path: Path) -> LeagueInfo:
    """Write a store as version 1 did; returns what its league is today."""
    info = factory.league(("a", "b", "c"))
    with Store(path, create=True) as store:
        store.begin(info)
        store.add(factory.fixture(0, ("a", "b")))
    new = ("rounds", "until", "shared_dice", "earlier")
    data = {key: value for key, value in msgspec.to_builtins(info).items() if key not in new}
    database = sqlite3.connect(path)
    with database:
        database.execute("ALTER TABLE league DROP COLUMN hash")
        database.execute("ALTER TABLE fixtures DROP COLUMN hash")
        database.execute("ALTER TABLE fixtures DROP COLUMN stored_at")
        database.execute("UPDATE league SET info = ?", (msgspec.json.encode(data),))
        database.execute("PRAGMA user_version = 1")
    database.close()
    return replace(info, rounds=2, shared_dice=False)


def test_an_older_store_is_read_as_it_is(tmp_path: Path) -> None:
    expected = old_store(tmp_path / "s")
    before = (tmp_path / "s").read_bytes()
    with Store(tmp_path / "s") as store:
        assert store.league == expected
        assert len(list(store.played())) == 1
    assert (tmp_path / "s").read_bytes() == before


def test_an_older_store_is_brought_up_to_date_by_who_plays(tmp_path: Path) -> None:
    expected = old_store(tmp_path / "s")
    for create in (True, True, False):
        with Store(tmp_path / "s", create=create) as store:
            assert store.league == expected
            assert len(list(store.played())) == 1
            assert [digest for _, digest in store.rows()] == [
                row_hash(row) for row, _ in store.rows()
            ]
            assert [row.stored_at for row, _ in store.rows()] == [None]
    with closing(sqlite3.connect(tmp_path / "s")) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_new_conditions_take_the_place_of_those_before(tmp_path: Path) -> None:
    info = factory.league(("a", "b"))
    with Store(tmp_path / "s", create=True) as store:
        store.begin(info)
        store.change(replace(info, rounds=7))
        assert store.league == replace(info, rounds=7)


def test_another_program_s_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    change(path, "CREATE TABLE mail (body TEXT)")
    before = path.read_bytes()
    for create in (True, False):
        with pytest.raises(ArenaError, match="another program's") as caught:
            Store(path, create=create)
        assert "not a store" in caught.value.hint
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"bots: []\n" * 500, b"\xff" * 5000, b"SQLite format 3\0oops"])
def test_a_file_that_is_no_store(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "s").write_bytes(content)
    with pytest.raises(ArenaError) as caught:
        Store(tmp_path / "s")
    assert caught.value.where == str(tmp_path / "s")
    assert "damaged or not a store" in caught.value.hint


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(ArenaError) as caught:
        Store(tmp_path, create=True)
    assert "--store" in caught.value.hint


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE fixtures SET record = substr(record, 1, 50)",
        "UPDATE fixtures SET record = x'00'",
        "UPDATE fixtures SET stderr = x'78'",
        "UPDATE league SET info = x'7b'",
        "DROP TABLE fixtures",
        "DROP TABLE league",
    ],
)
def test_damage_inside_is_told(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "s"
    with Store(path, create=True) as store:
        store.begin(factory.league(("a", "b")))
        store.add(factory.fixture(0, ("a", "b")))
    change(path, damage)
    with pytest.raises(ArenaError) as caught:
        read(path)
    assert caught.value.where == str(path)
    assert "damaged" in caught.value.hint


def test_a_store_cut_short_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, create=True) as store:
        for index in range(60):
            store.add(factory.fixture(index, ("a", "b")))
    path.write_bytes(path.read_bytes()[:12_000])
    with pytest.raises(ArenaError, match="the store fails"), Store(path) as store:
        list(store.played())


def read(path: Path) -> None:
    with Store(path) as store:
        assert store.league
        assert list(store.played())


def change(path: Path, statement: str) -> None:
    database = sqlite3.connect(path)
    with database:
        database.execute(statement)
    database.close()
