"""Hand-ins that a ladder received: the versions of its authors, who are the students."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from arena.course.intake.choice import HandIn
from arena.course.roster import Student
from arena.ladder.book.book import Book
from arena.ladder.book.tables import State, Upload, Version
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, existing


class _Received(NamedTuple):
    upload: Upload
    version: Version | None
    """None until the ladder has entered it."""

    @property
    def state(self) -> State:
        return self.version.state if self.version else State.QUEUED

    def source(self, folder: Folder) -> Path:
        """Return its canonical bytes; those that came until its check has read them."""
        if self.version and self.version.digest:
            return folder.version(self.version.digest)
        return folder.upload(self.upload.sha256, self.upload.ending)


def hand_ins_from_ladder(root: Path, students: Sequence[Student]) -> tuple[list[HandIn], list[str]]:
    """Return the versions of all students, and the names of authors who are not on the roster.

    An author is the student whose id is the author's name. Struck versions are left out, and so are
    refused ones of a student who has others. Raises ArenaError if it is no ladder.
    """
    folder = existing(root)
    with Door(folder) as door, Book(folder) as book:
        versions = {one.id: one for one in book.versions()}
        received = [_Received(one, versions.get(one.id)) for one in door.uploads()]
    by_author = defaultdict[str, list[_Received]](list)
    for one in received:
        if one.state is not State.STRUCK:
            by_author[one.upload.author.casefold()].append(one)
    found = [
        _hand_in(one, student, folder)
        for student in students
        for one in _valid(by_author.pop(student.id.casefold(), []))
    ]
    return found, sorted(theirs[0].upload.author for theirs in by_author.values())


def _valid(received: list[_Received]) -> list[_Received]:
    return [one for one in received if one.state is not State.REFUSED] or received


def _hand_in(one: _Received, student: Student, folder: Folder) -> HandIn:
    received = datetime.fromtimestamp(int(one.upload.received_at), UTC)
    return HandIn(student.id, one.upload.version, one.source(folder), received)
