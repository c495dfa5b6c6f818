"""Digests kept beside a store, so that a report reads only the games that are new.

It may be deleted at any time. What is damaged, of another arena, or of a fixture that changed
counts as not there; where nothing can be written, nothing is kept.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

_TABLE = """CREATE TABLE IF NOT EXISTS digests (
    made_by TEXT NOT NULL,
    position INTEGER NOT NULL,
    mark BLOB NOT NULL,
    data BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (made_by, position)
) WITHOUT ROWID"""
_MAKERS = 4
"""So many makers' digests are kept: a site with names and one without may be written in turn."""


class Kept(NamedTuple):
    """What is kept of a fixture."""

    position: int
    mark: bytes
    """What changes whenever the fixture does."""
    data: bytes


class Cache:
    """The digests that one maker made: `made_by` is all that they depend on beside the games."""

    def __init__(self, path: Path, made_by: str) -> None:
        self._made_by = made_by
        self._db = _opened(path)

    def read(self) -> Iterator[Kept]:
        """Yield what is kept and whole."""
        query = "SELECT position, mark, data, hash FROM digests WHERE made_by = ?"
        with suppress(sqlite3.Error):
            for position, mark, data, digest in self._execute(query, self._made_by):
                kept = Kept(position, mark, data)
                if _hash(self._made_by, kept) == digest:
                    yield kept

    def write(self, kept: Iterable[Kept]) -> None:
        """Keep some more, all at once or not at all."""
        rows = [(self._made_by, *one, _hash(self._made_by, one)) for one in kept]
        if self._db is None or not rows:
            return
        with suppress(sqlite3.Error), self._db:
            self._db.executemany("INSERT OR REPLACE INTO digests VALUES (?, ?, ?, ?, ?)", rows)

    def close(self) -> None:
        """Forget makers of long ago, and close the file."""
        if self._db is not None:
            with suppress(sqlite3.Error), self._db:
                self._forget(self._db)
            self._db.close()

    def _forget(self, database: sqlite3.Connection) -> None:
        query = "SELECT DISTINCT made_by FROM digests WHERE made_by <> ?"
        found = database.execute(query, [self._made_by])
        for (maker,) in found.fetchall()[_MAKERS - 1 :]:
            database.execute("DELETE FROM digests WHERE made_by = ?", [maker])

    def _execute(self, query: str, *given: object) -> Iterable[tuple[int, bytes, bytes, bytes]]:
        return () if self._db is None else self._db.execute(query, given)


def cache_path(store: Path) -> Path:
    """Return where the digests of a store are kept."""
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
    parts = (made_by.encode(), str(kept.position).encode(), kept.mark, kept.data)
    return sha256(b" ".join(parts)).digest()
