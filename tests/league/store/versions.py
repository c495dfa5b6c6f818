"""A store of the version before this one, and the step from it: made up, for tests alone."""

from pathlib import Path

from arena.league.store.format.schema import LOGS, ROWS, SCHEMA_VERSION, Tables
from arena.league.store.logs import logs_path
from arena.league.store.migrations import Migration
from tests.league.store.edit import execute
from tests.league.store.small import two_fixtures

OLD = SCHEMA_VERSION - 1
TABLES = Tables(
    tuple(sql.replace("TABLE changes", "TABLE old_changes") for sql in ROWS),
    tuple(sql.replace("TABLE stored", "TABLE old_stored") for sql in LOGS),
)
STEP = Migration(
    OLD,
    TABLES,
    lambda rows: rows.execute("ALTER TABLE old_changes RENAME TO changes"),
    lambda logs: logs.execute("ALTER TABLE old_stored RENAME TO stored"),
)


def old_version(path: Path) -> Path:
    """Write a store of two fixtures that has tables of other names."""
    two_fixtures(path)
    execute(path, "ALTER TABLE changes RENAME TO old_changes")
    execute(logs_path(path), "ALTER TABLE stored RENAME TO old_stored")
    for file in (path, logs_path(path)):
        execute(file, f"PRAGMA user_version = {OLD}")
    return path
