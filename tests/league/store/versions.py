"""A store of the version before this one, and the step from it: made up, for tests alone."""

from collections.abc import Callable
from pathlib import Path

from arena.io.sqlite.file import SqliteFile
from arena.io.sqlite.versions import Migration, Schema
from arena.league.store.format.schema import LOGS, ROWS, SCHEMA_VERSION, Schemas
from arena.league.store.logs import logs_path
from tests.league.store.edit import execute
from tests.league.store.small import two_fixtures

OLD = SCHEMA_VERSION - 1
OLD_ROWS = tuple(sql.replace("TABLE changes", "TABLE old_changes") for sql in ROWS)
OLD_LOGS = tuple(sql.replace("TABLE stored", "TABLE old_stored") for sql in LOGS)
Change = Callable[[SqliteFile], object]


def change_rows(rows: SqliteFile) -> None:
    rows.execute("ALTER TABLE old_changes RENAME TO changes")


def change_logs(logs: SqliteFile) -> None:
    logs.execute("ALTER TABLE old_stored RENAME TO stored")


def schemas(rows: Change = change_rows, logs: Change = change_logs) -> Schemas:
    """Return the tables of an arena that brings such a store up to date by two functions."""
    return Schemas(
        Schema(SCHEMA_VERSION, ROWS, migrations=[Migration(OLD, OLD_ROWS, rows)]),
        Schema(SCHEMA_VERSION, LOGS, migrations=[Migration(OLD, OLD_LOGS, logs)]),
    )


def old_version(path: Path) -> Path:
    """Write a store of two fixtures that has tables of other names."""
    two_fixtures(path)
    execute(path, "ALTER TABLE changes RENAME TO old_changes")
    execute(logs_path(path), "ALTER TABLE stored RENAME TO old_stored")
    for file in (path, logs_path(path)):
        execute(file, f"PRAGMA user_version = {OLD}")
    return path
