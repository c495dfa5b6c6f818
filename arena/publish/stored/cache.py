"""A cache beside a store: with it the next report reads only new games.

It may be deleted at any time. Entries that are damaged, of another arena, or of a changed fixture
count as missing, and so does a file with anything else in it. If the file cannot be written, a
temporary one takes its place.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from arena.io.errors import ArenaError
from arena.io.sqlite_file import NAMELESS, SqliteFile, connect, refuse_foreign_files

_TABLE = """CREATE TABLE entries (
    made_by TEXT NOT NULL,
    name TEXT NOT NULL,
    key BLOB NOT NULL,
    data BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (made_by, name)
) WITHOUT ROWID"""
_MAKERS = 4
"""Makers whose entries are kept: a site with names and one without may be written in turn."""


class CacheEntry(NamedTuple):
    """A cached result, of one fixture or of many."""

    name: str
    key: bytes
    """A digest of the inputs."""
    data: bytes


class Cache:
    """The entries of one maker: `made_by` is a digest of all inputs but the games.

    The arena's own code is one of them (`made_by.py`).
    """

    def __init__(self, path: Path, made_by: str) -> None:
        self._path = path
        self._made_by = made_by
        self._file = _opened(path)

    def reopened(self) -> "Cache":
        """Return the same entries by a connection of its own, for a copy of the process."""
        return Cache(self._path, self._made_by)

    def read(self, name: str, key: bytes) -> bytes | None:
        """Return the data of an entry; None if there is none with this key, or not whole."""
        query = "SELECT key, data, hash FROM entries WHERE made_by = ? AND name = ?"
        with suppress(sqlite3.Error):
            for stored_key, data, digest in self._file.rows(query, self._made_by, name):
                if (
                    stored_key == key
                    and _hash(self._made_by, CacheEntry(name, key, data)) == digest
                ):
                    return bytes(data)
        return None

    def write(self, entries: Iterable[CacheEntry]) -> None:
        """Keep some more, all at once or not at all."""
        rows = [(self._made_by, *entry, _hash(self._made_by, entry)) for entry in entries]
        insert = "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?)"
        with suppress(sqlite3.Error), self._file.transaction():
            self._file.connection.executemany(insert, rows)

    def close(self) -> None:
        """Forget all but a few other makers, and close the file."""
        with suppress(sqlite3.Error), self._file.transaction():
            others = [maker for maker in self._makers() if maker != self._made_by]
            for maker in others[_MAKERS - 1 :]:
                self._file.execute("DELETE FROM entries WHERE made_by = ?", maker)
        self._file.close()

    def _makers(self) -> Iterator[str]:
        """Yield all makers; SELECT DISTINCT would read every entry."""
        query, maker = "SELECT min(made_by) FROM entries WHERE made_by > ?", ""
        while next_maker := self._file.value(query, maker):
            yield (maker := next_maker)


def cache_path(store: Path) -> Path:
    """Return the file beside a store."""
    return store.with_name(f"{store.name}.summaries")


class _CacheFile(SqliteFile):
    """A file that holds entries and nothing else; SQLite's errors stay as they are."""

    def __init__(self, path: Path) -> None:
        refuse_foreign_files(path)
        super().__init__(path, lambda: connect(path, "mode=rwc", timeout=5))

    def prepare(self) -> None:
        self.execute("PRAGMA synchronous = OFF")
        self.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
        self.check_tables((_TABLE,))


def _opened(path: Path) -> _CacheFile:
    """Open the file, begun anew if it is damaged; one without a name if that is impossible."""
    for _ in range(2):
        try:
            return _CacheFile(path)
        except (sqlite3.OperationalError, ArenaError):
            break
        except sqlite3.Error:
            with suppress(OSError):
                path.unlink()
    return _CacheFile(NAMELESS)


def _hash(made_by: str, entry: CacheEntry) -> bytes:
    digest = sha256(b" ".join((made_by.encode(), entry.name.encode(), entry.key, b"")))
    digest.update(entry.data)
    return digest.digest()
