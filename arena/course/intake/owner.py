"""The owner of a hand-in: by the platform's part of its name, never by the student's part.

Each platform has a form of its own. A name that belongs to one student by one sign, such as a
number, and to another by a second one, such as a display name, is refused.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain
from pathlib import Path

from arena.bots.archives.unpack import ENDINGS
from arena.course.intake.submitters import Submitter
from arena.course.terms.roster import Student
from arena.course.terms.table import same_key
from arena.io.errors import ArenaError

_TIME = r"[0-9]{4}(?:-[0-9]{2}){5}"
# The student chooses the end of each, and perhaps the display name.
_MOODLE = re.compile(
    r"(?P<name>[^_]*)_(?P<number>[0-9]+)_assignsubmission_[a-z]+(?:_.*)?", re.DOTALL
)
"""Moodle has no _ in names (mod/assign/classes/downloader.php)."""
_BLACKBOARD = re.compile(rf"(?P<begin>.+?)_attempt_{_TIME}(?:[_.].*)?", re.DOTALL)
"""ASSIGNMENT_LOGIN_attempt_TIME_FILE"""
_CANVAS = re.compile(r"(?!anon_)(?P<name>.+?)(?:_LATE)?_[0-9]+_[0-9]+_.+", re.DOTALL)
"""NAME_USER_FILE'S NUMBER_FILE (lib/content_zipper.rb)"""
_CANVAS_USER = re.compile(r"(?<=.)(?=_([0-9]+)_[0-9]+_.)", re.DOTALL)
_GRADESCOPE = re.compile(r"submission_[0-9]+.*", re.DOTALL)
_TEXT = re.compile(
    r"[^_]*_[0-9]+_assignsubmission_onlinetext(?:_.*)?"
    rf"|.+_attempt_{_TIME}\.txt"
    r"|.+_[0-9]+_(?:text|link)\.html",
    re.DOTALL,
)
"""A text that a platform writes beside the files, or instead of one."""
_AFTER_ID = "_-. ("
BY_ID = "the id"
"""The sign of a plain name."""

_Read = Callable[[str], Sequence[Student] | None]
"""Returns whose a name is by one form, all whom it fits; None if it does not have that form."""


def is_text(name: str) -> bool:
    """Return whether a platform wrote this beside the files that were handed in."""
    return _TEXT.fullmatch(name) is not None


def sign(name: str, owner: Student, submitters: Mapping[str, Sequence[Submitter]]) -> str:
    """Return in words what in the name of a hand-in says that it is its owner's."""
    if match := _MOODLE.fullmatch(name):
        by_number = _has_number(owner) and match["number"] == _account(owner)
        return f"Moodle's number {match['number']}" if by_number else f"the name {match['name']}"
    if name in submitters:
        ids = {same_key(one.id) for one in submitters[name]}
        return "Gradescope's id" if _account(owner) in ids else "Gradescope's address"
    if _Roster([owner]).beginning(_stem(name)):
        begins = same_key(_stem(name)).startswith(same_key(owner.id))
        return BY_ID if begins else f"the team {owner.team}"
    return f"the account {owner.account or owner.id}"


class PlainNames:
    """Names that go on with a second id, as `s1_s2_team.zip` does."""

    def __init__(self, students: Sequence[Student]) -> None:
        """Take the students whose ids names may begin with."""
        self._roster = _Roster(students)

    def second(self, name: str, owner: Student) -> Student | None:
        """Return whose id or team follows the owner's id, if that is somebody else's."""
        stem, first = same_key(_stem(name.partition("/")[0])), same_key(owner.id)
        if stem[len(first) : len(first) + 1] not in [*_AFTER_ID]:
            return None
        others = self._roster.beginning(stem[len(first) + 1 :])
        return next((one for one in others if one.unit != owner.unit), None)


def owners(
    names: Sequence[str],
    students: Sequence[Student],
    submitters: Mapping[str, Sequence[Submitter]],
    where: Path,
) -> dict[str, Student | None]:
    """Return the owner of each file or folder of an export; None if no student of the roster is.

    `submitters` are Gradescope's, by folder. Raises ArenaError for a name that fits two students,
    and for two that may be from two people of one name.
    """
    export = _Export(names, students, submitters)
    owned: dict[str, Student | None] = {}
    for name in names:
        fits = export.fits(name)
        if len({student.unit for student in fits}) > 1:
            what = f"'{name}' may be from '{fits[0].id}' and '{fits[1].id}'"
            hint = "rename it to the id of its student alone, or give both a `team` in the roster"
            raise ArenaError(what, str(where), hint)
        owned[name] = fits[0] if fits else None
    _check_namesakes(owned, where)
    return owned


class _Export:
    """The names of an export together: an ambiguous form counts only if all names have it."""

    def __init__(
        self,
        names: Sequence[str],
        students: Sequence[Student],
        submitters: Mapping[str, Sequence[Submitter]],
    ) -> None:
        self._submitters = submitters
        self._roster = _Roster(students)
        others = [name for name in names if self._certain(name) is None]
        self._plain = {name: self._roster.beginning(_stem(name)) for name in others}
        matches = [_BLACKBOARD.fullmatch(name) for name in others]
        self._assignments = _shared([match["begin"] for match in matches if match], "_")
        dashed = [name for name in others if "-" in _stem(name)]
        strange = [name for name in dashed if not self._plain[name]]
        self._repositories = _shared([_stem(name) for name in strange or dashed], "-")
        self._asked, self._may_be_plain = self._forms(others)

    def fits(self, name: str) -> Sequence[Student]:
        """Return whose a name is; several if it is not clear."""
        certain = self._certain(name)
        if certain is not None:
            return certain
        claims = [fits for read in self._asked if (fits := read(name))]
        if claims:
            return reduce(_agreed, [*claims, self._plain[name]])
        return self._plain[name] if self._may_be_plain else []

    def _forms(self, names: Sequence[str]) -> tuple[list[_Read], bool]:
        """Return the forms that names may have beside the plain one, and whether that is one.

        A name that a student chooses may look like another form. So the form of the export is that
        of all names; without one, a form must be that of a name that is not plain.
        """
        forms: tuple[_Read, ...] = (self._canvas, self._blackboard, self._github)
        formed = {read: [name for name in names if read(name) is not None] for read in forms}
        of_all = [read for read, its in formed.items() if its and len(its) == len(names)]
        strange = any(not self._plain[name] for name in names)
        if of_all:
            resolved = any(read(name) for read in of_all for name in names)
            return of_all, not (strange or resolved)
        some = [read for read, its in formed.items() if any(not self._plain[name] for name in its)]
        return some, True

    def _certain(self, name: str) -> Sequence[Student] | None:
        """Return the owner of a name by a form that no other looks like."""
        if match := _MOODLE.fullmatch(name):
            return self._moodle(match["name"], match["number"])
        if self._submitters and _GRADESCOPE.fullmatch(name):
            return self._submitted(name)
        return None

    def _moodle(self, name: str, number: str) -> Sequence[Student]:
        """Return the owner of a display name or number, which is Moodle's own, never an id."""
        numbered = [student for student in self._roster.by_account[number] if student.account]
        named = self._roster.by_name[_letters(name)]
        return _agreed(numbered, named) if numbered else [s for s in named if not _has_number(s)]

    def _submitted(self, name: str) -> Sequence[Student]:
        fits: list[Student] = []
        for submitter in self._submitters.get(name, ()):
            by_id = self._roster.by_account[same_key(submitter.id)]
            fits += _agreed(by_id, self._roster.by_mail[same_key(submitter.email)])
        return _once(fits)

    def _canvas(self, name: str) -> Sequence[Student] | None:
        match = _CANVAS.fullmatch(name)
        if not match:
            return None
        users = [self._roster.by_account[number] for number in _CANVAS_USER.findall(name)]
        if not (first := users[0]):
            return []
        named = self._roster.by_turned_name[_letters(match["name"])]
        if named or not all(student.name for student in first):
            return _agreed(first, named)
        # A display name that ends in numbers looks like another user's file.
        return _once(chain.from_iterable(users))

    def _blackboard(self, name: str) -> Sequence[Student] | None:
        match = _BLACKBOARD.fullmatch(name)
        if not (match and self._assignments):
            return None
        return self._ending(match["begin"], "_", self._assignments)

    def _github(self, name: str) -> Sequence[Student] | None:
        stem = _stem(name)
        shared = _begins(stem, "-") & self._repositories
        return self._ending(stem, "-", shared) if shared else None

    def _ending(self, text: str, sign: str, begins: Iterable[str]) -> Sequence[Student]:
        """Return who logs in by what follows one of these beginnings and a sign."""
        logins = [text.removeprefix(begin + sign) for begin in sorted(begins, reverse=True)]
        return _once(
            student for login in logins for student in self._roster.by_account[same_key(login)]
        )


class _Roster:
    """The students by what names say of them."""

    def __init__(self, students: Sequence[Student]) -> None:
        self.by_account, self.by_name = _Index(), _Index()
        self.by_mail, self.by_turned_name = _Index(), _Index()
        teams = {same_key(one.team): one for one in reversed(students) if one.team}
        self._by_id = {**teams, **{same_key(student.id): student for student in students}}
        for student in students:
            self.by_account.add(_account(student), student)
            # Before a name, Moodle has the group for which it was handed in.
            for group in {"", student.group, student.team}:
                self.by_name.add(_letters(group + student.name) if student.name else "", student)
            self.by_mail.add(same_key(student.email), student)
            words = student.name.split()
            # Canvas has the last name first.
            for turned in {_letters(" ".join(words[n:] + words[:n])) for n in range(len(words))}:
                self.by_turned_name.add(turned, student)

    def beginning(self, stem: str) -> Sequence[Student]:
        """Return whose id or team a plain name is, or else begins with."""
        stem = same_key(stem)
        if stem in self._by_id:
            return [self._by_id[stem]]
        begins = [stem[:at] for at, c in enumerate(stem) if c in _AFTER_ID]
        return [self._by_id[begin] for begin in begins if begin in self._by_id]


class _Index(dict[str, list[Student]]):
    """Students by a text; "" belongs to none of them."""

    def __missing__(self, key: str) -> list[Student]:
        return []

    def add(self, key: str, student: Student) -> None:
        """Enter a student."""
        if key:
            self.setdefault(key, []).append(student)


def _check_namesakes(owned: Mapping[str, Student | None], where: Path) -> None:
    """Refuse files from Moodle that have a student's name, and the numbers of two people."""
    numbers: dict[str, tuple[str, str]] = {}
    for name, owner in owned.items():
        match = _MOODLE.fullmatch(name)
        if not (match and owner) or _has_number(owner):
            continue
        other, number = numbers.setdefault(owner.id, (name, match["number"]))
        if number != match["number"]:
            what = f"'{other}' and '{name}' have one name and two numbers: they are from two people"
            hint = f"add Moodle's number of '{owner.id}' to the roster, in a column `account`"
            raise ArenaError(what, str(where), hint)


def _agreed(first: Sequence[Student], second: Sequence[Student]) -> list[Student]:
    """Return the students that two signs have in common; without any, those of both."""
    return [student for student in first if student in second] or [*first, *second]


def _once(students: Iterable[Student]) -> list[Student]:
    return [*dict.fromkeys(students)]


def _account(student: Student) -> str:
    """Return by what a platform calls a student; of Moodle's "Participant 12345", the number."""
    return same_key(student.account).rpartition(" ")[2] or same_key(student.id)


def _has_number(student: Student) -> bool:
    return student.account != "" and _account(student).isdecimal()


def _letters(name: str) -> str:
    """Return a name without the signs that platforms leave out."""
    return "".join(c for c in same_key(name) if c.isalnum() or unicodedata.combining(c))


def _stem(name: str) -> str:
    return next((name[: -len(end)] for end in ENDINGS if name.lower().endswith(end)), name)


def _begins(text: str, sign: str) -> set[str]:
    """Return what stands before each sign."""
    return {text[:at] for at, c in enumerate(text) if c == sign and at}


def _shared(texts: Sequence[str], sign: str) -> set[str]:
    """Return what may be the name of the assignment, with which all begin."""
    return reduce(set.intersection, (_begins(text, sign) for text in texts)) if texts else set()
