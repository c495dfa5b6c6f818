"""A cache beside a store: with it the next report reads only new games.

It may be deleted at any time. Entries that are damaged, of another arena, or of a changed fixture
count as missing. If the file cannot be written, a temporary one takes its place.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

_TABLE = """CREATE TABLE IF NOT EXISTS entries (
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
        self._made_by = made_by
        self._db = _opened(path)

    def read(self, name: str, key: bytes) -> bytes | None:
        """Return the data of an entry; None if there is none with this key, or not whole."""
        query = "SELECT key, data, hash FROM entries WHERE made_by = ? AND name = ?"
        with suppress(sqlite3.Error):
            for stored_key, data, digest in self._db.execute(query, [self._made_by, name]):
                if (
                    stored_key == key
                    and _hash(self._made_by, CacheEntry(name, key, data)) == digest
                ):
                    return bytes(data)
        return None

    def write(self, entries: Iterable[CacheEntry]) -> None:
        """Keep some more, all at once or not at all."""
        rows = [(self._made_by, *entry, _hash(self._made_by, entry)) for entry in entries]
        with suppress(sqlite3.Error), self._db:
            self._db.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?)", rows)

    def close(self) -> None:
        """Forget all but a few other makers, and close the file."""
        with suppress(sqlite3.Error), self._db:
            others = [maker for maker in self._makers() if maker != self._made_by]
            forgotten = [(maker,) for maker in others[_MAKERS - 1 :]]
            self._db.executemany("DELETE FROM entries WHERE made_by = ?", forgotten)
        self._db.close()

    def _makers(self) -> Iterator[str]:
        """Yield all makers; SELECT DISTINCT would read every entry."""
        query, maker = "SELECT min(made_by) FROM entries WHERE made_by > ?", ""
        while next_maker := self._db.execute(query, [maker]).fetchone()[0]:
            yield (maker := next_maker)


def cache_path(store: Path) -> Path:
    """Return the file beside a store."""
    return store.with_name(f"{store.name}.summaries")


def _opened(path: Path) -> sqlite3.Connection:
    """Open the file, begun anew if it is damaged; one without a name if that is impossible."""
    for _ in range(2):
        try:
            return _prepared(path)
        except sqlite3.OperationalError:
            break
        except sqlite3.Error:
            with suppress(OSError):
                path.unlink()
    return _prepared("")


def _prepared(path: Path | str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=5)
    try:
        database.execute("PRAGMA synchronous = OFF")
        database.execute(_TABLE)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _hash(made_by: str, entry: CacheEntry) -> bytes:
    digest = sha256(b" ".join((made_by.encode(), entry.name.encode(), entry.key, b"")))
    digest.update(entry.data)
    return digest.digest()
