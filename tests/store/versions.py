"""A store of version 4, and the step that brings it to version 5; no arena has such a step."""

from pathlib import Path

from arena.store.database import Database
from arena.store.logs import logs_path
from arena.store.migrations import Migration
from tests.store.edit import execute
from tests.store.small import two_fixtures


def _rename_columns(rows: Database) -> None:
    rows.execute("ALTER TABLE fixtures RENAME COLUMN pin TO content_hash")
    rows.execute("ALTER TABLE set_aside RENAME TO quarantine")


def _rename_log(logs: Database) -> None:
    logs.execute("ALTER TABLE logs RENAME COLUMN record TO log")


STEP = Migration(4, _rename_columns, _rename_log)


def version_4(path: Path) -> Path:
    """Write a store of two fixtures with other names of columns and tables."""
    two_fixtures(path)
    execute(path, "ALTER TABLE fixtures RENAME COLUMN content_hash TO pin")
    execute(path, "ALTER TABLE quarantine RENAME TO set_aside")
    execute(logs_path(path), "ALTER TABLE logs RENAME COLUMN log TO record")
    for file in (path, logs_path(path)):
        execute(file, "PRAGMA user_version = 4")
    return path
