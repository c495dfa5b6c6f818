"""Hand-ins that a ladder received: the versions of its authors, who are the students."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from arena.course.intake.choice import HandIn
from arena.course.intake.inside import Inside
from arena.course.intake.receipt import Receipt
from arena.course.terms.roster import Student
from arena.ladder.book.book import Book
from arena.ladder.book.tables import State, Upload, Version
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, existing


class _Submission(NamedTuple):
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
        versions = {version.id: version for version in book.versions()}
        received = [_Submission(upload, versions.get(upload.id)) for upload in door.uploads()]
    by_author = defaultdict[str, list[_Submission]](list)
    for submission in received:
        if submission.state is not State.STRUCK:
            by_author[submission.upload.author.casefold()].append(submission)
    hand_ins = [
        _hand_in(submission, student, folder)
        for student in students
        for submission in _valid(by_author.pop(student.id.casefold(), []))
    ]
    return hand_ins, sorted(theirs[0].upload.author for theirs in by_author.values())


def _valid(received: list[_Submission]) -> list[_Submission]:
    passed = [submission for submission in received if submission.state is not State.REFUSED]
    return passed or received


def _hand_in(submission: _Submission, student: Student, folder: Folder) -> HandIn:
    upload = submission.upload
    received = datetime.fromtimestamp(int(upload.received_at), UTC)
    source = submission.source(folder)
    return HandIn(
        student=student.id,
        name=upload.version,
        files={source.name: source},
        inside=Inside(source, "", "", "", ()),
        receipt=Receipt(received, source="the ladder"),
        sign=f"the author {upload.author}",
    )
