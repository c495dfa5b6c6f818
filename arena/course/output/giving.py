"""Where each student's page is, and giving it: behind a door's login, or in a folder."""

import hmac
import secrets
from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from arena.course.config import Course
from arena.course.lock import Lock
from arena.course.marks import GRADING, grading
from arena.course.output.league_site import SITE
from arena.io.errors import ArenaError
from arena.io.files import os_errors, read_limited, reason, umask, write_file
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, existing, make_private, make_shared
from arena.publish.site_folder import read_manifest, replace_site

FEEDBACK = "feedback"
_DOOR = "door"
"""The folder in `grading` with the pages for a door."""
_KEY_FILE = "secret"
"""The file in `grading`, one for all weeks, with the secret from which pages have their names."""
_DIGITS = 32
"""Hexadecimal digits of a page's name: 128 bits."""
_OF_COURSE = "course"
"""The folder of the course in the private folder of an author."""
_MAX_BYTES = 64 << 20
_PUBLIC = 0o022
"""The umask under which pages are published."""


def places_of(course: Course) -> dict[str, Path]:
    """Return the file of each student's page, by id; its name cannot be guessed."""
    path = course.base / GRADING / _KEY_FILE
    if not path.exists():
        with os_errors("it cannot be made", path.parent):
            make_private(path.parent)
        write_file(path, secrets.token_hex(32).encode())
    secret = path.read_bytes()
    return {one.id: course.folder / page_path(secret, one.id) for one in course.students}


def page_path(secret: bytes, student: str) -> str:
    """Return the path of a student's page in the course; it follows from the secret."""
    token = hmac.new(secret, student.encode("utf-8", "surrogatepass"), sha256).hexdigest()
    return f"{FEEDBACK}/{token[:_DIGITS]}.html"


def for_door(course: Course, page: Path) -> Path:
    """Return the file with a student's page for the door of the course."""
    return grading(course) / _DOOR / page.name


def remove_others(course: Course, pages: Mapping[str, Path]) -> None:
    """Remove the pages of students who are no longer on the roster."""
    remove_pages(course.folder / FEEDBACK, {page.name for page in pages.values()})
    at_door = {page.name for page in pages.values()} if course.door else set[str]()
    remove_pages(grading(course) / _DOOR, at_door)


def remove_pages(folder: Path, kept: Collection[str]) -> None:
    """Remove the pages of students in a folder, except some; raises ArenaError."""
    for page in folder.glob(f"{'[0-9a-f]' * _DIGITS}.html"):
        if page.name not in kept:
            remove_page(page)


def remove_page(page: Path) -> None:
    """Remove a page, if it is there; raises ArenaError."""
    try:
        page.unlink(missing_ok=True)
    except OSError as error:
        raise ArenaError(f"it cannot be removed: {reason(error)}", str(page)) from None


class GivenPage(Struct, frozen=True):
    """Where a student finds the page."""

    student: str
    link: str
    """Relative to the door or to the published folder; "" if the page was not given."""
    file: str


def give_pages(course: Course, lock: Lock, folder: Path | None) -> list[GivenPage]:
    """Give students their pages at the door, and the others in the folder.

    Pages of students who left the course are removed. Raises ArenaError.
    """
    if folder is None and course.door is None:
        hint = "name a folder to be published, --into FOLDER, or a ladder, `door`"
        raise ArenaError("there is no place for the pages", str(course.path), hint)
    if folder is not None:
        ours, public = course.base.resolve(), folder.resolve()
        if ours.is_relative_to(public) or public.is_relative_to(ours):
            what = "the folder of the course is private, and would be published with it"
            raise ArenaError(what, str(folder), "name a folder elsewhere")
    given = _give_at_door(course, course.door) if course.door else {}
    if folder is not None:
        with umask(_PUBLIC), os_errors("it cannot be published", folder):
            given = _publish(course, folder, {*given}) | given
            _publish_site(course, lock, _of_week(course, folder) / SITE)
    return [given.get(one.id, GivenPage(one.id, "", "")) for one in course.students]


def take_from_door(course: Course) -> None:
    """Remove the pages at the door of those who are not on the roster; raises ArenaError."""
    ids = {student.id.casefold() for student in course.students}
    for name, private in (_private_folders(course.door) if course.door else {}).items():
        if name not in ids:
            for page in (private / _OF_COURSE).rglob("index.html"):
                remove_page(page)


def _give_at_door(course: Course, door: Path) -> dict[str, GivenPage]:
    """Put the pages of invited students behind a door; returns them by the id of the student."""
    folders = _private_folders(door)
    given: dict[str, GivenPage] = {}
    for id_, page in places_of(course).items():
        if private := folders.get(id_.casefold()):
            source = for_door(course, page)
            if not source.exists():
                hint = f"arena course grade {course.called} writes them"
                raise ArenaError("there are no pages for the door", str(source.parent), hint)
            top = private / _OF_COURSE
            # "My bots" links to the page in `top`: that of the week that was given last.
            for shown in dict.fromkeys((top, _of_week(course, top))):
                target = shown / "index.html"
                with os_errors("it cannot be made", target, "be the user who runs the ladder"):
                    make_shared(private)
                    make_shared(top)
                    make_shared(shown)
                write_file(target, read_limited(source, _MAX_BYTES), 0o644)
            link = f"/{target.relative_to(private.parents[1])}"
            given[id_] = GivenPage(id_, link, str(target))
    take_from_door(course)
    return given


def _private_folders(root: Path) -> dict[str, Path]:
    """Return the private folder of each author of a ladder, by the author's casefolded name."""
    folder: Folder = existing(root)
    with Door(folder) as door:
        return {author.name.casefold(): folder.private / author.name for author in door.authors()}


def _publish(course: Course, folder: Path, elsewhere: set[str]) -> dict[str, GivenPage]:
    """Copy the pages of all other students into a folder; returns them by the student's id."""
    given: dict[str, GivenPage] = {}
    for id_, page in places_of(course).items():
        if id_ not in elsewhere:
            target = _of_week(course, folder) / FEEDBACK / page.name
            write_file(target, read_limited(page, _MAX_BYTES), 0o644, parents=True)
            given[id_] = GivenPage(id_, target.relative_to(folder).as_posix(), str(target))
    kept = {Path(page.file).name for page in given.values()}
    remove_pages(_of_week(course, folder) / FEEDBACK, kept)
    return given


def _of_week(course: Course, folder: Path) -> Path:
    """Return the part of a folder that is the week's; the folder itself without weeks."""
    return folder / course.week.folder if course.week else folder


def _publish_site(course: Course, lock: Lock, target: Path) -> None:
    """Copy the league's site, or remove the one of before if there is no league."""
    site = course.folder / SITE
    names = sorted(read_manifest(site).files) if lock.field else []
    if names or read_manifest(target).files:
        replace_site(target, ((name, (site / name).read_bytes()) for name in names))
