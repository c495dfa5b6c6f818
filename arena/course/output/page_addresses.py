"""Where the page of each student is below a course: under a name that nobody can guess."""

import hmac
import secrets
from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path

from arena.course.config import Course
from arena.course.marks.result import grading
from arena.io.errors import ArenaError
from arena.io.files import reason, write_file

FEEDBACK = "feedback"
_DOOR = "door"
"""The folder in `grading` with the pages as a door shows them."""
_KEY_FILE = "secret"
"""From which the names of pages follow."""
_DIGITS = 32
"""Of a page's name: 128 bits."""


def places_of(course: Course) -> dict[str, Path]:
    """Return where each student's page is, by id."""
    secret = _secret(grading(course))
    return {one.id: course.folder / page_path(secret, one.id) for one in course.students}


def page_path(secret: bytes, student: str) -> str:
    """Return the file of a student's page, whose name nobody can guess without the secret."""
    token = hmac.new(secret, student.encode("utf-8", "surrogatepass"), sha256).hexdigest()
    return f"{FEEDBACK}/{token[:_DIGITS]}.html"


def for_door(course: Course, page: Path) -> Path:
    """Return where a student's page is as the door of the course shows it."""
    return grading(course) / _DOOR / page.name


def remove_others(course: Course, pages: Mapping[str, Path]) -> None:
    """Remove the pages of students who are no longer on the roster."""
    remove_pages(course.folder / FEEDBACK, {page.name for page in pages.values()})
    at_door = {page.name for page in pages.values()} if course.door else set[str]()
    remove_pages(grading(course) / _DOOR, at_door)


def remove_pages(folder: Path, kept: Collection[str]) -> None:
    """Remove all pages of students in a folder but some; raises ArenaError."""
    for page in folder.glob(f"{'[0-9a-f]' * _DIGITS}.html"):
        if page.name not in kept:
            remove_page(page)


def remove_page(page: Path) -> None:
    """Remove a page, if it is there; raises ArenaError."""
    try:
        page.unlink(missing_ok=True)
    except OSError as error:
        raise ArenaError(f"it cannot be removed: {reason(error)}", str(page)) from None


def _secret(folder: Path) -> bytes:
    path = folder / _KEY_FILE
    if not path.exists():
        write_file(path, secrets.token_hex(32).encode())
    return path.read_bytes()
