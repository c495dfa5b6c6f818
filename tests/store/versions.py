"""A store of version 5, the oldest that can be brought up to date."""

from pathlib import Path

from arena.store.logs import logs_path
from tests.store.edit import execute
from tests.store.small import two_fixtures


def version_5(path: Path) -> Path:
    """Write a store of two fixtures as version 5 left it: with SQLite's write-ahead log."""
    two_fixtures(path)
    execute(path, "ALTER TABLE fixtures DROP COLUMN rows_hash")
    execute(logs_path(path), "DROP TABLE stored")
    for file in (path, logs_path(path)):
        execute(file, "ALTER TABLE pair DROP COLUMN open")
        execute(file, "PRAGMA user_version = 5")
        execute(file, "PRAGMA journal_mode = WAL")
    return path
