"""Copy a store, or change it as somebody could by hand."""

import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from arena.league.store.files import logs_path
from arena.league.store.rows import GAMES, GameLog, StoredFixture, log_hash
from arena.league.store.store import Store

Data = dict[str, Any]

INSERT_FIXTURE = "INSERT INTO fixtures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def copied(store: Path, copy: Path) -> Path:
    """Copy both files of a store that nobody has open; returns the copy."""
    shutil.copy(store, copy)
    if logs_path(store).exists():
        shutil.copy(logs_path(store), logs_path(copy))
    return copy


def moved(store: Path, place: Path) -> Path:
    """Move both files of a store that nobody has open; returns the new place."""
    copied(store, place)
    removed(store)
    return place


def removed(store: Path) -> None:
    """Remove both files of a store that nobody has open."""
    store.unlink()
    logs_path(store).unlink(missing_ok=True)


def execute(path: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(sql, values)


def forget(path: Path, condition: str) -> None:
    """Make a store one into which fixtures were never put; their logs stay."""
    execute(path, f"DELETE FROM fixtures WHERE {condition}")  # noqa: S608
    execute(logs_path(path), "UPDATE stored SET fixtures = 0")


def dump(path: Path) -> list[str]:
    """Return all that a file of a store holds, however SQLite arranged it."""
    with closing(sqlite3.connect(path)) as database:
        return list(database.iterdump())


def stored(path: Path) -> list[StoredFixture]:
    with Store(path) as store:
        return list(store.stored())


def put(path: Path, at: int, new: StoredFixture) -> None:
    """Write a fixture in the place of what is stored at a position."""
    keys = (at * GAMES, at * GAMES + GAMES - 1)
    with closing(sqlite3.connect(path)) as rows, rows:
        rows.execute("DELETE FROM fixtures WHERE position = ?", (at,))
        rows.execute("DELETE FROM games WHERE key BETWEEN ? AND ?", keys)
        rows.execute(INSERT_FIXTURE, (*new.row, new.hash, new.rows_hash))
        rows.executemany("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)", new.games)
    with closing(sqlite3.connect(logs_path(path))) as logs, logs:
        logs.execute("DELETE FROM logs WHERE key BETWEEN ? AND ?", keys)
        logs.executemany("INSERT INTO logs VALUES (?, ?, ?)", new.logs)
        logs.execute("DELETE FROM stderr WHERE position = ?", (at,))
        logs.execute("INSERT INTO stderr VALUES (?, ?)", (new.position, new.stderr))


def rehashed(one: StoredFixture) -> StoredFixture:
    """Return a fixture with all its hashes computed again."""
    logs = [GameLog(key, log, log_hash(one.id, key % GAMES, log)) for key, log, _ in one.logs]
    one = one._replace(logs=logs)
    one = one._replace(row=one.row._replace(content_hash=one.hash_content()))
    return one.with_hashes()


def rehash(path: Path) -> None:
    """Compute all hashes again, as somebody does who knows of them."""
    for one in stored(path):
        put(path, one.position, rehashed(one))


def edit_record(
    path: Path, position: int, change: Callable[[Data], None], *, hashes: bool = True
) -> Data:
    """Change what the logs and the row of a fixture say; returns what it was before."""
    [one] = [one for one in stored(path) if one.position == position]
    before: Data = json.loads(one.record())
    after = json.loads(json.dumps(before))
    change(after)
    was = {log.key: log for log in one.logs}
    logs = []
    for number, game in enumerate(after["games"]):
        key = position * GAMES + number
        same = number < len(before["games"]) and game == before["games"][number]
        log = was[key].log if same else zlib.compress(_json(game))
        logs.append(GameLog(key, log, was[key].hash if key in was else b""))
    new = one._replace(logs=logs, games=one.games[: len(logs)])
    if after["fixture"] != before["fixture"]:
        new = new._replace(row=new.row._replace(fixture=_json(after["fixture"])))
    put(path, position, rehashed(new) if hashes else new)
    return before


def move(path: Path, old: int, new: int) -> None:
    """Give a fixture another position, in both files and with new hashes."""
    [one] = [one for one in stored(path) if one.position == old]
    by = (new - old) * GAMES
    games = [game._replace(key=game.key + by) for game in one.games]
    logs = [log._replace(key=log.key + by) for log in one.logs]
    moved = one._replace(row=one.row._replace(position=new), games=games, logs=logs)
    put(path, old, rehashed(moved))


def _json(data: object) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode()
