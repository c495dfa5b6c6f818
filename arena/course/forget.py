"""Forgetting a student: all that a course keeps about one; the marks of others do not change."""

import csv
import io
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.course.config import Course, LadderEntry, RosterEntry, with_precision
from arena.course.grade import write_results
from arena.course.intake.checks import check_key
from arena.course.intake.entries import BUILDS, CHECKS
from arena.course.intake.hand_ins import HandIn, hand_ins_of
from arena.course.intake.records import Records, read_records
from arena.course.lock import Lock, read_lock, write_lock
from arena.course.marks import MARKS, grading
from arena.course.output.giving import take_from_door
from arena.course.output.pages import Notices
from arena.course.output.similarity import forget_similarity
from arena.course.roster import Student, find_id
from arena.course.table import composed, read_table, same_key
from arena.io.errors import ArenaError, did_you_mean
from arena.io.files import read_limited, reason, write_file

_MAX_BYTES = 4 << 20
_LEFT = "the games, under the code of the program, with what it wrote to standard error"


class Forgotten(Struct, frozen=True):
    """What a course keeps about a student, in words."""

    removed: list[str]
    left: list[str]
    """What the course needs for others, or the arena cannot remove."""


def what_is_kept(weeks: Sequence[Course], student: str) -> Forgotten:
    """Return what `forget` would remove, and what it would leave."""
    return _told([_Forgetting(course, student) for course in weeks])


def forget(weeks: Sequence[Course], student: str) -> Forgotten:
    """Remove what a course keeps about a student, given by id; returns what that was.

    `weeks` are as `load_weeks` returns them. The line of the roster goes last, so that it can be
    done again if it was cut short. Raises ArenaError, before anything is removed, for an unknown
    student and one whom course.yaml names.
    """
    each = [_Forgetting(course, student) for course in weeks]
    told = _told(each)
    for forgetting in each:
        forgetting.remove()
    each[0].remove_from_roster()
    return told


def _told(each: Sequence["_Forgetting"]) -> Forgotten:
    told = [forgetting.told() for forgetting in each]
    removed = dict.fromkeys(line for one in told for line in one.removed)
    return Forgotten([*removed], [*dict.fromkeys(line for one in told for line in one.left)])


class _Forgetting:
    """What a course keeps about one student."""

    def __init__(self, course: Course, student: str) -> None:
        self._course = course
        self._lock = read_lock(course.folder)
        id_ = find_id(student, course.students)
        if id_ is None:
            hint = did_you_mean(student, [one.id for one in course.students])
            raise ArenaError(f"no student has the id '{student}'", str(course.roster), hint)
        [self._student] = [one for one in course.students if one.id == id_]
        named = {"extensions": course.file.extensions, "struck": course.file.struck}
        for key, names in named.items():
            if any(find_id(name, [self._student]) for name in names):
                what = f"`{key}` names '{id_}'"
                raise ArenaError(what, str(course.path), "take that out first")
        self._others = tuple(one for one in course.students if one.id != self._student.id)
        if not self._others:
            what = f"'{self._student.id}' is the only student"
            raise ArenaError(what, str(course.roster), "remove the folder of the course")
        self._shared = any(one.unit == self._student.unit for one in self._others)
        self._files = {} if self._shared else _hand_ins(course, self._student)

    def told(self) -> Forgotten:
        """Return in words what is removed and what is left."""
        course = self._course
        left = [_LEFT] if self._lock else []
        removed = [f"the line of {course.roster.name}", *(f"'{name}'" for name in self._files)]
        if self._lock:
            removed += [f"the line of {MARKS}", "the page, the checks, the place in course.lock"]
        if self._shared:
            left.append(f"the hand-ins of the team '{self._student.team}'")
        elif isinstance(course.file.submissions, LadderEntry):
            left.append(f"the versions of the author '{self._student.id}' of the ladder")
        elif not course.submissions.is_dir():
            left.append(f"what is in {course.submissions.name}")
        left += [
            f"what is in {entry.table}"
            for entry in course.received
            if not _is_table(course.base / entry.table)
        ]
        return Forgotten(removed, [*left, "copies that were made before, and filled-in exports"])

    def remove(self) -> None:
        """Remove all of it."""
        course = replace(self._course, students=self._others)
        if not self._shared:
            self._remove_times()
        for paths in self._files.values():
            for path in paths:
                _remove(path, course.submissions)
        if self._lock:
            lock = _without(self._lock, self._student.id)
            course = with_precision(course, lock.terms.precision)
            write_lock(course.folder, lock)
            forget_similarity(course)
            _remove_checks(course, lock)
            notices = Notices(not_done=("hand-ins are compared again by arena course grade",))
            write_results(course, lock, notices)
            take_from_door(course)
        id_ = self._student.id
        if course.file.by_hand:
            _drop(course.base / course.file.by_hand, "id", "id", {id_})

    def remove_from_roster(self) -> None:
        """Remove the line of the roster."""
        roster = self._course.file.roster
        title = roster.id if isinstance(roster, RosterEntry) else "id"
        _drop(self._course.roster, "id", title, {self._student.id})

    def _remove_times(self) -> None:
        """Remove the lines of lists that are about the student, or about the hand-ins."""
        course, student = self._course, self._student
        files = {composed(name) for name in self._files}
        for entry in course.received:
            path = course.base / entry.table
            if not _is_table(path):
                continue
            records = Records(read_records(path, entry, course.zone))
            theirs = [
                *records.of_student(student),
                *(one for one in records.all if one.file in files),
            ]
            _drop_lines(path, {int(one.where.rpartition(":")[2]) for one in theirs})


def _is_table(path: Path) -> bool:
    return path.suffix.lower() not in {".json", ".yml"}


def _hand_ins(course: Course, student: Student) -> dict[str, list[Path]]:
    """Return the paths of a student's hand-ins, by name; {} for an archive or a ladder."""
    if isinstance(course.file.submissions, LadderEntry) or not course.submissions.is_dir():
        return {}
    with hand_ins_of(course) as intake:
        theirs: list[HandIn] = [one for one in intake.hand_ins if one.student == student.id]
    return {one.name: [course.submissions / one.name, *one.files.values()] for one in theirs}


def _remove(path: Path, root: Path) -> None:
    """Remove a file or folder, and the folders around it that are empty then."""
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise ArenaError(f"it cannot be removed: {reason(error)}", str(path)) from None
    with suppress(OSError):  # it is not empty
        for folder in path.parents:
            if folder == root or not folder.is_relative_to(root):
                break
            folder.rmdir()


def _without(lock: Lock, id_: str) -> Lock:
    """Return a lock without a student; the marks of others follow from it as before."""
    return replace(
        lock,
        hand_ins={key: one for key, one in lock.hand_ins.items() if key != id_},
        notes={key: note for key, note in lock.notes.items() if key != id_},
        struck=[key for key in lock.struck if key != id_],
        candidates={key: more for key, more in lock.candidates.items() if key != id_},
        by_hand={key: more for key, more in lock.by_hand.items() if key != id_},
    )


def _remove_checks(course: Course, lock: Lock) -> None:
    """Remove all stored checks except those of hand-ins that count, and the cache of builds."""
    units = {one.id: one.unit for one in course.students}
    locked = [*((id_, [one]) for id_, one in lock.hand_ins.items()), *lock.candidates.items()]
    keys = {check_key(units[id_], one.content) for id_, more in locked for one in more}
    for path in (grading(course) / CHECKS).glob("*.json"):
        if path.stem not in keys:
            path.unlink(missing_ok=True)
    shutil.rmtree(grading(course) / BUILDS, ignore_errors=True)


def _drop(path: Path, name: str, title: str | list[str], values: Collection[str]) -> None:
    """Remove the lines of a table that have one of some values in a column."""
    wanted = {same_key(value) for value in values}
    rows = read_table(path, {name: title}, [name])
    gone = [row for row in rows if same_key(row.cells[name]) in wanted]
    _drop_lines(path, {int(row.where.rpartition(":")[2]) for row in gone})


def _drop_lines(path: Path, gone: Collection[int]) -> None:
    """Remove records of a table, given by their numbers; no other byte changes."""
    text = read_limited(path, _MAX_BYTES).decode()
    kept = [lines for number, lines in enumerate(_records(text), 1) if number not in gone]
    write_file(path, "".join(kept).encode(), path.stat().st_mode & 0o777)


def _records(text: str) -> Iterator[str]:
    """Yield each record of a CSV file as it is written, which may have several lines."""
    separator = max(",;\t", key=text.partition("\n")[0].count)
    taken: list[str] = []

    def lines() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            taken.append(line)
            yield line

    for _ in csv.reader(lines(), delimiter=separator, strict=True):
        yield "".join(taken)
        taken.clear()
