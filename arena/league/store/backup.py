"""Copy a store, even while it is played: the copy is a store, as it was at one moment."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from arena.io.errors import ArenaError
from arena.league.store.files import logs_path
from arena.league.store.rows import key_range
from arena.league.store.store import Store


def backup(path: Path, target: Path) -> int:
    """Copy both files of a store; returns the number of fixtures.

    Raises ArenaError if nothing was played, if fixtures are gone, if there is a file of that name,
    or if it cannot be written.
    """
    for copy_path in (target, logs_path(target)):
        if os.path.lexists(copy_path):
            raise ArenaError(
                "there is a file already", str(copy_path), "name another, or move it away"
            )
    with Store(path) as store:
        store.conditions()
        store.check_complete()
        try:
            # The rows first: the logs, copied later, have all that belong to them, or more.
            rows, *logs = store.files()
            rows.copy(target)
            query = "SELECT position FROM fixtures"
            with closing(sqlite3.connect(target)) as copy:
                positions = {position for (position,) in copy.execute(query)}
            for file in logs:
                file.copy(logs_path(target), finish=lambda copy: _forget_others(copy, positions))
            return len(positions)
        except (OSError, sqlite3.Error) as error:
            problem = str(getattr(error, "strerror", None) or error)
        except ArenaError as error:
            problem = error.what
    what = f"the copy cannot be written: {problem}"
    raise ArenaError(what, str(target), "name a file in a folder with room for it")


def _forget_others(logs: sqlite3.Connection, positions: set[int]) -> None:
    """Remove the logs of fixtures that were stored after the rows were copied."""
    union = "SELECT position FROM stderr UNION SELECT position FROM pruned"
    for (position,) in logs.execute(union).fetchall():
        if position not in positions:
            logs.execute("DELETE FROM logs WHERE key BETWEEN ? AND ?", key_range(position))
            for table in ("stderr", "pruned"):
                logs.execute(f"DELETE FROM {table} WHERE position = ?", (position,))  # noqa: S608
    logs.execute("UPDATE stored SET fixtures = ?", (len(positions),))
