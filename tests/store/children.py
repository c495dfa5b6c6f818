"""Programs for processes that a test kills or starves: python -m tests.store.children NAME PATH."""

import json
import os
import resource
import sys
from pathlib import Path
from random import Random

from msgspec.structs import replace

from arena.errors import ArenaError
from arena.records import PlayedFixture
from arena.store.store import Store
from tests.publish import factory

NOBODY = 65_534
FILE_LIMIT = 200_000
"""Bytes that a starved process may write into one file."""


def fixture(index: int) -> PlayedFixture:
    """Return a fixture of a few KiB that no compression makes small."""
    noise = "".join(Random(index).choices("0123456789abcdef", k=8_000))
    return replace(factory.fixture(index, ("alpha", "beta")), stderr=(noise, ""))


def write(path: Path) -> None:
    """Add fixtures for ever; say each when it is stored."""
    with Store(path, create=True) as store:
        for index in range(len(store.finished()), 100_000):
            played = fixture(index)
            store.add(played)
            print(played.fixture.id, flush=True)


def fill(path: Path) -> None:
    """Add fixtures until it fails; say what was stored, what failed and what can be read then."""
    added: list[str] = []
    said: ArenaError | None = None
    with Store(path, create=True) as store:
        store.begin(factory.league(("alpha", "beta")))
        try:
            for index in range(1000):
                played = fixture(index)
                store.add(played)
                added.append(played.fixture.id)
        except ArenaError as error:
            said = error
        kept = [one.fixture.id for one in store.played()]
    what, hint = (said.what, said.hint) if said else ("", "")
    print(json.dumps({"added": added, "kept": kept, "what": what, "hint": hint}))


def fill_limited(path: Path) -> None:
    """Do as `fill`, in a process that may write no large file."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
    fill(path)


def open_unprivileged(path: Path) -> None:
    """Open a store as a user whom permissions hold; say what failed."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    try:
        with Store(path, create=True) as store:
            store.add(fixture(999))
    except ArenaError as error:
        print(json.dumps({"what": error.what, "where": error.where, "hint": error.hint}))


PROGRAMS = {
    "write": write,
    "fill": fill,
    "fill_limited": fill_limited,
    "open_unprivileged": open_unprivileged,
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](Path(sys.argv[2]))
