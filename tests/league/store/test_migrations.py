"""Stores of other versions: brought up to date after a copy, or refused in one line."""

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from arena.io.errors import ArenaError
from arena.league.store.format.rows import StoredFixture, pack
from arena.league.store.format.schema import SCHEMA_VERSION, SCHEMAS
from arena.league.store.logs import logs_path
from arena.league.store.store import Store
from tests.league.store import edit
from tests.league.store.small import two_fixtures
from tests.league.store.versions import OLD, old_version, schemas
from tests.support import factory

ROOT = Path(__file__).parents[3]


def contents(path: Path) -> list[tuple[int, str, bytes]]:
    """Return what holds of a store in any version: its fixtures and their hashes."""
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT position, id, hash FROM fixtures").fetchall()


def versions(path: Path) -> list[int]:
    found = []
    for file in (path, logs_path(path)):
        with closing(sqlite3.connect(file)) as database:
            found += [version for (version,) in database.execute("PRAGMA user_version")]
    return found


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


BOTH = {"s.sqlite", "s.logs.sqlite"}
COPY = {f"s.version-{OLD}.sqlite", f"s.version-{OLD}.logs.sqlite"}


def assert_up_to_date(path: Path, expected: list[StoredFixture]) -> None:
    with Store(path) as store:
        assert list(store.stored()) == expected
        assert [list(one.hash_mismatches()) for one in expected] == [[]] * len(expected)
        assert list(store.damage()) == []
        assert len(list(store.played())) == len(expected)
    assert versions(path) == [SCHEMA_VERSION] * 2


def test_migrated_store_holds_the_same_and_is_played_on(tmp_path: Path) -> None:
    path = old_version(tmp_path / "s.sqlite")
    before = contents(path)
    with Store(path, create=True, schemas=schemas()) as store:
        migrated = list(store.stored())
        assert [(one.position, one.id, one.hash) for one in migrated] == before
        store.add(pack(factory.fixture(2, ("a", "b"))))
        *_, added = store.stored()
    assert_up_to_date(path, [*migrated, added])


def test_copy_of_both_files_stays_beside_a_migrated_store(tmp_path: Path) -> None:
    path = old_version(tmp_path / "s.sqlite")
    before = contents(path)
    with Store(path, create=True, schemas=schemas()):
        pass
    assert files(tmp_path) == BOTH | COPY
    copy = tmp_path / f"s.version-{OLD}.sqlite"
    assert (contents(copy), versions(copy)) == (before, [OLD, OLD])
    with Store(copy, create=True, schemas=schemas()) as store:
        assert [(one.position, one.id, one.hash) for one in store.stored()] == before


def test_store_that_is_up_to_date_is_not_copied(tmp_path: Path) -> None:
    path = two_fixtures(tmp_path / "s.sqlite")
    with Store(path, create=True, schemas=schemas()):
        pass
    assert files(tmp_path) == BOTH


def test_reader_leaves_an_older_store_as_it_is(tmp_path: Path) -> None:
    path = old_version(tmp_path / "s.sqlite")
    before = path.read_bytes()
    with pytest.raises(ArenaError, match=f"the store has version {OLD}") as caught:
        Store(path, schemas=schemas())
    assert caught.value.hint == "arena run brings it up to date"
    assert (path.read_bytes(), files(tmp_path)) == (before, BOTH)


def test_failed_step_changes_nothing(tmp_path: Path) -> None:
    path = old_version(tmp_path / "s.sqlite")
    before = contents(path)
    broken = schemas(rows=lambda rows: rows.execute("DROP TABLE no_such"))
    with pytest.raises(ArenaError, match="no such table"):
        Store(path, create=True, schemas=broken)
    assert contents(path) == before
    assert versions(path) == [OLD, SCHEMA_VERSION]
    with Store(path, create=True, schemas=schemas()) as store:
        assert_up_to_date(path, list(store.stored()))


@pytest.mark.parametrize("moment", ["logs", "logs changed", "rows", "rows changed"])
def test_killed_migration_loses_nothing_and_is_completed_by_the_next_run(
    tmp_path: Path, moment: str
) -> None:
    path = old_version(tmp_path / "s.sqlite")
    before = contents(path)
    child = [
        sys.executable,
        "-m",
        "tests.league.store.children",
        "die_migrating",
        str(path),
        moment,
    ]
    assert subprocess.run(child, cwd=ROOT, check=False).returncode == -signal.SIGKILL
    copy = tmp_path / f"s.version-{OLD}.sqlite"
    assert (contents(path), contents(copy), versions(copy)) == (before, before, [OLD, OLD])
    with Store(path, create=True, schemas=schemas()) as store:
        migrated = list(store.stored())
    assert [(one.position, one.id, one.hash) for one in migrated] == before
    assert_up_to_date(path, migrated)
    assert (contents(copy), versions(copy)) == (before, [OLD, OLD])
    assert files(tmp_path) == BOTH | COPY


@pytest.mark.parametrize("name", [*sorted(COPY), f".s.version-{OLD}.sqlite.part"])
def test_remains_of_a_killed_copy_are_replaced(tmp_path: Path, name: str) -> None:
    path = old_version(tmp_path / "s.sqlite")
    before = contents(path)
    (tmp_path / name).write_bytes(b"half a copy")
    with Store(path, create=True, schemas=schemas()):
        pass
    copy = tmp_path / f"s.version-{OLD}.sqlite"
    assert (contents(copy), versions(copy)) == (before, [OLD, OLD])
    assert files(tmp_path) == BOTH | COPY


def test_store_is_not_migrated_if_it_cannot_be_copied(tmp_path: Path) -> None:
    path = old_version(tmp_path / "s.sqlite")
    (tmp_path / f"s.version-{OLD}.sqlite").mkdir()
    with pytest.raises(ArenaError, match="cannot be copied before it is brought up to date"):
        Store(path, create=True, schemas=schemas())
    assert versions(path) == [OLD, OLD]


def test_store_without_its_logs_is_not_migrated(tmp_path: Path) -> None:
    path = old_version(tmp_path / "s.sqlite")
    logs_path(path).unlink()
    with pytest.raises(ArenaError, match=r"the logs of s\.sqlite are missing"):
        Store(path, create=True, schemas=schemas())
    assert files(tmp_path) == {"s.sqlite"}


@pytest.mark.parametrize("version", [1, 5, OLD])
@pytest.mark.parametrize("create", [True, False])
def test_store_of_a_pre_release_arena_is_refused(
    tmp_path: Path, version: int, *, create: bool
) -> None:
    path = old_version(tmp_path / "s.sqlite")
    edit.execute(path, f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(ArenaError) as caught:
        Store(path, create=create)
    assert str(caught.value) == (
        f"the store has version {version}, made by a pre-release arena;"
        f" this one reads version {SCHEMA_VERSION} / {path}"
        " / start a new store: --store with a new file"
    )
    assert (path.read_bytes(), files(tmp_path)) == (before, BOTH)


def test_newer_store_is_refused_with_both_versions(tmp_path: Path) -> None:
    path = two_fixtures(tmp_path / "s.sqlite")
    edit.execute(path, "PRAGMA user_version = 41")
    with pytest.raises(ArenaError, match=f"version 41, .* at most {SCHEMA_VERSION}") as caught:
        Store(path)
    assert "newer arena" in caught.value.hint


def test_every_version_since_the_oldest_has_a_step_of_both_files() -> None:
    rows, logs = ([step.version for step in schema.migrations] for schema in SCHEMAS)
    assert rows == logs == list(range(SCHEMA_VERSION - len(rows), SCHEMA_VERSION))
