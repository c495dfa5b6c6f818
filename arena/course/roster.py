"""The roster: a CSV file with the students of a course."""

import csv
import io
from pathlib import Path

from msgspec import Struct

from arena.bots.archives.entry import folded
from arena.io.errors import ArenaError, did_you_mean
from arena.io.files import read_limited

_MAX_BYTES = 4 << 20
_MAX_STUDENTS = 5_000
_MAX_ID = 64
_COLUMNS = ("id", "name", "email", "group", "account")


class Student(Struct, frozen=True):
    """A line of the roster."""

    id: str
    name: str = ""
    email: str = ""
    group: str = ""
    account: str = ""
    """What the platform of the hand-ins calls the student, if that is not the id."""


def read_roster(path: Path) -> tuple[Student, ...]:
    """Return the students in the order of the file; other columns than theirs are left alone.

    Raises ArenaError with the line for a file without ids, and for a student who is there twice.
    """
    head, *rows = _rows(path)
    columns = {name.strip().lower(): at for at, name in reversed([*enumerate(head)])}
    if "id" not in columns:
        hint = did_you_mean("id", columns) if columns else ""
        raise ArenaError("the roster has no column 'id'", f"{path}:1", hint or "name one column id")
    students: dict[str, Student] = {}
    for line, row in enumerate(rows, 2):
        where = f"{path}:{line}"
        cells = {name: _cell(row, columns.get(name)) for name in _COLUMNS}
        if not any(cells.values()):
            continue
        student = Student(**cells)
        _check(student, where)
        if folded(student.id) in students:
            what = f"the student '{student.id}' is there twice"
            raise ArenaError(what, where, "leave one of the lines out")
        students[folded(student.id)] = student
    if not students:
        raise ArenaError("the roster has no students", str(path), "add a line for each")
    if len(students) > _MAX_STUDENTS:
        raise ArenaError(f"more than {_MAX_STUDENTS:,} students", str(path), "split the course")
    return tuple(students.values())


def _rows(path: Path) -> list[list[str]]:
    """Return the cells line by line, whether commas or semicolons separate them."""
    try:
        text = read_limited(path, _MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArenaError(f"cannot be read: {error}", str(path), "save it as UTF-8") from None
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise ArenaError(f"not a CSV file: {error}", str(path)) from None
    return rows or [[]]


def _cell(row: list[str], at: int | None) -> str:
    return row[at].strip() if at is not None and at < len(row) else ""


def _check(student: Student, where: str) -> None:
    if not student.id:
        raise ArenaError("a student without an id", where, "fill in the column 'id'")
    if len(student.id) > _MAX_ID or not student.id.isprintable():
        what = f"an id has at most {_MAX_ID} characters, all of them visible"
        raise ArenaError(what, where, "correct it")
