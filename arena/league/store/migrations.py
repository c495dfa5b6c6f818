"""Stores of other versions: refused in one line, or brought up to date after a copy."""

from arena.io.errors import ArenaError
from arena.io.sqlite_versions import Migrated, Schema, migrate
from arena.league.store.format.schema import SCHEMA_VERSION, Schemas
from arena.league.store.logs import logs_path
from arena.league.store.store_file import StoreFile


def check_version(rows: StoreFile, version: int, schema: Schema) -> None:
    """Raise ArenaError if a store's version is newer than this arena's, or too old to migrate."""
    if version > SCHEMA_VERSION:
        raise ArenaError(
            f"the store has version {version}, but this arena reads at most {SCHEMA_VERSION}",
            str(rows.path),
            "use a newer arena, or --store with a new file",
        )
    if version not in schema.tables_by_version():
        raise ArenaError(
            f"the store has version {version}, made by a pre-release arena;"
            f" this one reads version {SCHEMA_VERSION}",
            str(rows.path),
            "start a new store: --store with a new file",
        )


def migrate_store(rows: StoreFile, logs: StoreFile, schemas: Schemas) -> None:
    """Bring both files up to date, the logs first; the copies of both are a store, and stay."""
    name = f"{rows.path.stem}.version-{rows.version()}{rows.path.suffix}"
    copy = rows.path.with_name(name)
    migrate(
        [
            Migrated(logs, schemas.logs, logs_path(copy)),
            Migrated(rows, schemas.rows, copy),
        ]
    )
