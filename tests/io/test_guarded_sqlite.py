"""SQLite files where SQLite cannot write beside them: read as they are, or not at all."""

import sqlite3
from pathlib import Path

import pytest

from arena.io.sqlite_file import GuardedConnection, connect, connect_reader


@pytest.fixture
def logging(tmp_path: Path) -> Path:
    """Return a file that was closed, and is not read without a log beside it."""
    path = tmp_path / "notes.sqlite"
    file = connect(path, "mode=rwc")
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("CREATE TABLE notes AS SELECT 'hello' AS text")
    file.close()
    return path


def forbid_log(path: Path) -> None:
    """Keep SQLite from making a log: it opens no file through a link."""
    Path(f"{path}-shm").symlink_to("nowhere")


def no_fallback() -> GuardedConnection | None:
    raise AssertionError("it can be read in place")


def texts(file: sqlite3.Connection) -> list[tuple[str]]:
    try:
        return file.execute("SELECT text FROM notes").fetchall()
    finally:
        file.close()


def test_file_is_read_in_place(logging: Path) -> None:
    assert texts(connect_reader(logging, no_fallback)) == [("hello",)]


def test_file_is_read_by_the_fallback_where_no_log_can_be_made(logging: Path) -> None:
    forbid_log(logging)
    other = connect(logging, "mode=ro&immutable=1")
    assert connect_reader(logging, lambda: other) is other
    assert texts(other) == [("hello",)]


def test_error_stays_without_a_fallback(logging: Path) -> None:
    forbid_log(logging)
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        connect_reader(logging, lambda: None)


def test_damaged_file_is_not_read_by_the_fallback(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    path.write_bytes(b"no database, but text" * 100)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        connect_reader(path, no_fallback)


def test_file_that_is_missing_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        connect_reader(tmp_path / "missing.sqlite", no_fallback)
    assert list(tmp_path.iterdir()) == []
