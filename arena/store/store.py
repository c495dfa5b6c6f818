"""A league's games on disk: one SQLite file, one transaction a fixture."""

import fcntl
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from arena.errors import ArenaError
from arena.records import LeagueInfo, PlayedFixture
from arena.store.rows import Row, pack, pin, root, row_hash, unpack
from arena.store.schema import SCHEMA, SCHEMA_VERSION, WITH_HASHES, columns, migrate, upgraded
from arena.store.wal import unreadable

_STATE = "SELECT (SELECT user_version FROM pragma_user_version), count(*) FROM sqlite_master"
_PATIENCE = 100
"""How often a claim is tried again while others only ask whether there is one."""

_DAMAGE = (sqlite3.Error, zlib.error, msgspec.MsgspecError, UnicodeError, TypeError)
"""What reading a damaged file may raise; any column may hold any type."""

_encode = msgspec.json.Encoder().encode
_leagues = msgspec.json.Decoder(LeagueInfo)


class Store:
    """The games of one league; a context manager. One process plays, any number may read.

    Everything that goes wrong with the file (not writable, full, damaged, from a newer version) is
    raised as an ArenaError that names it.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if not create and not path.is_file():
            raise ArenaError("nothing was played yet", str(path), "start with: arena run")
        # Closed in turn, the claim last: closing any descriptor drops SQLite's locks on the file.
        self._open = ExitStack()
        try:
            if create:
                self._claim()
            with self._in_words():
                self._db = sqlite3.connect(path, timeout=30, isolation_level=None)
                self._db.text_factory = _text
                self._open.callback(self._db.close)
                self._prepare(create=create)
        except ArenaError:
            self._open.close()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @property
    def league(self) -> LeagueInfo | None:
        """The conditions of the stored games; None in a new store."""
        with self._in_words():
            row = self._db.execute("SELECT info, user_version FROM league, pragma_user_version")
            found = row.fetchone()
            return _leagues.decode(upgraded(*found)) if found else None

    def begin(self, info: LeagueInfo) -> None:
        """Write down the conditions, before the first game."""
        with self._in_words():
            new = _encode(info)
            insert = "INSERT INTO league (info, hash) VALUES (?, ?)"
            self._db.execute(insert, (new, row_hash([new])))

    def change(self, info: LeagueInfo) -> None:
        """Write down new conditions in the place of those before, which they hold as stages."""
        with self._in_words():
            new = _encode(info)
            self._db.execute("UPDATE league SET info = ?, hash = ?", (new, row_hash([new])))

    def finished(self) -> set[str]:
        """Return the ids of the stored fixtures."""
        with self._in_words():
            return {row[0] for row in self._db.execute("SELECT id FROM fixtures")}

    def add(self, played: PlayedFixture) -> None:
        """Store a fixture, durably and at most once."""
        row = pack(played, time.time())
        with self._in_words():
            self._db.execute(
                "INSERT OR IGNORE INTO fixtures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, row_hash(row)),
            )

    def records(self) -> Iterator[tuple[str, bytes]]:
        """Yield the id and the record of each fixture as bytes, in schedule order."""
        with self._in_words():
            for id_, record in self._db.execute(
                "SELECT id, record FROM fixtures ORDER BY position"
            ):
                yield id_, zlib.decompress(record)

    def played(self) -> Iterator[PlayedFixture]:
        """Yield the stored fixtures in schedule order."""
        for row, _ in self.rows():
            yield self.unpack(row)

    def unpack(self, row: Row) -> PlayedFixture:
        """Return the fixture of a row; raises ArenaError where it is damaged."""
        with self._in_words():
            return unpack(row)

    def positions(self) -> list[int]:
        """Return the positions in the schedule that are stored, ascending."""
        with self._in_words():
            found = self._db.execute("SELECT position FROM fixtures ORDER BY position")
            return [position for (position,) in found]

    def rows(
        self, first: int | None = None, last: int | None = None
    ) -> Iterator[tuple[Row, bytes | None]]:
        """Yield rows as they are stored, each with its hash, from one position to another.

        Without positions these are all, in schedule order. Hashes are None in stores of a version
        before 3.
        """
        where = "" if first is None else "WHERE position BETWEEN ? AND ?"
        # Both parts are names of ours; what others give comes as parameters.
        query = f"SELECT {self._columns} FROM fixtures {where} ORDER BY position"  # noqa: S608
        with self._in_words():
            for row in self._db.execute(query, () if first is None else (first, last)):
                yield Row(*row[:-1]), row[-1]

    def damage(self, *, playing: bool = False) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the files as such and with the conditions: where, and what.

        What is wrong with a fixture is told by its hash. `playing` says that somebody may be
        writing, so that the end of the log beside the store is not looked at.
        """
        if not playing and (at := unreadable(self.path)):
            what = f"cannot be read from byte {at} on: what was stored last may be lost"
            yield "store", f"{self.path}-wal: {what}"
        with self._in_words():
            for (said,) in self._db.execute("PRAGMA integrity_check"):
                if said != "ok":
                    yield "store", f"{self.path}: {said}"
            if self.hashed:
                found = self._db.execute("SELECT info, hash FROM league").fetchall()
                if any(digest != row_hash([info]) for info, digest in found):
                    yield "league", "the stored conditions are not what was written there"
            if self.hashed != (self._version >= WITH_HASHES):
                yield "store", f"{self.path}: its version is not {self._version}, as it says"

    def root(self) -> str:
        """Return one hash over the conditions and all that is stored, but for times and stderr.

        The same league, played again by deterministic bots, has the same. Raises ArenaError where
        nothing was played yet.
        """
        info = self.league
        if info is None:
            raise ArenaError("nothing was played yet", str(self.path), "start with: arena run")
        with self._in_words():
            return root(info, (pin(row) for row, _ in self.rows()))

    def _claim(self) -> None:
        """Claim the store for one player: two would play every fixture, on a secret seed each.

        Where the file cannot be opened, nothing is claimed: SQLite then says why.
        """
        try:
            claim = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError:
            return
        self._open.callback(os.close, claim)
        if not _claimed(claim):
            hint = "wait for it, or choose another with --store"
            what = "another arena is playing into this store"
            raise ArenaError(what, str(self.path), hint)

    def _prepare(self, *, create: bool) -> None:
        version, tables = self._db.execute(_STATE).fetchone()
        if version > SCHEMA_VERSION:
            raise ArenaError(
                f"the store is of version {version}, this arena reads up to {SCHEMA_VERSION}",
                str(self.path),
                "use a newer arena, or --store with a new file",
            )
        if version == 0 and tables:
            raise sqlite3.DatabaseError("its tables are another program's")
        if version == 0 and not create:
            raise ArenaError("nothing was played yet", str(self.path), "start with: arena run")
        if version == 0:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("BEGIN IMMEDIATE")
            for statement in SCHEMA:
                self._db.execute(statement)
            self._db.execute("COMMIT")
        elif create and version < SCHEMA_VERSION:
            migrate(self._db, version)
        self._version = self._db.execute(_STATE).fetchone()[0]
        self._columns = columns(self._db)
        self.hashed = self._columns.endswith("hash")

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE as error:
            raise ArenaError(f"the store fails: {error}", str(self.path), _hint(error)) from None


def is_played(path: Path) -> bool:
    """Tell whether an arena is playing into a store now.

    Ask before this process opens the store: closing any descriptor drops SQLite's locks on it.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _locked(file, fcntl.LOCK_SH)
    finally:
        os.close(file)


def _claimed(file: int) -> bool:
    """Claim a file for one player; those who ask whether it is claimed share it for a moment."""
    for _ in range(_PATIENCE):
        if _locked(file, fcntl.LOCK_EX):
            return True
        if not _locked(file, fcntl.LOCK_SH):
            return False
    return False


def _locked(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _text(data: bytes) -> str:
    """Return a stored text, also where damage made it none in UTF-8."""
    return data.decode("utf-8", "surrogateescape")


def _hint(error: Exception) -> str:
    text = str(error)
    if "full" in text:
        return "free some space and run again: what was stored is safe"
    if "disk I/O" in text:
        # A quota, a limit on a file's size, or worse: SQLite does not say which.
        return "free some space, look for a quota, and run again: what was stored is safe"
    if "readonly" in text or "unable to open" in text:
        return "make the folder writable, or choose another with --store"
    if "locked" in text:
        return "another arena is writing to it: wait, or choose another with --store"
    return "the file is damaged or not a store: choose another with --store"
