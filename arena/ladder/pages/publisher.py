"""When a ladder publishes: seldom enough that it costs a twentieth of a core at most."""

import time
from collections.abc import Callable
from functools import partial

from arena.io.errors import ArenaError
from arena.io.job import LAST, LATER, Job, JobDiedError, JobKeeper
from arena.ladder.book.book import Book
from arena.ladder.config import Config
from arena.ladder.folder import Folder
from arena.ladder.pages.overtaken import note_overtaken
from arena.ladder.pages.site import Publication, publish_all

_SHARE = 20
"""How many times as long as it takes there is between two publications."""


class Publisher(JobKeeper):
    """Publishes what changed, in a process of its own; if that is ended, the site stays."""

    def __init__(self, folder: Folder, config: Config, book: Book, say: Callable[[str], None]):
        self.config = config
        self._folder = folder
        self._book = book
        self._say = say
        self._shown: object = None
        self._begun_with: object = None

    def step(self, state: object) -> None:
        """Publish if the state is another than that which was published, and it is time."""
        if self._job:
            if self._job.is_over():
                self._take(self._job)
        elif state != self._shown and time.monotonic() >= self._not_before:
            self._begun_with = state
            self._book.set_fact("publish_due_at", str(time.time()))
            publish = partial(publish_all, self._folder, self.config.caps.replays)
            cores = self.config.spare_cores
            self._job = Job(publish, niceness=LAST if cores else LATER, cores=cores)

    def next_at(self, state: object) -> float | None:
        """Return when the next publication begins, in whole seconds since 1970; None if not."""
        if state == self._shown:
            return None
        return float(round(time.time() + max(0.0, self._not_before - time.monotonic())))

    @property
    def at_work(self) -> bool:
        """Whether a publication goes on."""
        return self._job is not None

    def _take(self, job: Job) -> None:
        self._job = None
        wait = self.config.file.intervals.publish
        try:
            published: Publication = job.result()
        except JobDiedError:
            self._say("the publication died; it is tried again")
        except ArenaError as error:
            self._say(f"nothing was published: {error}")
        else:
            wait = max(wait, _SHARE * published.seconds)
            self._shown = self._begun_with
            self._book.set_fact("published_at", str(time.time()))
            self._book.set_fact("publish_due_at", "")
            note_overtaken(self._folder.site, self._book)
        self._not_before = time.monotonic() + wait
