"""The base of all SQLite files: errors, transactions, versions, foreign tables and copies."""

import os
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from stat import S_IMODE

import pytest

from arena.io.errors import ArenaError
from arena.io.sqlite_file import ENDLESS, NAMELESS, DamageError, SqliteFile, connect
from tests.support.refusals import refused

TABLES = ("CREATE TABLE notes (text TEXT NOT NULL)",)
ENDLESS_QUERY = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x FROM n"


class Notebook(SqliteFile):
    """A file with errors and permissions of its own."""

    name = "the notebook"
    mode = 0o600

    def failure(self, error: Exception) -> ArenaError:
        """Return an error that names the file."""
        return ArenaError(f"{self.name} fails: {error}", str(self.path))


def opened(path: Path) -> Notebook:
    return Notebook(path, partial(connect, path, "mode=rwc"))


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Notebook]:
    with opened(tmp_path / "notes.sqlite") as notebook:
        notebook.create_tables(TABLES, 3)
        yield notebook


def add(notebook: SqliteFile, text: str) -> None:
    notebook.execute("INSERT INTO notes VALUES (?)", text)


def texts(notebook: SqliteFile) -> list[str]:
    return [text for (text,) in notebook.rows("SELECT text FROM notes")]


@pytest.mark.parametrize("sql", ["SELECT nothing FROM notes", "half a statement"])
def test_errors_are_those_of_the_subclass(notebook: Notebook, sql: str) -> None:
    for run in (notebook.execute, notebook.value, lambda sql: [*notebook.rows(sql)]):
        with refused("the notebook fails: ", notebook.path):
            run(sql)


def test_errors_stay_as_they_are_without_a_subclass() -> None:
    file = SqliteFile(NAMELESS, partial(connect, NAMELESS, ""))
    with file, pytest.raises(sqlite3.OperationalError):
        file.execute("half a statement")


def test_file_that_cannot_be_prepared_is_closed(tmp_path: Path) -> None:
    connections = list[sqlite3.Connection]()

    class Unfit(Notebook):
        def prepare(self) -> None:
            """Fail as a damaged file does."""
            connections.append(self.connection)
            self.check_tables(())

    with opened(tmp_path / "notes.sqlite") as notebook:
        notebook.create_tables(TABLES, 3)
    with refused("the arena did not make its 'notes'"):
        Unfit(notebook.path, partial(connect, notebook.path, "mode=rw"))
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connections[0].execute("SELECT 1")


def test_transaction_that_fails_changes_nothing(notebook: Notebook) -> None:
    def fail() -> None:
        add(notebook, "one")
        with notebook.transaction():
            add(notebook, "two")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), notebook.transaction():
        fail()
    assert texts(notebook) == []
    with notebook.transaction():
        add(notebook, "three")
    with opened(notebook.path) as other:
        assert texts(other) == ["three"]


def test_failure_inside_a_transaction_is_translated_and_rolled_back(notebook: Notebook) -> None:
    with refused("the notebook fails: NOT NULL"), notebook.transaction():
        add(notebook, "one")
        notebook.connection.execute("INSERT INTO notes VALUES (NULL)")
    assert texts(notebook) == []


def test_transaction_that_the_disk_ended_raises_what_the_disk_did(notebook: Notebook) -> None:
    with refused("the notebook fails: the disk is full"), notebook.transaction():
        notebook.connection.execute("ROLLBACK")
        raise sqlite3.OperationalError("the disk is full")


def test_inserted_row_has_the_id_that_is_returned(notebook: Notebook) -> None:
    ids = [notebook.execute("INSERT INTO notes VALUES ('x')") for _ in range(2)]
    assert ids == [1, 2]


@pytest.mark.parametrize(("rows", "says"), [(0, "no rows"), (2, "2 rows"), (3, "2 rows")])
def test_value_is_the_only_one(notebook: Notebook, rows: int, says: str) -> None:
    for _ in range(rows):
        add(notebook, "x")
    with refused(f"a table has {says} instead of one"):
        notebook.value("SELECT text FROM notes")
    assert notebook.value("SELECT count(*) FROM notes WHERE text = ?", "x") == rows


def test_rows_without_an_end_are_given_up(notebook: Notebook) -> None:
    with refused(ENDLESS):
        for _ in notebook.rows(ENDLESS_QUERY):
            pass


def test_version_of_an_empty_file_is_none(tmp_path: Path) -> None:
    with opened(tmp_path / "empty.sqlite") as empty:
        assert empty.version() is None
        empty.execute("CREATE TABLE theirs (x)")
        assert empty.version() == 0


def test_tables_are_created_together_with_their_version(tmp_path: Path) -> None:
    with opened(tmp_path / "new.sqlite") as new:
        with refused("syntax error"):
            new.create_tables((*TABLES, "CREATE half"), 3)
        assert new.version() is None
        new.create_tables(TABLES, 3)
        assert new.version() == 3


@pytest.mark.parametrize(
    "foreign", ["CREATE VIEW v AS SELECT 1", "ALTER TABLE notes ADD COLUMN more"]
)
def test_foreign_tables_are_refused(notebook: Notebook, foreign: str) -> None:
    notebook.check_tables((*TABLES, "CREATE TABLE others (x)"))
    notebook.execute(foreign)
    with refused("the arena did not make its '", notebook.path):
        notebook.check_tables(TABLES)


def test_copy_has_all_rows_and_is_open_to_its_owner_alone(notebook: Notebook) -> None:
    add(notebook, "one")
    copy = notebook.path.with_name("copy.sqlite")
    # The remains of a copy that was cut short.
    copy.with_name(".copy.sqlite.part").write_bytes(b"half a copy")
    before = os.umask(0)
    try:
        notebook.copy(copy)
    finally:
        os.umask(before)
    assert S_IMODE(copy.stat().st_mode) == 0o600
    assert {path.name for path in copy.parent.iterdir()} == {"notes.sqlite", "copy.sqlite"}
    with opened(copy) as other:
        assert (texts(other), other.version()) == (["one"], 3)


def test_copy_is_on_the_disk_before_it_has_its_name(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = list[str]()
    sync = os.fsync

    def noted_sync(file: int) -> None:
        steps.append("synced")
        sync(file)

    monkeypatch.setattr(os, "fsync", noted_sync)

    def move(part: Path, target: Path) -> None:
        steps.append("named")
        part.replace(target)

    notebook.copy(notebook.path.with_name("copy.sqlite"), move)
    assert steps == ["synced", "named"]


def test_copy_that_fails_leaves_nothing(notebook: Notebook) -> None:
    def fail(_: sqlite3.Connection) -> None:
        raise DamageError("it is not what it was")

    with refused("the notebook fails: it is not what it was"):
        notebook.copy(notebook.path.with_name("copy.sqlite"), finish=fail)
    assert [path.name for path in notebook.path.parent.iterdir()] == ["notes.sqlite"]
