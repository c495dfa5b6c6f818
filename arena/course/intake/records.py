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

_MOST_BYTES = 64 << 20
_MAX_DEPTH = 32
_STUDIP = {
    "first": ("Vorname", "First name"),
    "last": ("Nachname", "Last name"),
    "time": ("Datum", "Date"),
    "path": ("Pfad", "Path"),
}
_Path = tuple[str, ...]


class Submitter(Struct, frozen=True):
    """One of those who handed something in."""

    id: str
    """"" if Gradescope knows none, as of the address."""
    email: str
    name: str = ""
    """As Stud.IP has it; Gradescope's is not taken for a sign."""


class Listed(Struct, frozen=True):
    """What the list in an export says."""

    submitters: Mapping[str, Sequence[Submitter]] = {}
    """By the name of the file or folder."""
    times: Mapping[str, str] = {}
    """As they are written, by that name."""
    where: str = ""
    """The file."""

    def of(self, names: Iterable[str]) -> "Listed":
        """Return what it says of files, by their names as they are on the disk."""
        known = {name: composed(name) for name in names}
        return replace(
            self,
            submitters={
                name: self.submitters[key] for name, key in known.items() if key in self.submitters
            },
            times={name: self.times[key] for name, key in known.items() if key in self.times},
        )


def read_listed(*folders: Path) -> Listed:
    """Return what the list in one of these folders says, nothing without one; raises ArenaError."""
    for folder in folders:
        if (path := folder / METADATA).exists():
            return _gradescope_list(path)
        if (path := folder / FILE_LIST).exists():
            return _studip_list(path)
    return Listed()


def _gradescope_list(path: Path) -> Listed:
    texts = defaultdict[_Path, dict[str, str]](dict)
    times: dict[str, str] = {}
    try:
        events = yaml.parse(read_limited(path, _MOST_BYTES).decode("utf-8-sig"), Loader=LOADER)
        for place, text in _scalars(events, path):
            if len(place) == 4 and place[1] == ":submitters":
                texts[place[:3]][place[3]] = text
            elif len(place) == 2 and place[1] == ":created_at":
                times[place[0]] = text
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        what = f"bad YAML: {' '.join(str(error).split())}"
        raise ArenaError(what, str(path), "export it again") from None
    submitters = defaultdict[str, list[Submitter]](list)
    for (name, *_), fields in texts.items():
        id_, email = fields.get(":sid", "").strip(), fields.get(":email", "").strip()
        submitters[name].append(Submitter(id_, email))
    return Listed(submitters, times, str(path))


def _studip_list(path: Path) -> Listed:
    """Read Stud.IP's list of the files in an archive, whose titles are German or English."""
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
    """A mapping or a list whose end has not come."""

    def __init__(self, *, is_mapping: bool) -> None:
        self._is_mapping = is_mapping
        self._count = 0
        self._key: str | None = None

    @property
    def wants_key(self) -> bool:
        """Whether a key comes next."""
        return self._is_mapping and self._key is None

    @property
    def at(self) -> str:
        """The key of what comes next, or its number in a list."""
        return (self._key or "") if self._is_mapping else str(self._count)

    def take(self, text: str) -> None:
        """Take what came: a key, a value or an item; "" stands for a mapping or a list."""
        self._count += 1
        self._key = text if self._key is None else None


def _scalars(events: Iterator[Any], path: Path) -> Iterator[tuple[_Path, str]]:
    """Yield each text with its keys, and its number in a list; tags and aliases are passed over."""
    # The root, so that a document is an item like others.
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


_MAX_BYTES = 64 << 20
_NOTHING = ("", "-")
"""Cells of students who handed in nothing."""
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
"""How the status of a submission begins that was not handed in."""
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
"""The columns by which a line of the teacher's list finds its hand-in; the first one counts."""


class Record(Struct, frozen=True):
    """A line of a list."""

    source: str
    """The list in words."""
    where: str
    """The file and the line."""
    moment: datetime | None
    """In UTC."""
    file: str = ""
    """The path of what was handed in, within the hand-ins."""
    number: str = ""
    """Moodle's of the participant."""
    team: str = ""
    """The name of Moodle's group."""
    accounts: frozenset[str] = frozenset()
    """What the platform calls its student, by `same_key`."""
    ids: frozenset[str] = frozenset()
    """The school's ids and addresses of its student, by `same_key`."""
    name: str = ""
    late: bool | None = None
    anonymous: str = ""
    """Canvas' id of the student where marking is anonymous."""
    is_draft: bool = False
    reason: str = ""
    """Why the teacher lists another time than the platform."""
    is_own: bool = False
    """Whether the teacher wrote it."""

    @property
    def words(self) -> str:
        """The line, as errors name it."""
        return f"'{self.file}' in {self.where}" if self.file else self.where


def read_records(path: Path, entry: ReceivedEntry, zone: ZoneInfo) -> list[Record]:
    """Return the lines of a list, whoever wrote it.

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


def with_numbers(students: Sequence[Student], records: Iterable[Record]) -> list[Student]:
    """Return the students with the numbers that a worksheet of Moodle has for those who lack one.

    It names them by id number, by address, or by full name.
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
    """Return Canvas' numbers of users by their anonymous ids."""
    return {
        one.anonymous: next(iter(one.accounts)) for one in records if one.anonymous and one.accounts
    }


def _moodle(path: Path, columns: dict[str, Titles], zone: ZoneInfo) -> Iterator[Record]:
    """Yield the lines of an assignment's grading worksheet."""
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
    """Yield the lines of the grades of GitHub Classroom."""
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
    """A submission, as Canvas' API answers (app/controllers/submissions_api_controller.rb)."""

    user_id: int | None = None
    anonymous_id: str | None = None
    submitted_at: str | None = None
    late: bool | None = None
    user: _User | None = None


def _canvas(path: Path, zone: ZoneInfo) -> Iterator[Record]:
    """Yield the submissions of an answer of Canvas' API."""
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
    """Yield the lines of the teacher's list, by file or by student."""
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
    """The lines of all lists, by what they are about."""

    def __init__(self, records: Sequence[Record]) -> None:
        """Take the lines of all lists."""
        self.all = records
        self._index: dict[tuple[str, str], list[Record]] = {}
        for record in records:
            keys = [("file", record.file), ("number", record.number)]
            keys += [("team", letters_of(record.team))]
            keys += [("account", key) for key in {*record.accounts, record.anonymous}]
            keys += [("id", key) for key in record.ids]
            for key in keys:
                if key[1]:
                    self._index.setdefault(key, []).append(record)

    def of_file(self, paths: Iterable[str]) -> list[Record]:
        """Return the lines about a file: those of the first of these paths that has any."""
        return next((found for path in paths if (found := self._of("file", path))), [])

    def of_moodle(self, name: str, number: str) -> list[Record]:
        """Return the lines about a name of Moodle: of its team, or else of its number."""
        return self._of("team", letters_of(name)) or self._of("number", number)

    def of_student(self, student: Student) -> list[Record]:
        """Return the lines about a student: by the platform's name for them, or else by the id."""
        ids = [same_key(student.id), same_key(student.email)]
        by_id = [record for id_ in ids for record in self._of("id", id_)]
        return self._of("account", account_of(student)) or [*dict.fromkeys(by_id)]

    def _of(self, kind: str, key: str) -> list[Record]:
        return self._index.get((kind, key), []) if key else []
