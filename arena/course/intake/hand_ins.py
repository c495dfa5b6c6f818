"""Hand-ins: what lies there, whose it is, when it was received, and which one counts."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

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
    Download,
    Part,
    is_folder,
    is_text,
    numbered,
    open_download,
    outwards,
    part_of,
    unsuffixed,
    visible,
)
from arena.course.intake.inside import Inside, look_inside
from arena.course.intake.owner import BY_HAND, Signs, owners, sign, stem_of
from arena.course.intake.records import (
    Records,
    anonymous,
    read_listed,
    read_records,
    with_numbers,
)
from arena.course.intake.times import Place, Receipt, Times, login_of
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
    """The files that a student handed in at one time."""

    student: str
    """The id of its owner."""
    name: str
    """The path in the download that the teacher sees; of several files, that of the first."""
    files: Mapping[str, Path]
    """Where the files lie, by the student's names for them."""
    inside: Inside
    receipt: Receipt
    sign: str = ""
    """The sign by which its owner was found, in words."""
    number: int = 0
    """The number of the attempt; 0 if the platform does not count attempts."""
    is_draft: bool = False
    """Whether the platform says that it was not submitted."""

    @property
    def order(self) -> tuple[datetime, int, str]:
        """A key that sorts hand-ins by time, then by number, then by name."""
        number = self.number or numbered(stem_of(self.name)).number
        return self.receipt.moment or _NEVER, number, self.name

    def ties(self, other: "HandIn") -> bool:
        """Return whether neither their times nor their numbers tell which came later."""
        if self.receipt.moment is None or self.receipt.moment != other.receipt.moment:
            return False
        base, other_base = (numbered(stem_of(one.name)).base for one in (self, other))
        return self.number == other.number and base != other_base


class Stranger(Struct, frozen=True):
    """A file, a folder or an author of a ladder that belongs to nobody on the roster."""

    name: str
    why: str = ""
    """Why it belongs to nobody; "" if its name is that of no student."""


class Intake(Struct, frozen=True):
    """Everything that was handed in."""

    hand_ins: list[HandIn]
    strangers: list[Stranger]
    unknown_lines: list[str] = []
    """Lines of the teacher's lists that name nothing that was handed in."""
    disagreements: Mapping[str, str] = {}
    """How two records of a time disagree, by the name of the hand-in."""
    platform: str = ""
    """The platform in whose form most names are."""


@contextmanager
def hand_ins_of(course: Course) -> Iterator[Intake]:
    """Yield what was handed in; it stays unpacked inside the context.

    Hand-ins lie in a folder or an archive, where each has the name of its student or the form of a
    platform (`owner`), or a ladder received them. Raises ArenaError if they cannot be read, and for
    a name that fits several students.
    """
    if isinstance(course.file.submissions, LadderEntry):
        hand_ins, authors = hand_ins_from_ladder(course.submissions, course.students)
        strangers = [Stranger(name) for name in _not_ignored(authors, course)]
        yield Intake(hand_ins, strangers)
        return
    unpacked = UnpackedArchive()
    try:
        where = unpacked.path / "all"
        timed = course.file.times == "files"
        download = open_download(course.submissions, where, course.zone, timed=timed)
        yield _Found(course, download, unpacked.path).intake()
    finally:
        unpacked.remove()


def hand_ins_by_student(course: Course, hand_ins: Iterable[HandIn]) -> dict[Student, list[HandIn]]:
    """Return each student's hand-ins, which are those of the whole team."""
    units = {student.id: student.unit for student in course.students}
    by_unit = defaultdict[str, list[HandIn]](list)
    for hand_in in hand_ins:
        by_unit[units[hand_in.student]].append(hand_in)
    return {student: by_unit[student.unit] for student in course.students}


class _Found:
    """The hand-ins of a download: whose they are, and what the records say of them."""

    def __init__(self, course: Course, download: Download, work: Path) -> None:
        """Take a private folder `work`, in which hand-ins are unpacked."""
        self._course = course
        self._download = download
        self._work = work
        lines = [
            record
            for entry in course.received
            for record in read_records(course.base / entry.table, entry, course.zone)
        ]
        self._records = Records(lines)
        students = with_numbers(course.students, lines)
        self._students = {student.id: student for student in students}
        self._root = _root(download.folder, course, students)
        self._paths = {path.name: path for path in _entries(self._root)}
        self._listed = read_listed(self._root, download.folder).of(self._paths)
        signs = Signs(
            submitters=self._listed.submitters,
            folders=_inner_names(self._paths),
            anonymous=anonymous(lines),
            logins={name: login_of(path) for name, path in self._paths.items()},
            platform=course.file.platform or "",
        )
        names = _not_ignored(self._paths, course)
        self._owned = owners(names, students, course.submissions, signs)
        self._times = Times(
            self._records, self._listed, course.zone, course.file.times, download.times
        )

    def intake(self) -> Intake:
        """Return everything that was handed in."""
        hand_ins: list[HandIn] = []
        disagreements: dict[str, str] = {}
        used: set[str] = set()
        for place, files in self._places():
            told = self._times.told(place)
            used |= {record.where for record in told.records}
            name = self._relative(place.path)
            if told.disagreement:
                disagreements[name] = told.disagreement
            work = self._work / f"{len(hand_ins)}"
            work.mkdir(mode=0o700)
            attempt = OPENOLAT.fullmatch(place.path.name)
            hand_in = HandIn(
                student=place.owner.id,
                name=name,
                files=files,
                inside=self._refused(name) or look_inside(files, work),
                receipt=told.receipt,
                sign=sign(place.name, place.owner, place.platform, self._listed.submitters),
                number=int(attempt["number"]) if attempt else 0,
                is_draft=any(record.is_draft for record in told.records),
            )
            hand_ins.append(hand_in)
        return Intake(
            hand_ins,
            [*self._strangers(hand_ins)],
            [*self._unknown_lines(used)],
            disagreements,
            self._platform(),
        )

    def _places(self) -> Iterator[tuple[Place, dict[str, Path]]]:
        """Yield each hand-in with its files, by the student's names for them."""
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
        """Return the files of one submission, by the student's names for them."""
        files: dict[str, Path] = {}
        for name, part in parts:
            path = self._paths[name]
            files |= {part.file: path} if part.file else _files_of(path, platform)
        plain = {name: unsuffixed(name) for name in files}
        # Canvas numbers the files of a bot that was uploaded file by file a second time.
        is_again = MANIFEST not in files and MANIFEST in plain.values()
        if platform == "studip" or (platform == "canvas" and is_again):
            return {
                name if plain[name] in files else plain[name]: path for name, path in files.items()
            }
        return files

    def _place(self, name: str, path: Path, platform: str, part: Part, owner: Student) -> Place:
        inner = composed(path.relative_to(self._root).as_posix())
        paths = [*outwards(composed(self._relative(path))), *outwards(inner)]
        return Place(name, paths, path, platform, part, owner)

    def _refused(self, hand_in: str) -> Inside | None:
        """Return why the download's entries of a hand-in were not unpacked; None if they were."""
        for name, error in self._download.refused.items():
            if name == hand_in or name.startswith(f"{hand_in}/"):
                return Inside(None, "", error.what, error.hint, ())
        return None

    def _strangers(self, hand_ins: Sequence[HandIn]) -> Iterator[Stranger]:
        """Yield what belongs to nobody, with what was not unpacked and is in nobody's hand-in."""
        for name, owned in self._owned.items():
            if not owned.student:
                yield Stranger(name, owned.why)
        taken = [hand_in.name for hand_in in hand_ins]
        for name, error in self._download.refused.items():
            if not any(name == one or name.startswith(f"{one}/") for one in taken):
                yield Stranger(name, f"it was not unpacked: {error.what}")

    def _unknown_lines(self, used: Collection[str]) -> Iterator[str]:
        """Yield the teacher's lines that are about no hand-in, nor about another file there."""
        there = {composed(self._relative(path)) for path in self._root.iterdir()}
        for record in self._records.all:
            is_unused = record.where not in used and record.file not in there
            if record.is_own and record.moment and is_unused:
                yield record.words

    def _platform(self) -> str:
        """Return the platform that course.yaml names, or else the one of most names."""
        if platform := self._course.file.platform:
            return platform
        found = [owned.platform for owned in self._owned.values()]
        return Counter(found).most_common(1)[0][0] if found else ""

    def _relative(self, path: Path) -> str:
        return path.relative_to(self._download.folder).as_posix()


def _root(folder: Path, course: Course, students: Sequence[Student]) -> Path:
    """Return the folder of the hand-ins: platforms put one folder around them."""
    found = [] if (folder / METADATA).exists() else [*_entries(folder)]
    if len(found) != 1 or not is_folder(found[0]):
        return folder
    [only] = found
    if (folder / FILE_LIST).exists():
        return only
    if (only / MANIFEST).exists():
        return folder
    signs = Signs(folders=_inner_names({only.name: only}))
    owned = owners([only.name], students, course.submissions, signs)[only.name]
    return folder if owned.student else _root(only, course, students)


def _inner_names(paths: Mapping[str, Path]) -> dict[str, frozenset[str]]:
    """Return the names of what is in each folder, by the name of the folder."""
    return {
        name: frozenset(inner.name for inner in path.iterdir())
        for name, path in paths.items()
        if is_folder(path)
    }


def _entries(root: Path) -> Iterator[Path]:
    """Yield what may be a hand-in, or the folder of a student."""
    for path in visible(root):
        if ILIAS_TEAM.fullmatch(path.name) and is_folder(path):
            yield from visible(path)
        elif not (path.name in OWN_FILES or is_text(path.name)):
            yield path


def _each(path: Path, platform: str) -> Iterator[Path]:
    """Yield the hand-ins in a student's folder: its attempts, or its archives, or the folder."""
    inner = visible(path) if is_folder(path) else []
    attempts = [one for one in inner if OPENOLAT.fullmatch(one.name)]
    if platform == "openolat" and attempts:
        yield from attempts
    elif inner and all(map(is_archive, inner)):
        yield from inner
    else:
        yield path


def _files_of(path: Path, platform: str) -> dict[str, Path]:
    """Return the files of a hand-in by their names; a folder is replaced by what is in it."""
    inner = sorted(path.iterdir()) if is_folder(path) else []
    own = OWN_TEXTS if platform in {"openolat", "sakai"} else frozenset[str]()
    return {one.name: one for one in inner if one.name not in own} or {path.name: path}


def _not_ignored(names: Iterable[str], course: Course) -> list[str]:
    ignored = {composed(name) for name in course.file.ignored}
    return [name for name in names if composed(name) not in ignored]


def hand_ins_from_ladder(root: Path, students: Sequence[Student]) -> tuple[list[HandIn], list[str]]:
    """Return the versions of all students, and the names of authors who are not on the roster.

    A student is the author whose name is the student's id. Struck versions are left out. Refused
    ones are left out if the student has others. Raises ArenaError if there is no ladder.
    """
    folder = existing(root)
    with Door(folder) as door, Book(folder) as book:
        versions = {version.id: version for version in book.versions()}
        uploads = door.uploads()

    def state(upload: Upload) -> State:
        version = versions.get(upload.id)
        return version.state if version else State.QUEUED

    by_author = defaultdict[str, list[Upload]](list)
    for upload in uploads:
        if state(upload) is not State.STRUCK:
            by_author[upload.author.casefold()].append(upload)
    hand_ins: list[HandIn] = []
    for student in students:
        theirs = by_author.pop(student.id.casefold(), [])
        passed = [upload for upload in theirs if state(upload) is not State.REFUSED]
        hand_ins += [
            _from_upload(upload, versions.get(upload.id), student, folder)
            for upload in passed or theirs
        ]
    return hand_ins, sorted(theirs[0].author for theirs in by_author.values())


def _from_upload(
    upload: Upload, version: Version | None, student: Student, folder: Folder
) -> HandIn:
    # Until its check has read it, a version has no canonical bytes.
    if version and version.digest:
        source = folder.version(version.digest)
    else:
        source = folder.upload(upload.sha256, upload.ending)
    received = datetime.fromtimestamp(int(upload.received_at), UTC)
    return HandIn(
        student=student.id,
        name=upload.version,
        files={source.name: source},
        inside=Inside(source),
        receipt=Receipt(received, source="the ladder"),
        sign=f"the author {upload.author}",
    )


class Works(Struct, frozen=True):
    """How far a hand-in works, by its check."""

    starts: bool = True
    """Whether it can play."""
    passed: bool = True
    """Whether it passed all steps."""


class Choice(Struct, frozen=True):
    """The hand-in of a student that counts."""

    hand_in: HandIn | None
    days_late: int
    note: str
    """Why this one counts, in words; "" if there is nothing to say."""


def taken(hand_ins: Sequence[HandIn], due: Due, most_days: int) -> list[HandIn]:
    """Return the hand-ins of a student that are early enough to count, in the order of time."""
    in_order = sorted(hand_ins, key=lambda hand_in: hand_in.order)
    return [one for one in in_order if one.receipt.days_late(due) <= most_days]


def choose(
    hand_ins: Sequence[HandIn],
    due: Due,
    most_days: int,
    checked: Mapping[str, Works] | None = None,
) -> Choice:
    """Return the hand-in of a student that counts.

    It is the best by these rules, in this order: it starts, it is in time, it passed all of its
    check, it came last. One that is more than `most_days` days late never counts. `checked` is by
    the name of the hand-in; without a check, it is taken to work.
    """
    works = {hand_in.name: (checked or {}).get(hand_in.name, Works()) for hand_in in hand_ins}

    def rank(hand_in: HandIn) -> tuple[object, ...]:
        how = works[hand_in.name]
        is_in_time = not hand_in.receipt.days_late(due)
        return how.starts, is_in_time, how.passed, hand_in.order

    counts = max(taken(hand_ins, due, most_days), key=rank, default=None)
    days = counts.receipt.days_late(due) if counts else 0
    said = [] if hand_ins else ["nothing was handed in"]
    said += [_late(days)] if days else []
    for hand_in in sorted(hand_ins, key=lambda one: one.order):
        if hand_in is not counts:
            why = _why_not(hand_in, counts, due, works[hand_in.name])
            at = hand_in.receipt.said(due)
            said.append(f"'{hand_in.name}' ({at}) does not count: {why}")
    return Choice(counts, days, "; ".join(said))


def _late(days: int) -> str:
    return f"{days} {'day' if days == 1 else 'days'} late"


def _why_not(hand_in: HandIn, counts: HandIn | None, due: Due, works: Works) -> str:
    """Return why a hand-in does not count, given the one that does."""
    if counts and counts.order > hand_in.order and not counts.receipt.days_late(due):
        return "a later one was received in time"
    if not works.starts:
        return "it does not start"
    if days := hand_in.receipt.days_late(due):
        return _late(days)
    if not works.passed:
        return "it did not pass its check"
    return "a better one was handed in"
