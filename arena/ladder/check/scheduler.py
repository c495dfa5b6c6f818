"""The checks of a ladder that runs: several at a time, each in a process of its own."""

import time
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from multiprocessing import Pipe

import msgspec
from msgspec.structs import replace

from arena.bots.builds.staging import BuildCache
from arena.io.cores import enough_cores
from arena.io.errors import ArenaError, ShortageError, shortage_of
from arena.io.files import write_file
from arena.io.job import LATER, Job, JobDiedError
from arena.io.uptime import Uptime
from arena.ladder.book.book import Book
from arena.ladder.book.tables import (
    CHECKS,
    Check,
    CheckResult,
    Progress,
    ReportedFault,
    State,
    Version,
    decoded_check,
)
from arena.ladder.check.queue import TRIES, Waiting, lease, next_check
from arena.ladder.check.submission_check import CheckOrder, check_submission
from arena.ladder.config import Config
from arena.ladder.folder import Folder, make_shared
from arena.ladder.season.field import admit

_KEPT = 3_600.0
"""Seconds for which a submission stays in the inbox after its check."""
_PAUSE = 10.0
"""Seconds without a new check after one that this machine could not make."""
_GAP = 10.0
"""Seconds between two looks at the checks from which on the ladder was suspended, or had more to do
than to look: they do not count for leases."""


class _Running:
    """A check that goes on."""

    def __init__(
        self,
        version: Version,
        check: Check,
        order: CheckOrder,
        until: float,
        cores: Collection[int],
    ) -> None:
        self.version = version
        self.check = check
        self._steps = order.of
        self.until = until
        """When its lease ends, in uptime of the ladder."""
        self._told, tell = Pipe(duplex=False)
        self._begun: list[str] = []
        """The steps that began."""
        self.job = Job(partial(check_submission, order, tell), niceness=LATER, cores=cores)
        tell.close()

    def listen(self) -> bool:
        """Take in which steps began since the last look; returns whether any did."""
        before = len(self._begun)
        with suppress(EOFError, OSError):  # it ended
            while self._told.poll():
                self._begun.append(self._told.recv())
        return len(self._begun) > before

    @property
    def progress(self) -> Progress:
        """The steps that were passed, and the one that goes on."""
        *passed, trying = self._begun or [""]
        return Progress(self.version.name, self._steps, tuple(passed), trying)

    def is_over(self, now: float) -> bool:
        """Tell whether it has ended, or must end by now."""
        return self.job.is_over() or now >= self.until

    def result(self) -> bytes | None:
        """End it, and return its result; None if it did not come to its end."""
        self._told.close()
        try:
            if self.job.is_over():
                result: bytes = self.job.result()
                return result
        except JobDiedError:
            return None
        self.job.end()
        return None


class CheckScheduler:
    """Checks the versions that wait, and moves each on by its result."""

    def __init__(self, folder: Folder, config: Config, book: Book) -> None:
        self.config = config
        self._folder = folder
        self._book = book
        self._running: list[_Running] = []
        """Those that began first come first."""
        self._uptime = Uptime(gap=_GAP)
        self._not_before = 0.0
        """When the next check may begin, by that uptime."""
        # Their processes died with the ladder that had begun them.
        book.forget_begun_checks()
        self._note_progress()
        for version in book.versions({State.CHECKING}):
            book.set_state(version, State.QUEUED, "the ladder was stopped during its check")

    def step(self) -> bool:
        """Take results in, or begin the next checks; returns whether a version was admitted."""
        now = self._uptime.tick()
        began = [running.listen() for running in self._running]
        if any(began):
            self._note_progress()
        checking = self._checking() if self._running else set()
        over = [
            running
            for running in self._running
            if running.is_over(now) or running.version.id not in checking
        ]
        admitted = [self._end(running) for running in over]
        while not over and self._begin_next():
            pass
        return any(admitted)

    def tidy(self) -> None:
        """Give authors back what they submitted; empty the inbox of what was checked long ago.

        It is not emptied at once: a backup copies the database first and the inbox later, and must
        find there what the database refers to.
        """
        for version in self._book.versions():
            give_back(self._folder, version)
            if version.digest and version.since < time.time() - _KEPT:
                path = self._folder.upload(version.sha256, version.ending)
                path.unlink(missing_ok=True)

    def stop(self) -> None:
        """End the checks that go on; they are begun again by the next ladder."""
        for running in self._running:
            running.job.end()
        self._running.clear()

    def _begin_next(self) -> bool:
        """Begin a check, if there is a slot for a version that waits; returns whether it did."""
        if self._uptime.now() < self._not_before:
            return False
        waiting = {version.id: version for version in self._book.versions({State.QUEUED})}
        queue = [Waiting(version.id, version.author) for version in waiting.values()]
        authors = [running.version.author for running in self._running]
        turn = next_check(queue, self._book.last_check(), authors, self.config.file.checks.slots)
        if turn is None:
            return False
        version = waiting[turn.version]
        order = self._order(version)
        seconds = lease(order.seconds)
        with self._book.together():
            check = self._book.begin_check(version, seconds)
            self._book.set_state(version, State.CHECKING, f"check {check.number}")
        until = self._uptime.now() + seconds
        try:
            running = _Running(version, check, order, until, self.config.spare_cores)
        except Exception as error:
            if not (shortage := shortage_of(error)):
                raise
            self._postpone(version, check, shortage)
        else:
            self._running.append(running)
        self._note_progress()
        return True

    def _note_progress(self) -> None:
        progress = [running.progress for running in self._running]
        self._book.set_fact(CHECKS, msgspec.json.encode(progress).decode())

    def _order(self, version: Version) -> CheckOrder:
        league = self.config.league
        folder = self._folder
        source = folder.version(version.digest)
        if not version.digest:
            source = folder.upload(version.sha256, version.ending)
        return CheckOrder(
            source=source,
            bot=version.bot,
            versions=folder.versions,
            variants=league.variants,
            players=league.players,
            limits=league.limits,
            sandbox=league.sandbox,
            images=league.images,
            paths=league.sandbox_paths,
            packages=league.packages,
            builds=BuildCache(folder.built),
            trusted=self.config.file.trust_bots,
            games=league.games,
            pin=league.pin and enough_cores(league.workers),
            seconds=self.config.file.checks.seconds,
            steps=self.config.file.checks.steps,
            models=tuple(league.models),
        )

    def _end(self, running: _Running) -> bool:
        """Take in the result of a check; returns whether its version was admitted.

        A check that died is begun again, but not too often.
        """
        self._running.remove(running)
        version = running.version
        try:
            result = running.result()
        except ShortageError as error:
            self._postpone(version, running.check, error)
            self._note_progress()
            return False
        with self._book.together():
            self._note_progress()
            if version.id not in self._checking():
                self._book.end_check(running.check, None)
                return False
            if result is not None:
                return self._settle(version, running.check, decoded_check(result))
            self._book.end_check(running.check, None)
            died = sum(check.result is None for check in self._book.checks(version))
            if died >= TRIES:
                why = f"its check died {died} times; the operator may order a recheck"
                self._book.set_state(version, State.REFUSED, why)
            else:
                self._book.set_state(version, State.QUEUED, "its check died: it is begun again")
            return False

    def _checking(self) -> set[int]:
        """Return the versions that are checked, without those ordered out or of who left."""
        return {version.id for version in self._book.versions({State.CHECKING})}

    def _postpone(self, version: Version, check: Check, shortage: ShortageError) -> None:
        """Have a check made later that this machine could not make."""
        self._not_before = self._uptime.now() + _PAUSE
        with self._book.together():
            self._book.drop_check(check)
            if version.id in self._checking():
                self._book.set_state(version, State.QUEUED, f"{shortage.what}: it is checked later")

    def _settle(self, version: Version, check: Check, result: CheckResult) -> bool:
        """Move a version on that was checked to the end; returns whether it was admitted.

        One that passed is refused if another author has its name by now.
        """
        try:
            self._book.check_owner(version.author, version.bot)
        except ArenaError as error:
            fault = ReportedFault(error.what, error.where, error.hint)
            result = replace(result, ok=False, faults=[fault, *result.faults])
        self._book.end_check(check, msgspec.json.encode(result))
        if result.digest and not version.digest:
            self._book.set_digest(version, result.digest)
            give_back(self._folder, version._replace(digest=result.digest))
        for line in result.story:
            self._book.note(line, version.author, version.name)
        if not result.ok:
            self._book.set_state(version, State.REFUSED, result.reason)
            return False
        if self.config.file.approve:
            why = f"it passed its check: {_summary(result)}"
            self._book.set_state(version, State.AWAITING, why)
            return False
        admit(self._book, version, f"admitted: {_summary(result)}")
        return True


def _summary(result: CheckResult) -> str:
    times = ""
    if result.p99 is not None:
        clock = "CPU" if result.clock == "cpu" else "wall clock"
        times = f", p99 {1000 * result.p99:.2g} of {1000 * result.limit:g} ms {clock}"
    awaited = "" if result.awaited is None else f", awaited for {result.awaited:.1f} s"
    return f"{result.steps} steps, {result.games} games, 0 faults{times}{awaited}"


def give_back(folder: Folder, version: Version) -> None:
    """Copy the canonical bytes of a version to its author's files; what fails is tried again."""
    path = folder.sent(version.author, version.name)
    if path.exists() or not version.digest:
        return
    with suppress(OSError, ArenaError):
        content = folder.version(version.digest).read_bytes()
        for parent in (path.parents[1], path.parent):
            make_shared(parent)
        write_file(path, content, mode=None)
