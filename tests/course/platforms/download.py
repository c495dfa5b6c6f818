"""What a platform knows when a teacher downloads, and the files that it writes then."""

import csv
import io
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from zoneinfo import ZoneInfo

from tests.course.platforms.people import Export, Person, Submitted
from tests.course.platforms.zips import Library, dos, zipped

COURSE, TITLE = "AI 1", "Perudo bot"
UNICODE_MARK = "\ufeff"


class Download(NamedTuple):
    """A class, what it handed in, and the settings of one download."""

    into: Path
    submitted: Sequence[Submitted]
    people: Sequence[Person]
    deadline: datetime
    downloaded: datetime
    zone: ZoneInfo
    mode: str

    def local(self, at: datetime) -> datetime:
        """Return a time on the platform's clock."""
        return at.astimezone(self.zone)

    def late(self, hand_in: Submitted) -> bool:
        return hand_in.at > self.deadline

    def attempts(self, person: Person) -> list[Submitted]:
        """Return a person's attempts, the last one last."""
        own = [hand_in for hand_in in self.submitted if hand_in.person == person]
        return sorted(own, key=lambda hand_in: (hand_in.attempt, hand_in.at))

    def last(self) -> list[Submitted]:
        """Return the last attempt of everyone who handed in, in the order of the class."""
        return [own[-1] for person in self.people if (own := self.attempts(person))]

    def by_time(self) -> list[Submitted]:
        return sorted(self.submitted, key=lambda hand_in: hand_in.at)

    def teams(self) -> dict[str, list[Person]]:
        """Return the members of each team; those without a team are under ""."""
        teams: dict[str, list[Person]] = {}
        for person in self.people:
            teams.setdefault(person.team, []).append(person)
        return teams

    def last_of(self, members: Sequence[Person]) -> Submitted | None:
        """Return what a team handed in last, whichever member uploaded it."""
        own = [hand_in for hand_in in self.last() if hand_in.person in members]
        return max(own, key=lambda hand_in: hand_in.at, default=None)

    def write(self, name: str, content: bytes) -> Path:
        """Write a file that the download holds, dated as it is: by the download."""
        path = self.into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.date(path)
        return path

    def date(self, path: Path) -> None:
        os.utime(path, (self.downloaded.timestamp(), self.downloaded.timestamp()))

    def zip(self, name: str, library: Library, files: Mapping[str, bytes]) -> Path:
        """Write an archive whose entries have the time of the download."""
        return self.write(name, zipped(files, library, dos(self.local(self.downloaded))))

    def export(
        self, submissions: Path, names: dict[str, str], accounts: Mapping[str, str], *records: Path
    ) -> Export:
        """Return the download, with the school's roster beside it; accounts are by Person.id."""
        rows = [("id", "name", "email", "account", "team")]
        rows += [(p.id, p.name, p.email, accounts.get(p.id, ""), p.team) for p in self.people]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        roster = self.write("roster.csv", text.getvalue().encode())
        return Export(submissions, list(records), roster, names)

    def logins(self) -> dict[str, str]:
        return {person.id: person.login for person in self.people}

    def numbers(self) -> dict[str, str]:
        return {person.id: person.number for person in self.people}


def base(path: str) -> str:
    """Return the name that a browser sends for a file: it keeps no folders."""
    return PurePosixPath(path).name


def php_csv(rows: Iterable[Sequence[str]], delimiter: str = ",", end: str = "\n") -> str:
    """Return a table as PHP's fputcsv writes it: a cell with a space is quoted, too."""
    special = re.compile(rf"[{delimiter}\"\\\n\r\t ]")

    def cell(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if special.search(text) else text

    return "".join(delimiter.join(map(cell, row)) + end for row in rows)


def clock_12(at: datetime, separator: str = ":") -> str:
    """Return hour and minute of a 12-hour clock without a leading zero: 9:26 PM."""
    return f"{at.hour % 12 or 12}{separator}{at.minute:02d} {'AM' if at.hour < 12 else 'PM'}"
