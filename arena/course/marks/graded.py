"""A course that was graded, read again: its marks, and whether they are a first look."""

from pathlib import Path
from shlex import quote
from typing import NamedTuple

from arena.course.config import Course, load_course, with_precision
from arena.course.lock import LOCK, Lock, read_lock
from arena.course.marks.result import MARKS, Result, marks_csv, results_of
from arena.io.errors import ArenaError
from arena.io.files import read_limited

_MAX_BYTES = 64 << 20


class GradedCourse(NamedTuple):
    """What a grading was made of and came to."""

    course: Course
    lock: Lock
    results: list[Result]
    first_look: str
    """As `first_look` says it."""


def load_graded(path: Path, *, first_look: bool) -> GradedCourse:
    """Read a graded course; `first_look` takes one that was graded for a first look, too.

    Raises ArenaError for one that is not taken, and if nothing was graded.
    """
    course = load_course(path)
    lock = read_lock(course.folder)
    if lock is None or not (course.folder / MARKS).exists():
        hint = f"arena course grade {quote(str(path))}"
        raise ArenaError("nothing was graded yet", str(course.folder), hint)
    course = with_precision(course, lock.terms.precision)
    said = first_look_of(course, lock)
    if said and not first_look:
        hint = (
            f"arena course grade {quote(str(path))} plays on; to go on all the same: --first-look"
        )
        raise ArenaError(f"this is {said}", str(course.folder / LOCK), hint)
    return GradedCourse(course, lock, results_of(course, lock), said)


def first_look_of(course: Course, lock: Lock) -> str:
    """Return what to say of marks that are a first look; "" if they are not."""
    if not lock.terms.quick:
        return ""
    return (
        f"a first look, to ±{lock.terms.precision:g} points, and not the mark,"
        f" which is played to ±{course.planned_precision:g}"
    )


def check_unchanged(course: Course, lock: Lock, results: list[Result]) -> None:
    """Raise ArenaError if marks.csv is not what the games lead to: somebody may have edited it."""
    path = course.folder / MARKS
    if read_limited(path, _MAX_BYTES) != marks_csv(course, lock, results).encode():
        what = "it is not as arena course grade wrote it"
        hint = "put changes into `by_hand` of course.yaml, and grade again"
        raise ArenaError(what, str(path), hint)
