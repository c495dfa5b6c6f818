"""The students of a roster by what the names of hand-ins say of them."""

import unicodedata
from collections.abc import Sequence

from arena.course.terms.roster import Student
from arena.course.terms.table import same_key

AFTER_ID = "_-. ("
"""What may follow an id in a plain name."""


def account_of(student: Student) -> str:
    """Return by what a platform calls a student; of Moodle's "Participant 12345", the number."""
    return same_key(student.account).rpartition(" ")[2] or same_key(student.id)


def has_number(student: Student) -> bool:
    """Return whether the roster has the number that a platform knows a student by."""
    return student.account != "" and account_of(student).isdecimal()


def letters_of(name: str) -> str:
    """Return a name without the signs that platforms leave out."""
    return "".join(c for c in same_key(name) if c.isalnum() or unicodedata.combining(c))


class RosterIndex:
    """The students by what names say of them."""

    def __init__(self, students: Sequence[Student]) -> None:
        self.by_account, self.by_name, self.by_team = _Index(), _Index(), _Index()
        self.by_mail, self.by_turned_name = _Index(), _Index()
        self.by_plain_account = _Index()
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
        """Return whose id or team a plain name is, or else begins with."""
        stem = same_key(stem)
        if stem in self._by_id:
            return [self._by_id[stem]]
        begins = [stem[:at] for at, c in enumerate(stem) if c in AFTER_ID]
        return [self._by_id[begin] for begin in begins if begin in self._by_id]


class _Index(dict[str, list[Student]]):
    """Students by a text; "" belongs to none of them."""

    def __missing__(self, key: str) -> list[Student]:
        return []

    def add(self, key: str, student: Student) -> None:
        """Enter a student."""
        if key:
            self.setdefault(key, []).append(student)
