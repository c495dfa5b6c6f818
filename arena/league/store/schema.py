"""The tables of both files of a store."""

SCHEMA_VERSION = 2
"""The `user_version` of both files."""
LOGS_APPLICATION = 0x50_45_52_4C
"""SQLite's application id, which marks a file as a store's logs; its letters are PERL."""
PAIR = "CREATE TABLE pair (token BLOB NOT NULL, open INTEGER NOT NULL DEFAULT 0)"
ROWS = (
    """CREATE TABLE league (
    info BLOB NOT NULL,
    machine BLOB NOT NULL,
    hash BLOB NOT NULL,
    last BLOB NOT NULL
)""",
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
