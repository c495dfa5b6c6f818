"""The fixtures of a store of today: rows in one file, logs in the other."""

from collections.abc import Callable, Iterator

from arena.errors import ArenaError
from arena.records import FixtureResult
from arena.store.file import File
from arena.store.logs import Logs
from arena.store.rows import FixtureRow, PackedGame, Stored, keys, unpack_results
from arena.store.schema import FIXTURES, GAMES

_ALL = f"SELECT {FIXTURES} FROM fixtures ORDER BY position"  # noqa: S608 - names of ours
_SOME = f"SELECT {FIXTURES} FROM fixtures WHERE position BETWEEN ? AND ? ORDER BY position"  # noqa: S608
_OF_ONE = f"SELECT {GAMES} FROM games WHERE key BETWEEN ? AND ? ORDER BY key"  # noqa: S608


class Tables:
    """What is read of the two files; the logs are opened where they are asked for."""

    hashed = True

    def __init__(self, file: File, logs: Callable[[], Logs]) -> None:
        self._file = file
        self._logs = logs

    def add(self, stored: Stored) -> None:
        """Store a fixture, logs first: a row says that they are there. At most once."""
        find = "SELECT id FROM fixtures WHERE id = ? OR position = ?"
        there = [row[0] for row in self._file.rows(find, stored.id, stored.position)]
        if there and there != [stored.id]:
            what = (
                f"another fixture is stored in the place of {stored.id}, number {stored.position}"
            )
            raise ArenaError(what, str(self._file.path), "arena verify says what else is wrong")
        if there:
            return
        self._logs().put(stored)
        with self._file.transaction():
            write(self._file, stored)
        self._file.check_there()

    def stored(self, first: int | None, last: int | None) -> Iterator[Stored]:
        """Yield all that is stored, from one position to another or all."""
        for row, games, digest in self._rows(first, last):
            logs, stderr = self._logs().of(row.position)
            yield Stored(row, games, logs, stderr, digest)

    def results(self) -> Iterator[FixtureResult]:
        """Yield what came of each fixture; no log is opened."""
        for row, games, _ in self._rows(None, None):
            with self._file.translate_errors():
                result = unpack_results(row, games)
            yield result

    def hashes(self) -> Iterator[tuple[int, str, bytes | None]]:
        """Yield position, id and hash of each fixture."""
        yield from self._file.rows("SELECT position, id, hash FROM fixtures ORDER BY position")

    def pins(self) -> Iterator[bytes]:
        """Yield each fixture's part in the root, as it was stored."""
        for (pin,) in self._file.rows("SELECT pin FROM fixtures ORDER BY position"):
            yield pin

    def _rows(
        self, first: int | None, last: int | None
    ) -> Iterator[tuple[FixtureRow, list[PackedGame], bytes]]:
        """Yield rows as they were when the first was asked for: one query holds all to one view."""
        rows = self._file.rows(_ALL) if first is None else self._file.rows(_SOME, first, last)
        for *columns, digest in rows:
            row = FixtureRow(*columns)
            games = self._file.rows(_OF_ONE, *keys(row.position, row.position))
            yield row, [PackedGame(*game) for game in games], digest


def write(file: File, stored: Stored) -> None:
    """Write down the rows of a fixture in the transaction that is open."""
    file.db.execute(
        "INSERT INTO fixtures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*stored.row, stored.hash)
    )
    # Nothing reads rows of a fixture that is not stored: they are written over.
    file.db.executemany("INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?, ?)", stored.games)
