"""course.yaml: its keys, the course that they describe, and what decides its games."""

import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from arena import __version__
from arena.author.alike.alike import POSITIONS
from arena.bots.bot import Bot
from arena.bots.manifest import find_bot
from arena.bots.sandboxes.registry import AUTO, SANDBOXES, make_sandbox
from arena.course.baselines import PER_BLOCK
from arena.course.by_hand import ADDED, MAX_POINTS, ByHand, read_by_hand
from arena.course.lock import GradingTerms, Lock, read_lock
from arena.course.moments import EXAMPLE, Due, extended, parse_moment
from arena.course.points import FAIR, GradeKey
from arena.course.roster import COLUMNS, Student, find_id, read_roster
from arena.course.table import Titles
from arena.game.records import LimitsInfo
from arena.game.rules.books import Rules
from arena.io.errors import ArenaError, did_you_mean
from arena.io.yaml_file import Positions, convert, locate, parse_yaml
from arena.league.terms.house import rules_named

Points = Annotated[float, Meta(ge=0, le=MAX_POINTS)]
Budget = Annotated[int, Meta(ge=PER_BLOCK, le=1_000_000)]
"""A number of games."""
Days = Annotated[int, Meta(ge=0, le=366)]


Platform = Literal[
    "moodle",
    "canvas",
    "blackboard",
    "gradescope",
    "github",
    "brightspace",
    "ilias",
    "sakai",
    "openolat",
    "studip",
    "hand",
]
_TINY = 1e-9
LEGAL = "legal"
"""The part of a mark for the steps of the check that a bot passed."""
FIELD = "field"
"""The part of a mark for games against all others."""


class BaselineEntry(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A bot that every student's bot plays, and what beating it is worth."""

    bot: str
    """A folder, an archive or `sample:NAME`."""
    points: Points
    none: Annotated[float, Meta(ge=0, lt=1)] = FAIR
    """The share of games won that brings no points."""
    all: Annotated[float, Meta(gt=0, le=1)] | None = None
    """The share that brings all of them; None for that of the reference."""

    def scale(self, reference: float) -> tuple[float, float]:
        """Return the shares that bring no points, and all; `reference` is the reference's."""
        return self.none, reference if self.all is None else self.all


class MarksEntry(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a mark is made of."""

    total: Points
    """The sum of all points below."""
    legal: Points = 0.0
    baselines: dict[str, BaselineEntry] = {}
    field: Points = 0.0
    by_hand: dict[str, Points] = {}
    """Parts that the teacher marks, such as an oral exam."""


class LateEntry(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a hand-in after the deadline costs, and how long one is taken."""

    points_per_day: Points = 0.0
    """Deducted for each day that has begun."""
    days: Days = 0
    """Hand-ins that are later than this do not count."""
    free_days: Days = 0
    """Late days that cost a student nothing."""
    used_in: list[str] = []
    """Folders of other courses in which students may have used some of their free days."""


class RosterEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A roster whose columns have titles of their own."""

    file: str
    id: Titles = "id"
    name: Titles = "name"
    email: Titles = "email"
    group: Titles = "group"
    account: Titles = "account"
    team: Titles = "team"


class ReceivedEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A list of times whose columns have titles of their own."""

    table: str
    """The file, relative to course.yaml."""
    file: Titles = "file"
    received: Titles = "received"
    id: Titles = "id"
    account: Titles = "account"
    reason: Titles = "reason"


class LadderEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """Hand-ins that a ladder received."""

    ladder: str
    """The folder of the ladder, relative to course.yaml."""


class CourseFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of course.yaml (`docs/guides/course.md`)."""

    name: str = "Perudo"
    roster: Annotated[str | RosterEntry, Meta(examples=["roster.csv"])]
    submissions: Annotated[str | LadderEntry, Meta(examples=["hand-ins"])]
    """A folder, an archive of one, or a ladder."""
    ignored: list[str] = []
    """Names among the submissions that belong to no student; they are not reported."""
    received: str | ReceivedEntry | list[str | ReceivedEntry] | None = None
    """Lists of times of receipt: a platform's, or a CSV file of the teacher's."""
    times: Literal["files", "commits"] | None = None
    """Where else times of receipt may come from, though whoever had the files could set them."""
    platform: Platform | None = None
    """The platform that named the hand-ins; None to recognise it by the names."""
    opened: str | None = None
    """When the exercise was given out, for extensions in percent."""
    deadline: Annotated[str, Meta(examples=[EXAMPLE])]
    grace: Annotated[float, Meta(ge=0, le=86_400)] = 0.0
    """Seconds after the deadline that still count as on time."""
    late: LateEntry = LateEntry()
    extensions: dict[str, str] = {}
    resubmissions: Literal["latest", "best"] = "latest"
    """Which of a student's hand-ins counts."""
    struck: list[str | int] = []
    """Students who get no mark, and whose bots do not play in the field."""
    marks: Annotated[MarksEntry, Meta(examples=["{total: 10, legal: 10}"])]
    by_hand: str | None = None
    """A CSV file with points that the teacher gives."""
    grades: GradeKey | None = None
    reference: str | None = None
    starter: list[str] = []
    """Folders with what was given out."""
    precision: Annotated[float, Meta(ge=0.01, le=MAX_POINTS)] = 2.0
    """Points that half the interval of a mark may have."""
    budget: Budget = 4_000
    """Games of a hand-in against each baseline, at most."""
    reference_games: Budget = 4_000
    """Games of the reference against each baseline."""
    variant: str = "bga"
    limits: LimitsInfo = LimitsInfo()
    sandbox: str = AUTO
    packages: bool = False
    alike: Annotated[int, Meta(ge=0, le=100_000)] = POSITIONS
    """Positions in which hand-ins are asked to see which are alike; 0 compares their source."""
    copied: Literal["ignored", "named", "no_points"] = "named"
    """What it means that a hand-in decides as a bot does that everybody has."""
    door: str | None = None
    """The folder of a ladder, behind whose login the students' pages are."""
    table: bool = False
    """Whether students' pages show the marks of all, without names."""
    contact: str = ""
    """Whom students ask, as their pages say it."""
    site: str = ""
    """The address where the folder `site` is published; "" if it stays beside `feedback`."""
    name_baselines: bool = False
    """Whether the baselines have their own names in that site."""


_OF_ALL_WEEKS = {"roster", "grades", "door", "site", "contact", "table", "name_baselines"}
"""Keys that are the same in each week."""
_NO_NAME = re.compile(r"[^a-z0-9]+")
"""What is replaced in the name of a week to name its folder."""


class WeekEntry(Struct, frozen=True):
    """What an entry of `weeks` has besides the keys of a course that differ in that week."""

    name: Annotated[str, Meta(min_length=1, max_length=40)]
    weight: Annotated[float, Meta(gt=0, le=MAX_POINTS)] = 1.0


class Week(Struct, frozen=True):
    """One of several exercises of a course, each with a deadline, a lock and marks of its own."""

    number: int
    """Its place in course.yaml, from 1."""
    name: str
    weight: float
    """How much its mark counts beside those of the others."""
    folder: str
    """The folder in that of the course in which its grading is kept."""


class Options(Struct, frozen=True):
    """Options of a grading; None stands for the value in course.yaml."""

    sandbox: str | None = None
    workers: int = 1
    trusted: bool = False
    accept_changes: bool = False
    ignore_unknown: bool = False
    """Whether to grade although some hand-ins, or lines of a list, belong to nobody."""
    precision: float | None = None


class Course(Struct, frozen=True):
    """A course.yaml that was read, with its roster and its own bots."""

    path: Path
    file: CourseFile
    students: tuple[Student, ...]
    struck: frozenset[str]
    """Ids of students who get no mark."""
    due: Mapping[str, Due]
    """When each student's hand-in is due, by the id of the student."""
    free_days: Mapping[str, int]
    """Late days that a student has left at no cost, by the id of the student."""
    by_hand: Mapping[str, list[ByHand]]
    """Points that the teacher gave, by the id of the student."""
    baselines: Mapping[str, Bot]
    reference: Bot | None
    starter: Mapping[str, Path]
    """Folders that were given out, by their names in course.yaml."""
    rules: Rules
    planned_precision: float
    """The precision of course.yaml, also if a first look uses a wider one."""
    week: Week | None = None
    """Which of several exercises this is; None if the course has one."""
    weeks: tuple[Week, ...] = ()
    """All exercises of the course; () if it has one."""

    @property
    def base(self) -> Path:
        """The folder of course.yaml, from which its paths start."""
        return self.path.parent

    @property
    def folder(self) -> Path:
        """The folder in which the grading is kept: in a course of weeks, that of the week."""
        return self.base / self.week.folder if self.week else self.base

    @property
    def title(self) -> str:
        """The name of the course, as pages call it, with that of the week."""
        return f"{self.file.name}, {self.week.name}" if self.week else self.file.name

    @property
    def called(self) -> str:
        """The course as commands are given it, in a shell."""
        week = f" --week {self.week.number}" if self.week else ""
        return f"{quote(str(self.base))}{week}"

    @property
    def submissions(self) -> Path:
        """The folder or archive with the hand-ins, or the folder of the ladder."""
        given = self.file.submissions
        return self.base / (given.ladder if isinstance(given, LadderEntry) else given)

    @property
    def roster(self) -> Path:
        """The file with the students."""
        given = self.file.roster
        return self.base / (given.file if isinstance(given, RosterEntry) else given)

    @property
    def received(self) -> list[ReceivedEntry]:
        """The lists of times of receipt."""
        given = self.file.received or []
        listed = given if isinstance(given, list) else [given]
        return [ReceivedEntry(one) if isinstance(one, str) else one for one in listed]

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the deadline."""
        return ZoneInfo(next(iter(self.due.values())).zone)

    @property
    def own_bots(self) -> list[Bot]:
        """The baselines and the reference."""
        return [*self.baselines.values(), *([self.reference] if self.reference else [])]

    @property
    def door(self) -> Path | None:
        """The folder of the ladder whose authors read their pages at its door."""
        return self.base / self.file.door if self.file.door is not None else None


def load_course(path: Path, week: str = "") -> Course:
    """Read course.yaml, the roster and the bots that it names.

    `week` is the name or the number of a week, "" for a course of one exercise. Raises ArenaError
    with the line that is wrong, and if there is no such week.
    """
    written = _Written.read(path)
    chosen = written.week(week)
    if chosen is None:
        return written.course(None)
    # What is wrong in another week is said now.
    return written.courses()[chosen.number - 1]


def read_keys(path: Path, week: str) -> tuple[Path, Any, Positions]:
    """Return the file, its plain keys in a week, and their places; raises ArenaError."""
    written = _Written.read(path)
    chosen = written.week(week)
    if chosen is None:
        return written.path, written.data, written.positions
    return written.path, *written.keys(chosen)


def load_weeks(path: Path) -> list[Course]:
    """Read all weeks of a course, or the course itself if it has one exercise."""
    written = _Written.read(path)
    return written.courses() or [written.course(None)]


class _Written(Struct, frozen=True):
    """A course.yaml as it is written."""

    path: Path
    data: dict[str, Any]
    """Without `weeks`."""
    positions: Positions
    entries: list[dict[str, Any]]
    """What differs in each week; [] for a course of one exercise."""
    weeks: list[Week]

    @classmethod
    def read(cls, path: Path) -> "_Written":
        """Read the file and the names of its weeks; raises ArenaError."""
        path = path / "course.yaml" if path.is_dir() else path
        data, positions = parse_yaml(path)
        if data is None:
            raise ArenaError("the file is empty", str(path), "arena help course")
        if not isinstance(data, dict) or "weeks" not in data:
            return cls(path, data, positions, [], [])
        entries = data.pop("weeks")
        if not isinstance(entries, list) or not entries:
            what, hint = "weeks are a list of keys that differ", "arena help course"
            raise ArenaError(what, locate(path, positions, "$.weeks"), hint)
        weeks = [_week(entry, at, positions, path) for at, entry in enumerate(entries)]
        folders = [week.folder for week in weeks]
        for at, folder in enumerate(folders):
            if folder in folders[:at]:
                where = locate(path, positions, f"$.weeks[{at}].name")
                raise ArenaError(f"two weeks have the folder '{folder}'", where, "rename one")
        return cls(path, data, positions, entries, weeks)

    def week(self, week: str) -> Week | None:
        """Return the week of this name or number; None for a course of one exercise, and for "".

        Raises ArenaError if a week must be named and is not, or there is no such week.
        """
        if not self.weeks:
            if week:
                what, hint = "the course has no weeks", "leave out --week, or add `weeks`"
                raise ArenaError(what, str(self.path), hint)
            return None
        for one in self.weeks:
            if week in {str(one.number), one.name, one.folder}:
                return one
        named = ", ".join(f"{one.number} ({one.name})" for one in self.weeks)
        what = f"there is no week '{week}'" if week else "the course has weeks"
        raise ArenaError(what, str(self.path), f"say which with --week: {named}")

    def courses(self) -> list[Course]:
        """Return the course in each week; raises ArenaError, also if their totals differ."""
        courses = [self.course(week) for week in self.weeks]
        totals = {*(course.file.marks.total for course in courses)}
        if len(totals) > 1:
            what = "the weeks have totals of " + " and ".join(
                f"{total:g}" for total in sorted(totals)
            )
            hint = "give all weeks the same total, and a `weight`"
            raise ArenaError(what, locate(self.path, self.positions, "$.weeks"), hint)
        return [replace(course, weeks=tuple(self.weeks)) for course in courses]

    def course(self, week: Week | None) -> Course:
        """Return the course in one of its weeks; raises ArenaError with the line that is wrong."""
        if week is None:
            return _course(self.path, self.data, self.positions, None, ())
        before = [self.path.parent / one.folder for one in self.weeks[: week.number - 1]]
        return _course(self.path, *self.keys(week), week, before)

    def keys(self, week: Week) -> tuple[dict[str, Any], Positions]:
        """Return the keys of a week with those of the course that it leaves out, and where."""
        key = f"$.weeks[{week.number - 1}]."
        entry = self.entries[week.number - 1]
        differs = {name: entry[name] for name in entry if name not in WeekEntry.__struct_fields__}
        there = {
            f"$.{name.removeprefix(key)}": at
            for name, at in self.positions.items()
            if name.startswith(key)
        }
        return {**self.data, **differs}, {**self.positions, **there}


def _week(entry: Any, at: int, positions: Positions, path: Path) -> Week:
    key = f"$.weeks[{at}]"
    if not isinstance(entry, dict):
        what = "a week has keys with values"
        raise ArenaError(what, locate(path, positions, key), "for example `- name: week 1`")
    own = {name: entry[name] for name in entry if name in WeekEntry.__struct_fields__}
    places = {
        f"${name.removeprefix(key)}": place
        for name, place in positions.items()
        if name.startswith(key)
    }
    read = convert({"name": f"week {at + 1}", **own}, places, path, WeekEntry)
    for name in entry:
        if name in _OF_ALL_WEEKS:
            where = locate(path, positions, f"{key}.{name}")
            raise ArenaError(f"`{name}` is the same in all weeks", where, "move it above `weeks`")
    folder = _NO_NAME.sub("-", read.name.casefold()).strip("-") or f"week-{at + 1}"
    return Week(at + 1, read.name, read.weight, folder)


def _course(
    path: Path,
    data: Any,
    positions: Positions,
    week: Week | None,
    before: Sequence[Path],
) -> Course:
    """Return the course that some keys describe; `before` are the folders of earlier weeks."""
    file = convert(data, positions, path, CourseFile)
    reader = _Reader(path, positions, file)
    reader.check_keys()
    reader.check_points()
    reader.check_grades()
    students = reader.students()
    return Course(
        path=path,
        file=file,
        students=students,
        struck=reader.struck(students),
        due=reader.due(students),
        free_days=reader.free_days(students, before),
        by_hand=reader.by_hand(students),
        baselines={name: reader.baseline(name) for name in file.marks.baselines},
        reference=reader.reference(),
        starter=reader.starter(),
        rules=reader.rules(),
        planned_precision=file.precision,
        week=week,
    )


class _Reader:
    """Turns the keys of a course.yaml into what they mean; its errors name the line."""

    def __init__(self, path: Path, positions: Positions, file: CourseFile) -> None:
        self._path = path
        self._positions = positions
        self._file = file

    def _at(self, key: str) -> str:
        return locate(self._path, self._positions, f"$.{key}")

    def check_keys(self) -> None:
        """Raise ArenaError for an unknown sandbox, and for times of what a ladder received."""
        name = self._file.sandbox
        known = (AUTO, *SANDBOXES)
        if name not in known:
            hint = did_you_mean(name, known)
            raise ArenaError(f"unknown sandbox '{name}'", self._at("sandbox"), hint)
        if self._file.received and isinstance(self._file.submissions, LadderEntry):
            what = "a ladder knows itself when it received a version"
            raise ArenaError(what, self._at("received"), "leave out `received`")

    def check_points(self) -> None:
        """Raise ArenaError if the points do not add up, or two parts have one name."""
        marks = self._file.marks
        parts = {"legal": marks.legal, "field": marks.field}
        parts |= {
            f"baselines.{name}": baseline.points for name, baseline in marks.baselines.items()
        }
        parts |= {f"by_hand.{name}": points for name, points in marks.by_hand.items()}
        given = sum(parts.values())
        if abs(given - marks.total) > _TINY or not marks.total:
            what = f"the marks add up to {given:g} points, not to the total of {marks.total:g}"
            listed = ", ".join(f"{key} {points:g}" for key, points in parts.items())
            raise ArenaError(what, self._at("marks"), f"correct one of: {listed}")
        for name, baseline in marks.baselines.items():
            if baseline.all is not None and baseline.all <= baseline.none:
                where = self._at(f"marks.baselines.{name}.all")
                what = "`all` must be a larger share of games won than `none`"
                raise ArenaError(what, where, f"`none` is {baseline.none:g}")
        taken = {LEGAL, FIELD, *ADDED}
        named = [("baselines", name) for name in marks.baselines]
        named += [("by_hand", name) for name in marks.by_hand]
        for key, name in named:
            what = ""
            if not name.isprintable() or not 1 <= len(name) <= 40:
                what = "the name of a part has 1 to 40 characters, all of them visible"
            elif name in taken:
                what = f"no part of its own can be called '{name}'"
            if what:
                raise ArenaError(what, self._at(f"marks.{key}.{name}"), "call it something else")
            taken.add(name)

    def check_grades(self) -> None:
        """Raise ArenaError for a key of grades that leaves a mark without a grade, or with two."""
        grades, total = self._file.grades, self._file.marks.total
        if grades is None:
            return
        names = {points: name for name, points in grades.key.items()}
        what = ""
        if grades.better and not grades.key:
            what = "without a key there is no better grade"
        elif grades.key and 0 not in names:
            what = "the worst grade must begin at 0 points"
        elif len(names) < len(grades.key):
            what = "two grades begin at the same number of points"
        elif names and max(names) > total:
            what = f"'{names[max(names)]}' begins at more than all of the {total:g} points"
        if what:
            raise ArenaError(what, self._at("grades"), 'for example `key: {"1.0": 90, "5.0": 0}`')

    def students(self) -> tuple[Student, ...]:
        roster = self._file.roster
        if not isinstance(roster, RosterEntry):
            return read_roster(self._path.parent / roster)
        titles = {name: getattr(roster, name) for name in COLUMNS}
        return read_roster(self._path.parent / roster.file, titles)

    def struck(self, students: tuple[Student, ...]) -> frozenset[str]:
        return frozenset(
            self._known(written, students, f"struck[{at}]")
            for at, written in enumerate(self._file.struck)
        )

    def due(self, students: tuple[Student, ...]) -> dict[str, Due]:
        """Return when each student's hand-in is due; raises ArenaError for an unknown student."""
        file = self._file
        deadline = parse_moment(file.deadline, self._at("deadline"))
        opened = parse_moment(file.opened, self._at("opened")) if file.opened else None
        if opened and opened >= deadline:
            raise ArenaError("it was opened after the deadline", self._at("opened"), "correct it")
        due = {student.id: Due(deadline, file.grace) for student in students}
        for name, text in file.extensions.items():
            key = f"extensions.{name}"
            id_ = self._known(name, students, key)
            later = extended(deadline, text, opened, self._at(key))
            if later < deadline:
                what = f"the extension of '{name}' ends before the deadline"
                raise ArenaError(what, self._at(key), "correct one of them")
            due[id_] = Due(later, file.grace, text)
        return due

    def _known(self, written: str | int, students: tuple[Student, ...], key: str) -> str:
        """Return the id of the student who is meant; raises ArenaError if it is nobody."""
        id_ = find_id(written, students)
        if id_ is None:
            ids = [student.id for student in students]
            hint = "ids are those of the roster"
            if len(ids) < 20:
                hint = did_you_mean(str(written), ids)
            raise ArenaError(f"no student has the id '{written}'", self._at(key), hint)
        return id_

    def free_days(
        self, students: tuple[Student, ...], before: Sequence[Path] = ()
    ) -> dict[str, int]:
        """Return how many free late days each student has left.

        Those used in other courses, and in the weeks `before` that were graded, are gone.
        """
        late = self._file.late
        left = {student.id: late.free_days for student in students}
        others: list[Lock] = [*filter(None, map(read_lock, before))]
        for at, folder in enumerate(late.used_in):
            other = read_lock(self._path.parent / folder)
            if other is None:
                what = f"nothing was graded in '{folder}'"
                hint = "grade that course first: its course.lock says who used late days"
                raise ArenaError(what, self._at(f"late.used_in[{at}]"), hint)
            others.append(other)
        for other in others:
            for id_, hand_in in other.hand_ins.items():
                if id_ in left:
                    left[id_] = max(0, left[id_] - hand_in.free_days)
        return left

    def by_hand(self, students: tuple[Student, ...]) -> dict[str, list[ByHand]]:
        file = self._file
        if file.by_hand is None:
            return {}
        return read_by_hand(self._path.parent / file.by_hand, students, file.marks.by_hand)

    def baseline(self, name: str) -> Bot:
        return self._bot(f"marks.baselines.{name}.bot", self._file.marks.baselines[name].bot)

    def reference(self) -> Bot | None:
        if self._file.reference is not None:
            return self._bot("reference", self._file.reference)
        if self._file.marks.baselines:
            what = "marks against baselines need a reference, whose win share gets all points"
            raise ArenaError(
                what, self._at("marks.baselines"), "for example `reference: sample:odds`"
            )
        return None

    def starter(self) -> dict[str, Path]:
        folders = {name: self._path.parent / name for name in self._file.starter}
        for at, (name, folder) in enumerate(folders.items()):
            if not folder.is_dir():
                hint = "name the folder with what was given out"
                raise ArenaError(f"no such folder: '{name}'", self._at(f"starter[{at}]"), hint)
        return folders

    def _bot(self, key: str, pattern: str) -> Bot:
        return find_bot(pattern, self._path.absolute().parent, self._at(key))

    def rules(self) -> Rules:
        try:
            return rules_named(self._file.variant, self._path.absolute().parent, calza=False)
        except ArenaError as error:
            where = error.where or self._at("variant")
            raise ArenaError(error.what, where, error.hint) from None


def with_precision(course: Course, precision: float | None) -> Course:
    """Return a course whose marks have another precision, in points; None changes nothing."""
    if precision is None:
        return course
    return replace(course, file=replace(course.file, precision=precision))


def _withheld(file: CourseFile) -> list[str]:
    return [file.copied] if file.copied == "no_points" else []


def terms_of(course: Course, old: Lock | None, options: Options) -> GradingTerms:
    """Return what decides the games of a grading, and what they are worth.

    `old` is the lock of the last grading: its seed is used again, and its sandbox if neither the
    options nor course.yaml name one.
    """
    file = course.file
    sandbox = options.sandbox or file.sandbox
    if sandbox == AUTO and not options.sandbox and old:
        sandbox = old.terms.sandbox
    return GradingTerms(
        arena=__version__,
        seed=old.terms.seed if old else secrets.token_hex(16),
        sandbox=make_sandbox(sandbox).name,
        rules=course.rules,
        limits=file.limits,
        precision=file.precision,
        quick=file.precision != course.planned_precision,
        budget=file.budget,
        reference_games=file.reference_games,
        # Defaults are left out: later versions, which know more keys, write the same.
        scheme=msgspec.json.encode([file.marks, file.late, *_withheld(file)]).decode(),
        baselines={name: bot.info.digest for name, bot in course.baselines.items()},
        reference=course.reference.info.digest if course.reference else "",
    )
