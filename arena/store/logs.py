"""The second file of a store: a log a game, and what the bots wrote to standard error."""

from pathlib import Path

from arena.errors import ArenaError
from arena.store.file import DamageError, File
from arena.store.rows import Log, Stored, keys

_APPLICATION = 0x50_45_52_4C
"""What SQLite's header says whose file this is; its letters are PERL."""
_VERSION = 4
_SCHEMA = (
    "CREATE TABLE pair (token BLOB NOT NULL)",
    "CREATE TABLE logs (key INTEGER PRIMARY KEY, log BLOB NOT NULL, hash BLOB NOT NULL)",
    "CREATE TABLE stderr (position INTEGER PRIMARY KEY, texts BLOB NOT NULL)",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_VERSION}",
)


def logs_path(store: Path) -> Path:
    """Return where the logs of a store are: beside league.sqlite that is league.logs.sqlite."""
    return store.with_name(f"{store.stem}.logs{store.suffix}")


def check_not_widowed(store: Path) -> None:
    """Raise ArenaError where there are logs beside a store that is not there itself."""
    if store.is_dir():  # which may have no name, and is refused where it is opened
        return
    path = logs_path(store)
    # A store that is being begun by somebody else has its rows first.
    if path.exists() and not store.exists():
        what = f"{store.name} is not there, though its logs are"
        hint = (
            f"put {store.name} back: nothing can be told from logs alone;"
            " or, to start anew, move them away or choose another --store"
        )
        raise ArenaError(what, str(path), hint)


class Logs:
    """The logs of one store, which both files know by a token.

    They are written before the rows that speak of them: a log without a row is what a killed
    arena left, and will be written over.
    """

    def __init__(self, store: Path, token: bytes, *, new: bool = False) -> None:
        """Open them; `new` makes them where there are none yet.

        Raises ArenaError where they are missing, or those of another store.
        """
        self.path = logs_path(store)
        if not new and not self.path.is_file():
            hint = f"put the file back: {store.name} is of no use without it"
            raise ArenaError(f"the logs of {store.name} are not there", str(self.path), hint)
        self.file = File(self.path)
        try:
            self._prepare(store, token, new=new)
        except ArenaError:
            self.file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def put(self, stored: Stored) -> None:
        """Write down the logs of a fixture, in the place of what a killed arena left there."""
        with self.file.transaction():
            self.write(stored)
        self.file.check_there()

    def write(self, stored: Stored) -> None:
        """Write down the logs of a fixture in the transaction that is open."""
        execute, at = self.file.db.execute, stored.position
        execute("DELETE FROM logs WHERE key BETWEEN ? AND ?", keys(at, at))
        self.file.db.executemany("INSERT INTO logs VALUES (?, ?, ?)", stored.logs)
        execute("INSERT OR REPLACE INTO stderr VALUES (?, ?)", (at, stored.stderr))

    def of(self, position: int) -> tuple[list[Log], bytes]:
        """Return the logs of the fixture at a position, and its standard error."""
        with self.file.translate_errors():
            query = "SELECT key, log, hash FROM logs WHERE key BETWEEN ? AND ? ORDER BY key"
            logs = [Log(*row) for row in self.file.rows(query, *keys(position, position))]
        texts = "SELECT texts FROM stderr WHERE position = ?"
        return logs, next((row[0] for row in self.file.rows(texts, position)), b"")

    def _prepare(self, store: Path, token: bytes, *, new: bool) -> None:
        version, tables = self.file.state()
        if new and (version, tables) == (0, 0):
            self._create(token)
        [(application,)] = self.file.rows("PRAGMA application_id")
        with self.file.translate_errors():
            if (application, self.file.state()[0]) != (_APPLICATION, _VERSION):
                raise DamageError("it does not hold the logs of a store")
        if [*self.file.rows("SELECT token FROM pair")] != [(token,)]:
            raise ArenaError(
                f"these are not the logs of {store.name}, but of another store",
                str(self.path),
                "move them away, and put those back that belong here; or choose another --store",
            )

    def _create(self, token: bytes) -> None:
        self.file.make_writable()
        with self.file.transaction():
            for statement in _SCHEMA:
                self.file.db.execute(statement)
            self.file.db.execute("INSERT INTO pair VALUES (?)", (token,))
