"""What was handed in, before anything is run: whose it is, what is late, what would be lost."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.folder import refuse_link
from arena.bots.manifest import load_bot
from arena.course.config import Course
from arena.course.intake.choice import BEST, Choice, choose, taken
from arena.course.intake.given import GivenOut
from arena.course.intake.hand_ins import Intake, bot_in, hand_ins_by_student
from arena.course.intake.owner import BY_ID, PlainNames
from arena.course.keys import LadderEntry
from arena.course.lock import Given
from arena.course.terms.deadlines import stamp
from arena.course.terms.roster import Student
from arena.io.errors import ArenaError


class Problem(Struct, frozen=True):
    """What would cost a student marks, and would not be seen."""

    what: str
    hint: str


class Surveyed(Struct, frozen=True):
    """What there is of a student."""

    student: str
    file: str
    """What counts if it works; "" for nothing."""
    sign: str
    received: str
    deadline: str
    zone: str
    grace: float
    extension: str
    days_late: int
    free_days: int
    """Of these, those that cost nothing."""
    note: str
    unreadable: str = ""
    """Why it is no bot."""
    given: Given | None = None

    def lines(self) -> Iterator[str]:
        """Yield what there is to say of the student."""
        if self.file and self.note:
            yield self.note
        if self.unreadable:
            yield f"no bot: {self.unreadable}"
        if self.given:
            share = f"{100 * self.given.share:.0f} % of its source"
            yield f"nothing of its own: {share} is in {self.given.name}"


class Survey(Struct, frozen=True):
    """A look at all that was handed in."""

    students: list[Surveyed]
    problems: list[Problem]
    notes: list[str]
    """What else there is to say."""
    bots: int
    """Different files among what counts and can be read."""

    @property
    def handed_in(self) -> int:
        """How many students have a hand-in that may count."""
        return sum(bool(one.file) for one in self.students)

    def lines(self) -> list[str]:
        """Return what there is to say, student by student, and of what belongs to nobody."""
        said = [f"{one.student}: {line}" for one in self.students for line in one.lines()]
        return [*said, *self.notes, *(problem.what for problem in self.problems)]


def refuse_problems(course: Course, problems: Sequence[Problem]) -> None:
    """Raise ArenaError if marks would be lost without a word."""
    if problems:
        more = f" (and {len(problems) - 1} more: arena course check)" if problems[1:] else ""
        hint = f"{problems[0].hint}; or go on with --ignore-unknown"
        raise ArenaError(f"{problems[0].what}{more}", str(course.submissions), hint)


def survey(course: Course, intake: Intake) -> Survey:
    """Return who handed in what, by what sign, how late, and what of it was given out."""
    given, bots, rows = GivenOut(course.starter), set[str](), []
    for student, pool in hand_ins_by_student(course, intake.hand_ins).items():
        due = course.due[student.id]
        choice = choose(pool, due, course.file.late.days)
        may_count = taken(pool, due, course.file.late.days)
        if course.file.resubmissions == BEST and len(may_count) > 1:
            choice = replace(choice, note=f"the best of {len(may_count)} counts")
        row = _row(course, student, choice)
        if choice.hand_in:
            source = bot_in(choice.hand_in.source)
            try:
                refuse_link(source)
                bot = load_bot(source)
            except ArenaError as error:
                row = replace(row, unreadable=error.what)
            else:
                bots.add(bot.info.digest)
                row = replace(row, given=given.of(bot))
        rows.append(row)
    problems = [*_problems(course, intake)]
    if isinstance(course.file.submissions, LadderEntry):
        # Whoever is invited may be an author there, and the course's students are by their ids.
        notes = [problem.what for problem in _strangers(intake)]
    else:
        notes, problems = [], [*_strangers(intake), *problems]
    return Survey(rows, problems, notes, len(bots))


def _row(course: Course, student: Student, choice: Choice) -> Surveyed:
    due, hand_in, days = course.due[student.id], choice.hand_in, choice.days_late
    zone = due.deadline.tzinfo
    return Surveyed(
        student=student.id,
        file=hand_in.name if hand_in else "",
        sign=hand_in.sign if hand_in else "",
        received=stamp(hand_in.received.astimezone(zone)) if hand_in else "",
        deadline=stamp(due.deadline),
        zone=due.zone,
        grace=due.grace,
        extension=due.extension,
        days_late=days,
        free_days=min(days, course.free_days[student.id]),
        note=choice.note,
    )


def _strangers(intake: Intake) -> Iterator[Problem]:
    for name in intake.strangers:
        hint = f'name it after its student, or list it in course.yaml, as in `ignored: ["{name}"]`'
        yield Problem(f"'{name}' belongs to nobody on the roster", hint)


def _problems(course: Course, intake: Intake) -> Iterator[Problem]:
    for line in intake.unknown_lines:
        yield Problem(f"{line} names nothing that was handed in", "correct the name of the file")
    students = {student.id: student for student in course.students}
    handed_in = {students[one.student].unit for one in intake.hand_ins}
    names = PlainNames(course.students)
    for hand_in in intake.hand_ins:
        owner = students[hand_in.student]
        days = course.due[owner.id].days_late(hand_in.received)
        if hand_in.name in intake.unlisted and days:
            what = f"'{hand_in.name}' is in no line of the times, and by its file {days} days late"
            yield Problem(what, f"add it to {course.received.table if course.received else ''}")
        other = names.second(hand_in.name, owner) if hand_in.sign == BY_ID else None
        if other and other.unit not in handed_in:
            what = f"'{hand_in.name}' counts for '{owner.id}' alone, '{other.id}' handed in nothing"
            yield Problem(what, f"give both a `team` in the roster, or '{other.id}' a file")
