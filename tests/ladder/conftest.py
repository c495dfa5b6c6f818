"""A ladder with some history, which tests go on with in copies."""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from arena.ladder.book.book import Book
from arena.ladder.check import scheduler
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.pages.site import publish_all
from tests.cli.command import run
from tests.e2e.kills import CHEAT
from tests.e2e.live import let_others_in
from tests.ladder import club as clubs
from tests.ladder.club import inside
from tests.ladder.desk import Desk, Played
from tests.support.made_once import made_once

BETWEEN_THREADS = 1e-6
"""Seconds after which another thread goes on: what is not safe for threads is soon seen."""
EXPECTED = {"dead@1": "refused", "cheat@1": "refused", "one@1": "rated", "two@1": "rated"}


@pytest.fixture(scope="session")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder that two bots are admitted to and two are not, after some games.

    It is played once in a run, and each process of the tests has a copy.
    """
    made = made_once(tmp_path_factory, "ladder-with-history", play)
    folder = tmp_path_factory.mktemp("ladder")
    let_others_in(folder)
    return shutil.copytree(made / "club", folder / "club", symlinks=True)


def play(folder: Path) -> None:
    """Make a ladder with some history in a folder."""
    club = clubs.make(folder)
    run("ladder", "invite", club, "ann", "bob", cwd=club.parent)
    clubs.admitted(club, "one", clubs.REUSABLE, author="ann")
    clubs.admitted(club, "two", clubs.REUSABLE, author="bob")
    clubs.submitted(club, "dead", clubs.CRASHES, author="ann")
    clubs.submitted(club, "cheat", CHEAT, author="bob")
    with inside(club) as ladder:
        for version, state in EXPECTED.items():
            ladder.until(partial(clubs.is_in_state, club, version, state))
    publish_all(Folder(club), 100)
    with Book(Folder(club), writes=True) as book:
        book.set_fact("published_at", str(time.time()))
        book.set_fact("publish_due_at", "")


@pytest.fixture
def copy(club: Path, tmp_path: Path) -> Path:
    """Return a copy of the ladder to go on with."""
    let_others_in(tmp_path)
    shutil.copytree(club, tmp_path / "club", symlinks=True)
    return tmp_path / "club"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A ladder that does not run."""
    monkeypatch.setattr(scheduler, "Job", Played)
    folder = Folder(clubs.make(tmp_path))
    with ExitStack() as stack:
        book = stack.enter_context(Book(folder, writes=True))
        yield Desk(folder, book, stack.enter_context(Door(folder, writes=True)))


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads that are interrupted all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(BETWEEN_THREADS)
    yield
    sys.setswitchinterval(before)
