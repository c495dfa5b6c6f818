"""The tables of a ladder's two databases, by version, and the steps between versions.

`door.sqlite` is written by whoever takes submissions and orders, `ladder.sqlite` by the ladder
alone: each file has one writer, and neither waits for the other.
"""

from arena.io.sqlite.file import SqliteFile
from arena.io.sqlite.versions import Migration, Schema

VERSION = 3
"""The `user_version` of both files. Whoever raises it adds a migration to both schemas."""
_AUTHORS = """CREATE TABLE authors (
    name TEXT PRIMARY KEY COLLATE NOCASE,
    role TEXT NOT NULL,
    since REAL NOT NULL
)"""
_UPLOADS = """CREATE TABLE uploads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    sha256 TEXT NOT NULL,
    ending TEXT NOT NULL,
    author TEXT NOT NULL,
    bot TEXT NOT NULL COLLATE NOCASE,
    number INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    received_at REAL NOT NULL,
    note TEXT NOT NULL,
    UNIQUE (bot, number),
    UNIQUE (bot, sha256)
)"""
_ORDERS = """CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    version TEXT NOT NULL,
    why TEXT NOT NULL,
    author TEXT NOT NULL,
    uploads INTEGER
)"""
SECRETS = """CREATE TABLE secrets (
    sha256 TEXT PRIMARY KEY,
    author TEXT NOT NULL COLLATE NOCASE,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    made REAL NOT NULL,
    expires REAL NOT NULL,
    used REAL,
    name TEXT NOT NULL
)"""
"""In the file of the door, if there is a web door."""
REQUESTS = """CREATE TABLE requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    name TEXT NOT NULL COLLATE NOCASE,
    mail TEXT NOT NULL,
    why TEXT NOT NULL
)"""
"""In the file of the door, once somebody asked for an invitation."""
_VERSIONS = """CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    bot TEXT NOT NULL COLLATE NOCASE,
    number INTEGER NOT NULL,
    author TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    ending TEXT NOT NULL,
    digest TEXT NOT NULL,
    received_at REAL NOT NULL,
    state TEXT NOT NULL,
    since REAL NOT NULL,
    why TEXT NOT NULL,
    note TEXT NOT NULL,
    held INTEGER NOT NULL,
    UNIQUE (bot, number)
)"""
_BOOK = (
    """CREATE TABLE checks (
    version INTEGER NOT NULL,
    try INTEGER NOT NULL,
    began REAL NOT NULL,
    lease_until REAL NOT NULL,
    ended REAL,
    result BLOB,
    PRIMARY KEY (version, try)
)""",
    """CREATE TABLE answers (
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    done INTEGER NOT NULL,
    text TEXT NOT NULL
)""",
    """CREATE TABLE events (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    author TEXT NOT NULL,
    version TEXT NOT NULL,
    text TEXT NOT NULL
)""",
    """CREATE TABLE seasons (
    number INTEGER PRIMARY KEY,
    opened_at REAL NOT NULL,
    terms BLOB NOT NULL,
    commitment TEXT NOT NULL,
    closed_at REAL,
    seed TEXT NOT NULL DEFAULT '',
    root TEXT NOT NULL DEFAULT ''
)""",
    "CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
)
_SINCE_2 = (
    """CREATE TABLE comparisons (
    version INTEGER PRIMARY KEY,
    predecessor TEXT NOT NULL,
    result BLOB NOT NULL
)""",
    """CREATE TABLE quotas (
    author TEXT PRIMARY KEY COLLATE NOCASE,
    uploads INTEGER NOT NULL
)""",
)
_NUMBERED = "CREATE TABLE sqlite_sequence(name,seq)"
"""SQLite makes it for AUTOINCREMENT."""
_NOTE, _NAME, _HELD = (
    f"    {column} NOT NULL,\n" for column in ("note TEXT", "name TEXT", "held INTEGER")
)
_ORDERS_1 = _ORDERS.replace(",\n    author TEXT NOT NULL,\n    uploads INTEGER", "")
_UPLOADS_2 = _UPLOADS.replace(_NOTE, "")
_SECRETS_2 = SECRETS.replace(",\n    name TEXT NOT NULL", "")
_VERSIONS_2 = _VERSIONS.replace(_NOTE, "").replace(_HELD, "")


def _widen(file: SqliteFile, table: str, statement: str, values: str) -> None:
    """Add columns to a table: it is made anew, with these values after those of each row."""
    file.execute(f"ALTER TABLE {table} RENAME TO {table}_before")
    file.execute(statement)
    file.execute(f"INSERT INTO {table} SELECT *, {values} FROM {table}_before")  # noqa: S608 - ours
    file.execute(f"DROP TABLE {table}_before")


def _widen_orders(door: SqliteFile) -> None:
    """Add the columns of an order for a quota."""
    _widen(door, "orders", _ORDERS, "'', NULL")


def _add_notes_and_names(door: SqliteFile) -> None:
    """Add notes of submissions and names of tokens; tokens may submit, as they did."""
    _widen(door, "uploads", _UPLOADS, "''")
    if door.value("SELECT count(*) FROM sqlite_master WHERE name = 'secrets'"):
        _widen(door, "secrets", SECRETS, "''")
        door.execute("UPDATE secrets SET scope = 'submit' WHERE kind = 'token'")


def _add_comparisons_and_quotas(ladder: SqliteFile) -> None:
    for table in _SINCE_2:
        ladder.execute(table)


def _add_notes_and_holds(ladder: SqliteFile) -> None:
    """Add notes of versions, and whether only an administrator lets them play again."""
    by_others = "why LIKE 'ordered by %' OR why LIKE 'it faulted in %'"
    _widen(ladder, "versions", _VERSIONS, f"'', state = 'resting' AND ({by_others})")


DOOR = Schema(
    VERSION,
    (_AUTHORS, _UPLOADS, _ORDERS),
    optional=(SECRETS, REQUESTS, _NUMBERED),
    migrations=[
        Migration(1, (_AUTHORS, _UPLOADS_2, _ORDERS_1, _NUMBERED), _widen_orders),
        Migration(2, (_AUTHORS, _UPLOADS_2, _ORDERS, _SECRETS_2, _NUMBERED), _add_notes_and_names),
    ],
)
LADDER = Schema(
    VERSION,
    (_VERSIONS, *_BOOK, *_SINCE_2),
    optional=(_NUMBERED,),
    migrations=[
        Migration(1, (_VERSIONS_2, *_BOOK, _NUMBERED), _add_comparisons_and_quotas),
        Migration(2, (_VERSIONS_2, *_BOOK, *_SINCE_2, _NUMBERED), _add_notes_and_holds),
    ],
)
