"""A league's games on disk: one SQLite file, one transaction a fixture."""

import fcntl
import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from arena.errors import ArenaError
from arena.records import Fixture, GameRecord, LeagueInfo, PlayedFixture

SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE league (info BLOB NOT NULL);
CREATE TABLE fixtures (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record BLOB NOT NULL,
    sandbox TEXT NOT NULL,
    clock TEXT NOT NULL,
    decisions INTEGER NOT NULL,
    seconds REAL NOT NULL,
    stderr BLOB NOT NULL
);
"""


class Record(msgspec.Struct, frozen=True):
    """What must come out the same when it is played again: a fixture and its games."""

    fixture: Fixture
    games: list[GameRecord]


_encode = msgspec.json.Encoder().encode
_records = msgspec.json.Decoder(Record)
_texts = msgspec.json.Decoder(tuple[str, ...])
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
        self._claim = _claim(path) if create else None
        try:
            with self._in_words():
                self._db = sqlite3.connect(path, timeout=30, isolation_level=None)
                self._prepare()
        except ArenaError:
            self._release()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()
        self._release()

    @property
    def league(self) -> LeagueInfo | None:
        """The conditions of the stored games; None in a new store."""
        with self._in_words():
            row = self._db.execute("SELECT info FROM league").fetchone()
            return _leagues.decode(row[0]) if row else None

    def begin(self, info: LeagueInfo) -> None:
        """Write down the conditions, before the first game."""
        with self._in_words():
            self._db.execute("INSERT INTO league (info) VALUES (?)", (_encode(info),))

    def finished(self) -> set[str]:
        """Return the ids of the stored fixtures."""
        with self._in_words():
            return {row[0] for row in self._db.execute("SELECT id FROM fixtures")}

    def add(self, played: PlayedFixture) -> None:
        """Store a fixture, durably and at most once."""
        fixture = played.fixture
        record = zlib.compress(_encode(Record(fixture, list(played.games))), 1)
        stderr = zlib.compress(_encode(played.stderr), 1)
        row = (fixture.index, fixture.id, record, played.sandbox, played.clock)
        with self._in_words():
            self._db.execute(
                "INSERT OR IGNORE INTO fixtures VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, played.decisions, played.seconds, stderr),
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
        with self._in_words():
            for row in self._db.execute(
                "SELECT record, sandbox, clock, decisions, seconds, stderr"
                " FROM fixtures ORDER BY position"
            ):
                record = _records.decode(zlib.decompress(row[0]))
                stderr = _texts.decode(zlib.decompress(row[5]))
                sandbox, clock, decisions, seconds = row[1:5]
                yield PlayedFixture(
                    fixture=record.fixture,
                    games=record.games,
                    sandbox=sandbox,
                    clock=clock,
                    decisions=decisions,
                    seconds=seconds,
                    stderr=stderr,
                )

    def _release(self) -> None:
        """Give up the claim; last, for closing any descriptor of a file drops SQLite's locks."""
        if self._claim is not None:
            os.close(self._claim)

    def _prepare(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise ArenaError(
                f"the store is of version {version}, this arena reads up to {SCHEMA_VERSION}",
                str(self.path),
                "use a newer arena, or --store with a new file",
            )
        if version == 0:
            self._db.execute("PRAGMA journal_mode = WAL")
            script = f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
            self._db.executescript(script)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, zlib.error, msgspec.MsgspecError) as error:
            raise ArenaError(f"the store fails: {error}", str(self.path), _hint(error)) from None


def _claim(path: Path) -> int | None:
    """Claim a store for one player, until the descriptor returned is closed.

    None where the file cannot be opened: SQLite then says why. Raises ArenaError where another
    arena has it: both would play every fixture, in vain, on a secret seed each.
    """
    try:
        claim = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        return None
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(claim)
        raise ArenaError(
            "another arena is playing into this store",
            str(path),
            "wait for it, or choose another with --store",
        ) from None
    return claim


def _hint(error: Exception) -> str:
    text = str(error)
    # SQLite calls it an I/O error where a quota, or a limit on a file's size, is reached.
    if "full" in text or "disk I/O" in text:
        return "free some space and run again: what was stored is safe"
    if "readonly" in text or "unable to open" in text:
        return "make the folder writable, or choose another with --store"
    if "locked" in text:
        return "another arena is writing to it: wait, or choose another with --store"
    return "the file is damaged or not a store: choose another with --store"
