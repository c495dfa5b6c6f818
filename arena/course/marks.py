"""Marks: a pure function of a course, its lock and its stored games."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from arena.course.baselines import (
    FIRST,
    PER_BLOCK,
    BaselineRecord,
    Blocks,
    Decide,
    final_blocks,
    more_blocks,
    name_of,
    target,
)
from arena.course.by_hand import ByHand
from arena.course.config import FIELD, LEGAL, Course, CourseFile, load_course, with_precision
from arena.course.field import field_results, store_of
from arena.course.lock import LOCK, Lock, LockedHandIn, read_lock
from arena.course.points import (
    Grade,
    Part,
    Share,
    Total,
    against,
    certain,
    grade_of,
    in_field,
    share_of,
    total_of,
)
from arena.course.roster import Student
from arena.io.errors import ArenaError
from arena.io.files import read_limited
from arena.io.text import csv_of
from arena.league.store.store import Store
from arena.publish.data.schema import csv_cell

MARKS = "marks.csv"
GRADING = "grading"
"""The folder with the stores, the checks and the secret, which students must not see."""
STORE = "games.sqlite"
NOT_MARKED = "not marked yet"
_MAX_BYTES = 64 << 20


class Mark(Struct, frozen=True):
    """The mark of a student."""

    parts: dict[str, Part]
    """By name: `legal`, each baseline, `field`, and each part that is marked by hand."""
    total: Total
    """The sum of the parts, before deductions."""
    days_late: int = 0
    free_days: int = 0
    """How many of the days late cost nothing."""
    deduction: float = 0.0
    """Points that are taken off for days late."""
    precise: bool = True
    """Whether half of the interval is within the precision; if not, the budget is spent."""
    added: list[ByHand] = []
    """Points that the teacher gave or took, which are added last."""
    grade: Grade | None = None
    """None if the course has no grades."""
    withheld: str = ""
    """Why games bring no points; "" if they do."""
    reasons: dict[str, str] = {}
    """The teacher's reasons, by the part that was marked by hand."""

    @property
    def by_hand(self) -> float:
        """The sum of the points that were added last."""
        return sum(entry.points for entry in self.added)

    @property
    def final(self) -> float:
        """The points after the deduction, with what was added; at least 0."""
        return self._final(self.total.points)

    @property
    def high(self) -> float:
        """The upper end of the interval, after the deduction and with what was added."""
        return self._final(self.total.high)

    @property
    def below(self) -> float:
        """The distance from the final points to the lower end of their interval."""
        return self.final - self._final(self.total.low)

    @property
    def above(self) -> float:
        """The distance from the final points to the upper end of their interval."""
        return self.high - self.final

    def _final(self, points: float) -> float:
        return max(0.0, points - self.deduction + self.by_hand)

    @property
    def games(self) -> int:
        """The number of games that were played for it."""
        return sum(part.share.games for part in self.parts.values() if part.share)


def decider(file: CourseFile, shares: Mapping[str, Share]) -> Decide:
    """Return what decides how many blocks a hand-in plays: until its mark is precise enough."""
    most = file.budget // PER_BLOCK
    wanted = target(file.precision, file.marks.field)

    def decide(blocks: Blocks) -> Mapping[str, int]:
        if not blocks:
            return dict.fromkeys(file.marks.baselines, min(FIRST, most))
        counts = {name: len(won) for name, won in blocks.items()}
        return more_blocks(counts, baseline_parts(file, shares, blocks), wanted, most)

    return decide


def measure(file: CourseFile) -> Decide:
    """Return what decides how many blocks the reference plays: the same against each baseline.

    It plays none where course.yaml says which share brings all points.
    """
    count = -(-file.reference_games // PER_BLOCK)
    measured = [name for name, entry in file.marks.baselines.items() if entry.all is None]
    return lambda _: dict.fromkeys(measured, count)


def baseline_parts(
    file: CourseFile, shares: Mapping[str, Share], blocks: Blocks
) -> dict[str, Part]:
    """Return what the wins against each baseline are worth; `shares` are the reference's."""
    parts = {}
    for name, won in blocks.items():
        entry = file.marks.baselines[name]
        if won:
            none, best = entry.scale(shares[name].share if name in shares else 1.0)
            parts[name] = against(share_of(won, PER_BLOCK), best, entry.points, none)
    return parts


def mark_of(
    file: CourseFile,
    lock: Lock,
    hand_in: LockedHandIn | None,
    blocks: Blocks,
    field: Mapping[str, Sequence[tuple[int, int]]],
    by_hand: Sequence[ByHand] = (),
) -> Mark:
    """Return the mark of a hand-in, or of a student who handed in nothing, None.

    `blocks` are the wins against the baselines, `field` has (won, games) at each table by the name
    of the player.
    """
    marks = file.marks
    withheld = ""
    if file.copied == "no_points" and hand_in and hand_in.decides_as:
        withheld = f"no points for games, as it decides as {hand_in.decides_as} does"
        blocks, field = {}, {}
    steps = hand_in.steps / hand_in.of if hand_in else 0.0
    parts = {LEGAL: certain(marks.legal * steps, marks.legal)} if marks.legal else {}
    parts |= {name: certain(0.0, baseline.points) for name, baseline in marks.baselines.items()}
    parts |= baseline_parts(file, lock.shares, blocks)
    if marks.field:
        tables = field.get(name_of(hand_in.program)) if hand_in and hand_in.bot else None
        parts[FIELD] = in_field(tables, marks.field) if tables else certain(0.0, marks.field)
    marked = {entry.part: entry for entry in by_hand if entry.part in marks.by_hand}
    parts |= {
        name: certain(marked[name].points if name in marked else 0.0, most)
        for name, most in marks.by_hand.items()
    }
    total = total_of(parts)
    days = hand_in.days_late if hand_in else 0
    free = hand_in.free_days if hand_in else 0
    mark = Mark(
        parts,
        total,
        days_late=days,
        free_days=free,
        deduction=(days - free) * file.late.points_per_day,
        precise=total.half_width <= file.precision,
        withheld=withheld,
        added=[entry for entry in by_hand if entry.part not in marks.by_hand],
        reasons={
            name: marked[name].reason if name in marked else NOT_MARKED for name in marks.by_hand
        },
    )
    if lock.grades is None:
        return mark
    return replace(mark, grade=grade_of(lock.grades, mark.final, mark.high))


class Result(Struct, frozen=True):
    """The result of a student."""

    student: Student
    hand_in: LockedHandIn | None
    mark: Mark | None
    """None for a student who is struck."""
    note: str
    """Why this hand-in counts, or why none does; "" if there is nothing to say."""


def grading(course: Course) -> Path:
    """Return the folder of a course with its games and checks."""
    return course.folder / GRADING


def results_of(course: Course, lock: Lock) -> list[Result]:
    """Return the results of all students on the roster; raises ArenaError if games are missing."""
    field = {}
    if lock.field:
        field = field_results(store_of(grading(course), lock, course.file.marks.field))
    marked = Marking(course, lock)
    results = []
    for student in course.students:
        hand_in = lock.hand_ins.get(student.id)
        note = lock.notes.get(student.id, "")
        if student.id in lock.struck:
            struck = "; ".join(filter(None, ["struck", note]))
            results.append(Result(student, hand_in, None, struck))
        else:
            mark = marked.mark(hand_in, field, lock.by_hand.get(student.id, ()))
            said = filter(None, [note, _copied(course.file, hand_in)])
            results.append(Result(student, hand_in, mark, "; ".join(said)))
    return results


def _copied(file: CourseFile, hand_in: LockedHandIn | None) -> str:
    """Return in words which bot that everybody has a hand-in decides as; "" for none."""
    if file.copied == "ignored" or hand_in is None or not hand_in.decides_as:
        return ""
    return f"it decides as {hand_in.decides_as} does"


class Marking:
    """Marks hand-ins by the games that are stored."""

    def __init__(self, course: Course, lock: Lock) -> None:
        """Read the games against the baselines; raises ArenaError if they are missing."""
        self._file = course.file
        self._lock = lock
        self._decide = decider(course.file, lock.shares)
        self._played: BaselineRecord | None = None
        if course.file.marks.baselines:
            with Store(grading(course) / STORE) as store:
                self._played = BaselineRecord(store)

    def mark(
        self,
        hand_in: LockedHandIn | None,
        field: Mapping[str, Sequence[tuple[int, int]]],
        by_hand: Sequence[ByHand] = (),
    ) -> Mark:
        """Return the mark of a hand-in, as `mark_of`."""
        bot = hand_in.bot if hand_in else ""
        blocks: Blocks = {}
        if bot and self._played:
            blocks = final_blocks(self._played, self._lock.terms, bot, self._decide)
        return mark_of(self._file, self._lock, hand_in, blocks, field, by_hand)


def with_best(course: Course, lock: Lock) -> Lock:
    """Return a lock in which the best of each student's candidates counts.

    The best one has the most points after its deduction, without those of the field; of equally
    good ones, the last counts.
    """
    if not lock.candidates:
        return lock
    marking = Marking(course, lock)
    best: dict[str, LockedHandIn] = {}
    notes = dict(lock.notes)
    for id_, candidates in lock.candidates.items():
        finals = [marking.mark(one, {}).final for one in candidates]
        at = max(range(len(finals)), key=lambda number: (finals[number], number))
        best[id_] = candidates[at]
        lines = [f"the best of {len(finals)}, without the field"] + [
            f"'{one.file}' came to {final:.2f}"
            for one, final in zip(candidates, finals, strict=True)
        ]
        notes[id_] = "; ".join(lines)
    return replace(lock, hand_ins={**lock.hand_ins, **best}, notes=notes)


def marks_csv(course: Course, lock: Lock, results: list[Result]) -> str:
    """Return marks.csv, with a line per student in the order of the roster, without formulas."""
    parts = [LEGAL] if course.file.marks.legal else []
    parts += [*course.file.marks.baselines]
    parts += [FIELD] if course.file.marks.field else []
    parts += [*course.file.marks.by_hand]
    head = ["id", "name", "group", "team", *parts, "mark", "low", "high", "precise", "games"]
    head += ["days_late", "deduction", "by_hand", "final", "grade"]
    head += ["file", "received", "sha256", "note"]
    rows = [_row(result, parts, lock) for result in results]
    return csv_of([list(map(csv_cell, row)) for row in [head, *rows]])


def _row(result: Result, parts: list[str], lock: Lock) -> list[str]:
    student = result.student
    mark = result.mark
    row = [student.id, student.name, student.group, student.team]
    if mark is None:
        row += [""] * (len(parts) + 10)
    else:
        row += [_points(mark.parts[name].points) for name in parts]
        row += [_points(end) for end in mark.total]
        precise = "yes" if mark.precise else "no"
        row += ["first look" if lock.terms.quick else precise, str(mark.games)]
        row += [str(mark.days_late), _points(mark.deduction), _points(mark.by_hand)]
        row += [_points(mark.final), mark.grade.name if mark.grade else ""]
    hand_in = result.hand_in
    row += [hand_in.file, hand_in.received, hand_in.content] if hand_in else [""] * 3
    said = [result.note] if result.note else []
    if mark is not None:
        said += [f"{part}: {reason}" for part, reason in mark.reasons.items()]
        said += [f"{entry.part} {entry.points:+g}: {entry.reason}" for entry in mark.added]
    return [*row, "; ".join(said)]


def _points(value: float) -> str:
    return f"{value:.2f}"


class GradedCourse(NamedTuple):
    """A course that was graded, and its results."""

    course: Course
    lock: Lock
    results: list[Result]
    first_look: str
    """As `first_look_of` says it."""


def load_graded(path: Path, *, first_look: bool, week: str = "") -> GradedCourse:
    """Read a graded course; `first_look` also allows one whose marks are a first look.

    `week` is as in `load_course`. Raises ArenaError if nothing was graded, and for a first look
    that is not allowed.
    """
    course = load_course(path, week)
    lock = read_lock(course.folder)
    if lock is None or not (course.folder / MARKS).exists():
        hint = f"arena course grade {course.called}"
        raise ArenaError("nothing was graded yet", str(course.folder), hint)
    course = with_precision(course, lock.terms.precision)
    said = first_look_of(course, lock)
    if said and not first_look:
        hint = f"arena course grade {course.called} plays on; to go on all the same: --first-look"
        raise ArenaError(f"this is {said}", str(course.folder / LOCK), hint)
    return GradedCourse(course, lock, results_of(course, lock), said)


def first_look_of(course: Course, lock: Lock) -> str:
    """Return in words how exact a first look is; "" if the marks are not a first look."""
    if not lock.terms.quick:
        return ""
    return (
        f"a first look, to ±{lock.terms.precision:g} points, and not the mark,"
        f" which is played to ±{course.planned_precision:g}"
    )


def check_unchanged(course: Course, lock: Lock, results: list[Result]) -> None:
    """Raise ArenaError if marks.csv is not what the games lead to, as after an edit."""
    path = course.folder / MARKS
    if read_limited(path, _MAX_BYTES) != marks_csv(course, lock, results).encode():
        what = "it is not as arena course grade wrote it"
        hint = "put changes into `by_hand` of course.yaml, and grade again"
        raise ArenaError(what, str(path), hint)
