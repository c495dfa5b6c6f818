"""The roster: the students of a course, and who is meant by what hand-ins call them."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from arena.course.table import Titles, read_table, same_key
from arena.io.errors import ArenaError

_MAX_STUDENTS = 5_000
_MAX_ID = 64
COLUMNS = ("id", "name", "email", "group", "account", "team")
AFTER_ID = "_-. ("
"""Characters that may follow an id in the name of a hand-in."""


class Student(Struct, frozen=True):
    """A line of the roster."""

    id: str
    name: str = ""
    email: str = ""
    group: str = ""
    account: str = ""
    """The student's name or number on the platform of the hand-ins, if that is not the id."""
    team: str = ""
    """The name of the team that hands in together; "" for a student on their own."""

    @property
    def unit(self) -> str:
        """A key of those who hand in together; it differs from every id of another student."""
        return f"team\n{same_key(self.team)}" if self.team else self.id


def read_roster(path: Path, columns: Mapping[str, Titles] | None = None) -> tuple[Student, ...]:
    """Return the students in the order of the file; other columns are ignored.

    `columns` has the titles of columns that differ from the names in `Student`. Raises ArenaError,
    with the line, for a student without an id, and for one who is there twice.
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
    for student in students.values():
        other = students.get(same_key(student.team))
        # The files of the team would be those of the other student, too.
        if student.team and other and other.unit != student.unit:
            what = f"the team of '{student.id}' is called as the student '{other.id}'"
            raise ArenaError(what, str(path), "call it something else")
    return tuple(students.values())


def _check(student: Student, where: str) -> None:
    if not student.id:
        raise ArenaError("a student without an id", where, "fill in the column of ids")
    for which, text in (("an id", student.id), ("the name of a team", student.team)):
        if len(text) > _MAX_ID or not text.isprintable():
            what = f"{which} has at most {_MAX_ID} characters, all of them visible"
            raise ArenaError(what, where, "correct it")


def find_id(written: str | int, students: Iterable[Student]) -> str | None:
    """Return the id that a person wrote; None if it is nobody's, or may be that of several.

    An id that is a number may have lost its leading zeros.
    """
    ids = [student.id for student in students]
    wanted = same_key(str(written))
    found = [id_ for id_ in ids if same_key(id_) == wanted]
    if not found and isinstance(written, int):
        found = [id_ for id_ in ids if id_.isdecimal() and int(id_) == written]
    return found[0] if len(found) == 1 else None


def account_of(student: Student) -> str:
    """Return what a platform calls a student: the account, or the id; of "Participant 7", 7."""
    return same_key(student.account).rpartition(" ")[2] or same_key(student.id)


def has_number(student: Student) -> bool:
    """Return whether the roster has the number that a platform gave a student."""
    return student.account != "" and account_of(student).isdecimal()


def letters_of(name: str) -> str:
    """Return the letters and digits of a name: platforms leave out other characters."""
    return "".join(c for c in same_key(name) if c.isalnum() or unicodedata.combining(c))


class StudentIndex(dict[str, list[Student]]):
    """Students by a text; nobody is found by the empty one."""

    def __missing__(self, key: str) -> list[Student]:
        return []

    def add(self, key: str, student: Student) -> None:
        """Enter a student under a text."""
        if key and student not in self[key]:
            self.setdefault(key, []).append(student)


class RosterIndex:
    """Students by what the name of a hand-in may say of them."""

    def __init__(self, students: Sequence[Student]) -> None:
        self.by_account = StudentIndex()
        """By the key of the account, or of the id."""
        self.by_plain_account = StudentIndex()
        """The same, by letters and digits alone."""
        self.by_mail = StudentIndex()
        self.by_name = StudentIndex()
        """By the letters of the name, also behind those of the group or the team."""
        self.by_turned_name = StudentIndex()
        """By the letters of the name, with any of its words first."""
        self.by_team = StudentIndex()
        teams = {same_key(one.team): one for one in reversed(students) if one.team}
        self._by_id = {**teams, **{same_key(student.id): student for student in students}}
        for student in students:
            self.by_account.add(account_of(student), student)
            self.by_plain_account.add(letters_of(account_of(student)), student)
            self.by_team.add(letters_of(student.team), student)
            # Before a name, Moodle has the group for which it was handed in.
            for group in {"", student.group, student.team}:
                self.by_name.add(letters_of(group + student.name) if student.name else "", student)
            self.by_mail.add(same_key(student.email), student)
            words = student.name.split()
            # Canvas has the last name first.
            for turned in {letters_of(" ".join(words[n:] + words[:n])) for n in range(len(words))}:
                self.by_turned_name.add(turned, student)

    def beginning(self, stem: str) -> Sequence[Student]:
        """Return whose id or team a name is, or else those whose id or team it begins with."""
        stem = same_key(stem)
        if stem in self._by_id:
            return [self._by_id[stem]]
        begins = [stem[:at] for at, c in enumerate(stem) if c in AFTER_ID]
        return [self._by_id[begin] for begin in begins if begin in self._by_id]
