"""The tables of a ladder's two databases.

`door.sqlite` is written by whoever takes submissions and orders, `ladder.sqlite` by the ladder
alone: each file has one writer, and neither waits for the other.
"""

from arena.io.sqlite_file import Schema

VERSION = 1
"""The `user_version` of both files."""
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
_SECRETS = """CREATE TABLE secrets (
    sha256 TEXT PRIMARY KEY,
    author TEXT NOT NULL COLLATE NOCASE,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    made REAL NOT NULL,
    expires REAL NOT NULL,
    used REAL,
    name TEXT NOT NULL
)"""
_DEEDS = """CREATE TABLE deeds (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    who TEXT NOT NULL,
    author TEXT NOT NULL,
    what TEXT NOT NULL
)"""
_REQUESTS = """CREATE TABLE requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    name TEXT NOT NULL COLLATE NOCASE,
    mail TEXT NOT NULL,
    why TEXT NOT NULL
)"""
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
    text TEXT NOT NULL,
    who TEXT NOT NULL,
    deed INTEGER,
    salt TEXT NOT NULL,
    digest TEXT NOT NULL,
    hash TEXT NOT NULL
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

DOOR = Schema(
    VERSION, (_AUTHORS, _UPLOADS, _ORDERS, _SECRETS, _DEEDS, _REQUESTS), optional=(_NUMBERED,)
)
LADDER = Schema(VERSION, (_VERSIONS, *_BOOK), optional=(_NUMBERED,))
