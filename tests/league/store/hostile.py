"""Stores that somebody made to harm whoever reads them: each function changes a sound one."""

import json
import sqlite3
import struct
import zlib
from contextlib import closing, suppress
from pathlib import Path

from arena.league.store.files import logs_path
from arena.league.store.rows import link_hash, row_hash
from arena.league.store.schema import LOGS, ROWS

PAGE = 4096
_FULL = (PAGE - 12) // 7
"""Cells that an inner page of a table holds, of 7 bytes each."""
_DEPTH = 5
TABLES = {
    sql.split()[2]: sql
    for sql in (*ROWS, *LOGS)  # both have `pair`
}
RECURSING = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"


def file_of(store: Path, table: str) -> Path:
    """Return the file that has a table; that of the rows if both have it."""
    return store if f"CREATE TABLE {table} " in " ".join(ROWS) else logs_path(store)


def script(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(sql)


def statements(table: str) -> dict[str, str]:
    """Return, by what it makes, SQL that puts something foreign into a file."""
    held = names(TABLES[table])
    kept, last = ", ".join(held), held[-1]
    endless = ", ".join(f"x AS {name}" for name in held)
    copy = f"ALTER TABLE {table} RENAME TO kept; CREATE TABLE {table} "
    fill = f"INSERT INTO {table} ({kept}) SELECT * FROM kept; DROP TABLE kept"
    wide = f"{kept}, more AS (hex(zeroblob(100000000)))"
    return {
        "recursing view": f"ALTER TABLE {table} RENAME TO kept;"
        f"CREATE VIEW {table} AS {RECURSING} SELECT {endless} FROM n",
        "trigger on DELETE": f"CREATE TRIGGER foreign_trigger AFTER DELETE ON {table}"
        f" BEGIN UPDATE {table} SET {last} = randomblob(9); END",
        "trigger on INSERT": f"CREATE TRIGGER foreign_trigger BEFORE INSERT ON {table}"
        f" BEGIN SELECT (SELECT count(*) FROM ({RECURSING} SELECT x FROM n)); END",
        "trigger on UPDATE": f"CREATE TRIGGER foreign_trigger AFTER UPDATE ON {table}"
        f" BEGIN DELETE FROM {table}; END",
        "generated column": f"{copy} ({wide}); {fill}",
        "check": f"{copy} ({kept}, CHECK (length(hex(zeroblob(9))) > 0)); {fill}",
        "computed default": f"{copy} ({kept}, more DEFAULT (random())); {fill}",
        "index": f"CREATE INDEX foreign_index ON {table} (hex({last}))",
        "virtual table": "PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES"
        " ('table', 'foreign_table', 'foreign_table', 0,"
        " 'CREATE VIRTUAL TABLE foreign_table USING fts5(x)')",
        "table": "CREATE TABLE foreign_table (body TEXT)",
        "view of a pragma": "CREATE VIEW pragma_page_count AS"
        f" {RECURSING} SELECT x AS page_count FROM n",
    }


def fill(path: Path, table: str, column: str, value: object) -> None:
    """Put a value into a column of all rows: neither types nor NOT NULL are looked at.

    Keys stay what they are: they cannot hold the same value twice, nor one of another type.
    """
    named = "UPDATE sqlite_master SET sql = ? WHERE name = ?"
    first, *others = names(TABLES[table])
    key = " INTEGER PRIMARY KEY" if f"{first} INTEGER PRIMARY KEY" in TABLES[table] else ""
    unique = {"fixtures": ", UNIQUE (id)", "quarantine": ", PRIMARY KEY (id)"}.get(table, "")
    loose = f"CREATE TABLE {table} ({', '.join([first + key, *others])}{unique})"
    for sql in (loose, TABLES[table]):
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("PRAGMA writable_schema = ON")
            database.execute(named, (sql, table))
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            if sql == loose:
                with suppress(sqlite3.Error):
                    database.execute(f"UPDATE {table} SET {column} = ?", (value,))


def unpacking(size: int) -> bytes:
    """Return what zlib unpacks to so many MiB of spaces, without an end."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    mebibyte = packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x78\x9c" + mebibyte * size


def endless(path: Path, table: str) -> None:
    """Let inner pages of a table lead to its first page again and again: a scan has no end."""
    with closing(sqlite3.connect(path)) as database:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        [(root,)] = database.execute(query, (table,))
    data = bytearray(path.read_bytes())
    at = (root - 1) * PAGE
    below = data[at : at + PAGE]
    for _ in range(_DEPTH):
        data += below
        below = _inner(len(data) // PAGE)
    data[at : at + PAGE] = below
    data[28:32] = struct.pack(">I", len(data) // PAGE)
    path.write_bytes(data)


def _inner(child: int) -> bytearray:
    """Return an inner page of which all cells lead to one page."""
    page = bytearray(PAGE)
    page[:12] = struct.pack(">BHHHBI", 5, 0, _FULL, PAGE - 5 * _FULL, 0, child)
    for cell in range(_FULL):
        start = PAGE - 5 * (cell + 1)
        page[12 + 2 * cell : 14 + 2 * cell] = struct.pack(">H", start)
        page[start : start + 5] = struct.pack(">IB", child, 1)
    return page


def journal_naming(path: Path, victim: Path) -> None:
    """Put a journal beside a file that has SQLite delete another one when it is read."""
    data, name = path.read_bytes(), str(victim).encode()
    first = data[:PAGE]
    check = sum(first[place] for place in range(PAGE - 200, 0, -200))
    magic = bytes.fromhex("d9d505f920a163d7")
    head = magic + struct.pack(">5I", 1, 0, len(data) // PAGE, 512, PAGE)
    page = struct.pack(">I", 1) + first + struct.pack(">I", check)
    end = struct.pack(">I", (1 << 30) // PAGE + 1) + name
    end += struct.pack(">II", len(name), sum(name)) + magic
    Path(f"{path}-journal").write_bytes(head.ljust(512, b"\0") + page + end)


def padded(log: bytes, size: int) -> bytes:
    """Return a log that unpacks to the same record, after so many MiB of spaces."""
    return zlib.compress(b" " * (size << 20) + zlib.decompress(log))


def names(sql: str) -> list[str]:
    """Return the columns of a table by the statement that creates it."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(sql)
        return [name for _, name, *_ in database.execute(f"PRAGMA table_info({sql.split()[2]})")]


def overlapping(path: Path, table: str, column: str, size: int) -> None:
    """Let the first rows of a table share the pages that hold the end of one of so many bytes."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(f"DELETE FROM {table} WHERE rowid >= 4")
        database.execute(f"UPDATE {table} SET {column} = randomblob({size})")
        database.execute("VACUUM")
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        [(root,)] = database.execute(query, (table,))
    data = bytearray(path.read_bytes())
    at = (root - 1) * PAGE
    assert data[at] == 13  # one page has all rows
    (count,) = struct.unpack_from(">H", data, at + 3)
    cells = struct.unpack_from(f">{count}H", data, at + 8)
    ends = [_end(data, at + cell) for cell in cells]
    shared = min(struct.unpack_from(">I", data, end)[0] for end in ends)
    for end in ends:
        struct.pack_into(">I", data, end, shared)
    pages = shared + -(-size // (PAGE - 4))
    struct.pack_into(">I", data, 28, pages)
    path.write_bytes(data[: pages * PAGE])


def _end(data: bytearray, at: int) -> int:
    """Return where a cell of a row names the page on which it goes on."""
    length, at = _number(data, at)
    _, at = _number(data, at)
    least = (PAGE - 12) * 32 // 255 - 23
    kept = least + (length - least) % (PAGE - 4)
    return at + (kept if kept <= PAGE - 35 else least)


def _number(data: bytearray, at: int) -> tuple[int, int]:
    """Return a number of SQLite's, up to 8 bytes long, and where it ends."""
    value = 0
    while data[at] >= 128:
        value, at = value << 7 | data[at] & 127, at + 1
    return value << 7 | data[at], at + 1


def condition(store: Path, terms: dict[str, object]) -> None:
    """Set conditions at the start, and changes, with the right hashes."""
    with closing(sqlite3.connect(store)) as database, database:
        [(info, machine)] = database.execute("SELECT info, machine FROM league").fetchall()
        changed = json.dumps({**json.loads(info), **terms}).encode()
        link = row_hash([changed, machine])
        database.execute("UPDATE league SET info = ?, hash = ?", (changed, link))
        for change in map(json.dumps, terms.get("changes", [])):  # type: ignore[call-overload]
            link = link_hash(link, change.encode())
            row = (change.encode(), link)
            database.execute("INSERT INTO changes (change, hash) VALUES (?, ?)", row)
        database.execute("UPDATE league SET last = ?", (link,))
