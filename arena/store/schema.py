"""The tables of the file of rows."""

import secrets

import msgspec

from arena.store.file import File
from arena.store.rows import FixtureRow, PackedGame

SCHEMA_VERSION = 4
"""2: a league knows its rounds, and blocks may share dice. 3: each row has its hash and its time.
4: a row a game, and the logs in a file of their own.
"""
WITH_HASHES = 3
"""The first version in which rows have hashes."""
FIXTURES = ", ".join((*FixtureRow._fields, "hash"))
GAMES = ", ".join(PackedGame._fields)
TABLES = (
    """CREATE TABLE fixtures (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    fixture BLOB NOT NULL,
    sandbox TEXT NOT NULL,
    clock TEXT NOT NULL,
    decisions INTEGER NOT NULL,
    seconds REAL NOT NULL,
    stored_at REAL,
    pin BLOB NOT NULL,
    hash BLOB NOT NULL
)""",
    """CREATE TABLE games (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    seats BLOB NOT NULL,
    rounds INTEGER NOT NULL,
    bids INTEGER NOT NULL,
    events INTEGER NOT NULL
)""",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)
_LEAGUE = "CREATE TABLE league (info BLOB NOT NULL, hash BLOB)"


def create(file: File) -> None:
    """Make a new store in an empty file."""
    file.make_writable()
    with file.transaction():
        for statement in (_LEAGUE, *TABLES):
            file.db.execute(statement)
        make_token(file)


def make_token(file: File) -> None:
    """Draw what this file and that of its logs know each other by, once."""
    file.db.execute("CREATE TABLE IF NOT EXISTS pair (token BLOB NOT NULL)")
    insert = "INSERT INTO pair SELECT ? WHERE NOT EXISTS (SELECT * FROM pair)"
    file.db.execute(insert, (secrets.token_bytes(16),))


def token(file: File) -> bytes:
    """Return what the logs are known by."""
    return next((row[0] for row in file.rows("SELECT token FROM pair")), b"")


def upgraded(info: bytes, version: int) -> bytes:
    """Return the conditions of an older store as today's; before 2, each fixture had its dice."""
    if version >= 2:
        return info
    data = msgspec.json.decode(info)
    more = {"rounds": len(data["bots"]) - 1, "shared_dice": False}
    return msgspec.json.encode({**data, **more})
