"""course.yaml: what it may say, and the course that it describes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from arena.author.alike.alike import POSITIONS
from arena.bots.bot import Bot
from arena.bots.manifest import find_bot
from arena.bots.sandboxes.registry import AUTO, SANDBOXES
from arena.course.deadlines import Due, parse_moment
from arena.course.games.tables import PER_BLOCK
from arena.course.roster import Student, read_roster
from arena.game.records import LimitsInfo
from arena.game.rules.books import Rules, variant
from arena.io.errors import ArenaError, did_you_mean
from arena.io.yaml_file import Positions, convert, locate, parse_yaml

_MAX_POINTS = 100_000
_TINY = 1e-9
Points = Annotated[float, Meta(ge=0, le=_MAX_POINTS)]
Budget = Annotated[int, Meta(ge=PER_BLOCK, le=1_000_000)]
"""In games."""


class BaselineEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot that every student's bot plays, and what beating it is worth."""

    bot: str
    """A folder, an archive or `sample:NAME`."""
    points: Points


class MarksEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """What a mark is made of."""

    total: Points
    """What all points must add up to."""
    legal: Points = 0.0
    baselines: dict[str, BaselineEntry] = {}
    field: Points = 0.0


class LateEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """What becomes of hand-ins after the deadline."""

    points_per_day: Points = 0.0
    """What is deducted for each day that has begun."""
    days: Annotated[int, Meta(ge=0, le=366)] = 0
    """After so many days nothing is taken any more."""


class LadderEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """Hand-ins that a ladder received."""

    ladder: str
    """Its folder."""


class CourseFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of course.yaml (`docs/guides/course.md`)."""

    name: str = "Perudo"
    roster: str
    submissions: str | LadderEntry
    """A folder, an archive of one, or a ladder."""
    received: str | None = None
    """A CSV file with the columns file and received."""
    deadline: str
    grace: Annotated[float, Meta(ge=0, le=1440)] = 0.0
    """Minutes."""
    late: LateEntry = LateEntry()
    extensions: dict[str, str] = {}
    struck: list[str] = []
    """Students whose bots do not play in the field, and who get no marks."""
    marks: MarksEntry
    reference: str | None = None
    precision: Annotated[float, Meta(ge=0.01, le=_MAX_POINTS)] = 2.0
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


class Course(Struct, frozen=True):
    """A course.yaml that was read, with its roster and its own bots."""

    path: Path
    file: CourseFile
    students: tuple[Student, ...]
    due: Mapping[str, Due]
    """By the id of the student."""
    baselines: Mapping[str, Bot]
    reference: Bot | None
    rules: Rules
    received: Path | None

    @property
    def folder(self) -> Path:
        """Where everything of the course is kept."""
        return self.path.parent

    @property
    def submissions(self) -> Path:
        """The folder or the zip file with the hand-ins, or the folder of the ladder."""
        given = self.file.submissions
        return self.folder / (given.ladder if isinstance(given, LadderEntry) else given)

    @property
    def door(self) -> Path | None:
        """The folder of the ladder whose authors read their pages at its door."""
        return self.folder / self.file.door if self.file.door is not None else None


def load_course(path: Path) -> Course:
    """Read course.yaml, the roster and the bots that it names.

    Raises ArenaError with the line that is wrong.
    """
    path = path / "course.yaml" if path.is_dir() else path
    data, marks = parse_yaml(path)
    if data is None:
        raise ArenaError("the file is empty", str(path), "arena help course")
    file = convert(data, marks, path, CourseFile)
    reader = _Reader(path, marks, file)
    reader.check_sandbox()
    reader.check_times()
    reader.check_points()
    students = read_roster(path.parent / file.roster)
    return Course(
        path=path,
        file=file,
        students=students,
        due=reader.due(students),
        baselines={name: reader.baseline(name) for name in file.marks.baselines},
        reference=reader.reference(),
        rules=reader.rules(),
        received=path.parent / file.received if file.received else None,
    )


class _Reader:
    """Turns the parts of a course.yaml into what they mean; its errors name the line."""

    def __init__(self, path: Path, marks: Positions, file: CourseFile) -> None:
        self._path, self._marks, self._file = path, marks, file

    def _at(self, key: str) -> str:
        return locate(self._path, self._marks, f"$.{key}")

    def check_sandbox(self) -> None:
        name, known = self._file.sandbox, (AUTO, *SANDBOXES)
        if name not in known:
            hint = did_you_mean(name, known)
            raise ArenaError(f"unknown sandbox '{name}'", self._at("sandbox"), hint)

    def check_times(self) -> None:
        """Raise ArenaError if times are listed of what a ladder received."""
        if self._file.received and isinstance(self._file.submissions, LadderEntry):
            what = "a ladder knows itself when it received a version"
            raise ArenaError(what, self._at("received"), "leave out `received`")

    def check_points(self) -> None:
        """Raise ArenaError if the points do not add up."""
        marks = self._file.marks
        parts = {"legal": marks.legal, "field": marks.field}
        parts |= {
            f"baselines.{name}": baseline.points for name, baseline in marks.baselines.items()
        }
        given = sum(parts.values())
        if abs(given - marks.total) > _TINY or not marks.total:
            what = f"the marks add up to {given:g} points, not to the total of {marks.total:g}"
            listed = ", ".join(f"{key} {points:g}" for key, points in parts.items())
            raise ArenaError(what, self._at("marks"), f"correct one of: {listed}")

    def due(self, students: tuple[Student, ...]) -> dict[str, Due]:
        """Return when each hand-in is due; raises ArenaError for an unknown student."""
        file, ids = self._file, [student.id for student in students]
        deadline = parse_moment(file.deadline, self._at("deadline"))
        due = dict.fromkeys(ids, Due(deadline, file.grace))
        for name in file.struck:
            self._check_known(name, ids, "struck")
        for name, text in file.extensions.items():
            key = f"extensions.{name}"
            self._check_known(name, ids, key)
            extended = parse_moment(text, self._at(key))
            if extended < deadline:
                what = f"the extension of '{name}' ends before the deadline"
                raise ArenaError(what, self._at(key), "correct one of them")
            due[name] = Due(extended, file.grace)
        return due

    def _check_known(self, name: str, ids: list[str], key: str) -> None:
        if name not in ids:
            hint = did_you_mean(name, ids) if len(ids) < 20 else "ids are those of the roster"
            raise ArenaError(f"no student has the id '{name}'", self._at(key), hint)

    def baseline(self, name: str) -> Bot:
        if not name.isprintable() or not 1 <= len(name) <= 40:
            what = "a baseline's name has 1 to 40 characters, all of them visible"
            raise ArenaError(what, self._at("marks.baselines"))
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

    def _bot(self, key: str, pattern: str) -> Bot:
        return find_bot(pattern, self._path.absolute().parent, self._at(key))

    def rules(self) -> Rules:
        try:
            return variant(self._file.variant, {}, calza=False)
        except ArenaError as error:
            raise ArenaError(error.what, self._at("variant"), error.hint) from None


def scheme(course: Course) -> str:
    """Return what decides how many points a result is worth, as JSON."""
    file = course.file
    return msgspec.json.encode([file.marks, file.late]).decode()
