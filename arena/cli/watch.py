"""Doing something again whenever a store has changed."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

POLL = 0.5
"""Seconds between looks at the store's files."""

State = tuple[tuple[int, int], ...]
"""Of the store's file and of SQLite's log beside it: when it was written, and its size."""


def watch(store: Path, write: Callable[[], bool]) -> None:
    """Call `write` now and after every change of the store, until it says that nothing will change.

    Half of the time at least is left to others.
    """
    while True:
        seen, began = _state(store), time.monotonic()
        if write():
            return
        time.sleep(time.monotonic() - began)
        while _state(store) == seen:
            time.sleep(POLL)


def _state(store: Path) -> State:
    found = []
    for path in (store, store.with_name(f"{store.name}-wal")):
        with suppress(OSError):
            there = path.stat()
            found.append((there.st_mtime_ns, there.st_size))
    return tuple(found)
