"""The tables of a kind of SQLite file by version, and how an older file is brought up to date."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.io.files import os_errors
from arena.io.sqlite.file import SqliteFile


class Migration(NamedTuple):
    """The step from a version to the next."""

    version: int
    """The version that it starts from."""
    tables: tuple[str, ...]
    """All that a file of that version may have, as the statements that create them."""
    change: Callable[[SqliteFile], object] = lambda _: None
    """What it does to a file, in a transaction."""


class Schema(NamedTuple):
    """The tables of a kind of file."""

    version: int
    """The `user_version` of a file that is up to date."""
    tables: tuple[str, ...]
    """Those of a new file, as the statements that create them."""
    optional: tuple[str, ...] = ()
    """Others that a file may have."""
    migrations: Sequence[Migration] = ()
    """Every step from the oldest version that can be brought up to date, ascending without gaps."""

    def tables_by_version(self, oldest: int = 0) -> Mapping[int, tuple[str, ...]]:
        """Return all that a file may have, by its version, from a version on."""
        older = {step.version: step.tables for step in self.migrations if step.version >= oldest}
        return {**older, self.version: (*self.tables, *self.optional)}


class Migrated(NamedTuple):
    """A file to be brought up to date."""

    file: SqliteFile
    """Open for writing."""
    schema: Schema
    copy: Path
    """Where a copy of it stays."""


def migrate(files: Sequence[Migrated]) -> None:
    """Copy files that belong together, then bring each up to date in one transaction.

    If some are newer than the last one, an earlier run was cut short after it had made the copies.
    Raises ArenaError, and what the files raise.
    """
    first, last = files[0], files[-1]
    if first.file.version() == last.file.version() or not last.copy.exists():
        for file, _, copy in files:
            _copy(file, copy)
    for file, schema, _ in files:
        with file.transaction():
            for step in schema.migrations:
                if step.version == file.version():
                    step.change(file)
                    file.execute(f"PRAGMA user_version = {step.version + 1}")


def _copy(file: SqliteFile, copy: Path) -> None:
    """Copy a file, in place of the copy of a run that was cut short."""
    what = f"{file.name} cannot be copied before it is brought up to date"
    with os_errors(what, copy, "make room for it, and run again"):
        file.copy(copy)
