"""The checks of a ladder that runs: one at a time, each in a process of its own."""

import time
from contextlib import suppress
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import NamedTuple

import msgspec

from arena.ladder.book.book import Book
from arena.ladder.book.tables import WAITING, Check, Progress, State, Version
from arena.ladder.check.submission import STEPS, CheckOrder, CheckResult, check_submission, decoded
from arena.ladder.check.turns import LEASE, TRIES, Waiting, next_check
from arena.ladder.config import Config
from arena.ladder.folder import Folder
from arena.ladder.job import Job, JobDiedError
from arena.ladder.season.admission import admit

_KEPT = 3_600.0
"""Seconds."""


class _Running(NamedTuple):
    """A check that goes on."""

    version: Version
    check: Check
    job: Job
    told: Connection
    """Has the name of each step that began."""
    until: float
    """When its lease ends, by the monotonic clock."""


class Checks:
    """Takes the versions that wait, checks them and says what comes of it."""

    def __init__(self, folder: Folder, config: Config, book: Book) -> None:
        self.config = config
        self._folder = folder
        self._book = book
        self._running: _Running | None = None
        self._begun: list[str] = []
        """The steps of it that began."""
        # Their processes died with the ladder that had begun them.
        book.forget_begun_checks()
        for version in book.versions({State.CHECKING}):
            book.set_state(version, State.QUEUED, "the ladder was stopped during its check")

    def step(self) -> bool:
        """Take a result in, or begin the next check; returns whether a version was admitted."""
        if self._running is None:
            self._begin_next()
            return False
        running = self._running
        self._listen(running)
        if not running.job.is_over() and time.monotonic() < running.until:
            return False
        self._forget()
        return self._take(running.version, running.check, _result_of(running.job))

    def tidy(self) -> None:
        """Remove submissions from the inbox that have been among the versions for a while.

        A backup copies the database first and the inbox later: it must find what it refers to.
        """
        for version in self._book.versions():
            if version.digest and version.since < time.time() - _KEPT:
                path = self._folder.upload(version.sha256, version.ending)
                path.unlink(missing_ok=True)

    def stop(self) -> None:
        """End the check that goes on; it is begun again by the next ladder."""
        if self._running:
            self._running.job.end()
            self._forget()

    def _forget(self) -> None:
        if self._running:
            self._running.told.close()
            self._running = None

    def _begin_next(self) -> None:
        waiting = {one.id: one for one in self._book.versions(WAITING)}
        queue = [Waiting(one.id, one.author) for one in waiting.values()]
        turn = next_check(queue, self._book.last_check())
        if turn is None:
            return
        version = waiting[turn.version]
        self._begun = []
        with self._book.together():
            check = self._book.begin_check(version, LEASE)
            self._note_progress(version)
            self._book.set_state(version, State.CHECKING, f"check {check.number}")
        told, tell = Pipe(duplex=False)
        job = Job(partial(check_submission, self._order(version), tell))
        tell.close()
        self._running = _Running(version, check, job, told, time.monotonic() + LEASE)

    def _listen(self, running: _Running) -> None:
        """Take in which steps began since the last look."""
        before = len(self._begun)
        with suppress(EOFError, OSError):  # it ended
            while running.told.poll():
                self._begun.append(running.told.recv())
        if len(self._begun) > before:
            self._note_progress(running.version)

    def _note_progress(self, version: Version) -> None:
        passed, trying = tuple(self._begun[:-1]), "".join(self._begun[-1:])
        progress = Progress(version.name, STEPS, passed, trying)
        self._book.set_fact("check", msgspec.json.encode(progress).decode())

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
            packages=league.packages,
            trusted=self.config.file.trust_bots,
        )

    def _take(self, version: Version, check: Check, result: bytes | None) -> bool:
        with self._book.together():
            self._book.end_check(check, result)
            if result is None:
                self._retry(version)
                return False
            return self._settle(version, decoded(result))

    def _settle(self, version: Version, found: CheckResult) -> bool:
        """Move a version on that was checked to the end; returns whether it was admitted."""
        if found.digest and not version.digest:
            self._book.set_digest(version, found.digest)
        for line in found.story:
            self._book.note(line, version.author, version.name)
        if not found.ok:
            self._book.set_state(version, State.REFUSED, found.reason)
            return False
        if self.config.file.approve:
            self._book.set_state(version, State.AWAITING, f"it passed its check: {_summary(found)}")
            return False
        admit(self._book, version, f"admitted: {_summary(found)}")
        return True

    def _retry(self, version: Version) -> None:
        """Check again, unless it died too often."""
        died = sum(one.result is None for one in self._book.checks(version))
        if died >= TRIES:
            why = f"its check died {died} times; the operator may order a recheck"
            self._book.set_state(version, State.REFUSED, why)
        else:
            self._book.set_state(version, State.QUEUED, "its check died: it is begun again")


def _result_of(job: Job) -> bytes | None:
    try:
        if job.is_over():
            result: bytes = job.result()
            return result
    except JobDiedError:
        return None
    job.end()
    return None


def _summary(found: CheckResult) -> str:
    times = ""
    if found.p99 is not None:
        clock = "CPU" if found.clock == "cpu" else "wall clock"
        times = f", p99 {1000 * found.p99:.2g} of {1000 * found.limit:g} ms {clock}"
    return f"{found.steps} steps, {found.games} games, 0 faults{times}"
