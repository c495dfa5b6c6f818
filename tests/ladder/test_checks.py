"""What becomes of a version that waits: checked, begun again, refused; the checks are played."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from arena.ladder import checks
from arena.ladder.book import Book
from arena.ladder.checking import CheckResult, Fault
from arena.ladder.checks import Checks
from arena.ladder.config import load_config
from arena.ladder.door import Door
from arena.ladder.folder import Folder
from arena.ladder.job import JobDiedError
from arena.ladder.quota import Quotas
from arena.ladder.tables import State
from tests.ladder import club as clubs

PASSED = CheckResult(ok=True, digest="d" * 64, steps=17, games=20)
FAILED = CheckResult(ok=False, faults=[Fault("it crashed", "bga", "mend it")])
DIED = None


class Played:
    """A check that is over at once, with the next of some results."""

    results: ClassVar[list[CheckResult | None]] = []
    ended = 0

    def __init__(self, _: object) -> None:
        self._over = bool(self.results)

    def is_over(self) -> bool:
        return self._over

    def result(self) -> bytes:
        result = self.results.pop(0)
        if result is None:
            raise JobDiedError
        return msgspec.json.encode(result)

    def end(self) -> None:
        Played.ended += 1


class Desk:
    """A ladder without games: its door, its book and its checks."""

    def __init__(self, folder: Folder, book: Book, door: Door) -> None:
        self.folder, self.book, self.door = folder, book, door
        self.checks = Checks(folder, load_config(folder.config), book)

    def submit(self, author: str, bot: str, content: bytes = b"1") -> str:
        self.door.invite(author)
        upload, _ = self.door.submit(author, bot, content, ".tar", Quotas(1000, 1000))
        self.book.add(upload, State.QUEUED, "it came")
        return upload.version

    def run(self, *results: CheckResult | None) -> None:
        """Begin and end one check for each result."""
        for result in results:
            Played.results = [result]
            self.checks.step()
            self.checks.step()

    def state(self, version: str) -> State:
        return self.book.version(version).state


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(checks, "Job", Played)
    folder = Folder(clubs.make(tmp_path))
    with ExitStack() as stack:
        book = stack.enter_context(Book(folder, writes=True))
        yield Desk(folder, book, stack.enter_context(Door(folder, writes=True)))


def test_a_version_that_passes_is_admitted_and_the_one_before_rests(desk: Desk) -> None:
    first, second = desk.submit("ann", "bot"), desk.submit("ann", "bot", b"2")
    desk.run(PASSED)
    assert (desk.state(first), desk.state(second)) == (State.PROVISIONAL, State.QUEUED)
    desk.run(PASSED)
    assert (desk.state(first), desk.state(second)) == (State.RESTING, State.PROVISIONAL)
    assert desk.book.version(first).why == "bot@2 plays in its place"


def test_an_older_version_that_passes_late_does_not_take_the_place_of_a_newer(desk: Desk) -> None:
    first, second = desk.submit("ann", "bot"), desk.submit("ann", "bot", b"2")
    desk.run(FAILED, PASSED)
    desk.book.set_state(desk.book.version(first), State.QUEUED, "a recheck was ordered")
    desk.run(PASSED)
    assert (desk.state(first), desk.state(second)) == (State.RESTING, State.PROVISIONAL)
    assert desk.book.version(first).why.endswith("but bot@2 is newer")


def test_a_version_that_fails_is_refused_for_its_first_fault(desk: Desk) -> None:
    version = desk.submit("ann", "bot")
    desk.run(FAILED)
    assert desk.state(version) is State.REFUSED
    assert desk.book.version(version).why == "it crashed / bga / mend it"


def test_a_check_that_dies_is_begun_again_three_times(desk: Desk) -> None:
    version = desk.submit("ann", "bot")
    desk.run(DIED, DIED)
    assert desk.state(version) is State.QUEUED
    desk.run(DIED)
    assert desk.state(version) is State.REFUSED
    assert desk.book.version(version).why.startswith("its check died 3 times")


def test_a_check_whose_ladder_was_killed_is_begun_again_and_not_counted(desk: Desk) -> None:
    version = desk.submit("ann", "bot")
    for _ in range(5):
        Played.results = []
        desk.checks.step()
        assert desk.state(version) is State.CHECKING
        desk.checks = Checks(desk.folder, desk.checks.config, desk.book)
        assert desk.state(version) is State.QUEUED
    desk.run(PASSED)
    assert desk.state(version) is State.PROVISIONAL


def test_a_check_whose_lease_ends_is_ended(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    version = desk.submit("ann", "bot")
    monkeypatch.setattr(checks, "LEASE", 0.0)
    Played.results, Played.ended = [], 0
    desk.checks.step()
    desk.checks.step()
    assert Played.ended == 1
    assert desk.state(version) is State.QUEUED


def test_authors_take_turns(desk: Desk) -> None:
    many = [desk.submit("ann", "bot", b"%d" % n) for n in range(3)]
    late = desk.submit("bob", "other")
    desk.run(FAILED, FAILED)
    assert [desk.state(one) for one in (*many, late)] == [
        State.REFUSED,
        State.QUEUED,
        State.QUEUED,
        State.REFUSED,
    ]


def test_a_submission_leaves_the_inbox_when_no_backup_can_need_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = desk.submit("ann", "bot")
    desk.run(PASSED)
    desk.checks.tidy()
    assert len(list(desk.folder.inbox.iterdir())) == 1
    monkeypatch.setattr(checks, "_KEPT", -1.0)
    desk.checks.tidy()
    assert list(desk.folder.inbox.iterdir()) == []
    assert desk.state(version) is State.PROVISIONAL
