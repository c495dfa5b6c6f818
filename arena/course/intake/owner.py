"""The owner of a hand-in, by that part of its name which the platform wrote.

Each platform names files in a form of its own; the part that the student chose says nothing. A name
is refused if one sign in it, such as a number, is one student's and another sign, such as a display
name, is another student's.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain
from pathlib import Path

from msgspec import Struct

from arena.bots.archives.unpack import ENDINGS
from arena.course.intake import download
from arena.course.intake.records import Submitter
from arena.course.roster import AFTER_ID, RosterIndex, Student, account_of, has_number, letters_of
from arena.course.table import same_key
from arena.io.errors import ArenaError

BY_ID = "the id"
"""The sign of a name that begins with the owner's id, in words."""
BY_HAND = "hand"
"""The platform of files that a person named after their owners."""
_GROUPLESS = "Moodle's files of all students without a group lie there together"
_OTHER_NAME = "its number is that of '{}', its name is not: is it that of a team?"
_BLIND = {"participant", "teilnehmer", "teilnehmerin"}
"""Names that Moodle gives everybody if marking is anonymous."""
_Read = Callable[[str], Sequence[Student] | None]
"""Returns all students whom a name fits by one form; None if it does not have that form."""


class Signs(Struct, frozen=True):
    """What a download says about its entries besides their names."""

    submitters: Mapping[str, Sequence[Submitter]] = {}
    """Those whom the list in the download names, by the file or folder."""
    folders: Mapping[str, Collection[str]] = {}
    """The names of what is in each folder, by the name of the folder."""
    anonymous: Mapping[str, str] = {}
    """The numbers of users by Canvas' anonymous ids."""
    logins: Mapping[str, str] = {}
    """The logins in Blackboard's texts of attempts, by the name of the file; "" for none."""
    platform: str = ""
    """The platform that wrote the names; "" to recognise it by them."""


class Owned(Struct, frozen=True):
    """The owner of a name."""

    student: Student | None
    """None if it belongs to nobody on the roster."""
    platform: str
    """The platform whose form the name has; BY_HAND if it has no form."""
    why: str = ""
    """Why it belongs to nobody; "" if it is the name of no student."""


def owners(
    found: Sequence[str],
    students: Sequence[Student],
    where: Path,
    signs: Signs,
) -> dict[str, Owned]:
    """Return the owner of each file or folder of a download.

    Raises ArenaError for a name that fits two students, and for two names that may be those of two
    people who are called the same.
    """
    names = _Names(_Forms(found, students, signs))
    owned: dict[str, Owned] = {}
    for name in found:
        fits = names.fits(name)
        if len({student.unit for student in fits}) > 1:
            what = f"'{name}' may be from '{fits[0].id}' and '{fits[1].id}'"
            hint = "rename it to the id of its student alone, or give both a `team` in the roster"
            raise ArenaError(what, str(where), hint)
        why = "" if fits else names.why_nobody(name)
        owned[name] = Owned(fits[0] if fits else None, names.platform(name), why)
    _check_namesakes(owned, where)
    return owned


def _check_namesakes(owned: Mapping[str, Owned], where: Path) -> None:
    """Refuse files with the name of one student and the numbers of two people."""
    numbers: dict[str, tuple[str, str]] = {}
    for name, one in owned.items():
        match = download.MOODLE.fullmatch(name)
        number = match["number"] if match else ""
        if not (number and one.student) or has_number(one.student) or one.student.team:
            continue
        other, known = numbers.setdefault(one.student.id, (name, number))
        if known != number:
            what = f"'{other}' and '{name}' have one name and two numbers: they are from two people"
            hint = f"add the number of '{one.student.id}' to the roster, in a column `account`"
            raise ArenaError(what, str(where), hint)


class _Names:
    """The names of a download together: they decide which forms count."""

    def __init__(self, forms: "_Forms") -> None:
        self._forms = forms
        self._plain = forms.plain
        self._asked, self._may_be_plain = self._choose_forms([*forms.plain])

    def fits(self, name: str) -> Sequence[Student]:
        """Return the owner of a name; several students if it is not clear, or one team."""
        certain = self._forms.certain(name)
        if certain is not None:
            return certain
        claims = [fits for read in self._asked.values() if (fits := read(name))]
        if claims:
            return reduce(agreed, [*claims, self._plain[name]])
        return self._plain[name] if self._may_be_plain else []

    def platform(self, name: str) -> str:
        """Return the platform whose form a name has."""
        if self._forms.certain(name) is not None:
            by_list = "gradescope" if download.GRADESCOPE.fullmatch(name) else "studip"
            return "moodle" if "_assignsubmission_" in name else by_list
        formed = [key for key, read in self._asked.items() if read(name) is not None]
        if self._plain[name] and not any(self._asked[key](name) for key in formed):
            return BY_HAND
        return formed[0] if formed else BY_HAND

    def why_nobody(self, name: str) -> str:
        """Return why a name belongs to nobody; "" if it is the name of no student."""
        if self._forms.given not in {"", "moodle"}:
            return ""
        match = download.MOODLE.fullmatch(name)
        if match is None:
            return _GROUPLESS if download.MOODLE_GROUPLESS.fullmatch(name) else ""
        numbered = self._forms.numbered(match["number"])
        return _OTHER_NAME.format(numbered[0].id) if numbered else ""

    def _choose_forms(self, found: Sequence[str]) -> tuple[dict[str, _Read], bool]:
        """Return the forms that count, and whether names may begin with an id, too.

        A name that a student chose may look like the form of a platform. So a form counts if all
        names have it. If no form does, those count in which a name has an owner that it does not
        have by its beginning.
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


class _Forms:
    """The forms of names, with a method for each platform.

    It returns all students whom a name fits, or None if the name does not have that form.
    """

    def __init__(self, found: Sequence[str], students: Sequence[Student], signs: Signs) -> None:
        """Take all names of a download, and what else it says of them."""
        self._signs = signs
        self.given = signs.platform
        self._roster = RosterIndex(students)
        moodle = [match for name in found if (match := download.MOODLE.fullmatch(name))]
        called = Counter(letters_of(match["name"]) for match in moodle)
        self._blind = _BLIND | {name for name, count in called.items() if count == len(found) > 1}
        others = [name for name in found if self.certain(name) is None]
        self.plain = {name: self._roster.beginning(stem_of(name)) for name in others}
        """The owners of names by their beginnings, without names whose form is certain."""
        matches = [download.BLACKBOARD.fullmatch(name) for name in others]
        self._assignments = _shared([match["begin"] for match in matches if match], "_")
        dashed = [name for name in others if "-" in stem_of(name)]
        strange = [name for name in dashed if not self.plain[name]]
        self._repositories = _shared([stem_of(name) for name in strange or dashed], "-")

    def certain(self, name: str) -> Sequence[Student] | None:
        """Return the owner of a name by a form that cannot be taken for another one."""
        if self.given in {"", "moodle"}:
            if match := download.MOODLE.fullmatch(name):
                return self._moodle(match["name"], match["number"])
            if download.MOODLE_GROUPLESS.fullmatch(name):
                return []
        if self.given not in {"", "gradescope", "studip"}:
            return None
        submitters = self._signs.submitters
        if name not in submitters and not (submitters and download.GRADESCOPE.fullmatch(name)):
            return None
        fits: list[Student] = []
        for submitter in submitters.get(name, ()):
            by_id = self._roster.by_account[same_key(submitter.id)]
            known = agreed(by_id, self._roster.by_mail[same_key(submitter.email)])
            fits += known or self._roster.by_name[letters_of(submitter.name)]
        return _once(fits)

    def _moodle(self, name: str, number: str) -> Sequence[Student]:
        """Return the owner of a display name and a number, which is Moodle's own, never an id.

        Behind the name of a team, it is the number of the group, which a student may have, too.
        """
        if team := self._roster.by_team[letters_of(name)]:
            return team
        numbered = self.numbered(number)
        named = (
            self._roster.by_name[letters_of(name)] or self._roster.by_turned_name[letters_of(name)]
        )
        if not numbered:
            return [student for student in named if not has_number(student)]
        if not named and letters_of(name) not in self._blind and _differ(name, numbered[0].name):
            return []
        return agreed(numbered, named)

    def numbered(self, number: str) -> list[Student]:
        """Return the students who have a number as their account on the roster."""
        return [student for student in self._roster.by_account[number] if student.account]

    def canvas(self, name: str) -> Sequence[Student] | None:
        """Return the owner by the number of the user, or by the anonymous id."""
        if anonymous := download.CANVAS_ANONYMOUS.fullmatch(name):
            user = same_key(anonymous["user"])
            # An anonymous id of digits alone could be taken for the number of a user.
            own = "" if user.isdecimal() else user
            return self._roster.by_account[self._signs.anonymous.get(user, own)]
        match = download.CANVAS.fullmatch(name)
        if not match:
            return None
        users = [self._roster.by_account[number] for number in download.CANVAS_USER.findall(name)]
        named = self._roster.by_turned_name[letters_of(match["name"])]
        if first := users[0]:
            if named or not all(student.name for student in first):
                return agreed(first, named)
        elif not any(self._roster.by_team[letters_of(begin)] for begin in _begins(name, "_")):
            return []
        # The name of a person or a team may end in numbers, as if another user followed.
        return _once(chain.from_iterable(users))

    def blackboard(self, name: str) -> Sequence[Student] | None:
        """Return the owner by the login in the text of the attempt, or before `_attempt_`."""
        match = download.BLACKBOARD.fullmatch(name)
        if match and (login := self._signs.logins.get(name)):
            return self._roster.by_account[same_key(login)]
        if not (match and self._assignments):
            return None
        return self._ending(match["begin"], "_", self._assignments)

    def brightspace(self, name: str) -> Sequence[Student] | None:
        """Return the owner of a folder by the name; its number is that of the attempt."""
        match = download.BRIGHTSPACE.fullmatch(name)
        if match is None:
            return None
        return self._roster.by_name[letters_of(match["name"])]

    def sakai(self, name: str) -> Sequence[Student] | None:
        """Return the owner of a folder by the login in parentheses."""
        match = download.SAKAI.fullmatch(name) if name in self._signs.folders else None
        if match is None:
            return None
        named = self._roster.by_turned_name[letters_of(match["name"])]
        return agreed(self._roster.by_account[same_key(match["user"])], named)

    def github(self, name: str) -> Sequence[Student] | None:
        """Return the owner of a repository by what follows the name of the assignment."""
        stem = stem_of(name)
        shared = _begins(stem, "-") & self._repositories
        return self._ending(stem, "-", shared) if shared else None

    def ilias(self, name: str) -> Sequence[Student] | None:
        """Return the owner of a folder by the number at its end, or by the login before that."""
        if name not in self._signs.folders:
            return None
        match = download.ILIAS.fullmatch(name)
        if match is None or match["name"].count("_") < 2:
            return None
        return self.numbered(match["user"]) or self._login_at_end(match["name"])

    def openolat(self, name: str) -> Sequence[Student] | None:
        """Return the owner of a folder by the group, or by the login at its end."""
        if not download.is_openolat(self._signs.folders.get(name, ())):
            return None
        team = self._roster.by_team[letters_of(name.rpartition("_")[0])]
        return team or self._login_at_end(name)

    def _login_at_end(self, name: str) -> Sequence[Student]:
        """Return whose login a name ends with; it may be written in letters and digits alone."""
        begins = _begins(name, "_")
        ends = (name.removeprefix(f"{begin}_") for begin in sorted(begins, reverse=True))
        plain = (self._roster.by_plain_account[letters_of(end)] for end in ends)
        return self._ending(name, "_", begins) or _once(chain.from_iterable(plain))

    def _ending(self, text: str, sign: str, begins: Iterable[str]) -> Sequence[Student]:
        """Return the students whose login follows one of these beginnings and a sign."""
        logins = [text.removeprefix(begin + sign) for begin in sorted(begins, reverse=True)]
        return _once(
            student for login in logins for student in self._roster.by_account[same_key(login)]
        )


def agreed(first: Sequence[Student], second: Sequence[Student]) -> list[Student]:
    """Return the students whom two signs have in common, or those of both if there is none."""
    return [student for student in first if student in second] or [*first, *second]


def _once(students: Iterable[Student]) -> list[Student]:
    return [*dict.fromkeys(students)]


def stem_of(name: str) -> str:
    """Return a name without the ending of an archive."""
    return next((name[: -len(end)] for end in ENDINGS if name.lower().endswith(end)), name)


def _differ(name: str, other: str) -> bool:
    """Return whether two names of people have no word in common; an empty one never differs."""
    first, second = ({*map(letters_of, re.findall(r"\w+", text))} for text in (name, other))
    return bool(first and second) and not first & second and letters_of(name) != letters_of(other)


def _begins(text: str, sign: str) -> set[str]:
    """Return what comes before each occurrence of a sign."""
    return {text[:at] for at, c in enumerate(text) if c == sign and at}


def _shared(texts: Sequence[str], sign: str) -> set[str]:
    """Return beginnings that all texts have in common: one is the name of the assignment."""
    return reduce(set.intersection, (_begins(text, sign) for text in texts)) if texts else set()


def sign(
    name: str, owner: Student, platform: str, submitters: Mapping[str, Sequence[Submitter]]
) -> str:
    """Return in words the sign by which a hand-in is its owner's."""
    if platform == "moodle" and (match := download.MOODLE.fullmatch(name)):
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
    """Names that have a second id behind the owner's, such as `s1_s2_team.zip`."""

    def __init__(self, students: Sequence[Student]) -> None:
        """Take the students of the roster."""
        self._roster = RosterIndex(students)

    def second(self, name: str, owner: Student) -> Student | None:
        """Return the other student whose id or team follows the owner's id; None for nobody."""
        stem, first = same_key(stem_of(name.partition("/")[0])), same_key(owner.id)
        if stem[len(first) : len(first) + 1] not in [*AFTER_ID]:
            return None
        others = self._roster.beginning(stem[len(first) + 1 :])
        return next((one for one in others if one.unit != owner.unit), None)
