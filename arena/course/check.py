"""A look at a course before its games: who handed in what, and how late; no hand-in is run."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.manifest import load_bot
from arena.course.config import Course, LadderEntry, Options, terms_of
from arena.course.estimate import Effort, Speed, effort, measure_speed, within
from arena.course.intake.download import MOODLE
from arena.course.intake.entries import GivenOut
from arena.course.intake.hand_ins import (
    BEST,
    Choice,
    HandIn,
    Intake,
    choose,
    hand_ins_by_student,
    hand_ins_of,
    taken,
)
from arena.course.intake.owner import BY_HAND, BY_ID, PlainNames
from arena.course.lock import Given, read_lock
from arena.course.moments import stamp
from arena.course.output.private import close_to_others
from arena.course.roster import Student
from arena.io.errors import ArenaError, first_of

_LIST = "list the times in a CSV file with the columns file and received"
_SHOWN = 5
"""Students or files that one line names."""
_LISTS = (".csv", ".json", ".xls", ".xlsx")
_TIMES = {
    "files": "times are those of the files: whoever had them could have set them",
    "commits": "times are those of commits: their authors could have set them",
}


class Platform(Struct, frozen=True):
    """A platform from which hand-ins are downloaded."""

    name: str
    times: str
    """How a teacher gets the times of receipt if they are not in the download."""


PLATFORMS = {
    "moodle": Platform(
        "Moodle",
        "download the grading worksheet of the assignment, and add `received: FILE.csv`",
    ),
    "canvas": Platform(
        "Canvas",
        "save the answer of Canvas' API to .../assignments/ID/submissions as a .json file, and add"
        " `received: FILE.json`",
    ),
    "blackboard": Platform("Blackboard", "put the text of each attempt beside its files"),
    "gradescope": Platform(
        "Gradescope",
        "export the submissions with submission_metadata.yml, or download the scores, and add"
        " `received: FILE.csv`",
    ),
    "github": Platform(
        "GitHub Classroom", "download the grades of the assignment, and add `received: FILE.csv`"
    ),
    "brightspace": Platform("Brightspace", f"{_LIST}, and add `received: FILE.csv`"),
    "ilias": Platform("ILIAS", f"ILIAS keeps none: {_LIST}, and add `received: FILE.csv`"),
    "sakai": Platform("Sakai", "download the submissions in folders, with their timestamp.txt"),
    "openolat": Platform("OpenOLAT", f"{_LIST}, and add `received: FILE.csv`"),
    "studip": Platform(
        "Stud.IP", "download the folder as an archive, with its archive_filelist.csv"
    ),
    BY_HAND: Platform("files by hand", f"{_LIST}, and add `received: FILE.csv`"),
}


class Problem(Struct, frozen=True):
    """Something that would cost students marks, and that the teacher can mend."""

    what: str
    hint: str
    students: tuple[str, ...] = ()
    """The ids of those whom it concerns; () if that is not known."""


class Surveyed(Struct, frozen=True):
    """What a student handed in, as the look shows it."""

    student: str
    file: str
    """The hand-in that counts if it works, or else came too late; "" for none."""
    counts: bool
    """Whether it came early enough to count."""
    sign: str
    """The sign by which its owner was found, in words."""
    received: str
    """"" if no record says when."""
    time_source: str
    """The record that says when it was received, in words."""
    late_by: str
    """How long after the deadline it was received; "" if it was on time."""
    deadline: str
    zone: str
    grace: float
    extension: str
    days_late: int
    free_days: int
    """How many of the days late cost nothing."""
    note: str
    bot: str = ""
    """The name of the bot in the hand-in."""
    unreadable: str = ""
    """Why there is no bot in it; "" if there is one."""
    hint: str = ""
    """How the student can mend that."""
    ignored: tuple[str, ...] = ()
    """Files and folders of the hand-in that are not part of the bot."""
    given: Given | None = None

    def lines(self) -> Iterator[str]:
        """Yield what the teacher should know of the student."""
        if self.file and self.note:
            yield self.note
        if self.unreadable:
            yield f"no bot: {self.unreadable}"
        if self.given:
            share = f"{100 * self.given.share:.0f} % of its source"
            yield f"nothing of its own: {share} is in {self.given.name}"


class Survey(Struct, frozen=True):
    """What was handed in, and what is wrong with it."""

    platform: str
    """The platform, the form of its download and how many students it has; "" for a ladder."""
    students: list[Surveyed]
    problems: list[Problem]
    """Those that concern most students come first."""
    notes: list[str]
    """What else the teacher should know."""
    bots: int
    """How many different bots there are among the hand-ins that count."""

    @property
    def handed_in(self) -> int:
        """How many students have a hand-in that counts, if it works."""
        return sum(one.counts for one in self.students)

    def lines(self) -> list[str]:
        """Return what the teacher should know, student by student, and then of all."""
        said = [f"{one.student}: {line}" for one in self.students for line in one.lines()]
        return [*said, *self.notes]


def refuse_problems(course: Course, problems: Sequence[Problem]) -> None:
    """Raise ArenaError if there are problems that would cost marks."""
    if problems:
        more = f" (and {len(problems) - 1} more: arena course check)" if problems[1:] else ""
        hint = f"{problems[0].hint}; or go on with --ignore-unknown"
        raise ArenaError(f"{problems[0].what}{more}", str(course.submissions), hint)


def survey(course: Course, intake: Intake) -> Survey:
    """Return who handed in what, how late it is, and what of it was given out."""
    given = GivenOut(course.starter)
    rows: list[Surveyed] = []
    chosen: list[HandIn] = []
    digests: set[str] = set()
    for student, pool in hand_ins_by_student(course, intake.hand_ins).items():
        due = course.due[student.id]
        choice = choose(pool, due, course.file.late.days)
        may_count = taken(pool, due, course.file.late.days)
        if course.file.resubmissions == BEST and len(may_count) > 1:
            choice = replace(choice, note=f"the best of {len(may_count)} counts")
        row = _row(course, student, choice, pool)
        if choice.hand_in:
            chosen.append(choice.hand_in)
            row, digest = _with_bot(row, choice.hand_in, given)
            digests |= {digest} - {""}
        rows.append(row)
    problems = [*_problems(course, intake, chosen)]
    notes = [*_notes(course, intake, chosen), *_passed_over(rows)]
    if isinstance(course.file.submissions, LadderEntry):
        # A ladder may have other authors, too: the students are known by their ids.
        notes += [problem.what for problem in _strangers(intake)]
    else:
        problems += _strangers(intake)
    problems.sort(key=lambda problem: -len(problem.students))
    return Survey(_platform(course, intake), rows, problems, notes, len(digests))


def _platform(course: Course, intake: Intake) -> str:
    """Return in words what was recognised: `Moodle, folders, 38 of 40 students`."""
    if isinstance(course.file.submissions, LadderEntry):
        return ""
    key, shape = intake.platform, ""
    if key == "moodle":
        names = (hand_in.name.partition("/")[0] for hand_in in intake.hand_ins)
        are_files = any((match := MOODLE.fullmatch(name)) and match["file"] for name in names)
        shape = "files" if are_files else "folders"
    units = {student.id: student.unit for student in course.students}
    there = {units[hand_in.student] for hand_in in intake.hand_ins}
    count = sum(student.unit in there for student in course.students)
    name = PLATFORMS[key].name if key in PLATFORMS else "nothing"
    students = f"{count} of {len(course.students)} students"
    return ", ".join(filter(None, [name, shape, students]))


def _row(course: Course, student: Student, choice: Choice, pool: Sequence[HandIn]) -> Surveyed:
    due = course.due[student.id]
    # If none counts, the last one is shown.
    hand_in = choice.hand_in or max(pool, key=lambda one: one.order, default=None)
    days = hand_in.receipt.days_late(due) if hand_in else 0
    late = hand_in.receipt.late_by(due) if hand_in else None
    return Surveyed(
        student=student.id,
        file=hand_in.name if hand_in else "",
        counts=choice.hand_in is not None,
        sign=hand_in.sign if hand_in else "",
        received=hand_in.receipt.said(due) if hand_in and hand_in.receipt.moment else "",
        time_source=hand_in.receipt.source if hand_in else "",
        late_by=_duration(late) if late else "unknown" if days else "",
        deadline=stamp(due.deadline),
        zone=due.zone,
        grace=due.grace,
        extension=due.extension,
        days_late=days,
        free_days=min(days, course.free_days[student.id]),
        note=choice.note,
    )


def _with_bot(row: Surveyed, hand_in: HandIn, given: GivenOut) -> tuple[Surveyed, str]:
    """Return the row with what is known of the bot, and the bot's digest; "" without a bot."""
    inside = hand_in.inside
    row = replace(row, ignored=inside.ignored)
    if inside.bot is None:
        return replace(row, unreadable=inside.why, hint=inside.hint), ""
    try:
        bot = load_bot(inside.bot)
    except ArenaError as error:
        return replace(row, unreadable=error.what, hint=error.hint), ""
    return replace(row, bot=bot.name, given=given.of(bot)), bot.info.digest


def _duration(time: timedelta) -> str:
    """Return a duration with its two largest units: `3 min 31 s`, `2 d 4 h`."""
    seconds = max(1, round(time.total_seconds()))
    sizes = {"d": 86_400, "h": 3_600, "min": 60, "s": 1}
    shown = []
    for unit, size in sizes.items():
        count, seconds = divmod(seconds, size)
        shown += [f"{count} {unit}"] if count else []
    return " ".join(shown[:2])


def _named(names: Sequence[str]) -> str:
    return ", ".join(first_of([f"'{name}'" for name in names], _SHOWN))


def _problems(course: Course, intake: Intake, chosen: Sequence[HandIn]) -> Iterator[Problem]:
    yield from _without_time(course, intake)
    for hand_in in intake.hand_ins:
        if words := intake.disagreements.get(hand_in.name):
            hint = "correct one of them, or say why in a column `reason` of your own list"
            what = f"the times of '{hand_in.name}' disagree: {words}"
            yield Problem(what, hint, (hand_in.student,))
    for line in intake.unknown_lines:
        yield Problem(f"{line} names nothing that was handed in", "correct the name of the file")
    yield from _ties(course, intake, chosen)
    for hand_in in chosen:
        if hand_in.inside.bot is None and hand_in.inside.is_unclear:
            what = f"'{hand_in.name}': {hand_in.inside.why}"
            yield Problem(what, hand_in.inside.hint, (hand_in.student,))
    students = {student.id: student for student in course.students}
    handed_in = {students[one.student].unit for one in intake.hand_ins}
    names = PlainNames(course.students)
    for hand_in in intake.hand_ins:
        owner = students[hand_in.student]
        other = names.second(hand_in.name, owner) if hand_in.sign == BY_ID else None
        if other and other.unit not in handed_in:
            what = f"'{hand_in.name}' counts for '{owner.id}' alone, '{other.id}' handed in nothing"
            hint = f"give both a `team` in the roster, or '{other.id}' a file"
            yield Problem(what, hint, (other.id,))


def _without_time(course: Course, intake: Intake) -> Iterator[Problem]:
    """Yield problems of hand-ins without a record of how late they are: they count as on time."""
    platform = PLATFORMS.get(intake.platform)
    unknown = [one for one in intake.hand_ins if not one.receipt.is_known]
    late = [one for one in unknown if one.receipt.late]
    timeless = [one for one in unknown if not one.receipt.late]
    for found, what in ((timeless, "no time of receipt"), (late, "late, nothing says by how much")):
        if found and platform:
            said = f"{what}: {_named([one.name for one in found])}"
            hint = platform.times
            if course.received:
                tables = ", ".join(entry.table for entry in course.received)
                hint = f"{tables} has no time for that: add a line, or download it again"
            if found is timeless:
                hint += "; or `times: files`, if nobody could have changed those"
            yield Problem(said, hint, tuple(one.student for one in found))


def _ties(course: Course, intake: Intake, chosen: Sequence[HandIn]) -> Iterator[Problem]:
    units = {student.id: student.unit for student in course.students}
    for one in {hand_in.name: hand_in for hand_in in chosen}.values():
        for other in intake.hand_ins:
            if (
                units[other.student] == units[one.student]
                and other.name != one.name
                and one.ties(other)
            ):
                what = f"'{one.name}' and '{other.name}' came at the same moment"
                hint = "leave out the one that is not to count: `ignored`"
                yield Problem(what, hint, (one.student,))


def _notes(course: Course, intake: Intake, chosen: Sequence[HandIn]) -> Iterator[str]:
    if course.file.times:
        yield _TIMES[course.file.times]
    drafts = [one.name for one in chosen if one.is_draft]
    if drafts:
        yield f"drafts, which were not submitted: {_named(drafts)}"
    by_mark = [one for one in chosen if one.receipt.moment is None and one.receipt.late is False]
    if by_mark:
        said = (
            f"{PLATFORMS[intake.platform].name} says of {len(by_mark)} only that they were on time"
        )
        yield f"{said}: its due date has to be the deadline"


def _passed_over(rows: Sequence[Surveyed]) -> Iterator[str]:
    """Yield a line on files that are not part of a bot; the most frequent ones come first."""
    counts = Counter(name for row in rows for name in row.ignored)
    if counts:
        told = [f"{name} ({count})" if count > 1 else name for name, count in counts.most_common()]
        yield f"passed over in hand-ins: {', '.join(first_of(told, 2 * _SHOWN))}"


def _strangers(intake: Intake) -> Iterator[Problem]:
    by_why: dict[tuple[str, bool], list[str]] = {}
    for stranger in intake.strangers:
        is_list = stranger.name.lower().endswith(_LISTS)
        by_why.setdefault((stranger.why, is_list), []).append(stranger.name)
    for (why, is_list), names in by_why.items():
        hint = "name it in `received` if it is a list of times; or in `ignored`"
        if not is_list:
            known = f'`ignored: ["{names[0]}"]`'
            hint = f"name it after its student, or list it in course.yaml, as in {known}"
        belong = "belongs" if len(names) == 1 else "belong"
        reason = f": {why}" if why else ""
        yield Problem(f"{_named(names)} {belong} to nobody on the roster{reason}", hint)


class Checkup(Struct, frozen=True):
    """The result of a look at a course."""

    survey: Survey
    baselines: list[str]
    """Each baseline with its bot, and the reference, in words."""
    effort: Effort | None
    """None if there is nothing to play."""
    readable: str
    """Files that other users of the machine can read, with a remedy; "" for none."""


def check_course(course: Course, options: Options) -> Checkup:
    """Look at what was handed in, and estimate how long a grading takes.

    Raises ArenaError if something of the course cannot be read, or its own bots cannot play.
    """
    with hand_ins_of(course) as intake:
        seen = survey(course, intake)
    own = [f"{name} ({entry.bot})" for name, entry in course.file.marks.baselines.items()]
    if course.file.reference:
        own.append(f"the reference ({course.file.reference})")
    readable = close_to_others(course)
    planned: Effort | None = None
    if course.file.marks.baselines:
        planned = effort(course, seen.handed_in, seen.bots, _speed(course, options))
    return Checkup(seen, own, planned, readable)


def precision_within(course: Course, options: Options, seconds: float) -> Effort:
    """Return the most precise grading that fits into a time; raises ArenaError as the check."""
    if not course.file.marks.baselines:
        raise ArenaError("there are no baselines to play", str(course.path), "leave out --within")
    began = time.monotonic()
    with hand_ins_of(course) as intake:
        seen = survey(course, intake)
    speed = _speed(course, options)
    left = seconds - (time.monotonic() - began)
    return within(course, seen.handed_in, seen.bots, speed, left)


def _speed(course: Course, options: Options) -> Speed:
    terms = terms_of(course, read_lock(course.folder), options)
    return measure_speed(course, replace(terms, seed="speed"), options)
