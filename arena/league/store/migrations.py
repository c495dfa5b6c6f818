"""Bring a store of an older version up to date: a copy first, then step by step."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.io.errors import ArenaError
from arena.league.store.database import Database
from arena.league.store.format.schema import SCHEMA_VERSION, TABLES, Tables
from arena.league.store.logs import logs_path


class Migration(NamedTuple):
    """The step from a version to the next, as what it does to either file, in a transaction."""

    version: int
    """The version that it starts from."""
    tables: Tables
    """Those of that version."""
    rows: Callable[[Database], None]
    logs: Callable[[Database], None] = lambda _: None


MIGRATIONS: Sequence[Migration] = ()
"""Every step from the oldest version that can be brought up to date, ascending without gaps."""


def tables_by_version(oldest: int, migrations: Sequence[Migration]) -> dict[int, Tables]:
    """Return the tables of each version from one on; a migration that was cut short has two."""
    older = {step.version: step.tables for step in migrations if step.version >= oldest}
    return {**older, SCHEMA_VERSION: TABLES}


def check_version(rows: Database, version: int, migrations: Sequence[Migration]) -> None:
    """Raise ArenaError if a store's version is newer than this arena's, or too old to migrate."""
    if version > SCHEMA_VERSION:
        raise ArenaError(
            f"the store has version {version}, but this arena reads at most {SCHEMA_VERSION}",
            str(rows.path),
            "use a newer arena, or --store with a new file",
        )
    if version < SCHEMA_VERSION and version not in {step.version for step in migrations}:
        raise ArenaError(
            f"the store has version {version}, made by a pre-release arena;"
            f" this one reads version {SCHEMA_VERSION}",
            str(rows.path),
            "start a new store: --store with a new file",
        )


def migrate(rows: Database, logs: Database, migrations: Sequence[Migration]) -> None:
    """Copy both files, then bring each up to date in one transaction.

    The logs go first: if they are newer than the rows, an earlier run was cut short after it had
    made the copy. The copy is a store of its own, and stays.
    """
    version = rows.version() or 0
    copy = rows.path.with_name(f"{rows.path.stem}.version-{version}{rows.path.suffix}")
    if logs.version() == version or not copy.exists():
        _copy(logs, logs_path(copy))
        _copy(rows, copy)
    for file in (logs, rows):
        with file.transaction():
            for step in migrations:
                if step.version == file.version():
                    (step.rows if file is rows else step.logs)(file)
                    file.execute(f"PRAGMA user_version = {step.version + 1}")


def _copy(file: Database, copy: Path) -> None:
    """Copy a file, in place of the copy of a run that was cut short."""
    try:
        file.copy(copy)
    except OSError as error:
        what = f"the store cannot be copied before it is brought up to date: {error.strerror}"
        raise ArenaError(what, str(copy), "make room for it, and run again") from None
