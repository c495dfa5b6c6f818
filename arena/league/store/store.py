"""A league's games on disk: rows in one SQLite file, logs in another, fixture by fixture."""

import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from arena.game.records import (
    Conditions,
    Exchange,
    Fixture,
    FixtureResult,
    GameRecord,
    MachineInfo,
    PlayedFixture,
    QuarantinedFixture,
)
from arena.io.errors import ArenaError, FindingError
from arena.league.changes import Change, History
from arena.league.store.failures import damaged_fixtures, pruned_logs
from arena.league.store.files import (
    Logs,
    StoredRows,
    StoreFiles,
    all_fixtures,
    fixtures_at,
    logs_path,
    not_played,
)
from arena.league.store.rows import (
    FixtureHashes,
    PackedFixture,
    StoredFixture,
    link_hash,
    root_hash,
    row_hash,
    sound_result,
    unpack_result,
)
from arena.league.store.store_file import StoreFile

_encode = msgspec.json.Encoder().encode
_UNKNOWN = re.compile("unknown field `([^`]*)`")
_Decoded = TypeVar("_Decoded")
_leagues = msgspec.json.Decoder(Conditions)
_machines = msgspec.json.Decoder(MachineInfo | None)
_changes = msgspec.json.Decoder(Change)
_quarantined = msgspec.json.Decoder(QuarantinedFixture)


class _Moment(NamedTuple):
    """What tells which rows there were at one moment: none of those is changed later."""

    noted: int
    """How many fixtures were known to be stored."""
    chain: "Chain | None"
    positions: list[int]
    quarantined: list[bytes]


class Store:
    """The games of one league; a context manager. One process plays, any number may read.

    A reader sees the rows of one moment, that of its first look, whatever is stored later. No lock
    keeps them so: whoever plays never waits for a reader. Logs can be pruned meanwhile. Whatever
    fails (a file that is read-only, full, damaged, missing or of another version) is raised as an
    ArenaError that names the file.
    """

    def __init__(
        self,
        path: Path,
        *,
        create: bool = False,
        incomplete: bool = False,
        token: bytes | None = None,
    ) -> None:
        """Open a store to read, or with `create` to play into it, from then on locked.

        A store that has lost fixtures is refused; `incomplete` opens it to read, locked by the
        caller. A new one gets the token.
        """
        self.path = path
        self._is_alone = create or incomplete
        self._now = steady_clock()
        token = token or secrets.token_bytes(16)
        self._files = StoreFiles(path, token, writes=create, incomplete=incomplete)
        self._rows = self._files.rows

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, kind: type[BaseException] | None = None, *_: object) -> None:
        self._files.close(quietly=kind is not None)

    @cached_property
    def _moment(self) -> _Moment | None:
        """What is read; None if nobody else can write."""
        if self._is_alone:
            return None
        # First: what is stored after this is not missed.
        noted = self._files.noted()
        with self._rows.snapshot(), self._rows.translate_errors():
            chain, quarantined = read_chain(self._rows), self._quarantined()
            return _Moment(noted, chain, self._files.positions(), quarantined)

    def chain(self) -> "Chain | None":
        """Return the conditions and their changes as they are encoded; None in a new store."""
        if self._moment:
            return self._moment.chain
        with self._rows.translate_errors():
            return read_chain(self._rows)

    def _noted(self) -> int:
        """Return how many fixtures must be there; ask before counting them."""
        return self._moment.noted if self._moment else self._files.noted()

    @property
    def league(self) -> Conditions | None:
        """The conditions in force; None in a new store."""
        history = self._read_history(checked=True)
        return history.now() if history else None

    def conditions(self) -> Conditions:
        """Return the conditions in force; raises ArenaError as `history` does."""
        return self.history().now()

    def history(self, *, checked: bool = True) -> History:
        """Return the conditions at the start and all changes.

        Raises ArenaError if nothing was played, or if they are damaged. If not `checked`, changes
        from the first damaged one on are left out.
        """
        history = self._read_history(checked=checked)
        if history is None:
            raise not_played(self.path)
        return history

    def _read_history(self, *, checked: bool) -> History | None:
        chain = self.chain()
        if chain is None:
            return None
        if chain.problem and checked:
            what = "the stored conditions of the league are damaged"
            raise FindingError(what, str(self.path), "put back a copy of the store")
        with self._rows.translate_errors():
            try:
                changes = [_changes.decode(change) for change in chain.changes]
                machine = _machines.decode(chain.machine)
                start = replace(_leagues.decode(chain.info), machine=machine)
            except msgspec.ValidationError as error:
                if unknown := _UNKNOWN.search(str(error)):
                    raise self._newer(unknown[1]) from None
                raise
            return History(start, changes, [chain.info, *chain.changes])

    def _newer(self, term: str) -> ArenaError:
        """Return the error for a term that decides games in a way that is not known here."""
        what = f"a newer arena made it, with '{term}', which this one does not know"
        return ArenaError(what, str(self.path), "pipx upgrade perudo-arena")

    def begin(self, conditions: Conditions, changes: Iterable[Change] = ()) -> None:
        """Store the conditions before the first game, in place of any others."""
        info = _encode(replace(conditions, machine=None))
        self._begin(info, _encode(conditions.machine), map(_encode, changes))

    def begin_as(self, other: "Store") -> None:
        """Store the conditions and changes of another store, byte by byte.

        Raises ArenaError as `history` does.
        """
        other.history()
        if chain := other.chain():
            self._begin(chain.info, chain.machine, chain.changes)

    def _begin(self, info: bytes, machine: bytes, changes: Iterable[bytes]) -> None:
        with self._rows.transaction():
            begin_chain(self._rows, info, machine)
            for change in changes:
                lengthen(self._rows, change)
        self._rows.checkpoint()

    def change(self, change: Change) -> None:
        """Store, durably, what changed since the last change."""
        with self._rows.transaction():
            lengthen(self._rows, _encode(change))
        self._rows.checkpoint()

    def token(self) -> bytes:
        """Return what both files share."""
        return self._files.token()

    def files(self) -> list[StoreFile]:
        """Return the files that there must be, the rows first."""
        return self._files.all()

    def finished(self) -> set[str]:
        """Return the ids of the stored fixtures."""
        return {fixture.id for fixture in self.hashes()}

    def positions(self) -> list[int]:
        """Return the indexes in the schedule that are stored, ascending."""
        return [*self._moment.positions] if self._moment else self._files.positions()

    def last_position(self) -> int:
        """Return the last index in the schedule that is stored; -1 if none is."""
        if self._moment:
            return max(self._moment.positions, default=-1)
        [(last,)] = self._rows.rows("SELECT max(position) FROM fixtures")
        return -1 if last is None else int(last)

    def add(self, *packed: PackedFixture) -> None:
        """Store fixtures, durably and each at most once: their logs first, then their rows.

        Several together wait for the disk as often as one.
        """
        self.insert(*[fixture.stored(self._now()) for fixture in packed])

    def insert(self, *stored: StoredFixture) -> None:
        """Store fixtures with all their columns, as `add` does."""
        if new := [fixture for fixture in stored if not self._files.has(fixture)]:
            self._files.put(new)

    def quarantine(self, fixture: QuarantinedFixture) -> None:
        """Store durably that a fixture was quarantined, in place of an earlier time."""
        insert = "INSERT OR REPLACE INTO quarantine VALUES (?, ?)"
        self._rows.execute(insert, fixture.fixture.id, _encode(fixture))
        self._rows.checkpoint()

    def quarantined(self) -> list[QuarantinedFixture]:
        """Return the quarantined fixtures that were not played since, in schedule order."""
        records = self._moment.quarantined if self._moment else self._quarantined()
        with self._rows.translate_errors():
            fixtures = [_quarantined.decode(record) for record in records]
        return sorted(fixtures, key=lambda fixture: fixture.fixture.index)

    def _quarantined(self) -> list[bytes]:
        query = "SELECT record FROM quarantine WHERE id NOT IN (SELECT id FROM fixtures)"
        return [record for (record,) in self._rows.rows(query)]

    def played(
        self, positions: Iterable[int] | None = None, *, without_pruned: bool = False
    ) -> Iterator[PlayedFixture]:
        """Yield the fixtures as they were played; positions as in `stored`.

        Raises ArenaError for one that is not what was written there, or whose logs were pruned,
        unless those are to be left out.
        """
        for stored in self.stored(positions):
            if any(stored.hash_mismatches()):
                sound = sound_result(stored.row, stored.games, stored.hash, stored.rows_hash)
                where = logs_path(self.path) if sound else self.path
                raise damaged_fixtures([stored.id], where)
            if not stored.has_logs:
                if without_pruned:
                    continue
                raise pruned_logs(stored.position, logs_path(self.path))
            yield self.decoded(stored.played)

    def without_logs(self) -> set[int]:
        """Return the positions of the fixtures whose logs were pruned."""
        return self.logs.without_logs() if logs_path(self.path).exists() else set()

    @property
    def logs(self) -> Logs:
        """The logs, to be pruned by whoever may write."""
        return self._files.logs()

    def results(self) -> Iterator[FixtureResult]:
        """Yield the result of each fixture, in schedule order; no log is read.

        Fixtures whose rows are not what was written there are left out; if there are any, or if
        fixtures are gone, ArenaError is raised at the end.
        """
        noted, damaged = self._noted(), list[str]()
        for stored in self._all_rows():
            if result := sound_result(*stored):
                yield result
            else:
                damaged.append(stored.row.id)
        if damaged:
            raise damaged_fixtures(damaged, self.path)
        self._files.check_complete(noted, self.positions())

    def results_at(self, positions: Iterable[int]) -> Iterator[FixtureResult]:
        """Yield the results of the fixtures at some positions, without damaged ones."""
        for stored in fixtures_at(self._rows, positions):
            if result := sound_result(*stored):
                yield result

    def damaged_rows(self, positions: Iterable[int]) -> list[str]:
        """Return the ids of those fixtures whose rows are not what was written there."""
        rows = fixtures_at(self._rows, positions)
        return [stored.row.id for stored in rows if sound_result(*stored) is None]

    def hashes(self) -> Iterator[FixtureHashes]:
        """Yield what tells whether fixtures changed, in schedule order, as it is stored."""
        columns = ", ".join(FixtureHashes._fields)
        query = f"SELECT {columns} FROM fixtures ORDER BY position"  # noqa: S608 - names are ours
        holds = self._holds()
        hashes = (FixtureHashes(*row) for row in self._rows.rows(query))
        yield from (fixture for fixture in hashes if holds(fixture.position))

    def stored(self, positions: Iterable[int] | None = None) -> Iterator[StoredFixture]:
        """Yield fixtures as they are stored: those at some positions, or all in schedule order."""
        rows = self._all_rows() if positions is None else fixtures_at(self._rows, positions)
        for row, games, digest, rows_digest in rows:
            logs, stderr, pruned = self._files.logs().of(row.position)
            yield StoredFixture(row, games, logs, stderr, digest, rows_digest, pruned)

    def _all_rows(self) -> Iterator[StoredRows]:
        holds = self._holds()
        return (rows for rows in all_fixtures(self._rows) if holds(rows.row.position))

    def _holds(self) -> Callable[[int], bool]:
        """Return what tells whether the fixture at a position is among those that are read."""
        return {*self._moment.positions}.__contains__ if self._moment else lambda _: True

    def decoded(self, decode: Callable[[], _Decoded]) -> _Decoded:
        """Return what a method of a stored fixture returns, such as `stored.played`.

        Raises ArenaError if the fixture is damaged.
        """
        with self._files.logs().file.translate_errors():
            return decode()

    def exchanges(self) -> Iterator[tuple[Fixture, tuple[Exchange, ...]]]:
        """Yield each stored fixture and what its bots asked language models, unless it was pruned.

        Raises ArenaError for a fixture that is damaged.
        """
        for stored in self.stored():
            played = self.decoded(stored.without_games)
            yield played.fixture, played.exchanges

    def games(self, stored: StoredFixture) -> Iterator[GameRecord]:
        """Yield the games of a fixture one by one; raises ArenaError if one is damaged."""
        with self._files.logs().file.translate_errors():
            yield from stored.decoded_games()

    def result(self, stored: StoredFixture) -> FixtureResult:
        """Return a fixture's result by its rows; raises ArenaError if they are damaged."""
        with self._rows.translate_errors():
            return unpack_result(stored.row, stored.games)

    def damage(self) -> Iterator[tuple[str, str]]:
        """Yield what is damaged of the files as such and of the conditions: where, and what.

        A damaged fixture is found by its hashes. Raises ArenaError if the logs are missing or
        another store's.
        """
        for file in self._files.all():
            for problem in file.damage():
                yield "store", f"{file.path}: {problem}"
        chain = self.chain()
        if chain and chain.problem:
            yield "league", chain.problem

    def lost(self) -> tuple[int, list[int]]:
        """Return how many fixtures are gone that were stored, and where logs are left of them."""
        noted = self._noted()
        if (number := noted - len(self.positions())) <= 0:
            return 0, []
        return number, sorted({*self._files.logs().positions()} - {*self._files.positions()})

    def check_complete(self) -> None:
        """Raise ArenaError if fixtures are gone, or the logs missing or another store's."""
        self._files.all()
        noted = self._noted()
        self._files.check_complete(noted, self.positions())

    def root(self) -> str:
        """Return one hash over the conditions, changes and fixtures, without times and stderr.

        The same league, played again by deterministic bots, has the same root. Raises ArenaError
        if nothing was played yet.
        """
        encoded = self.history().encoded
        with self._rows.translate_errors():
            return root_hash(encoded, (fixture.content_hash for fixture in self.hashes()))


def steady_clock() -> Callable[[], float]:
    """Return a clock in seconds since 1970 that no setting of the time moves; sleep counts."""
    began = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return lambda: began + time.clock_gettime(time.CLOCK_BOOTTIME)


class Chain(NamedTuple):
    """What is stored, as it was encoded."""

    info: bytes
    """The conditions at the start, without the machine."""
    machine: bytes
    """The machine of the first game: no part of the root, so that the league has the same one
    wherever it is played again."""
    changes: list[bytes]
    """The changes before the first that is damaged."""
    problem: str
    """What is damaged; "" if nothing is."""


def read_chain(rows: StoreFile) -> Chain | None:
    """Read the chain from a store's rows; returns None if nothing was played."""
    row = next(rows.rows("SELECT info, machine, hash, last FROM league"), None)
    if row is None:
        return None
    info, machine, link, last = row
    changes = list[bytes]()
    problem = ""
    if link != row_hash([info, machine]):
        problem = "the stored conditions are not what was written there"
    for n, change, digest in rows.rows("SELECT * FROM changes ORDER BY n"):
        number = len(changes) + 1
        if (n, digest) != (number, link_hash(link, change)):
            broken = f"change {number} is missing, or not what was written there"
            return Chain(info, machine, changes, problem or broken)
        changes.append(change)
        link = digest
    if link != last:
        problem = problem or f"change {len(changes) + 1} is missing"
    return Chain(info, machine, changes, problem)


def begin_chain(rows: StoreFile, info: bytes, machine: bytes) -> None:
    """Write the conditions at the start, in place of any others and their changes."""
    digest = row_hash([info, machine])
    rows.execute("DELETE FROM league")
    rows.execute("DELETE FROM changes")
    rows.execute("INSERT INTO league VALUES (?, ?, ?, ?)", info, machine, digest, digest)


def lengthen(rows: StoreFile, change: bytes) -> None:
    """Add a change to the end of the chain."""
    last = rows.value("SELECT last FROM league")
    digest = link_hash(last, change)
    rows.execute("INSERT INTO changes (change, hash) VALUES (?, ?)", change, digest)
    rows.execute("UPDATE league SET last = ?", digest)
