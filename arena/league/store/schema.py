"""The tables of both files of a store, and whether a file has these and nothing else."""

import re
import sqlite3
from functools import lru_cache
from typing import NamedTuple

SCHEMA_VERSION = 7
"""The `user_version` of both files. Whoever raises it adds a step to `migrations.MIGRATIONS`."""
LOGS_APPLICATION = 0x50_45_52_4C
"""SQLite's application id, which marks a file as a store's logs; its letters are PERL."""
PAIR = "CREATE TABLE pair (token BLOB NOT NULL, open INTEGER NOT NULL DEFAULT 0)"
ROWS = (
    "CREATE TABLE league (info BLOB NOT NULL, hash BLOB NOT NULL, last BLOB NOT NULL)",
    "CREATE TABLE changes (n INTEGER PRIMARY KEY, change BLOB NOT NULL, hash BLOB NOT NULL)",
    """CREATE TABLE fixtures (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    fixture BLOB NOT NULL,
    sandbox TEXT NOT NULL,
    clock TEXT NOT NULL,
    decisions INTEGER NOT NULL,
    seconds REAL NOT NULL,
    stored_at REAL,
    content_hash BLOB NOT NULL,
    hash BLOB NOT NULL,
    rows_hash BLOB NOT NULL
)""",
    """CREATE TABLE games (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    seats BLOB NOT NULL,
    rounds INTEGER NOT NULL,
    bids INTEGER NOT NULL,
    events INTEGER NOT NULL
)""",
    "CREATE TABLE quarantine (id TEXT PRIMARY KEY, record BLOB NOT NULL)",
    PAIR,
)
LOGS = (
    "CREATE TABLE logs (key INTEGER PRIMARY KEY, log BLOB NOT NULL, hash BLOB NOT NULL)",
    "CREATE TABLE stderr (position INTEGER PRIMARY KEY, texts BLOB NOT NULL)",
    """CREATE TABLE pruned (
    position INTEGER PRIMARY KEY,
    stderr BLOB NOT NULL,
    logs BLOB,
    records BLOB,
    luck BLOB,
    hash BLOB NOT NULL
)""",
    "CREATE TABLE stored (fixtures INTEGER NOT NULL)",
    PAIR,
)


class Tables(NamedTuple):
    """The tables of a version of the format, as the statements that create them."""

    rows: tuple[str, ...]
    logs: tuple[str, ...]


TABLES = Tables(ROWS, LOGS)


def foreign_schema(file: sqlite3.Connection, tables: tuple[str, ...]) -> str:
    """Return what is wrong with a file that has more than some tables; "" if nothing is.

    Whoever made the file chose its SQL: a view, a trigger or a generated column would be run by
    reading or writing, and a query of one need not end. Nothing of it is run here.
    """
    known = _normal_forms(tables)
    for name, sql in file.execute("SELECT name, sql FROM sqlite_master"):
        if sql is None:  # the index of a column that is unique
            continue
        if not isinstance(sql, str) or _normal(sql) not in known:
            return f"the arena did not make its '{name}': drop it, or put back a copy"
    return ""


def is_table(file: sqlite3.Connection, name: str, table: str) -> bool:
    """Tell whether a file has a table, made by just this statement."""
    found = file.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    return found is not None and isinstance(found[0], str) and _normal(found[0]) == _normal(table)


@lru_cache(maxsize=8)
def _normal_forms(tables: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_normal, tables))


def _normal(sql: str) -> str:
    """Return a statement without what ALTER TABLE changes: spaces, and quotes around the name."""
    named = re.sub(r'^CREATE TABLE "(\w+)"', r"CREATE TABLE \1", " ".join(sql.split()))
    return re.sub(r" ?([(),]) ?", r"\1", named)
