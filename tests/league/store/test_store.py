"""The store: what goes in comes out, once, even while others read."""

import fcntl
import pickle
import sqlite3
from contextlib import ExitStack, closing
from math import inf
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from arena.bots.manifest import load_bot
from arena.bots.sandboxes.process import ProcessSandbox
from arena.game.records import (
    Cause,
    Faulted,
    Fixture,
    LimitsInfo,
    PlayedFixture,
    QuarantinedFixture,
    fixture_result,
)
from arena.game.rules.books import variant
from arena.io.errors import ArenaError, FindingError
from arena.io.shipped import folder
from arena.io.sqlite_file import log_size
from arena.league.changes import Change, History
from arena.league.store import files, store_file
from arena.league.store.files import logs_path
from arena.league.store.rows import Record, pack
from arena.league.store.store import Store
from arena.league.store.store_file import StoreFile, is_locked
from tests.league.store.edit import execute
from tests.league.store.small import read, two_fixtures
from tests.support import factory
from tests.support.live import in_place, play_bots

PATIENT = LimitsInfo(start=60, answer=60, game=600)


def play(index: int, names: tuple[str, ...]) -> PlayedFixture:
    bots = [in_place(load_bot(folder("sample_bots") / name)) for name in names]
    fixture = Fixture(f"real{index}", index, "italian", names, f"seed{index}", 2)
    rules = variant("italian", {}, calza=True, lost_dice_visible=True)
    return play_bots(fixture, rules, bots, ProcessSandbox(), PATIENT)


@pytest.fixture(scope="module")
def played() -> list[PlayedFixture]:
    return [play(0, ("honest", "random")), play(1, ("memory", "odds", "bluffer"))]


def test_played_fixtures_come_back_byte_for_byte(
    tmp_path: Path, played: list[PlayedFixture]
) -> None:
    stored = [*played, factory.fixture(2, ("a", "b"), stderr=("\0 naïve \u2028", ""))]
    with Store(tmp_path / "s", create=True) as store:
        for one in reversed(stored):
            store.add(pack(one))
    with Store(tmp_path / "s") as store:
        again = list(store.played())
        records = [(one.id, store.decoded(one.record)) for one in store.stored()]
        assert store.finished() == {one.fixture.id for one in stored}
    encode = msgspec.json.encode
    assert all(one.stored_at for one in again)
    same = [replace(one, stored_at=None) for one in again]
    assert [encode(one) for one in same] == [encode(one) for one in stored]
    assert records == [
        (one.fixture.id, encode(Record(one.fixture, list(one.games)))) for one in stored
    ]


def test_store_is_read_at_every_step_of_its_creation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, execute_, found = tmp_path / "s", StoreFile.execute, list[str]()

    def look() -> None:
        with monkeypatch.context() as steps:
            steps.setattr(StoreFile, "execute", execute_)
            try:
                with Store(path) as store:
                    found.append("begun" if store.league else "new")
                    assert not store.positions()
                    assert path in [file.path for file in store.files()]
            except ArenaError as error:
                found.append(error.what)

    def execute_and_look(file: StoreFile, statement: str, *values: object) -> None:
        look()
        execute_(file, statement, *values)
        look()

    monkeypatch.setattr(StoreFile, "execute", execute_and_look)
    with Store(path, create=True) as store:
        store.begin(factory.league(("a", "b")))
    assert set(found) == {"nothing was played yet", "new", "begun"}


def test_write_ahead_logs_stay_small_however_fast_fixtures_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_INTERVAL", inf)
    with Store(tmp_path / "s", create=True) as store:
        for index in range(500):
            store.add(pack(factory.fixture(index, ("a", "b"))))
            assert max(map(log_size, (store.path, logs_path(store.path)))) < 5 << 20
        rows_in_file = store.path.stat().st_size
    assert rows_in_file > store.path.stat().st_size / 2


@pytest.mark.parametrize("read", [False, True])
def test_write_ahead_logs_are_moved_only_after_much_more_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, read: bool
) -> None:
    monkeypatch.setattr(files, "_INTERVAL", inf)
    monkeypatch.setattr(store_file, "_LARGE", 200_000)
    monkeypatch.setattr(store_file, "_KEPT", 20_000)
    moved, checkpoint = list[int](), StoreFile.checkpoint

    def count(file: StoreFile) -> None:
        moved.append(log_size(file.path))
        checkpoint(file)

    monkeypatch.setattr(StoreFile, "checkpoint", count)
    with Store(tmp_path / "s", create=True) as store, ExitStack() as readers:
        store.add(pack(factory.fixture(0, ("a", "b"))))
        if read:
            connection = readers.enter_context(closing(sqlite3.connect(store.path)))
            connection.execute("BEGIN")
            connection.execute("SELECT * FROM fixtures").fetchone()
        for index in range(1, 200):
            store.add(pack(factory.fixture(index, ("a", "b"))))
        sizes = [log_size(store.path), log_size(logs_path(store.path))]
    assert 4 < len(moved) < 60
    assert read or max(sizes) < 300_000


def test_fixtures_that_come_together_are_stored_all_or_none(tmp_path: Path) -> None:
    one, *others = [pack(factory.fixture(index, ("a", "b"))) for index in range(5)]
    other = pack(factory.fixture(4, ("a", "b"), label="another"))
    with Store(tmp_path / "s", create=True) as store:
        store.add(one)
        store.add(one, *others)
        assert store.positions() == [0, 1, 2, 3, 4]
        with pytest.raises(ArenaError, match="another fixture than"):
            store.add(pack(factory.fixture(5, ("a", "b"))), other)
        assert store.positions() == [0, 1, 2, 3, 4]


def test_packed_fixture_survives_pickling(tmp_path: Path, played: list[PlayedFixture]) -> None:
    faulty = factory.fixture(2, ("a", "b"), faults={1: Faulted(0, Cause.CRASH, "exit 3")})
    for one in (*played, faulty):
        packed = pickle.loads(pickle.dumps(pack(one)))  # noqa: S301
        assert packed == pack(one)
        assert packed.result() == fixture_result(one)
        with Store(tmp_path / "s", create=True) as store:
            store.add(packed)
            [found] = store.stored([packed.row.position])
        assert found == packed.stored(found.row.stored_at)
        assert list(found.hash_mismatches()) == []


def test_fixtures_are_found_by_position(tmp_path: Path) -> None:
    one = factory.fixture(7, ("a", "b"))
    with Store(tmp_path / "s", create=True) as store:
        store.add(pack(one))
        [found] = store.stored()
        for positions, number in ((range(7), 0), ([7], 1), ((8, 9), 0)):
            assert len(list(store.stored(positions))) == number
            assert len(list(store.played(positions))) == number
    assert (found.position, found.id) == (7, one.fixture.id)
    assert list(found.hash_mismatches()) == []
    assert found.row.stored_at is not None
    expected = replace(one, stored_at=found.row.stored_at)
    assert msgspec.json.encode(found.played()) == msgspec.json.encode(expected)


def test_fixture_is_stored_once_and_the_first_stays(tmp_path: Path) -> None:
    first = factory.fixture(0, ("a", "b"), stderr=("first", ""))
    second = factory.fixture(0, ("a", "b"), stderr=("second", ""))
    with Store(tmp_path / "s", create=True) as store:
        for one in (first, second, first):
            store.add(pack(one))
        assert [one.stderr for one in store.played()] == [("first", "")]


def test_lines_of_faults_come_back(tmp_path: Path) -> None:
    lines = ((0, 1, '{"id":1} \\xff'), (3, 0, "\0"))
    plain, loud = (factory.fixture(n, ("a", "b"), stderr=("said", "")[: 2 * n]) for n in (0, 1))
    with Store(tmp_path / "s", create=True) as store:
        for one in (plain, loud):
            store.add(pack(replace(one, answered=lines)))
        found = list(store.played())
        assert [one.answered for one in found] == [lines, lines]
        assert [one.stderr for one in found] == [(), ("said", "")]
    silent, told = pack(plain).row, pack(replace(plain, answered=lines)).row
    assert silent.content_hash == told.content_hash


def test_conditions_come_back(tmp_path: Path) -> None:
    info = factory.league(("a", "b"))
    with Store(tmp_path / "s", create=True) as store:
        assert store.league is None
        store.begin(info)
    with Store(tmp_path / "s") as store:
        assert store.league == info


def test_readers_see_a_snapshot_while_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, create=True) as writer:
        writer.add(pack(factory.fixture(0, ("a", "b"))))
        writer.add(pack(factory.fixture(1, ("a", "b"))))
        with Store(path) as reader:
            reading = reader.played()
            assert next(reading).fixture.index == 0
            writer.add(pack(factory.fixture(2, ("a", "b"))))
            assert [one.fixture.index for one in reading] == [1]
            assert [one.fixture.index for one in reader.played()] == [0, 1]
        with Store(path) as reader:
            assert [one.fixture.index for one in reader.played()] == [0, 1, 2]


def test_store_is_locked_by_whoever_plays(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, create=True) as store:
        with pytest.raises(ArenaError, match="another arena is playing into this store"):
            Store(path, create=True)
        store.add(pack(factory.fixture(0, ("a", "b"))))
        with Store(path) as reader:
            assert len(reader.finished()) == 1
    with Store(path, create=True) as store:
        assert len(store.finished()) == 1


def test_asking_for_the_lock_does_not_take_it(tmp_path: Path) -> None:
    path = tmp_path / "s"
    assert not is_locked(path)
    with Store(path, create=True) as store:
        assert is_locked(path)
        store.add(pack(factory.fixture(0, ("a", "b"))))
    assert not is_locked(path)
    with path.open() as asking:
        fcntl.flock(asking, fcntl.LOCK_SH)
        assert not is_locked(path)


def test_missing_store_is_not_created_by_readers(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="nothing was played yet") as caught:
        Store(tmp_path / "s")
    assert str(tmp_path / "s") in caught.value.where
    assert "arena run" in caught.value.hint
    assert not (tmp_path / "s").exists()


def test_results_match_the_events_without_the_logs(tmp_path: Path) -> None:
    late = Faulted(1, Cause.TIMEOUT, "no answer within 2 s")
    one = factory.fixture(0, ("a", "b", "c"), faults={1: late})
    with Store(tmp_path / "s", create=True) as store:
        store.add(pack(one))
    logs_path(tmp_path / "s").unlink()
    with Store(tmp_path / "s") as store:
        [found] = store.results()
    assert found == fixture_result(one, found.stored_at)
    assert found.games[1].faults == (None, Cause.TIMEOUT, None)


def test_hashes_of_fixtures_stay(tmp_path: Path) -> None:
    path = two_fixtures(tmp_path / "s")
    with Store(path) as store:
        before = list(store.hashes())
        assert [(at, id_) for at, id_, *_ in before] == [
            (index, factory.fixture(index, ("a", "b")).fixture.id) for index in range(2)
        ]
        assert [one.hash for one in before] == [one.hash for one in store.stored()]
    with Store(path, create=True) as store:
        store.add(pack(factory.fixture(2, ("a", "b"))))
        assert list(store.hashes())[:2] == before


def test_position_of_another_fixture_is_refused(tmp_path: Path) -> None:
    path = two_fixtures(tmp_path / "s")
    other = factory.fixture(1, ("a", "b"), label="another")
    with Store(path, create=True) as store:
        before = list(store.stored())
        with pytest.raises(ArenaError, match="another fixture than"):
            store.add(pack(other))
        assert list(store.stored()) == before


def test_new_store_without_logs_is_completed(tmp_path: Path) -> None:
    """An arena that is killed in between leaves that."""
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


def test_both_files_are_synced_and_have_a_write_ahead_log(tmp_path: Path) -> None:
    path = two_fixtures(tmp_path / "s")
    with Store(path, create=True) as store:
        for file in store._files.all():
            assert [*file.rows("PRAGMA journal_mode")] == [("wal",)]
            assert [*file.rows("PRAGMA synchronous")] == [(3,)]


def test_closed_store_is_two_files_and_readers_leave_no_others(tmp_path: Path) -> None:
    path = two_fixtures(tmp_path / "s")
    names = {path.name, logs_path(path).name}
    assert {one.name for one in tmp_path.iterdir()} == names
    before = path.stat(), logs_path(path).stat()
    read(path)
    assert (path.stat().st_mtime_ns, logs_path(path).stat().st_mtime_ns) == tuple(
        one.st_mtime_ns for one in before
    )
    assert {one.name for one in tmp_path.iterdir()} == names


def test_store_that_is_closed_while_others_read_is_whole(tmp_path: Path) -> None:
    path = two_fixtures(tmp_path / "s")
    writer = Store(path, create=True)
    with Store(path) as reader:
        reading = reader.played()
        next(reading)
        writer.add(pack(factory.fixture(2, ("a", "b"))))
        writer.__exit__()
        assert len(list(reading)) == 1
    with Store(path) as store:
        assert len(list(store.played())) == 3
    read(path, create=True)
    assert {one.name for one in tmp_path.iterdir()} == {path.name, logs_path(path).name}


def test_logs_are_named_after_the_store() -> None:
    names = {"league.sqlite": "league.logs.sqlite", "s": "s.logs", "a.b.db": "a.b.logs.db"}
    assert {name: logs_path(Path("x", name)).name for name in names} == names


CHANGES = [
    Change((1,), blocks=7),
    Change((2,), joined=(factory.bot("c"),)),
    Change((3,), rested=("b",)),
]


def changed_store(path: Path) -> Path:
    with Store(path, create=True) as store:
        store.begin(factory.league(("a", "b")))
        for change in CHANGES:
            store.change(change)
    return path


def test_changes_follow_the_conditions_and_new_ones_replace_all(tmp_path: Path) -> None:
    info = factory.league(("a", "b"))
    with Store(changed_store(tmp_path / "s"), create=True) as store:
        assert store.history()[:2] == (info, CHANGES)
        assert store.league == store.conditions() == History(info, CHANGES).now()
        assert [bot.name for bot in store.conditions().bots] == ["a", "b", "c"]
        roots = [store.root()]
        store.begin(info, CHANGES[:2])
        assert store.history()[:2] == (info, CHANGES[:2])
        roots.append(store.root())
        store.begin(info)
        assert store.history()[:2] == (info, [])
        assert len({*roots, store.root()}) == 3


DAMAGE = {
    "changed": "UPDATE changes SET change = replace(change, 'rested', 'struck') WHERE n = 3",
    "removed": "DELETE FROM changes WHERE n = 2",
    "last removed": "DELETE FROM changes WHERE n = 3",
    "reordered": "UPDATE changes SET n = -n; UPDATE changes SET n = 4 + n",
    "added": "INSERT INTO changes SELECT 4, change, hash FROM changes WHERE n = 3",
    "of another type": "UPDATE changes SET change = 7 WHERE n = 1",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_change_that_is_not_what_was_written_is_found(tmp_path: Path, damage: str) -> None:
    path = changed_store(tmp_path / "s")
    for step in damage.split(";"):
        execute(path, step)
    with Store(path) as store:
        [(where, what)] = store.damage()
        assert (where, what[:7]) == ("league", "change ")
        with pytest.raises(FindingError, match="conditions of the league are damaged"):
            store.conditions()
        sound = store.history(checked=False).changes
        assert sound == CHANGES[: len(sound)]


NEWER = "a newer arena made it: pipx upgrade perudo-arena"
OLDER = "use the arena that made it, or --store with a new file"


@pytest.mark.parametrize(("version", "hint"), [(1, OLDER), (7, NEWER), (41, NEWER)])
@pytest.mark.parametrize("create", [True, False])
def test_store_of_another_version_is_refused(
    tmp_path: Path, version: int, hint: str, *, create: bool
) -> None:
    path = two_fixtures(tmp_path / "s.sqlite")
    execute(path, f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(ArenaError) as caught:
        Store(path, create=create)
    assert caught.value.what == f"the store has version {version}, this arena reads version 2"
    assert caught.value.hint == hint
    assert path.read_bytes() == before


def test_quarantined_fixture_is_listed_until_it_is_played(tmp_path: Path) -> None:
    late, early = (factory.fixture(index, ("a", "b")) for index in (3, 2))
    with Store(two_fixtures(tmp_path / "s.sqlite"), create=True) as store:
        for deaths in (1, 3):
            store.quarantine(QuarantinedFixture(late.fixture, "each killed", deaths, 7.0))
        store.quarantine(QuarantinedFixture(early.fixture, "each killed", 3, 8.0))
        listed = [(one.fixture.index, one.deaths) for one in store.quarantined()]
        assert listed == [(2, 3), (3, 3)]
        store.add(pack(late))
        assert [one.fixture.index for one in store.quarantined()] == [2]


def test_results_at_some_positions_leave_out_damaged_ones(tmp_path: Path) -> None:
    path = two_fixtures(tmp_path / "s.sqlite")
    execute(path, "UPDATE fixtures SET decisions = 77 WHERE position = 1")
    with Store(path) as store:
        assert [one.fixture.index for one in store.results_at([0, 1, 5])] == [0]
        [damaged] = store.damaged_rows([0, 1, 5])
        assert damaged == factory.fixture(1, ("a", "b")).fixture.id
