"""The roster: a CSV file with the students of a course."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from arena.course.terms.table import Titles, read_table, same_key
from arena.io.errors import ArenaError

_MAX_STUDENTS = 5_000
_MAX_ID = 64
COLUMNS = ("id", "name", "email", "group", "account", "team")


class Student(Struct, frozen=True):
    """A line of the roster."""

    id: str
    name: str = ""
    email: str = ""
    group: str = ""
    account: str = ""
    """What the platform of the hand-ins calls the student, if that is not the id."""
    team: str = ""
    """Those of one team hand in together; "" for a student on their own."""

    @property
    def unit(self) -> str:
        """The same for all who hand in together; that of a team is no student's id."""
        return f"team\n{same_key(self.team)}" if self.team else self.id


def read_roster(path: Path, columns: Mapping[str, Titles] | None = None) -> tuple[Student, ...]:
    """Return the students in the order of the file; other columns than theirs are left alone.

    `columns` has the titles of those that are not called as they are in `Student`. Raises
    ArenaError with the line for a file without ids, and for a student who is there twice.
    """
    titles = {**{name: name for name in COLUMNS}, **(columns or {})}
    students: dict[str, Student] = {}
    for row in read_table(path, titles, ["id"]):
        student = Student(**row.cells)
        _check(student, row.where)
        key = same_key(student.id)
        if key in students:
            what = f"the student '{student.id}' is there twice"
            raise ArenaError(what, row.where, "leave one of the lines out")
        students[key] = student
    if not students:
        raise ArenaError("the roster has no students", str(path), "add a line for each")
    if len(students) > _MAX_STUDENTS:
        raise ArenaError(f"more than {_MAX_STUDENTS:,} students", str(path), "split the course")
    _check_teams(students, path)
    return tuple(students.values())


def find_id(written: str | int, students: Iterable[Student]) -> str | None:
    """Return the id that a person means: a number has lost the zeros that it began with.

    None if there is none, or more than one.
    """
    ids = [student.id for student in students]
    wanted = same_key(str(written))
    found = [id_ for id_ in ids if same_key(id_) == wanted]
    if not found and isinstance(written, int):
        found = [id_ for id_ in ids if id_.isdecimal() and int(id_) == written]
    return found[0] if len(found) == 1 else None


def _check(student: Student, where: str) -> None:
    if not student.id:
        raise ArenaError("a student without an id", where, "fill in the column of ids")
    for which, text in (("an id", student.id), ("the name of a team", student.team)):
        if len(text) > _MAX_ID or not text.isprintable():
            what = f"{which} has at most {_MAX_ID} characters, all of them visible"
            raise ArenaError(what, where, "correct it")


def _check_teams(students: Mapping[str, Student], path: Path) -> None:
    """Refuse a team that is called as a student of another one: its files would be theirs."""
    for student in students.values():
        other = students.get(same_key(student.team))
        if student.team and other and other.unit != student.unit:
            what = f"the team of '{student.id}' is called as the student '{other.id}'"
            raise ArenaError(what, str(path), "call it something else")
