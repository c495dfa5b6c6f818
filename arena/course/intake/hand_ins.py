"""Hand-ins: what lies there, whose it is, when it was received, and which one counts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from arena.bots.archives.unpack import UnpackedArchive, is_archive
from arena.bots.manifest import MANIFEST
from arena.course.config import Course, LadderEntry
from arena.course.intake.download import (
    FILE_LIST,
    ILIAS_TEAM,
    METADATA,
    OPENOLAT,
    OWN_FILES,
    OWN_TEXTS,
    Export,
    Part,
    is_folder,
    is_text,
    number_of,
    open_export,
    outwards,
    part_of,
    unsuffixed,
    visible,
)
from arena.course.intake.inside import Inside, look_inside
from arena.course.intake.owner import BY_HAND, Signs, owners, sign, stem_of
from arena.course.intake.records import (
    Record,
    Records,
    anonymous,
    read_listed,
    read_records,
    with_numbers,
)
from arena.course.intake.times import Place, Receipt, Times, Told, login_of
from arena.course.moments import Due
from arena.course.roster import Student, account_of
from arena.course.table import composed
from arena.ladder.book.book import Book
from arena.ladder.book.tables import State, Upload, Version
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, existing

BEST = "best"
"""`resubmissions` of a course in which the best hand-in of a student counts."""


_NEVER = datetime.min.replace(tzinfo=UTC)


class HandIn(Struct, frozen=True):
    """What a student handed in at one time."""

    student: str
    """An id of the roster."""
    name: str
    """The file or folder, as the teacher knows it; the first one of several."""
    files: Mapping[str, Path]
    """Where they lie, by what the student called them."""
    inside: Inside
    receipt: Receipt
    sign: str = ""
    """What in its name says whose it is."""
    number: int = 0
    """The number of the attempt; 0 if the platform does not count them."""
    is_draft: bool = False
    """Whether the platform says that it was not submitted."""

    @property
    def order(self) -> tuple[datetime, int, str]:
        """Later ones come later; of those at the same moment, by number, then by the alphabet."""
        number = self.number or number_of(stem_of(self.name))[1]
        return self.receipt.moment or _NEVER, number, self.name

    def ties(self, other: "HandIn") -> bool:
        """Return whether neither the records nor a number say which of the two came later."""
        if self.receipt.moment is None or self.receipt.moment != other.receipt.moment:
            return False
        base, others = number_of(stem_of(self.name))[0], number_of(stem_of(other.name))[0]
        return self.number == other.number and base != others


class Works(Struct, frozen=True):
    """How far a hand-in works, by its check."""

    starts: bool = True
    """Whether it can play."""
    passed: bool = True
    """Whether it passed all steps."""


UNCHECKED = Works()
"""A hand-in that was not checked is taken to work."""


class Choice(Struct, frozen=True):
    """The hand-in of a student that counts."""

    hand_in: HandIn | None
    days_late: int
    note: str
    """In words: why it is this one; "" if there is nothing to say."""


def taken(hand_ins: Sequence[HandIn], due: Due, most_days: int) -> list[HandIn]:
    """Return the hand-ins of a student that may count, in the order in which they came."""
    in_order = sorted(hand_ins, key=lambda hand_in: hand_in.order)
    return [one for one in in_order if one.receipt.days_late(due) <= most_days]


def choose(
    hand_ins: Sequence[HandIn],
    due: Due,
    most_days: int,
    checked: Mapping[str, Works] | None = None,
) -> Choice:
    """Return the hand-in of a student that counts: of those that start, the last one in time.

    In time are those received by the deadline, and of them one that passed all of its check comes
    before one that did not. Without one, it is the last one that was received in the `most_days`
    days after it and starts; if none starts, the last one in time, or the last late one. `checked`
    is by name.
    """
    works = {hand_in.name: (checked or {}).get(hand_in.name, UNCHECKED) for hand_in in hand_ins}

    def rank(hand_in: HandIn) -> tuple[object, ...]:
        how, in_time = works[hand_in.name], not hand_in.receipt.days_late(due)
        return how.starts, in_time, how.passed, hand_in.order

    counts = max(taken(hand_ins, due, most_days), key=rank, default=None)
    return choice_of(counts, hand_ins, due, works)


def choice_of(
    counts: HandIn | None, hand_ins: Sequence[HandIn], due: Due, works: Mapping[str, Works]
) -> Choice:
    """Return the choice of one of a student's hand-ins, or of none, with why."""
    days = counts.receipt.days_late(due) if counts else 0
    parts = [] if hand_ins else ["nothing was handed in"]
    parts += [_late(days)] if days else []
    for hand_in in sorted(hand_ins, key=lambda one: one.order):
        if hand_in is not counts:
            why = _why(hand_in, counts, due, works[hand_in.name])
            at = hand_in.receipt.said(due)
            parts.append(f"'{hand_in.name}' ({at}) does not count: {why}")
    return Choice(counts, days, "; ".join(parts))


def _late(days: int) -> str:
    return f"{days} {'day' if days == 1 else 'days'} late"


def _why(hand_in: HandIn, counts: HandIn | None, due: Due, works: Works) -> str:
    if counts and counts.order > hand_in.order and not counts.receipt.days_late(due):
        return "a later one was received in time"
    if not works.starts:
        return "it does not start"
    if days := hand_in.receipt.days_late(due):
        return _late(days)
    if not works.passed:
        return "it did not pass its check"
    return "a better one was handed in"


class _Submission(NamedTuple):
    upload: Upload
    version: Version | None
    """None until the ladder has entered it."""

    @property
    def state(self) -> State:
        return self.version.state if self.version else State.QUEUED

    def source(self, folder: Folder) -> Path:
        """Return its canonical bytes; those that came until its check has read them."""
        if self.version and self.version.digest:
            return folder.version(self.version.digest)
        return folder.upload(self.upload.sha256, self.upload.ending)


def hand_ins_from_ladder(root: Path, students: Sequence[Student]) -> tuple[list[HandIn], list[str]]:
    """Return the versions of all students, and the names of authors who are not on the roster.

    An author is the student whose id is the author's name. Struck versions are left out, and so are
    refused ones of a student who has others. Raises ArenaError if it is no ladder.
    """
    folder = existing(root)
    with Door(folder) as door, Book(folder) as book:
        versions = {version.id: version for version in book.versions()}
        received = [_Submission(upload, versions.get(upload.id)) for upload in door.uploads()]
    by_author = defaultdict[str, list[_Submission]](list)
    for submission in received:
        if submission.state is not State.STRUCK:
            by_author[submission.upload.author.casefold()].append(submission)
    hand_ins = [
        _hand_in(submission, student, folder)
        for student in students
        for submission in _valid(by_author.pop(student.id.casefold(), []))
    ]
    return hand_ins, sorted(theirs[0].upload.author for theirs in by_author.values())


def _valid(received: list[_Submission]) -> list[_Submission]:
    passed = [submission for submission in received if submission.state is not State.REFUSED]
    return passed or received


def _hand_in(submission: _Submission, student: Student, folder: Folder) -> HandIn:
    upload = submission.upload
    received = datetime.fromtimestamp(int(upload.received_at), UTC)
    source = submission.source(folder)
    return HandIn(
        student=student.id,
        name=upload.version,
        files={source.name: source},
        inside=Inside(source, "", "", "", ()),
        receipt=Receipt(received, source="the ladder"),
        sign=f"the author {upload.author}",
    )


class Stranger(Struct, frozen=True):
    """A file, a folder or a ladder's author that belongs to nobody on the roster."""

    name: str
    why: str = ""
    """Why, if there is more to say."""


class Intake(Struct, frozen=True):
    """What was handed in."""

    hand_ins: list[HandIn]
    strangers: list[Stranger]
    unknown_lines: list[str] = []
    """Lines of the teacher's lists that are about nothing that is there."""
    disagreements: Mapping[str, str] = {}
    """How two records of a time disagree, by the name of the hand-in."""
    platform: str = ""
    """The platform whose form most names have."""


@contextmanager
def hand_ins_of(course: Course) -> Iterator[Intake]:
    """Yield what was handed in, as long as it lies unpacked.

    Hand-ins lie in a folder or an archive, each named after its student or as a platform names them
    (`owner`); or a ladder received them. Raises ArenaError if they cannot be read, or a name fits
    several.
    """
    if isinstance(course.file.submissions, LadderEntry):
        hand_ins, authors = hand_ins_from_ladder(course.submissions, course.students)
        strangers = [Stranger(name) for name in _not_ignored(authors, course)]
        yield Intake(hand_ins, strangers)
        return
    unpacked = UnpackedArchive()
    try:
        where, timed = unpacked.path / "all", course.file.times == "files"
        export = open_export(course.submissions, where, course.zone, timed=timed)
        yield _Found(course, export, unpacked.path).intake()
    finally:
        unpacked.remove()


class _Found:
    """Puts together what lies in an export, whose it is, and what the sources say of it."""

    def __init__(self, course: Course, export: Export, work: Path) -> None:
        self._course, self._export, self._work = course, export, work
        records = _records(course)
        self._records = Records(records)
        students = with_numbers(course.students, records)
        self._students = {student.id: student for student in students}
        self._root = _root(export.folder, course, students)
        self._paths = {path.name: path for path in _entries(self._root)}
        self._listed = read_listed(self._root, export.folder).of(self._paths)
        self._owned = owners(
            _not_ignored(self._paths, course),
            students,
            course.submissions,
            Signs(
                self._listed.submitters,
                _inner_names(self._paths),
                anonymous(records),
                {name: login_of(path) for name, path in self._paths.items()},
                course.file.platform or "",
            ),
        )
        self._times = Times(
            self._records, self._listed, course.zone, course.file.times, export.times
        )

    def intake(self) -> Intake:
        """Return all of it."""
        hand_ins, disagreements, used = list[HandIn](), dict[str, str](), set[str]()
        for place, files in self._places():
            told = self._times.told(place)
            used |= {record.where for record in told.records}
            hand_in = self._hand_in(place, files, told, len(hand_ins))
            hand_ins.append(hand_in)
            if told.disagreement:
                disagreements[hand_in.name] = told.disagreement
        strangers = [
            Stranger(name, one.why) for name, one in self._owned.items() if not one.student
        ]
        strangers += self._left_out([hand_in.name for hand_in in hand_ins])
        there = {composed(self._relative(path)) for path in self._root.iterdir()}
        unknown = [
            record.words
            for record in self._records.all
            if record.is_own
            and record.moment
            and record.where not in used
            and record.file not in there
        ]
        counted = Counter(one.platform for one in self._owned.values()).most_common(1)
        platform = self._course.file.platform or (counted[0][0] if counted else "")
        return Intake(hand_ins, strangers, unknown, disagreements, platform)

    def _places(self) -> Iterator[tuple[Place, dict[str, Path]]]:
        """Yield each hand-in with its files, by what the student called them."""
        together: dict[tuple[str, str], list[tuple[str, Part]]] = {}
        for name, owned in self._owned.items():
            if owned.student is None:
                continue
            owner, platform = self._students[owned.student.id], owned.platform
            part = part_of(platform, name, account_of(owner))
            if platform in {BY_HAND, "ilias", "openolat"}:
                for path in _each(self._paths[name], platform):
                    yield self._place(name, path, platform, part, owner), _files_of(path, platform)
            else:
                # Stud.IP's list says which files came together.
                attempt = self._listed.times.get(name, part.attempt)
                together.setdefault((owner.id, attempt), []).append((name, part))
        for (owner_id, _), parts in together.items():
            name, part = parts[0]
            owner, platform = self._students[owner_id], self._owned[name].platform
            place = self._place(name, self._paths[name], platform, part, owner)
            yield place, self._files(parts, platform)

    def _files(self, parts: Sequence[tuple[str, Part]], platform: str) -> dict[str, Path]:
        """Return the files of one submission, by what the student called them."""
        files: dict[str, Path] = {}
        for name, part in parts:
            path = self._paths[name]
            files |= {part.file: path} if part.file else _files_of(path, platform)
        if platform == "studip" or (platform == "canvas" and _are_loose(files)):
            return _without_suffixes(files)
        return files

    def _place(self, name: str, path: Path, platform: str, part: Part, owner: Student) -> Place:
        inner = composed(path.relative_to(self._root).as_posix())
        paths = [*outwards(composed(self._relative(path))), *outwards(inner)]
        return Place(name, paths, path, platform, part, owner)

    def _hand_in(self, place: Place, files: Mapping[str, Path], told: Told, number: int) -> HandIn:
        work = self._work / f"{number}"
        work.mkdir(mode=0o700)
        return HandIn(
            student=place.owner.id,
            name=self._relative(place.path),
            files=files,
            inside=self._refused(place) or look_inside(files, work),
            receipt=told.receipt,
            sign=sign(place.name, place.owner, place.platform, self._listed.submitters),
            number=_attempt(place.path),
            is_draft=any(record.is_draft for record in told.records),
        )

    def _refused(self, place: Place) -> Inside | None:
        """Return what was found where an entry of a hand-in was not unpacked; else None."""
        prefix = self._relative(place.path)
        for name, error in self._export.refused.items():
            if name == prefix or name.startswith(f"{prefix}/"):
                return Inside(None, "", error.what, error.hint, ())
        return None

    def _left_out(self, taken: Sequence[str]) -> Iterator[Stranger]:
        """Yield entries of an archive that were not unpacked, and are in nobody's hand-in."""
        for name, error in self._export.refused.items():
            if not any(name == one or name.startswith(f"{one}/") for one in taken):
                yield Stranger(name, f"it was not unpacked: {error.what}")

    def _relative(self, path: Path) -> str:
        return path.relative_to(self._export.folder).as_posix()


def _attempt(path: Path) -> int:
    match = OPENOLAT.fullmatch(path.name)
    return int(match["number"]) if match else 0


def _records(course: Course) -> list[Record]:
    return [
        record
        for entry in course.received
        for record in read_records(course.folder / entry.table, entry, course.zone)
    ]


def _root(folder: Path, course: Course, students: Sequence[Student]) -> Path:
    """Return where the hand-ins lie: platforms put one folder around them."""
    found = [] if (folder / METADATA).exists() else [*_entries(folder)]
    if len(found) != 1 or not is_folder(found[0]):
        return folder
    if (folder / FILE_LIST).exists():
        return found[0]
    if (found[0] / MANIFEST).exists():
        return folder
    signs = Signs(folders=_inner_names({found[0].name: found[0]}))
    owned = owners([found[0].name], students, course.submissions, signs)[found[0].name]
    return folder if owned.student else _root(found[0], course, students)


def _inner_names(paths: Mapping[str, Path]) -> dict[str, frozenset[str]]:
    return {
        name: frozenset(inner.name for inner in path.iterdir())
        for name, path in paths.items()
        if is_folder(path)
    }


def _are_loose(files: Mapping[str, Path]) -> bool:
    """Return whether a bot was uploaded file by file a second time."""
    return MANIFEST not in files and any(unsuffixed(name) == MANIFEST for name in files)


def _without_suffixes(files: Mapping[str, Path]) -> dict[str, Path]:
    """Return files as the student called them, where the platform numbered second ones."""
    return {
        plain if (plain := unsuffixed(name)) not in files else name: path
        for name, path in files.items()
    }


def _entries(root: Path) -> Iterator[Path]:
    """Yield what may be a hand-in, or the folder of a student."""
    for path in visible(root):
        if ILIAS_TEAM.fullmatch(path.name) and is_folder(path):
            yield from visible(path)
        elif not (path.name in OWN_FILES or is_text(path.name)):
            yield path


def _each(path: Path, platform: str) -> Iterator[Path]:
    """Yield the hand-ins in the folder of a student: attempts, or else archives, if it has any."""
    inner = visible(path) if is_folder(path) else []
    attempts = [one for one in inner if OPENOLAT.fullmatch(one.name)]
    if platform == "openolat" and attempts:
        yield from attempts
    elif inner and all(map(is_archive, inner)):
        yield from inner
    else:
        yield path


def _files_of(path: Path, platform: str) -> dict[str, Path]:
    """Return what a student called it: a file by its name, a folder by what is in it."""
    inner = sorted(path.iterdir()) if is_folder(path) else []
    own = OWN_TEXTS if platform in {"openolat", "sakai"} else frozenset[str]()
    return {one.name: one for one in inner if one.name not in own} or {path.name: path}


def hand_ins_by_student(course: Course, hand_ins: Iterable[HandIn]) -> dict[Student, list[HandIn]]:
    """Return what counts as handed in by each student: by the whole team, if there is one."""
    units = {student.id: student.unit for student in course.students}
    by_unit = defaultdict[str, list[HandIn]](list)
    for hand_in in hand_ins:
        by_unit[units[hand_in.student]].append(hand_in)
    return {student: by_unit[student.unit] for student in course.students}


def _not_ignored(names: Iterable[str], course: Course) -> list[str]:
    ignored = {composed(name) for name in course.file.ignored}
    return [name for name in names if composed(name) not in ignored]
