"""The table of fixtures that were set aside; a store has it from the first of them on."""

import sqlite3

import msgspec

from arena.records import QuarantinedFixture

_TABLE = "CREATE TABLE IF NOT EXISTS set_aside (id TEXT PRIMARY KEY, record BLOB NOT NULL)"
_HAS = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'set_aside'"
_LEFT = "SELECT record FROM set_aside WHERE id NOT IN (SELECT id FROM fixtures)"
_record = msgspec.json.Decoder(QuarantinedFixture)


def put(database: sqlite3.Connection, one: QuarantinedFixture) -> None:
    """Write down a fixture that was set aside, in the place of an earlier time."""
    database.execute("BEGIN IMMEDIATE")
    database.execute(_TABLE)
    row = (one.fixture.id, msgspec.json.encode(one))
    database.execute("INSERT OR REPLACE INTO set_aside VALUES (?, ?)", row)
    database.execute("COMMIT")


def left(database: sqlite3.Connection) -> list[QuarantinedFixture]:
    """Return the fixtures that were set aside and not played since, in schedule order."""
    if database.execute(_HAS).fetchone() == (0,):
        return []
    found = [_record.decode(record) for (record,) in database.execute(_LEFT)]
    return sorted(found, key=lambda one: one.fixture.index)
