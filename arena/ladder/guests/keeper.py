"""The ladder's hold on the process with the tables of visitors."""

import time
from collections.abc import Iterable
from functools import partial

import msgspec

from arena.io.job import Job, JobKeeper
from arena.ladder.book.book import Book
from arena.ladder.config import Config
from arena.ladder.door.guest_spool import FACT
from arena.ladder.folder import Folder
from arena.ladder.guests.tables import run_tables

_PAUSE = 5.0
"""Seconds between two starts of the process."""


class GuestKeeper(JobKeeper):
    """Begins the process if ladder.yaml has places for visitors, and again if it ends."""

    def __init__(self, folder: Folder, config: Config, book: Book) -> None:
        self._folder, self._config, self._book = folder, config, book

    def step(self) -> None:
        """See that the process is there."""
        now = time.monotonic()
        if not self._config.file.guests or now < self._not_before:
            return
        if self._job is None or self._job.is_over():
            self.stop()
            self._not_before = now + _PAUSE
            cores = self._config.spare_cores
            self._job = Job(partial(run_tables, self._folder), cores=cores)

    def offer(self, field: Iterable[tuple[str, bool | None]]) -> None:
        """Note which versions play against people, by name and what their bot.yaml says."""
        if self._config.file.guests:
            default = self._config.file.humans
            names = [name for name, said in field if (default if said is None else said)]
            self._book.set_fact(FACT, msgspec.json.encode(names).decode())
