"""The student of a line in a school's export: what its cell with an id may look like."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from arena.course.output.export import key
from arena.course.terms.roster import Student

_AS_TEXT = re.compile(r"""="(?P<formula>.*)"|['#](?P<rest>.*)""", re.DOTALL)
"""Signs that keep a spreadsheet from reading a number; # is Brightspace's."""
_PARTICIPANT = re.compile(r"(?:participant|participante|teilnehmer/in|deelnemer) ?([0-9]+)")
"""Moodle's word is that of the language in which the file was exported."""
_NUMBER = re.compile(r"[0-9]+")


class Whose:
    """The students by what an export may call them: id, e-mail address or account."""

    def __init__(self, students: Sequence[Student]) -> None:
        """Enter the students of a roster."""
        self._names, self._numbers, self._participants = _Index(), _Index(), _Index()
        ids = {key(student.id) for student in students}
        for student in students:
            for name in (student.id, student.email, student.account):
                self._names.add(key(name), student)
            for name in (student.id, student.account):
                number = _number(key(name)) or _participant(key(name))
                self._numbers.add(number, student)
                # The account of one student may be the id of another who lost the zeros.
                self._names.add(number if number not in ids else "", student)
            account = key(student.account)
            for name in (_participant(key(student.id)), _participant(account), _number(account)):
                self._participants.add(name, student)

    def find(self, text: str) -> list[str]:
        """Return the ids of the students that a cell may mean: none, one or more.

        A name on the roster comes first, then one behind a sign that makes it a text, then Moodle's
        number of a participant, then a number that differs by the zeros that it begins with.
        """
        return next(filter(None, self._found(text)), [])

    def _found(self, text: str) -> Iterator[list[str]]:
        yield self._names.ids(key(text))
        match = _AS_TEXT.fullmatch(text)
        plain = key(match["formula"] or match["rest"] or "") if match else key(text)
        yield self._names.ids(plain)
        yield self._participants.ids(_participant(plain))
        yield self._numbers.ids(_number(plain))


class _Index(defaultdict[str, dict[str, None]]):
    """The ids of students by a text; "" belongs to none of them."""

    def __init__(self) -> None:
        super().__init__(dict)

    def add(self, text: str, student: Student) -> None:
        """Enter a student."""
        if text:
            self[text][student.id] = None

    def ids(self, text: str) -> list[str]:
        """Return whose a text is, in the order of the roster."""
        return [*self.get(text, ())]


def _number(name: str) -> str:
    """Return a number without the zeros that it begins with; "" for another name."""
    return (name.lstrip("0") or "0") if _NUMBER.fullmatch(name) else ""


def _participant(name: str) -> str:
    match = _PARTICIPANT.fullmatch(name)
    return _number(match[1]) if match else ""
