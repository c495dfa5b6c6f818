"""What a ladder knows: its versions, checks, seasons, answers to orders, and its log."""

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Self

from arena.io.errors import ArenaError, did_you_mean
from arena.ladder.book.database import Database
from arena.ladder.book.tables import (
    Check,
    Comparison,
    Event,
    Order,
    SeasonRow,
    State,
    Upload,
    Version,
)
from arena.ladder.folder import Folder


class Book:
    """The database of a ladder, which the ladder alone writes; a context manager."""

    def __init__(self, folder: Folder, *, writes: bool = False) -> None:
        self._folder = folder
        self._file = Database(folder.ladder, writes=writes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.__exit__()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write everything inside at once, or nothing of it."""
        with self._file.transaction():
            yield

    # ------------------------------------------------------------ versions

    def add(self, upload: Upload, state: State, why: str) -> None:
        """Enter a submission as a version."""
        now = time.time()
        values = (
            *(upload.id, upload.bot, upload.number, upload.author, upload.sha256, upload.ending),
            *("", upload.received_at, state, now, why),
        )
        insert = "INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        with self.together():
            self._file.execute(insert, *values)
            self.note(f"received: {why}", upload.author, upload.version, upload.received_at)

    def versions(self, states: Collection[State] = tuple(State)) -> list[Version]:
        """Return the versions in some states, the oldest first."""
        marks = ", ".join("?" * len(states))
        query = f"SELECT * FROM versions WHERE state IN ({marks}) ORDER BY id"  # noqa: S608 - `marks` are only question marks
        rows = self._file.rows(query, *states)
        return [Version._make(row)._replace(state=State(row[8])) for row in rows]

    def version(self, name: str) -> Version:
        """Return a version by `name@number`; raises ArenaError if it is not there."""
        found = {one.name.lower(): one for one in self.versions()}
        if version := found.get(name.lower()):
            return version
        near = did_you_mean(name, [one.name for one in found.values()]) if found else ""
        listed = f"arena ladder list {self._folder.root} names those that are there"
        hint = near if near.startswith("did") else listed
        raise ArenaError(f"there is no version '{name}'", str(self._folder.root), hint)

    def last_upload(self) -> int:
        """Return the id of the last submission that was entered."""
        [(last,)] = self._file.rows("SELECT coalesce(max(id), 0) FROM versions")
        return int(last)

    def set_state(self, version: Version, state: State, why: str) -> None:
        """Move a version to a state, and say so in the log."""
        update = "UPDATE versions SET state = ?, since = ?, why = ? WHERE id = ?"
        with self.together():
            self._file.execute(update, state, time.time(), why, version.id)
            self.note(f"{state}: {why}", version.author, version.name)

    def set_digest(self, version: Version, digest: str) -> None:
        """Note which file a version has."""
        self._file.execute("UPDATE versions SET digest = ? WHERE id = ?", digest, version.id)

    # ------------------------------------------------------------ checks

    def begin_check(self, version: Version, lease: float) -> Check:
        """Begin a check that may take so many seconds."""
        now = time.time()
        [(before,)] = self._file.rows(
            "SELECT coalesce(max(try), 0) FROM checks WHERE version = ?", version.id
        )
        check = Check(version.id, before + 1, now, now + lease, None, None)
        self._file.execute("INSERT INTO checks VALUES (?, ?, ?, ?, ?, ?)", *check)
        return check

    def end_check(self, check: Check, result: bytes | None) -> None:
        """End a check; without a result it did not come to its end."""
        update = "UPDATE checks SET ended = ?, result = ? WHERE version = ? AND try = ?"
        self._file.execute(update, time.time(), result, check.version, check.number)

    def checks(self, version: Version) -> list[Check]:
        """Return the checks of a version, the first first."""
        query = "SELECT * FROM checks WHERE version = ? ORDER BY try"
        return [Check(*row) for row in self._file.rows(query, version.id)]

    def forget_begun_checks(self) -> None:
        """Drop the checks that no ladder is at any more: their versions are checked again."""
        self._file.execute("DELETE FROM checks WHERE ended IS NULL")

    def last_check(self) -> Mapping[str, int]:
        """Return the number of the last check of each author: a later one has a higher number."""
        query = (
            "SELECT author, max(checks.rowid) FROM checks JOIN versions ON version = id "
            "GROUP BY author"
        )
        return dict(self._file.rows(query))

    # ------------------------------------------------------------ comparisons

    def compare(self, comparison: Comparison) -> None:
        """Keep how a version did beside the one before it."""
        self._file.execute("INSERT OR REPLACE INTO comparisons VALUES (?, ?, ?)", *comparison)

    def comparisons(self) -> Mapping[int, Comparison]:
        """Return how versions did beside the ones before them, by id."""
        rows = map(Comparison._make, self._file.rows("SELECT * FROM comparisons"))
        return {one.version: one for one in rows}

    # ------------------------------------------------------------ orders

    def set_quota(self, author: str, uploads: int) -> None:
        """Let an author make so many submissions in 24 hours, whatever ladder.yaml says."""
        self._file.execute("INSERT OR REPLACE INTO quotas VALUES (?, ?)", author, uploads)

    def answer(self, order: Order, text: str, *, done: bool) -> None:
        """Note what became of an order."""
        insert = "INSERT INTO answers VALUES (?, ?, ?, ?)"
        with self.together():
            self._file.execute(insert, order.id, time.time(), done, text)
            verdict = "done" if done else "refused"
            why = f" ({order.why})" if order.why else ""
            told = f"{order.what} by {order.who}{why}: {verdict}: {text}"
            self.note(told, order.author, order.version)

    def last_order(self) -> int:
        """Return the number of the last order that was answered."""
        [(last,)] = self._file.rows("SELECT coalesce(max(id), 0) FROM answers")
        return int(last)

    # ------------------------------------------------------------ the log

    def note(self, text: str, author: str = "", version: str = "", at: float | None = None) -> None:
        """Add a line to the log."""
        insert = "INSERT INTO events (at, author, version, text) VALUES (?, ?, ?, ?)"
        self._file.execute(insert, time.time() if at is None else at, author, version, text)

    def events(self, version: str = "", after: int = 0) -> list[Event]:
        """Return the log after a line's number; of one version, if it is named."""
        query = "SELECT * FROM events WHERE n > ? AND (? = '' OR version = ?) ORDER BY n"
        return [Event(*row) for row in self._file.rows(query, after, version, version)]

    def last_event(self) -> int:
        """Return the number of the last line of the log."""
        [(last,)] = self._file.rows("SELECT coalesce(max(n), 0) FROM events")
        return int(last)

    # ------------------------------------------------------------ seasons and facts

    def open_season(self, number: int, terms: bytes, commitment: str) -> None:
        """Note that a season began, under these terms."""
        insert = "INSERT INTO seasons (number, opened_at, terms, commitment) VALUES (?, ?, ?, ?)"
        with self.together():
            self._file.execute(insert, number, time.time(), terms, commitment)
            self.note(f"season {number} begins; SHA-256 of its master seed: {commitment}")

    def close_season(self, number: int, seed: str, root: str) -> None:
        """Note that a season is over, with what was kept secret."""
        update = "UPDATE seasons SET closed_at = ?, seed = ?, root = ? WHERE number = ?"
        with self.together():
            self._file.execute(update, time.time(), seed, root, number)
            self.note(f"season {number} is closed; its master seed: {seed}; its root: {root}")

    def seasons(self) -> list[SeasonRow]:
        """Return the seasons, the first first."""
        return [SeasonRow(*row) for row in self._file.rows("SELECT * FROM seasons ORDER BY number")]

    def set_fact(self, key: str, value: str) -> None:
        """Keep something that only its last value matters of."""
        self._file.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", key, value)

    def facts(self) -> Mapping[str, str]:
        """Return what was kept."""
        return dict(self._file.rows("SELECT key, value FROM facts"))
