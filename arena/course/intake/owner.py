"""The owner of a hand-in: by the platform's part of its name, never by the student's part.

Each platform has a form of its own. A name that belongs to one student by one sign, such as a
number, and to another by a second one, such as a display name, is refused.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from pathlib import Path

from msgspec import Struct

from arena.course.intake import names
from arena.course.intake.forms import Forms, Signs, agreed, stem_of
from arena.course.intake.roster_index import (
    AFTER_ID,
    RosterIndex,
    account_of,
    has_number,
    letters_of,
)
from arena.course.intake.submitters import Submitter
from arena.course.terms.roster import Student
from arena.course.terms.table import same_key
from arena.io.errors import ArenaError

BY_ID = "the id"
"""The sign of a plain name."""
BY_HAND = "hand"
"""The platform of files that a person named."""
NO_SIGNS = Signs()
_GROUPLESS = "Moodle's files of all students without a group lie there together"
_OTHER_NAME = "its number is that of '{}', its name is not: is it that of a team?"

_Read = Callable[[str], Sequence[Student] | None]
"""Returns whose a name is by one form, all whom it fits; None if it does not have that form."""


class Owned(Struct, frozen=True):
    """The owner of a name."""

    student: Student | None
    """None if it belongs to nobody on the roster."""
    platform: str
    """The platform whose form the name has; BY_HAND if it has none."""
    why: str = ""
    """Why it belongs to nobody, if there is more to say."""


def sign(
    name: str, owner: Student, platform: str, submitters: Mapping[str, Sequence[Submitter]]
) -> str:
    """Return in words what in the name of a hand-in says that it is its owner's."""
    if platform == "moodle" and (match := names.MOODLE.fullmatch(name)):
        if owner.team and letters_of(owner.team) == letters_of(match["name"]):
            return f"the team {owner.team}"
        by_number = has_number(owner) and match["number"] == account_of(owner)
        return f"Moodle's number {match['number']}" if by_number else f"the name {match['name']}"
    if name in submitters:
        ids = {same_key(one.id) for one in submitters[name]} - {""}
        if platform == "gradescope":
            return "Gradescope's id" if account_of(owner) in ids else "Gradescope's address"
        return f"the name {submitters[name][0].name}"
    if platform == BY_HAND:
        begins = same_key(stem_of(name)).startswith(same_key(owner.id))
        return BY_ID if begins else f"the team {owner.team}"
    if platform == "brightspace":
        return f"the name {owner.name}"
    return f"the account {owner.account or owner.id}"


class PlainNames:
    """Names that go on with a second id, as `s1_s2_team.zip` does."""

    def __init__(self, students: Sequence[Student]) -> None:
        """Take the students whose ids names may begin with."""
        self._roster = RosterIndex(students)

    def second(self, name: str, owner: Student) -> Student | None:
        """Return whose id or team follows the owner's id, if that is somebody else's."""
        stem, first = same_key(stem_of(name.partition("/")[0])), same_key(owner.id)
        if stem[len(first) : len(first) + 1] not in [*AFTER_ID]:
            return None
        others = self._roster.beginning(stem[len(first) + 1 :])
        return next((one for one in others if one.unit != owner.unit), None)


def owners(
    found: Sequence[str],
    students: Sequence[Student],
    where: Path,
    signs: Signs = NO_SIGNS,
) -> dict[str, Owned]:
    """Return the owner of each file or folder of an export.

    Raises ArenaError for a name that fits two students, and for two that may be from two people of
    one name.
    """
    export = _Export(Forms(found, students, signs))
    owned: dict[str, Owned] = {}
    for name in found:
        fits = export.fits(name)
        if len({student.unit for student in fits}) > 1:
            what = f"'{name}' may be from '{fits[0].id}' and '{fits[1].id}'"
            hint = "rename it to the id of its student alone, or give both a `team` in the roster"
            raise ArenaError(what, str(where), hint)
        why = "" if fits else export.why_nobody(name)
        owned[name] = Owned(fits[0] if fits else None, export.platform(name), why)
    _check_namesakes(owned, where)
    return owned


class _Export:
    """The names of an export together: an ambiguous form counts only if all names have it."""

    def __init__(self, forms: Forms) -> None:
        self._forms, self._plain = forms, forms.plain
        self._asked, self._may_be_plain = self._choose_forms([*forms.plain])

    def fits(self, name: str) -> Sequence[Student]:
        """Return whose a name is; several if it is not clear."""
        certain = self._forms.certain(name)
        if certain is not None:
            return certain
        claims = [fits for read in self._asked.values() if (fits := read(name))]
        if claims:
            return reduce(agreed, [*claims, self._plain[name]])
        return self._plain[name] if self._may_be_plain else []

    def platform(self, name: str) -> str:
        """Return whose form a name has."""
        if self._forms.certain(name) is not None:
            by_list = "gradescope" if names.GRADESCOPE.fullmatch(name) else "studip"
            return "moodle" if "_assignsubmission_" in name else by_list
        formed = [key for key, read in self._asked.items() if read(name) is not None]
        if self._plain[name] and not any(self._asked[key](name) for key in formed):
            return BY_HAND
        return formed[0] if formed else BY_HAND

    def why_nobody(self, name: str) -> str:
        """Return why a name belongs to nobody, if there is more to say than that."""
        if self._forms.given not in {"", "moodle"}:
            return ""
        match = names.MOODLE.fullmatch(name)
        if match is None:
            return _GROUPLESS if names.MOODLE_GROUPLESS.fullmatch(name) else ""
        numbered = self._forms.numbered(match["number"])
        return _OTHER_NAME.format(numbered[0].id) if numbered else ""

    def _choose_forms(self, found: Sequence[str]) -> tuple[dict[str, _Read], bool]:
        """Return the forms that names may have beside the plain one, and whether that is one.

        A name that a student chooses may look like another form. So the form of the export is that
        of all names; without one, a form must be that of a name that is not plain.
        """
        forms: dict[str, _Read] = {
            "canvas": self._forms.canvas,
            "blackboard": self._forms.blackboard,
            "brightspace": self._forms.brightspace,
            "sakai": self._forms.sakai,
            "github": self._forms.github,
            "ilias": self._forms.ilias,
            "openolat": self._forms.openolat,
        }
        if given := self._forms.given:
            return {key: read for key, read in forms.items() if key == given}, True
        formed = {
            key: [name for name in found if read(name) is not None] for key, read in forms.items()
        }
        of_all = {key: forms[key] for key, its in formed.items() if its and len(its) == len(found)}
        strange = any(not self._plain[name] for name in found)
        if of_all:
            read = {key: its for key, its in of_all.items() if any(map(its, found))}
            return read or of_all, not (strange or read)
        some = {
            key: forms[key]
            for key, its in formed.items()
            if any(not self._plain[name] and forms[key](name) for name in its)
        }
        return some, True


def _check_namesakes(owned: Mapping[str, Owned], where: Path) -> None:
    """Refuse files that have a student's name, and the numbers of two people."""
    numbers: dict[str, tuple[str, str]] = {}
    for name, one in owned.items():
        match = names.MOODLE.fullmatch(name)
        number = match["number"] if match else ""
        if not (number and one.student) or has_number(one.student) or one.student.team:
            continue
        other, known = numbers.setdefault(one.student.id, (name, number))
        if known != number:
            what = f"'{other}' and '{name}' have one name and two numbers: they are from two people"
            hint = f"add the number of '{one.student.id}' to the roster, in a column `account`"
            raise ArenaError(what, str(where), hint)
