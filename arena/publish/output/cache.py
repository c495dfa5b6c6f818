"""What reports keep beside a store, so that the next one reads only the games that are new.

It may be deleted at any time. What is damaged, of another arena, or of a fixture that changed
counts as not there; where nothing can be written, nothing is kept.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

_TABLE = """CREATE TABLE IF NOT EXISTS kept (
    made_by TEXT NOT NULL,
    name TEXT NOT NULL,
    mark BLOB NOT NULL,
    data BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (made_by, name)
) WITHOUT ROWID"""
_MAKERS = 4
"""What so many makers made is kept: a site with names and one without may be written in turn."""


class Kept(NamedTuple):
    """Something that was made, of a fixture or of many."""

    name: str
    mark: bytes
    """What changes whenever that does which it was made of."""
    data: bytes


class Cache:
    """What one maker made: `made_by` is all that it depends on beside the games."""

    def __init__(self, path: Path, made_by: str) -> None:
        self._made_by = made_by
        self._db = _opened(path)

    def read(self) -> Iterator[Kept]:
        """Yield what is kept and whole."""
        query = "SELECT name, mark, data, hash FROM kept WHERE made_by = ?"
        with suppress(sqlite3.Error):
            for name, mark, data, digest in self._execute(query, self._made_by):
                kept = Kept(name, mark, data)
                if _hash(self._made_by, kept) == digest:
                    yield kept

    def write(self, kept: Iterable[Kept]) -> None:
        """Keep some more, all at once or not at all."""
        rows = [(self._made_by, *one, _hash(self._made_by, one)) for one in kept]
        if self._db is None or not rows:
            return
        with suppress(sqlite3.Error), self._db:
            self._db.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", rows)

    def close(self) -> None:
        """Forget makers of long ago, and close the file."""
        if self._db is not None:
            with suppress(sqlite3.Error), self._db:
                self._forget(self._db)
            self._db.close()

    def _forget(self, database: sqlite3.Connection) -> None:
        query = "SELECT DISTINCT made_by FROM kept WHERE made_by <> ?"
        found = database.execute(query, [self._made_by])
        for (maker,) in found.fetchall()[_MAKERS - 1 :]:
            database.execute("DELETE FROM kept WHERE made_by = ?", [maker])

    def _execute(self, query: str, *given: object) -> Iterable[tuple[str, bytes, bytes, bytes]]:
        return () if self._db is None else self._db.execute(query, given)


def cache_path(store: Path) -> Path:
    """Return the file beside a store."""
    return store.with_name(f"{store.name}.digests")


def _opened(path: Path) -> sqlite3.Connection | None:
    """Open the file, begun anew where it is damaged; None where that cannot be."""
    for _ in range(2):
        try:
            return _prepared(path)
        except sqlite3.OperationalError:
            return None
        except sqlite3.Error:
            with suppress(OSError):
                path.unlink()
    return None


def _prepared(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=5)
    try:
        database.execute("PRAGMA synchronous = OFF")
        database.execute(_TABLE)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _hash(made_by: str, kept: Kept) -> bytes:
    parts = (made_by.encode(), kept.name.encode(), kept.mark, kept.data)
    return sha256(b" ".join(parts)).digest()
