"""The second file of a store: a log per game, and the bots' standard error."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from arena.io.errors import ArenaError
from arena.io.sqlite.file import DamageError
from arena.io.sqlite.guarded import file_size, refuse_foreign_files
from arena.league.store.format.pruned import Pruned
from arena.league.store.format.rows import GameLog, StoredFixture, key_range
from arena.league.store.format.schema import LOGS, LOGS_APPLICATION, SCHEMA_VERSION
from arena.league.store.store_file import StoreFile

_NONE_STORED = "INSERT INTO stored VALUES (0)"


def logs_path(store: Path) -> Path:
    """Return where the logs of a store are: beside league.sqlite that is league.logs.sqlite."""
    return store.with_name(f"{store.stem}.logs{store.suffix}")


def check_rows_exist(store: Path) -> None:
    """Raise ArenaError if the file of logs exists without the file of rows."""
    if store.is_dir():  # refused when it is opened, and it may have no name
        return
    path = logs_path(store)
    # In this order: a store that another process is creating has its rows first.
    if path.exists() and not store.exists():
        hint = (
            f"put {store.name} back: logs alone are no store;"
            " or, to start over, move them away or choose another --store"
        )
        raise ArenaError(f"{store.name} is missing, but its logs exist", str(path), hint)


class Logs:
    """The logs of one store, written before the rows of a fixture.

    A log without a row was left by an arena that was killed, and is overwritten.
    """

    def __init__(
        self,
        store: Path,
        token: bytes,
        *,
        writes: bool = False,
        new: bool = False,
        incomplete: bool = False,
    ) -> None:
        """Open them; `new` creates the file if it does not exist, `incomplete` is as in StoreFile.

        Raises ArenaError if they are missing, of another store or of another version, or have
        tables that the arena did not make.
        """
        self.path = logs_path(store)
        refuse_foreign_files(self.path)
        if not new and not self.path.is_file():
            hint = f"put the file back: {store.name} is useless without it"
            raise ArenaError(f"the logs of {store.name} are missing", str(self.path), hint)
        self.file = StoreFile(self.path, writes=writes, incomplete=incomplete)
        try:
            if new and self.file.version() is None:
                # So that pruning can make the file smaller without a second one.
                self.file.execute("PRAGMA auto_vacuum = INCREMENTAL")
                application = f"PRAGMA application_id = {LOGS_APPLICATION}"
                self.file.create_with_token((*LOGS, _NONE_STORED, application), token)
            self._check(store, token)
        except ArenaError:
            self.file.close()
            raise

    def put(self, stored: Sequence[StoredFixture]) -> None:
        """Write the logs of fixtures, over those that a killed arena left."""
        with self.file.transaction(sum(len(log.log) for one in stored for log in one.logs)):
            for fixture in stored:
                self._put(fixture)
        self.file.check_not_deleted()

    def _put(self, fixture: StoredFixture) -> None:
        self._forget(fixture.position)
        self.file.connection.executemany("INSERT INTO logs VALUES (?, ?, ?)", fixture.logs)
        if fixture.stderr:
            insert = "INSERT INTO stderr VALUES (?, ?)"
            self.file.execute(insert, fixture.position, fixture.stderr)
        if fixture.pruned:
            self._keep(fixture.position, fixture.pruned)

    def prune(self, fixtures: Mapping[int, Pruned]) -> None:
        """Remove standard error, and logs whose hashes are kept, of fixtures by position."""
        with self.file.transaction():
            for position, kept in fixtures.items():
                if kept.logs:
                    self._forget(position)
                self.file.execute("DELETE FROM stderr WHERE position = ?", position)
                self._keep(position, kept)

    def _forget(self, position: int) -> None:
        self.file.execute("DELETE FROM logs WHERE key BETWEEN ? AND ?", *key_range(position))
        for table in ("stderr", "pruned"):
            self.file.execute(f"DELETE FROM {table} WHERE position = ?", position)  # noqa: S608

    def _keep(self, position: int, kept: Pruned) -> None:
        insert = "INSERT OR REPLACE INTO pruned VALUES (?, ?, ?, ?, ?, ?)"
        self.file.execute(insert, position, *kept, kept.hash())

    def stored(self) -> int:
        """Return how many fixtures were reported as stored: all of them must have rows."""
        fixtures = self.file.value("SELECT fixtures FROM stored")
        with self.file.translate_errors():
            return int(fixtures)

    def note_stored(self, fixtures: int) -> None:
        """Write down how many fixtures have rows.

        Only a power failure may undo it, and then it is less than there are.
        """
        self.file.execute("PRAGMA synchronous = OFF")
        self.file.execute("UPDATE stored SET fixtures = ?", fixtures)
        self.file.execute("PRAGMA synchronous = EXTRA")

    def positions(self) -> list[int]:
        """Return the positions of the fixtures that there is anything of, ascending."""
        union = "SELECT position FROM stderr UNION SELECT position FROM pruned ORDER BY position"
        return [position for (position,) in self.file.rows(union)]

    def without_logs(self) -> set[int]:
        """Return the positions of the fixtures whose logs were pruned."""
        rows = self.file.rows("SELECT position FROM pruned WHERE logs IS NOT NULL")
        return {position for (position,) in rows}

    def of(self, position: int) -> tuple[list[GameLog], bytes, Pruned | None]:
        """Return the logs of the fixture at a position, its standard error, and what was pruned.

        As they were at one moment. Raises ArenaError if it is damaged.
        """
        with self.file.translate_errors(), self.file.snapshot():
            query = "SELECT key, log, hash FROM logs WHERE key BETWEEN ? AND ? ORDER BY key"
            rows = self.file.rows(query, *key_range(position))
            logs = list(self._within_file(map(GameLog._make, rows)))
            texts = "SELECT texts FROM stderr WHERE position = ?"
            stderr = next((row[0] for row in self.file.rows(texts, position)), b"")
            kept = "SELECT stderr, logs, records, luck, hash FROM pruned WHERE position = ?"
            for *columns, digest in self.file.rows(kept, position):
                pruned = Pruned(*columns)
                if digest != pruned.hash():
                    raise DamageError("what was kept of pruned logs is not what was written there")
                return logs, stderr, pruned
        return logs, stderr, None

    def _within_file(self, logs: Iterable[GameLog]) -> Iterator[GameLog]:
        """Yield logs; raises DamageError if they would take more memory than the file has bytes."""
        size, total = file_size(self.path), 0
        for log in logs:
            total += len(log.log) if isinstance(log.log, bytes | str) else 0
            if size is not None and total > size:
                raise DamageError("its logs overlap")
            yield log

    def _check(self, store: Path, token: bytes) -> None:
        application = self.file.value("PRAGMA application_id")
        version = self.file.version() or 0
        with self.file.translate_errors():
            if application != LOGS_APPLICATION or version != SCHEMA_VERSION:
                raise DamageError("it does not hold the logs of a store")
        self.file.check_tables(LOGS)
        if [*self.file.rows("SELECT token FROM pair")] != [(token,)]:
            raise ArenaError(
                f"these are not the logs of {store.name}, but of another store",
                str(self.path),
                "move them away and put the right ones back; or choose another --store",
            )
