"""Where the page of each student is: under a name that nobody can guess, or behind a login."""

import hmac
import secrets
from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path

from arena.course.config import Course
from arena.course.marks.result import grading
from arena.io.errors import ArenaError
from arena.io.files import reason, write_file
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, existing, make_shared

FEEDBACK = "feedback"
_OF_COURSE = "course"
"""The folder of a course among an author's private pages."""
_KEY_FILE = "secret"
"""From which the names of pages follow."""
_DIGITS = 32
"""Of a page's name: 128 bits."""


def places_of(course: Course) -> dict[str, Path]:
    """Return where each student's page goes, by id.

    It is in the private folder of the author of that name, whom the door lets read it, if the
    course has a door and they are invited. Raises ArenaError if there is no such ladder.
    """
    secret = _secret(grading(course))
    private = _private_folders(course.door) if course.door else {}
    return {
        student.id: private[key] / _OF_COURSE / "index.html"
        if (key := student.id.casefold()) in private
        else course.folder / page_path(secret, student.id)
        for student in course.students
    }


def page_path(secret: bytes, student: str) -> str:
    """Return the file of a student's page, whose name nobody can guess without the secret."""
    token = hmac.new(secret, student.encode("utf-8", "surrogatepass"), sha256).hexdigest()
    return f"{FEEDBACK}/{token[:_DIGITS]}.html"


def is_behind_door(page: Path) -> bool:
    """Tell whether a page is in an author's private folder."""
    return page.parent.name == _OF_COURSE


def write_page(page: Path, content: bytes) -> None:
    """Write a student's page, all or nothing; raises ArenaError."""
    if is_behind_door(page):
        folder = page.parent
        try:
            make_shared(folder.parent)
            make_shared(folder)
        except OSError as error:
            hint = "grade as the user who runs the ladder"
            raise ArenaError(f"it cannot be made: {reason(error)}", str(folder), hint) from None
    write_file(page, content, 0o644, parents=True)


def remove_others(course: Course, pages: Mapping[str, Path]) -> None:
    """Remove the pages of students who are no longer on the roster, or whose page moved."""
    old = [*(course.folder / FEEDBACK).glob(f"{'[0-9a-f]' * _DIGITS}.html")]
    if course.door:
        folders = _private_folders(course.door).values()
        old += [private / _OF_COURSE / "index.html" for private in folders]
    _remove([page for page in old if page not in {*pages.values()}])


def _remove(pages: Collection[Path]) -> None:
    for page in pages:
        try:
            page.unlink(missing_ok=True)
        except OSError as error:
            raise ArenaError(f"it cannot be removed: {reason(error)}", str(page)) from None


def _private_folders(root: Path) -> dict[str, Path]:
    """Return the private folder of each author of a ladder, by name in lower case."""
    folder: Folder = existing(root)
    with Door(folder) as door:
        return {author.name.casefold(): folder.private / author.name for author in door.authors()}


def _secret(folder: Path) -> bytes:
    path = folder / _KEY_FILE
    if not path.exists():
        write_file(path, secrets.token_hex(32).encode())
    return path.read_bytes()
