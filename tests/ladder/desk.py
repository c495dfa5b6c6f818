"""A ladder without games and without processes: its door, its book, and checks that are played."""

from typing import ClassVar

import msgspec

from arena.io.errors import ShortageError
from arena.io.job import JobDiedError
from arena.ladder.book.book import Book
from arena.ladder.book.quota import Quotas
from arena.ladder.book.tables import CHECKS, CheckResult, Progress, ReportedFault, State
from arena.ladder.check.scheduler import CheckScheduler
from arena.ladder.config import load_config
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.season.field import carry_out
from tests.ladder import club as clubs

PASSED = CheckResult(ok=True, digest="d" * 64, steps=17, games=20)
FAILED = CheckResult(ok=False, faults=[ReportedFault("it crashed", "bga", "mend it")])
DIED = None
SHORT = ShortageError("this machine is short of processes")


class Played:
    """A check that is over at once, with the next of some results."""

    results: ClassVar[list[CheckResult | ShortageError | None]] = []
    ended = 0

    def __init__(self, _: object, **__: object) -> None:
        self._over = bool(self.results)

    def is_over(self) -> bool:
        return self._over

    def result(self) -> bytes:
        result = self.results.pop(0)
        if result is None:
            raise JobDiedError
        if isinstance(result, ShortageError):
            raise result
        return msgspec.json.encode(result)

    def end(self) -> None:
        Played.ended += 1


class Desk:
    """A ladder without games: its door, its book and its checks."""

    def __init__(self, folder: Folder, book: Book, door: Door) -> None:
        self.folder, self.book, self.door = folder, book, door
        self.allow(1)

    def allow(self, slots: int) -> None:
        """Go on as a ladder that lets so many checks go on at a time."""
        clubs.change(self.folder.root, checks={"at_a_time": slots})
        self.checks = CheckScheduler(self.folder, load_config(self.folder.config), self.book)

    def submit(self, author: str, bot: str, content: bytes = b"1") -> str:
        self.door.invite(author)
        upload, _ = self.door.submit(author, bot, content, ".tar", Quotas(1000, 1000))
        self.book.add(upload, State.QUEUED, "it came")
        return upload.version

    def run(self, *results: CheckResult | ShortageError | None) -> None:
        """Begin and end one check for each result."""
        for result in results:
            Played.results = [result]
            self.checks.step()
            self.checks.step()

    def obey(self) -> None:
        """Carry out the orders that wait."""
        for order in self.door.orders(self.book.last_order()):
            carry_out(order, self.book)

    def state(self, version: str) -> State:
        return self.book.version(version).state

    def checking(self) -> list[str]:
        """Return the versions whose checks go on, the first that began first."""
        noted = msgspec.json.decode(self.book.facts()[CHECKS], type=list[Progress])
        states = {one.name for one in self.book.versions({State.CHECKING})}
        assert states == {one.version for one in noted}
        return [one.version for one in noted]
