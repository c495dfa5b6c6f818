"""Submitting a bot to a ladder on this machine, and following what becomes of it."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from arena.bots.bot import Bot
from arena.bots.folder import canonical
from arena.bots.manifest import SAMPLE, find_bot, load_bot
from arena.ladder.book.book import Book
from arena.ladder.book.quota import Allowance
from arena.ladder.book.tables import WAITING, CheckResult, Event, State, Upload
from arena.ladder.config import load_config
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, is_running

_POLL = 0.5


class Received(NamedTuple):
    """A submission that is on the disk."""

    upload: Upload
    new: bool
    """False if the same bytes had been received before."""
    allowance: Allowance


def submit(folder: Folder, source: Path, author: str, note: str = "") -> Received:
    """Submit a bot's folder or archive; returns when it is on the disk to stay.

    Raises ArenaError if it is no bot, or if the author may not submit it now.
    """
    bot = read_bot(source)
    config = load_config(folder.config)
    content, quotas = canonical(bot), config.file.quotas
    with Door(folder, writes=True) as door:
        author = door.author(author).name
        name = config.file.names.of(author, bot.name)
        door.check_room(author, len(content), config.caps)
        upload, new = door.submit(author, name, content, ".tar", quotas, note)
        return Received(upload, new, door.allowance(upload.author, quotas))


def read_bot(source: Path) -> Bot:
    """Read a bot's folder or archive, or a sample bot by its name."""
    if str(source).startswith(SAMPLE):
        return find_bot(str(source), Path.cwd(), "BOT", "submit one at a time")
    return load_bot(source)


def follow(folder: Folder, version: str) -> Iterator[Event]:
    """Yield the log of a version until its check is over, or no ladder runs."""
    last = 0
    while True:
        running = is_running(folder)
        with Book(folder) as book:
            states = {known.name: known.state for known in book.versions()}
            events = book.events(version, last)
        yield from events
        last = events[-1].n if events else last
        if not running or states.get(version, State.QUEUED) not in WAITING:
            return
        time.sleep(_POLL)


def result_of(folder: Folder, version: int) -> CheckResult | None:
    """Return the result of the last check of a version, by the id of its upload."""
    with Book(folder) as book:
        return book.newest_result(version)


def state_of(folder: Folder, version: str) -> State:
    """Return the state of a version that may not be entered yet."""
    with Book(folder) as book:
        states = {known.name: known.state for known in book.versions()}
    return states.get(version, State.QUEUED)
