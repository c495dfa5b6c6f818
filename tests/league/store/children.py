"""Programs that a test kills or starves: python -m tests.league.store.children NAME ..."""

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from msgspec.structs import replace

from arena.game.records import PlayedFixture
from arena.io.errors import ArenaError
from arena.league.keeping import prune
from arena.league.store.rows import pack
from arena.league.store.store import Store
from tests.support import factory

NOBODY = 65_533
"""A user of no account, and not 65534, all of whose processes an autograder ends."""
FILE_LIMIT = 200_000
"""Bytes that a starved process may write into one file."""


def fixture(index: int) -> PlayedFixture:
    """Return a fixture of a few KiB that no compression makes small."""
    noise = "".join(Random(index).choices("0123456789abcdef", k=8_000))
    return replace(factory.fixture(index, ("alpha", "beta")), stderr=(noise, ""))


def write(path: Path) -> None:
    """Add fixtures for ever; print each when it is stored."""
    with Store(path, create=True) as store:
        add_forever(store)


def add_forever(store: Store) -> None:
    for index in range(len(store.finished()), 100_000):
        played = fixture(index)
        store.add(pack(played))
        print(played.fixture.id, flush=True)


def die_between(path: Path, number: str) -> None:
    """Add fixtures; be killed when the logs of one are stored, and its rows are not."""
    inserts = 0

    def count(statement: str) -> None:
        nonlocal inserts
        inserts += statement.startswith("INSERT INTO fixtures")
        if inserts == int(number):
            os.kill(os.getpid(), signal.SIGKILL)

    with Store(path, create=True) as store:
        store._rows.connection.set_trace_callback(count)
        add_forever(store)


def die_pruning(path: Path, number: str) -> None:
    """Prune all logs of a store; be killed when the file is told to do something."""
    statements = 0

    def count(_: str) -> None:
        nonlocal statements
        statements += 1
        if statements == int(number):
            os.kill(os.getpid(), signal.SIGKILL)

    with Store(path, create=True) as store:
        store.logs.file.connection.set_trace_callback(count)
        prune.carry_out(store, prune.plan_of(store, 0, newest=0), lambda _: (7,))


def fill_rows(path: Path) -> None:
    """Do as `fill`, but only the file of rows cannot grow."""
    fill(path, lambda store: store._rows.execute("PRAGMA max_page_count = 12"))


def fill(path: Path, confine: Callable[[Store], object] = lambda _: None) -> None:
    """Add fixtures until it fails; print what was stored, what failed and what can be read then."""
    added: list[str] = []
    failure: ArenaError | None = None
    with Store(path, create=True) as store:
        store.begin(factory.league(("alpha", "beta")))
        confine(store)
        try:
            for index in range(1000):
                played = fixture(index)
                store.add(pack(played))
                added.append(played.fixture.id)
        except ArenaError as error:
            failure = error
        readable = [one.fixture.id for one in store.played()]
    what, where, hint = (failure.what, failure.where, failure.hint) if failure else ("", "", "")
    found = {"added": added, "readable": readable, "what": what, "where": where, "hint": hint}
    print(json.dumps(found))


def fill_limited(path: Path) -> None:
    """Do as `fill`, in a process that may write no large file."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
    fill(path)


def fill_to_the_brim(path: Path) -> None:
    """Do as `fill`, then use up the disk; print what reading finds then, and why writing fails."""
    fill(path)
    filler = os.open(path.with_name("filler"), os.O_WRONLY | os.O_CREAT)
    for size in (1 << 16, 1 << 10, 1):
        with suppress(OSError):
            while os.write(filler, bytes(size)):
                pass
    with Store(path) as store:
        readable = [one.fixture.id for one in store.played()]
    print(json.dumps(readable))
    try:
        Store(path, create=True)
    except ArenaError as error:
        print(json.dumps(error.hint))


def open_unprivileged(path: Path) -> None:
    """Open a store as a user without privileges; print what failed."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    try:
        with Store(path, create=True) as store:
            store.add(pack(fixture(999)))
    except ArenaError as error:
        print(json.dumps({"what": error.what, "where": error.where, "hint": error.hint}))


PROGRAMS: dict[str, Callable[..., None]] = {
    "write": write,
    "die_between": die_between,
    "die_pruning": die_pruning,
    "fill_rows": fill_rows,
    "fill": fill,
    "fill_to_the_brim": fill_to_the_brim,
    "fill_limited": fill_limited,
    "open_unprivileged": open_unprivileged,
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
