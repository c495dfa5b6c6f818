"""The owner of a hand-in's name, by the form of each platform."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain

from msgspec import Struct

from arena.bots.archives.unpack import ENDINGS
from arena.course.intake import names
from arena.course.intake.roster_index import RosterIndex, has_number, letters_of
from arena.course.intake.submitters import Submitter
from arena.course.terms.roster import Student
from arena.course.terms.table import same_key

_BLIND = {"participant", "teilnehmer", "teilnehmerin"}
"""What Moodle calls everybody where marking is anonymous."""


class Signs(Struct, frozen=True):
    """What an export says about its entries, beside their names."""

    submitters: Mapping[str, Sequence[Submitter]] = {}
    """Those of a list that the export has, by file or folder."""
    folders: Mapping[str, Collection[str]] = {}
    """The names of what is in each folder."""
    anonymous: Mapping[str, str] = {}
    """The numbers of users by Canvas' anonymous ids."""
    logins: Mapping[str, str] = {}
    """Who logged in, by Blackboard's texts of attempts, by the name of the file."""
    platform: str = ""
    """The platform that wrote the names; "" to find it out."""


class Forms:
    """Reads names by the form of one platform after another.

    Each method returns all students whom a name fits, or None if it does not have that form.
    """

    def __init__(
        self,
        found: Sequence[str],
        students: Sequence[Student],
        signs: Signs,
    ) -> None:
        """Take the names of an export together, and what else it says."""
        self._submitters, self._folders = signs.submitters, signs.folders
        self._anonymous, self._logins = signs.anonymous, signs.logins
        self.given = signs.platform
        self._roster = RosterIndex(students)
        moodle = [match for name in found if (match := names.MOODLE.fullmatch(name))]
        called = Counter(letters_of(match["name"]) for match in moodle)
        self._blind = _BLIND | {name for name, count in called.items() if count == len(found) > 1}
        others = [name for name in found if self.certain(name) is None]
        self.plain = {name: self._roster.beginning(stem_of(name)) for name in others}
        """The owners of names as a person gives them, without names whose form is certain."""
        matches = [names.BLACKBOARD.fullmatch(name) for name in others]
        self._assignments = _shared([match["begin"] for match in matches if match], "_")
        dashed = [name for name in others if "-" in stem_of(name)]
        strange = [name for name in dashed if not self.plain[name]]
        self._repositories = _shared([stem_of(name) for name in strange or dashed], "-")

    def certain(self, name: str) -> Sequence[Student] | None:
        """Return the owner of a name by a form that no other looks like."""
        if self.given in {"", "moodle"}:
            if match := names.MOODLE.fullmatch(name):
                return self._moodle(match["name"], match["number"])
            if names.MOODLE_GROUPLESS.fullmatch(name):
                return []
        if self.given not in {"", "gradescope", "studip"}:
            return None
        if name in self._submitters or (self._submitters and names.GRADESCOPE.fullmatch(name)):
            return self._submitted(name)
        return None

    def _moodle(self, name: str, number: str) -> Sequence[Student]:
        """Return the owner of a display name or number, which is Moodle's own, never an id.

        The number of a team is that of its group, which may be another student's.
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
        """Return whom the roster gives a number of a platform."""
        return [student for student in self._roster.by_account[number] if student.account]

    def _submitted(self, name: str) -> Sequence[Student]:
        fits: list[Student] = []
        for submitter in self._submitters.get(name, ()):
            by_id = self._roster.by_account[same_key(submitter.id)]
            known = agreed(by_id, self._roster.by_mail[same_key(submitter.email)])
            fits += known or self._roster.by_name[letters_of(submitter.name)]
        return _once(fits)

    def canvas(self, name: str) -> Sequence[Student] | None:
        """Return whose a name is in Canvas: by the number of the user, or the anonymous id."""
        if anonymous := names.CANVAS_ANONYMOUS.fullmatch(name):
            user = same_key(anonymous["user"])
            # One of digits alone looks like the number of a user.
            own = "" if user.isdecimal() else user
            return self._roster.by_account[self._anonymous.get(user, own)]
        match = names.CANVAS.fullmatch(name)
        if not match:
            return None
        users = [self._roster.by_account[number] for number in names.CANVAS_USER.findall(name)]
        named = self._roster.by_turned_name[letters_of(match["name"])]
        if first := users[0]:
            if named or not all(student.name for student in first):
                return agreed(first, named)
        elif not self._is_team(name):
            return []
        # A display name or a team's that ends in numbers looks like another user's file.
        return _once(chain.from_iterable(users))

    def _is_team(self, name: str) -> bool:
        """Return whether a name begins with that of a team, which may end in numbers."""
        begins = (letters_of(begin) for begin in _begins(name, "_"))
        return any(self._roster.by_team[begin] for begin in begins)

    def blackboard(self, name: str) -> Sequence[Student] | None:
        """Return whose a name is in Blackboard: by its text, or the login before `_attempt_`."""
        match = names.BLACKBOARD.fullmatch(name)
        if match and (login := self._logins.get(name)):
            return self._roster.by_account[same_key(login)]
        if not (match and self._assignments):
            return None
        return self._ending(match["begin"], "_", self._assignments)

    def brightspace(self, name: str) -> Sequence[Student] | None:
        """Return whose a folder is in Brightspace: by the name; its number is of the attempt."""
        match = names.BRIGHTSPACE.fullmatch(name)
        if match is None:
            return None
        return self._roster.by_name[letters_of(match["name"])]

    def sakai(self, name: str) -> Sequence[Student] | None:
        """Return whose a folder is in Sakai: by the login in parentheses."""
        match = names.SAKAI.fullmatch(name) if name in self._folders else None
        if match is None:
            return None
        named = self._roster.by_turned_name[letters_of(match["name"])]
        return agreed(self._roster.by_account[same_key(match["user"])], named)

    def github(self, name: str) -> Sequence[Student] | None:
        """Return whose a repository is: by what follows the name of the assignment."""
        stem = stem_of(name)
        shared = _begins(stem, "-") & self._repositories
        return self._ending(stem, "-", shared) if shared else None

    def ilias(self, name: str) -> Sequence[Student] | None:
        """Return whose a folder is in ILIAS: by the number at its end or the login before it."""
        if name not in self._folders:
            return None
        match = names.ILIAS.fullmatch(name)
        if match is None or match["name"].count("_") < 2:
            return None
        return self.numbered(match["user"]) or self._login_at_end(match["name"])

    def openolat(self, name: str) -> Sequence[Student] | None:
        """Return whose a folder is in OpenOLAT: by the login at its end, or the group."""
        if not names.is_openolat(self._folders.get(name, ())):
            return None
        team = self._roster.by_team[letters_of(name.rpartition("_")[0])]
        return team or self._login_at_end(name)

    def _login_at_end(self, name: str) -> Sequence[Student]:
        """Return whose login a name ends with, which may lack what is no letter and no digit."""
        begins = _begins(name, "_")
        ends = (name.removeprefix(f"{begin}_") for begin in sorted(begins, reverse=True))
        plain = (self._roster.by_plain_account[letters_of(end)] for end in ends)
        return self._ending(name, "_", begins) or _once(chain.from_iterable(plain))

    def _ending(self, text: str, sign: str, begins: Iterable[str]) -> Sequence[Student]:
        """Return who logs in by what follows one of these beginnings and a sign."""
        logins = [text.removeprefix(begin + sign) for begin in sorted(begins, reverse=True)]
        return _once(
            student for login in logins for student in self._roster.by_account[same_key(login)]
        )


def agreed(first: Sequence[Student], second: Sequence[Student]) -> list[Student]:
    """Return the students that two signs have in common; without any, those of both."""
    return [student for student in first if student in second] or [*first, *second]


def _once(students: Iterable[Student]) -> list[Student]:
    return [*dict.fromkeys(students)]


def stem_of(name: str) -> str:
    """Return a name without the ending of an archive."""
    return next((name[: -len(end)] for end in ENDINGS if name.lower().endswith(end)), name)


def _differ(name: str, other: str) -> bool:
    """Return whether two names of people have no word in common; a missing one says nothing."""
    first, second = ({*map(letters_of, re.findall(r"\w+", text))} for text in (name, other))
    return bool(first and second) and not first & second and letters_of(name) != letters_of(other)


def _begins(text: str, sign: str) -> set[str]:
    """Return what stands before each sign."""
    return {text[:at] for at, c in enumerate(text) if c == sign and at}


def _shared(texts: Sequence[str], sign: str) -> set[str]:
    """Return what may be the name of the assignment, with which all begin."""
    return reduce(set.intersection, (_begins(text, sign) for text in texts)) if texts else set()
