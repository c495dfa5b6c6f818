"""Requests for an invitation, in the database of the door, until they are decided."""

import time
from typing import NamedTuple

from arena.io.errors import ArenaError
from arena.ladder.book.book_file import BookFileUser, DoorFile
from arena.ladder.book.quota import DAY
from arena.ladder.book.schema import REQUESTS
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder

MAX_MAIL, MAX_WHY = 254, 500
"""Characters."""


class Request(NamedTuple):
    """What somebody asked for."""

    id: int
    at: float
    """In seconds since 1970."""
    name: str
    mail: str
    """"" if they gave none."""
    why: str


class Requests(BookFileUser):
    """The requests that wait; a context manager."""

    def __init__(self, folder: Folder, *, writes: bool = False) -> None:
        self._folder = folder
        self._file = DoorFile(folder, writes=writes, optional=REQUESTS)

    def waiting(self) -> list[Request]:
        """Return the requests, the first first."""
        there = "SELECT count(*) FROM sqlite_schema WHERE name = 'requests'"
        if not self._file.value(there):
            return []
        return [Request(**row) for row in self._file.rows("SELECT * FROM requests ORDER BY id")]

    def add(self, name: str, mail: str, why: str, most: int) -> None:
        """Add a request; raises ArenaError if the name cannot be had, or if too many wait."""
        with self._file.transaction():
            waiting = self.waiting()
            check_free(self._folder, name, [request.name for request in waiting])
            if len(waiting) >= most:
                hint = "try again tomorrow, or ask the operator"
                raise ArenaError("too many requests wait already", hint=hint)
            self._file.insert("requests", at=time.time(), name=name, mail=mail, why=why)

    def take(self, number: int) -> Request | None:
        """Take a request that is decided off the list; None if it was decided before."""
        with self._file.transaction():
            request = next((one for one in self.waiting() if one.id == number), None)
            self._file.execute("DELETE FROM requests WHERE id = ?", number)
            return request


def check_free(folder: Folder, name: str, wanted: list[str]) -> None:
    """Raise ArenaError for a name that nobody can have, or that somebody has or asked for."""
    with Door(folder) as door:
        door.check_authors([name])
        taken = door.find(name) is not None
    if taken or name.lower() in {other.lower() for other in wanted}:
        raise ArenaError(f"the name '{name}' is taken", hint="choose another name")


def joined_today(folder: Folder) -> int:
    """Return how many authors there are since 24 hours."""
    with Door(folder) as door:
        return sum(author.since > time.time() - DAY for author in door.authors())
