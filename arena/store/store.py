"""A league's games on disk: one SQLite file, one transaction a fixture."""

import fcntl
import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from arena.errors import ArenaError
from arena.records import Fixture, GameRecord, LeagueInfo, PlayedFixture, SetAside
from arena.store import aside

SCHEMA_VERSION = 2
"""2: a league knows its rounds, and blocks may share dice."""
_SCHEMA = (
    "CREATE TABLE league (info BLOB NOT NULL)",
    """CREATE TABLE fixtures (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record BLOB NOT NULL,
    sandbox TEXT NOT NULL,
    clock TEXT NOT NULL,
    decisions INTEGER NOT NULL,
    seconds REAL NOT NULL,
    stderr BLOB NOT NULL
)""",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)
_STATE = "SELECT (SELECT user_version FROM pragma_user_version), count(*) FROM sqlite_master"


class Record(msgspec.Struct, frozen=True):
    """What must come out the same when it is played again: a fixture and its games."""

    fixture: Fixture
    games: list[GameRecord]


_encode = msgspec.json.Encoder().encode
_records = msgspec.json.Decoder(Record)
_texts = msgspec.json.Decoder(tuple[str, ...])
_leagues = msgspec.json.Decoder(LeagueInfo)


def _upgraded(info: bytes, version: int) -> bytes:
    """Return the conditions of an older store as today's; before 2, each fixture had its dice."""
    if version >= 2:
        return info
    data = msgspec.json.decode(info)
    return _encode({**data, "rounds": len(data["bots"]) - 1, "shared_dice": False})


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
            return _leagues.decode(_upgraded(*found)) if found else None

    def begin(self, info: LeagueInfo) -> None:
        """Write down the conditions, before the first game."""
        with self._in_words():
            self._db.execute("INSERT INTO league (info) VALUES (?)", (_encode(info),))

    def change(self, info: LeagueInfo) -> None:
        """Write down new conditions in the place of those before, which they hold as stages."""
        with self._in_words():
            self._db.execute("UPDATE league SET info = ?", (_encode(info),))

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

    def set_aside(self, one: SetAside) -> None:
        """Store durably that a fixture was set aside."""
        with self._in_words():
            aside.put(self._db, one)

    def aside(self) -> list[SetAside]:
        """Return the fixtures that were set aside and not played since, in schedule order."""
        with self._in_words():
            return aside.left(self._db)

    def records(self) -> Iterator[tuple[str, bytes]]:
        """Yield the id and the record of each fixture as bytes, in schedule order."""
        with self._in_words():
            for id_, record in self._db.execute(
                "SELECT id, record FROM fixtures ORDER BY position"
            ):
                yield id_, zlib.decompress(record)

    def played(self) -> Iterator[PlayedFixture]:
        """Yield the stored fixtures in schedule order."""
        for _, _, played in self.rows():
            yield played

    def rows(self) -> Iterator[tuple[int, str, PlayedFixture]]:
        """Yield the stored fixtures, each after the position and the id it is stored under."""
        with self._in_words():
            for row in self._db.execute(
                "SELECT record, sandbox, clock, decisions, seconds, stderr, position, id"
                " FROM fixtures ORDER BY position"
            ):
                record = _records.decode(zlib.decompress(row[0]))
                stderr = _texts.decode(zlib.decompress(row[5]))
                sandbox, clock, decisions, seconds = row[1:5]
                played = PlayedFixture(
                    fixture=record.fixture,
                    games=record.games,
                    sandbox=sandbox,
                    clock=clock,
                    decisions=decisions,
                    seconds=seconds,
                    stderr=stderr,
                )
                yield row[6], row[7], played

    def _claim(self) -> None:
        """Claim the store for one player: two would play every fixture, on a secret seed each.

        Where the file cannot be opened, nothing is claimed: SQLite then says why.
        """
        try:
            claim = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError:
            return
        self._open.callback(os.close, claim)
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            hint = "wait for it, or choose another with --store"
            what = "another arena is playing into this store"
            raise ArenaError(what, str(self.path), hint) from None

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
            for statement in _SCHEMA:
                self._db.execute(statement)
            self._db.execute("COMMIT")
        elif create and version < SCHEMA_VERSION:
            self._migrate(version)

    def _migrate(self, version: int) -> None:
        """Bring an older store up to date, all at once or not at all."""
        self._db.execute("BEGIN IMMEDIATE")
        for (info,) in self._db.execute("SELECT info FROM league").fetchall():
            self._db.execute("UPDATE league SET info = ?", (_upgraded(info, version),))
        self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        self._db.execute("COMMIT")

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, zlib.error, msgspec.MsgspecError) as error:
            raise ArenaError(f"the store fails: {error}", str(self.path), _hint(error)) from None


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
