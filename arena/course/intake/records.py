"""Lists that say who handed in what, and when: the teacher's own, and those of platforms."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import yaml
from msgspec import Struct
from msgspec.structs import replace

from arena.course.config import ReceivedEntry
from arena.course.intake.download import FILE_LIST, METADATA
from arena.course.moments import read_moment
from arena.course.roster import RosterIndex, Student, account_of, has_number, letters_of
from arena.course.table import (
    Row,
    Titles,
    composed,
    has_columns,
    read_table,
    same_key,
    titled,
    titles_of,
)
from arena.io.errors import ArenaError
from arena.io.files import read_limited
from arena.io.yaml_file import LOADER

_MAX_DEPTH = 32
_STUDIP = {
    "first": ("Vorname", "First name"),
    "last": ("Nachname", "Last name"),
    "time": ("Datum", "Date"),
    "path": ("Pfad", "Path"),
}
_Path = tuple[str, ...]
_MAX_BYTES = 64 << 20
_NOTHING = ("", "-")
"""Cells of students without a hand-in."""
_MOODLE = {
    "number": ("Identifier", "ID"),
    "received": ("Last modified (submission)", "Zuletzt geändert (Abgabe)"),
}
_MOODLE_MORE = {
    "name": ("Full name", "Vollständiger Name"),
    "email": ("Email address", "E-Mail-Adresse"),
    "id": ("ID number", "ID-Nummer"),
    "team": ("Group", "Gruppe"),
    "status": ("Status",),
}
_DRAFTS = ("draft", "entwurf")
"""The beginnings of the status of what was uploaded, but not submitted."""
_GITHUB = {
    "file": ("student_repository_name",),
    "login": ("github_username",),
    "id": ("roster_identifier",),
    "received": ("submission_timestamp",),
}
_GRADESCOPE = {
    "number": ("Submission ID",),
    "id": ("SID",),
    "email": ("Email",),
    "received": ("Submission Time",),
}
_OWN = ("file", "received", "id", "account", "reason")
_BY = ("file", "id", "account")
"""Columns that may say which hand-in a line of the teacher is about; the first one counts."""


class Record(Struct, frozen=True):
    """A line of a list of times."""

    source: str
    """The list, in words."""
    where: str
    """The file and the line, as errors name them."""
    moment: datetime | None
    """When it was received, in UTC; None if the line does not say that."""
    file: str = ""
    """The path in the download of what the line is about."""
    number: str = ""
    """Moodle's number of the participant."""
    team: str = ""
    """The name of the group in Moodle."""
    accounts: frozenset[str] = frozenset()
    """The student's accounts on the platform, as `same_key` makes them."""
    ids: frozenset[str] = frozenset()
    """The student's ids and addresses at school, as `same_key` makes them."""
    name: str = ""
    """The student's name."""
    late: bool | None = None
    """Whether the platform calls it late; None if it does not say."""
    anonymous: str = ""
    """Canvas' id of the student if marking is anonymous."""
    is_draft: bool = False
    """Whether the platform says that it was not submitted."""
    reason: str = ""
    """Why the teacher lists another time than the platform, in words."""
    is_own: bool = False
    """Whether the teacher wrote the line."""

    @property
    def words(self) -> str:
        """The line in words."""
        return f"'{self.file}' in {self.where}" if self.file else self.where


def read_records(path: Path, entry: ReceivedEntry, zone: ZoneInfo) -> list[Record]:
    """Return the lines of a list of the teacher or a platform, recognised by its columns.

    Times without a zone are on the clock of `zone`. Raises ArenaError with the line that is wrong.
    """
    if path.name == METADATA:
        listed = read_listed(path.parent)
        return [
            Record("Gradescope's metadata", where, read_moment(text, zone, where), file=name)
            for name, text in listed.times.items()
            for where in (f"{path}: {name}",)
        ]
    if path.suffix.lower() == ".json":
        return [*_canvas(path, zone)]
    titles = titles_of(path)
    for form, read in ((_MOODLE, _moodle), (_GITHUB, _github), (_GRADESCOPE, _gradescope)):
        if columns := titled(titles, form):
            return [*read(path, columns, zone)]
    return [*_own(path, entry, zone)]


def _moodle(path: Path, columns: dict[str, Titles], zone: ZoneInfo) -> Iterator[Record]:
    """Yield the lines of Moodle's grading worksheet of an assignment."""
    titles = titles_of(path)
    for name, alternatives in _MOODLE_MORE.items():
        columns |= titled(titles, {name: alternatives}) or {}
    for row in read_table(path, columns, ["number"]):
        cells = {name: row.cells.get(name, "") for name in ("number", *_MOODLE_MORE)}
        number = cells["number"]
        yield Record(
            source="Moodle's worksheet",
            where=row.where,
            moment=_moment(row, zone),
            number=number[len(number.rstrip("0123456789")) :],
            team=cells["team"],
            ids=_keys(cells["id"], cells["email"]),
            name=cells["name"],
            is_draft=same_key(cells["status"]).startswith(_DRAFTS),
        )


def _github(path: Path, columns: dict[str, Titles], zone: ZoneInfo) -> Iterator[Record]:
    """Yield the lines of GitHub Classroom's table of grades."""
    for row in read_table(path, columns, [*columns]):
        yield Record(
            source="GitHub Classroom's grades",
            where=row.where,
            moment=_moment(row, zone),
            file=row.cells["file"],
            accounts=_keys(row.cells["login"]),
            ids=_keys(row.cells["id"]),
        )


def _gradescope(path: Path, columns: dict[str, Titles], zone: ZoneInfo) -> Iterator[Record]:
    """Yield the lines of Gradescope's table of scores."""
    for row in read_table(path, columns, [*columns]):
        yield Record(
            source="Gradescope's scores",
            where=row.where,
            moment=_moment(row, zone),
            file=f"submission_{row.cells['number']}" if row.cells["number"] else "",
            ids=_keys(row.cells["id"], row.cells["email"]),
        )


class _User(Struct):
    login_id: str | None = None
    sis_user_id: str | None = None


class _Submission(Struct):
    """A submission in an answer of Canvas' API (app/controllers/submissions_api_controller.rb)."""

    user_id: int | None = None
    anonymous_id: str | None = None
    submitted_at: str | None = None
    late: bool | None = None
    user: _User | None = None


def _canvas(path: Path, zone: ZoneInfo) -> Iterator[Record]:
    """Yield the submissions in an answer of Canvas' API."""
    try:
        found = msgspec.json.decode(read_limited(path, _MAX_BYTES), type=list[_Submission])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "save the answer to GET /api/v1/courses/:id/assignments/:id/submissions"
        raise ArenaError(f"not Canvas' submissions: {error}", str(path), hint) from None
    for number, one in enumerate(found, 1):
        where, user = f"{path}: submission {number}", one.user or _User()
        own = "" if one.user_id is None else str(one.user_id)
        yield Record(
            source="Canvas' submissions",
            where=where,
            moment=read_moment(one.submitted_at, zone, where) if one.submitted_at else None,
            accounts=_keys(own),
            anonymous=same_key(one.anonymous_id or ""),
            ids=_keys(user.login_id, user.sis_user_id),
            late=one.late if one.submitted_at else None,
        )


def _own(path: Path, entry: ReceivedEntry, zone: ZoneInfo) -> Iterator[Record]:
    """Yield the lines of the teacher's own list, each about a file or a student."""
    columns = {name: getattr(entry, name) for name in _OWN}
    titles, seen = titles_of(path), set[str]()
    given = [name for name in _BY if has_columns(titles, columns[name])]
    by = given[0] if given else _BY[0]
    for row in read_table(path, columns, [by, "received"]):
        key = row.cells[by].rstrip("/")
        if not (key and row.cells["received"]):
            raise ArenaError(f"a line without a {by} or a time", row.where, "fill in both cells")
        if key in seen:
            raise ArenaError(f"'{key}' is there twice", row.where, "leave one of the lines out")
        seen.add(key)
        yield Record(
            source=path.name,
            where=row.where,
            moment=_moment(row, zone),
            file=key if by == "file" else "",
            # Moodle's identifier is "Participant 4711".
            accounts=_keys(key.rpartition(" ")[2]) if by == "account" else frozenset(),
            ids=_keys(key) if by == "id" else frozenset(),
            reason=row.cells["reason"],
            is_own=True,
        )


def _moment(row: Row, zone: ZoneInfo) -> datetime | None:
    text = row.cells["received"]
    return None if text in _NOTHING else read_moment(text, zone, row.where)


def _keys(*texts: str | None) -> frozenset[str]:
    return frozenset(same_key(text) for text in texts if text and text not in _NOTHING)


class Records:
    """The lines of all lists, found by what they are about."""

    def __init__(self, records: Sequence[Record]) -> None:
        """Take the lines of all lists."""
        self.all = records
        self._index: dict[tuple[str, str], list[Record]] = {}
        for record in records:
            keys = [("file", record.file), ("number", record.number)]
            keys += [("team", letters_of(record.team))]
            keys += [("account", account) for account in {*record.accounts, record.anonymous}]
            keys += [("id", id_) for id_ in record.ids]
            for kind, key in keys:
                if key:
                    self._index.setdefault((kind, key), []).append(record)

    def of_file(self, paths: Iterable[str]) -> list[Record]:
        """Return the lines about a file, by the first of its possible paths that has any."""
        return next((found for path in paths if (found := self._of("file", path))), [])

    def of_moodle(self, name: str, number: str) -> list[Record]:
        """Return the lines about a team of Moodle, or else about the participant's number."""
        return self._of("team", letters_of(name)) or self._of("number", number)

    def of_student(self, student: Student) -> list[Record]:
        """Return the lines about a student, by the account, or else by id and address."""
        ids = [same_key(student.id), same_key(student.email)]
        by_id = [record for id_ in ids for record in self._of("id", id_)]
        return self._of("account", account_of(student)) or [*dict.fromkeys(by_id)]

    def _of(self, kind: str, key: str) -> list[Record]:
        return self._index.get((kind, key), []) if key else []


def with_numbers(students: Sequence[Student], records: Iterable[Record]) -> list[Student]:
    """Return the students, each without a number with that of a worksheet of Moodle.

    A worksheet names a student by id, by address, or by full name.
    """
    index = RosterIndex(students)
    by_id = {same_key(student.id): student for student in students}
    numbers: dict[str, str] = {}
    for record in records:
        known = [student for key in record.ids if (student := by_id.get(key))]
        known = known or [one for key in record.ids for one in index.by_mail[key]]
        known = known or index.by_turned_name[letters_of(record.name)]
        if record.number and len({student.id for student in known}) == 1:
            numbers[known[0].id] = record.number
    return [
        replace(student, account=numbers[student.id])
        if student.id in numbers and not has_number(student)
        else student
        for student in students
    ]


def anonymous(records: Iterable[Record]) -> dict[str, str]:
    """Return the numbers of Canvas' users by their anonymous ids."""
    return {
        one.anonymous: next(iter(one.accounts)) for one in records if one.anonymous and one.accounts
    }


class Submitter(Struct, frozen=True):
    """A person whom the list in a download names."""

    id: str
    """The school's id; "" if the list has none."""
    email: str
    """"" if the list has none."""
    name: str = ""
    """The name in Stud.IP; that in Gradescope is no sign of the owner, and is not read."""


class Listed(Struct, frozen=True):
    """The list in a download of Gradescope or Stud.IP: who handed in what, and when."""

    submitters: Mapping[str, Sequence[Submitter]] = {}
    """Those who handed something in together, by the name of the file or folder."""
    times: Mapping[str, str] = {}
    """Times as they are written, by that name."""
    where: str = ""
    """The path of the list; "" without one."""

    def of(self, names: Iterable[str]) -> "Listed":
        """Return what it says of these files: names on the disk may have another Unicode form."""
        known = {name: composed(name) for name in names}
        return replace(
            self,
            submitters={
                name: self.submitters[key] for name, key in known.items() if key in self.submitters
            },
            times={name: self.times[key] for name, key in known.items() if key in self.times},
        )


def read_listed(*folders: Path) -> Listed:
    """Return the list in the first of these folders that has one, or an empty one.

    Raises ArenaError if it cannot be read.
    """
    for folder in folders:
        if (path := folder / METADATA).exists():
            return _gradescope_list(path)
        if (path := folder / FILE_LIST).exists():
            return _studip_list(path)
    return Listed()


def _gradescope_list(path: Path) -> Listed:
    people = defaultdict[tuple[str, str], dict[str, str]](dict)
    times: dict[str, str] = {}
    try:
        events = yaml.parse(read_limited(path, _MAX_BYTES).decode("utf-8-sig"), Loader=LOADER)
        for place, text in _scalars(events, path):
            match place:
                case (name, ":created_at"):
                    times[name] = text
                case (name, ":submitters", number, field):
                    people[name, number][field] = text
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        what = f"bad YAML: {' '.join(str(error).split())}"
        raise ArenaError(what, str(path), "export it again") from None
    submitters = defaultdict[str, list[Submitter]](list)
    for (name, _), fields in people.items():
        id_ = fields.get(":sid", "").strip()
        submitters[name].append(Submitter(id_, fields.get(":email", "").strip()))
    return Listed(submitters, times, str(path))


def _studip_list(path: Path) -> Listed:
    """Return Stud.IP's list of the files in an archive; its titles are German or English."""
    submitters, times = dict[str, list[Submitter]](), dict[str, str]()
    columns = titled(titles_of(path), _STUDIP)
    if columns is None:
        what = "the list of files has other columns than Stud.IP's"
        raise ArenaError(what, str(path), "list the times yourself: `received` in course.yaml")
    for row in read_table(path, columns, [*columns]):
        name = row.cells["path"].rpartition("/")[2]
        person = f"{row.cells['first']} {row.cells['last']}".strip()
        submitters.setdefault(name, [Submitter("", "", person)])
        times[name] = row.cells["time"]
    return Listed(submitters, times, str(path))


class _Open:
    """A mapping or a list of a YAML file whose end was not read yet."""

    def __init__(self, *, is_mapping: bool) -> None:
        self._is_mapping = is_mapping
        self._count = 0
        self._key: str | None = None

    @property
    def wants_key(self) -> bool:
        """Whether the next text is a key."""
        return self._is_mapping and self._key is None

    @property
    def at(self) -> str:
        """The key of the next value, or its number in a list."""
        return (self._key or "") if self._is_mapping else str(self._count)

    def take(self, text: str) -> None:
        """Take what was read: a key, a value or an item; "" stands for a mapping or a list."""
        self._count += 1
        self._key = text if self._key is None else None


def _scalars(events: Iterator[Any], path: Path) -> Iterator[tuple[_Path, str]]:
    """Yield each text with the keys and numbers that lead to it; tags and aliases are ignored."""
    # The stream is a list of documents.
    within = [_Open(is_mapping=False)]
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            within.append(_Open(is_mapping=isinstance(event, yaml.MappingStartEvent)))
            if len(within) > _MAX_DEPTH:
                raise ArenaError(f"values more than {_MAX_DEPTH} deep in one another", str(path))
        elif isinstance(event, yaml.ScalarEvent):
            if not within[-1].wants_key:
                yield tuple(level.at for level in within[1:]), event.value
            within[-1].take(event.value)
        elif isinstance(event, yaml.AliasEvent | yaml.CollectionEndEvent):
            if isinstance(event, yaml.CollectionEndEvent):
                within.pop()
            within[-1].take("")
