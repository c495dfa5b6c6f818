"""The tables of a store, and how older ones are brought up to date."""

import sqlite3

import msgspec

from arena.store.rows import Row, row_hash

SCHEMA_VERSION = 3
"""2: a league knows its rounds, and blocks may share dice. 3: each row has its hash and its time.
"""
WITH_HASHES = 3
"""The first version in which rows have hashes."""
SCHEMA = (
    "CREATE TABLE league (info BLOB NOT NULL, hash BLOB)",
    """CREATE TABLE fixtures (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record BLOB NOT NULL,
    sandbox TEXT NOT NULL,
    clock TEXT NOT NULL,
    decisions INTEGER NOT NULL,
    seconds REAL NOT NULL,
    stderr BLOB NOT NULL,
    stored_at REAL,
    hash BLOB
)""",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)
_NEW_COLUMNS = (
    "ALTER TABLE fixtures ADD COLUMN stored_at REAL",
    "ALTER TABLE fixtures ADD COLUMN hash BLOB",
    "ALTER TABLE league ADD COLUMN hash BLOB",
)
COLUMNS = ", ".join(Row._fields)
_COLUMNS_BEFORE_3 = COLUMNS.replace("stored_at", "NULL")


def upgraded(info: bytes, version: int) -> bytes:
    """Return the conditions of an older store as today's; before 2, each fixture had its dice."""
    if version >= 2:
        return info
    data = msgspec.json.decode(info)
    more = {"rounds": len(data["bots"]) - 1, "shared_dice": False}
    return msgspec.json.encode({**data, **more})


def columns(database: sqlite3.Connection) -> str:
    """Return what to select for a Row and its hash, in the version that the store is of.

    It is told by the table itself: the number of the version is one bit from another.
    """
    there = {row[0] for row in database.execute("SELECT name FROM pragma_table_info('fixtures')")}
    return f"{COLUMNS}, hash" if "hash" in there else f"{_COLUMNS_BEFORE_3}, NULL"


def migrate(database: sqlite3.Connection, version: int) -> None:
    """Bring an older store up to date, all at once or not at all."""
    database.execute("BEGIN IMMEDIATE")
    for statement in _NEW_COLUMNS:
        database.execute(statement)
    for (info,) in database.execute("SELECT info FROM league").fetchall():
        new = upgraded(info, version)
        database.execute("UPDATE league SET info = ?, hash = ?", (new, row_hash([new])))
    _hash_all(database)
    database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    database.execute("COMMIT")


def _hash_all(database: sqlite3.Connection) -> None:
    positions = database.execute("SELECT position FROM fixtures").fetchall()
    find = f"SELECT {COLUMNS} FROM fixtures WHERE position = ?"  # noqa: S608 - names of ours
    for (position,) in positions:
        row = database.execute(find, (position,)).fetchone()
        update = "UPDATE fixtures SET hash = ? WHERE position = ?"
        database.execute(update, (row_hash(row), position))
