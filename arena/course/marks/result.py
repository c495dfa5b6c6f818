"""The result of a grading, student by student, from its lock and its stored games."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.course.config import FIELD, LEGAL, Course
from arena.course.games.baseline_games import BaselineRecord, final_blocks
from arena.course.games.field import field_results, store_of
from arena.course.lock import Lock, LockedHandIn
from arena.course.marks.marks import Mark, decider, mark_of
from arena.course.terms.by_hand import ByHand
from arena.course.terms.roster import Student
from arena.io.csv_rows import csv_of
from arena.league.store.store import Store
from arena.publish.data.schema import csv_cell

MARKS = "marks.csv"
GRADING = "grading"
"""The folder with the stores, the checks and the secret: not for students."""
STORE = "games.sqlite"


class Result(Struct, frozen=True):
    """What a student is told."""

    student: Student
    hand_in: LockedHandIn | None
    mark: Mark | None
    """None for a student who is struck."""
    note: str


def grading(course: Course) -> Path:
    """Return the folder with all that was played and checked."""
    return course.folder / GRADING


def results_of(course: Course, lock: Lock) -> list[Result]:
    """Derive the marks of all students on the roster; raises ArenaError if games are missing."""
    file, folder = course.file, grading(course)
    field = field_results(store_of(folder, lock, file.marks.field)) if lock.field else {}
    marked = Marking(course, lock)
    results = []
    for student in course.students:
        hand_in, note = lock.hand_ins.get(student.id), lock.notes.get(student.id, "")
        if student.id in lock.struck:
            struck = "; ".join(filter(None, ["struck", note]))
            results.append(Result(student, hand_in, None, struck))
        else:
            mark = marked.mark(hand_in, field, lock.by_hand.get(student.id, ()))
            results.append(Result(student, hand_in, mark, note))
    return results


class Marking:
    """Marks hand-ins by the games that are stored."""

    def __init__(self, course: Course, lock: Lock) -> None:
        """Read the games against the baselines; raises ArenaError if they are missing."""
        self._file, self._lock = course.file, lock
        self._decide = decider(course.file, lock.shares)
        self._played = _played(grading(course) / STORE) if course.file.marks.baselines else None

    def mark(
        self,
        hand_in: LockedHandIn | None,
        field: Mapping[str, Sequence[tuple[int, int]]],
        by_hand: Sequence[ByHand] = (),
    ) -> Mark:
        """Return the mark of a hand-in; None stands for a student who handed nothing in."""
        bot = hand_in.bot if hand_in else ""
        blocks = (
            final_blocks(self._played, self._lock.terms, bot, self._decide)
            if bot and self._played
            else {}
        )
        return mark_of(self._file, self._lock, hand_in, blocks, field, by_hand)


def _played(path: Path) -> BaselineRecord:
    with Store(path) as store:
        return BaselineRecord(store)


def with_best(course: Course, lock: Lock) -> Lock:
    """Return a lock in which the best hand-in of each student counts, of those that may.

    That is the one with the most points against the baselines and for legal play, after its
    deduction; of equal ones the last.
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
    """Return marks.csv: a line a student, in the order of the roster; no cell is a formula."""
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
    student, mark, hand_in = result.student, result.mark, result.hand_in
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
    row += [hand_in.file, hand_in.received, hand_in.content] if hand_in else [""] * 3
    return [*row, "; ".join(filter(None, [result.note, *_by_hand(mark)]))]


def _by_hand(mark: Mark | None) -> Iterator[str]:
    """Yield what the teacher gave, with the reasons."""
    for part, reason in mark.reasons.items() if mark else ():
        yield f"{part}: {reason}"
    for entry in mark.added if mark else ():
        yield f"{entry.part} {entry.points:+g}: {entry.reason}"


def _points(value: float) -> str:
    return f"{value:.2f}"
