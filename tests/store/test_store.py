"""The store: what goes in comes out, once, also while others look."""

import fcntl
import pickle
import sqlite3
from contextlib import closing
from pathlib import Path
from unittest.mock import ANY

import msgspec
import pytest
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.perudo.rules import variant
from arena.records import (
    Cause,
    Faulted,
    Fixture,
    LeagueInfo,
    LimitsInfo,
    PlayedFixture,
    fixture_result,
)
from arena.sandboxes.process import ProcessSandbox
from arena.shipped import folder
from arena.store.lock import is_locked
from arena.store.logs import logs_path
from arena.store.rows import Record, Stored, pack
from arena.store.schema import SCHEMA_VERSION
from arena.store.store import Store
from arena.submissions.manifest import load_bot
from tests.publish import factory
from tests.store import edit
from tests.store.small import change, read, two_fixtures
from tests.support.live import in_place, play_bots

PATIENT = LimitsInfo(start=60, answer=60, game=600)
each_version = pytest.mark.parametrize("version", [1, 2, 3])


def play(index: int, names: tuple[str, ...]) -> PlayedFixture:
    bots = [in_place(load_bot(folder("sample_bots") / name)) for name in names]
    fixture = Fixture(f"real{index}", index, "italian", names, f"seed{index}", 2)
    rules = variant("italian", {}, calza=True, lost_dice_visible=True)
    return play_bots(fixture, rules, bots, ProcessSandbox(), PATIENT)


@pytest.fixture(scope="module")
def played() -> list[PlayedFixture]:
    return [play(0, ("honest", "random")), play(1, ("memory", "odds", "bluffer"))]


def test_real_fixtures_come_back_byte_for_byte(tmp_path: Path, played: list[PlayedFixture]) -> None:
    stored = [*played, factory.fixture(2, ("a", "b"), stderr=("\0 naïve \u2028", ""))]
    with Store(tmp_path / "s", create=True) as store:
        for one in reversed(stored):
            store.add(pack(one))
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


def test_a_fixture_is_packed_in_one_process_and_stored_in_another(
    tmp_path: Path, played: list[PlayedFixture]
) -> None:
    faulty = factory.fixture(2, ("a", "b"), faults={1: Faulted(0, Cause.CRASH, "exit 3")})
    for one in (*played, faulty):
        packed = pickle.loads(pickle.dumps(pack(one)))  # noqa: S301
        assert packed == pack(one)
        assert packed.result() == fixture_result(one)
        with Store(tmp_path / "s", create=True) as store:
            store.add(packed)
            [found] = store.stored(packed.row.position, packed.row.position)
        assert isinstance(found, Stored)
        assert found == packed.stored(found.row.stored_at)
        assert list(found.changes()) == []


def test_rows_say_where_a_fixture_is_stored(tmp_path: Path) -> None:
    one = factory.fixture(7, ("a", "b"))
    with Store(tmp_path / "s", create=True) as store:
        store.add(pack(one))
        [found] = store.stored()
        spans = ((0, 6), (7, 7), (8, 9))
        assert [len(list(store.stored(*span))) for span in spans] == [0, 1, 0]
        assert [len(list(store.played(*span))) for span in spans] == [0, 1, 0]
    assert (found.position, found.id) == (7, one.fixture.id)
    assert list(found.changes()) == []
    assert found.row.stored_at is not None
    expected = replace(one, stored_at=found.row.stored_at)
    assert msgspec.json.encode(found.played(found.record())) == msgspec.json.encode(expected)


def test_a_fixture_is_stored_once_and_the_first_stays(tmp_path: Path) -> None:
    first = factory.fixture(0, ("a", "b"), stderr=("first", ""))
    second = factory.fixture(0, ("a", "b"), stderr=("second", ""))
    with Store(tmp_path / "s", create=True) as store:
        for one in (first, second, first):
            store.add(pack(one))
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
        writer.add(pack(factory.fixture(0, ("a", "b"))))
        writer.add(pack(factory.fixture(1, ("a", "b"))))
        with Store(path) as reader:
            reading = reader.played()
            assert next(reading).fixture.index == 0
            writer.add(pack(factory.fixture(2, ("a", "b"))))
            assert [one.fixture.index for one in reading] == [1]
            assert [one.fixture.index for one in reader.played()] == [0, 1, 2]


def test_one_plays_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, create=True) as store:
        with pytest.raises(ArenaError, match="another arena is playing into this store"):
            Store(path, create=True)
        store.add(pack(factory.fixture(0, ("a", "b"))))
        with Store(path) as reader:
            assert len(reader.finished()) == 1
    with Store(path, create=True) as store:
        assert len(store.finished()) == 1


def test_who_asks_whether_a_store_is_played_leaves_it_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    assert not is_locked(path)
    with Store(path, create=True) as store:
        assert is_locked(path)
        store.add(pack(factory.fixture(0, ("a", "b"))))
    assert not is_locked(path)
    with path.open() as asking:
        fcntl.flock(asking, fcntl.LOCK_SH)
        assert not is_locked(path)


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


def old_store(path: Path, version: int) -> LeagueInfo:
    """Write a store as an older version did; returns what its league is today."""
    info = factory.league(("a", "b", "c"))
    with Store(path, create=True) as store:
        store.begin(info)
        store.add(pack(factory.fixture(0, ("a", "b"))))
    edit.make_older(path, version)
    if version > 1:
        return info
    new = ("rounds", "until", "shared_dice", "earlier")
    data = {key: value for key, value in msgspec.to_builtins(info).items() if key not in new}
    edit.execute(path, "UPDATE league SET info = ?", msgspec.json.encode(data))
    return replace(info, rounds=2, shared_dice=False)


@each_version
def test_an_older_store_is_read_as_it_is(tmp_path: Path, version: int) -> None:
    expected = old_store(tmp_path / "s", version)
    before = (tmp_path / "s").read_bytes()
    with Store(tmp_path / "s") as store:
        assert store.league == expected
        assert len(list(store.played())) == 1
        assert list(store.results()) == [fixture_result(factory.fixture(0, ("a", "b")), ANY)]
        assert [(at, digest is None) for at, _, digest in store.hashes()] == [(0, version < 3)]
        with pytest.raises(ArenaError, match="an older store is only read"):
            store.add(pack(factory.fixture(1, ("a", "b"))))
    assert (tmp_path / "s").read_bytes() == before
    assert not logs_path(tmp_path / "s").exists()


@each_version
def test_an_older_store_is_brought_up_to_date_by_who_plays(tmp_path: Path, version: int) -> None:
    expected = old_store(tmp_path / "s", version)
    with Store(tmp_path / "s") as store:
        root, records = store.root(), list(store.records())
    for create in (True, True, False):
        with Store(tmp_path / "s", create=create) as store:
            assert store.league == expected
            assert (store.root(), list(store.records())) == (root, records)
            [stored] = store.stored()
            assert list(stored.changes()) == []
            [result] = store.results()
            assert (result.stored_at is None) == (version < 3)
    with closing(sqlite3.connect(tmp_path / "s")) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE fixtures SET decisions = 7",
        "UPDATE fixtures SET record = x'00'",
        "UPDATE fixtures SET position = 3",
    ],
)
def test_an_older_store_that_is_damaged_gets_no_new_hashes(tmp_path: Path, damage: str) -> None:
    old_store(tmp_path / "s", 3)
    edit.execute(tmp_path / "s", damage)
    for _ in range(2):
        with pytest.raises(ArenaError, match="an older store that is damaged") as caught:
            Store(tmp_path / "s", create=True)
        assert "arena verify" in caught.value.hint
        with Store(tmp_path / "s") as store:
            assert len(store.positions()) == 1


def test_results_are_those_of_the_events_and_need_no_logs(tmp_path: Path) -> None:
    late = Faulted(1, Cause.TIMEOUT, "no answer within 2 s")
    one = factory.fixture(0, ("a", "b", "c"), faults={1: late})
    with Store(tmp_path / "s", create=True) as store:
        store.add(pack(one))
    logs_path(tmp_path / "s").unlink()
    with Store(tmp_path / "s") as store:
        [found] = store.results()
    assert found == fixture_result(one, found.stored_at)
    assert found.games[1].faults == (None, Cause.TIMEOUT, None)


def test_the_hash_of_a_fixture_is_that_of_all_that_is_stored(tmp_path: Path) -> None:
    path = two_fixtures(tmp_path / "s")
    with Store(path) as store:
        before = list(store.hashes())
        assert [(at, id_) for at, id_, _ in before] == [
            (index, factory.fixture(index, ("a", "b")).fixture.id) for index in range(2)
        ]
        assert [digest for *_, digest in before] == [one.hash for one in store.stored()]
    with Store(path, create=True) as store:
        store.add(pack(factory.fixture(2, ("a", "b"))))
        assert list(store.hashes())[:2] == before


def test_a_place_in_the_schedule_is_taken_once(tmp_path: Path) -> None:
    path = two_fixtures(tmp_path / "s")
    other = factory.fixture(1, ("a", "b"), label="another")
    with Store(path, create=True) as store:
        before = list(store.stored())
        with pytest.raises(ArenaError, match="another fixture is stored in the place of"):
            store.add(pack(other))
        assert list(store.stored()) == before


def test_a_new_store_whose_logs_were_not_made_yet(tmp_path: Path) -> None:
    """An arena that is killed in the moment between leaves that."""
    path = tmp_path / "s"
    with Store(path, create=True) as store:
        store.begin(factory.league(("a", "b")))
    logs_path(path).unlink()
    with Store(path) as store:
        assert [list(store.damage()), list(store.played()), list(store.results())] == [[], [], []]
    assert not logs_path(path).exists()
    two = two_fixtures(tmp_path / "two")
    with Store(two) as source, Store(path, create=True) as store:
        for one in source.played():
            store.add(pack(one))
    read(path)


@pytest.mark.parametrize("version", [None, 1, 2, 3])
def test_what_is_stored_is_on_the_disk(tmp_path: Path, version: int | None) -> None:
    path = two_fixtures(tmp_path / "s")
    if version:
        edit.make_older(path, version)
    with Store(path, create=True) as store:
        for file in (store._file, store._logs().file):
            assert [*file.rows("PRAGMA journal_mode")] == [("wal",)]
            assert [*file.rows("PRAGMA synchronous")] == [(2,)]


def test_where_the_logs_are() -> None:
    names = {"league.sqlite": "league.logs.sqlite", "s": "s.logs", "a.b.db": "a.b.logs.db"}
    assert {name: logs_path(Path("x", name)).name for name in names} == names


def test_new_conditions_take_the_place_of_those_before(tmp_path: Path) -> None:
    info = factory.league(("a", "b"))
    with Store(tmp_path / "s", create=True) as store:
        store.begin(info)
        store.change(replace(info, rounds=7))
        assert store.league == replace(info, rounds=7)
