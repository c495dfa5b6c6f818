"""One SQLite file of a store: opened, written, and what goes wrong with it said in words."""

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from arena.errors import ArenaError


class DamageError(Exception):
    """What is stored does not go together; the message says what."""


_DAMAGE = (
    *(DamageError, sqlite3.Error, zlib.error, msgspec.MsgspecError),
    *(UnicodeError, TypeError, LookupError, OverflowError),
)
"""What reading a damaged file may raise; any column may hold any type."""
_STATE = "SELECT (SELECT user_version FROM pragma_user_version), count(*) FROM sqlite_master"

FREE = "free some space and run again: what was stored is safe"
WRITABLE = "make the folder writable, or choose another with --store"


class File:
    """A SQLite file that may be damaged, read-only, full, or taken away while it is open.

    All that is raised is an ArenaError that names the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self.translate_errors():
            self.db = sqlite3.connect(path, timeout=30, isolation_level=None)
        try:
            with self.translate_errors():
                self.db.text_factory = _text
                self.db.execute("PRAGMA synchronous = FULL")
                self._place = _place(path)
        except ArenaError:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; SQLite's log beside it goes with the last who has it open."""
        self.db.close()

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Say of whatever fails inside that this file does."""
        try:
            yield
        except _DAMAGE as error:
            raise ArenaError(f"the store fails: {error}", str(self.path), _hint(error)) from None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do what is inside all at once, durably, or not at all."""
        with self.translate_errors():
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.db.execute("COMMIT")
            except BaseException:
                # A disk that is full may have ended the transaction already.
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise

    def make_writable(self) -> None:
        """Make ready to write while others read; raises ArenaError where nothing can be written."""
        with self.translate_errors():
            self.db.execute("PRAGMA journal_mode = WAL")
        with self.transaction():
            self.db.execute("PRAGMA user_version")

    def rows(self, sql: str, *values: object) -> Iterator[Any]:
        """Yield what a query finds, as it was when the first row was asked for."""
        with self.translate_errors():
            # No `yield from`: it would close the cursor of whoever stops early, after the file.
            for row in self.db.execute(sql, values):  # noqa: UP028
                yield row

    def state(self) -> tuple[int, int]:
        """Return the version that the file says it has, and how many tables and indices."""
        [(version, tables)] = self.rows(_STATE)
        return version, tables

    def tables(self) -> set[str]:
        """Return the names of the tables."""
        return {name for (name,) in self.rows("SELECT name FROM sqlite_master")}

    def check_there(self) -> None:
        """Raise an ArenaError where the file was deleted, moved or replaced since it was opened.

        SQLite goes on writing into what no name leads to any more, without a word: what that holds
        is put back first, and this file is closed.
        """
        if _place(self.path) == self._place:
            return
        taken = os.path.lexists(self.path)
        kept = self.path.with_name(f"{self.path.name}.rescued") if taken else self.path
        self._rescue(kept)
        happened = "replaced" if taken else "moved or deleted"
        what = f"the file was {happened} while an arena was playing into it"
        hint = f"what was stored there is in {kept.name} again; run again"
        raise ArenaError(what, str(self.path), hint)

    def _rescue(self, kept: Path) -> None:
        """Copy what is open to a file in which nothing is yet."""
        part = kept.with_name(f".{kept.name}.{os.getpid()}.part")
        try:
            with self.translate_errors():
                self.db.execute("VACUUM INTO ?", (str(part),))
                # This takes away the log beside the file, which is not the log of the copy.
                self.db.close()
            os.link(part, kept)
        except OSError as error:
            what = f"the file was taken away and cannot be put back: {error.strerror}"
            raise ArenaError(what, str(kept), "move what is there away, and run again") from None
        finally:
            part.unlink(missing_ok=True)


def _place(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _text(data: bytes) -> str:
    """Return a stored text, also where damage made it none in UTF-8."""
    return data.decode("utf-8", "surrogateescape")


def _hint(error: Exception) -> str:
    text = str(error)
    if "full" in text:
        return FREE
    if "disk I/O" in text:
        # A quota, a limit on a file's size, or worse: SQLite does not say which.
        return "free some space, look for a quota, and run again: what was stored is safe"
    if "readonly" in text or "unable to open" in text:
        return WRITABLE
    if "locked" in text:
        return "another arena is writing to it: wait, or choose another with --store"
    return "the file is damaged or not a store: choose another with --store"
