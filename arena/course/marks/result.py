"""The result of a grading, student by student, from its lock and its stored games."""

from pathlib import Path

from msgspec import Struct

from arena.course.config import Course
from arena.course.games.baseline_games import BaselineRecord, final_blocks
from arena.course.games.field import field_results, store_of
from arena.course.lock import Lock, LockedHandIn
from arena.course.marks.marks import FIELD, LEGAL, Mark, decider, mark_of
from arena.course.roster import Student
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
    played = _played(folder / STORE) if file.marks.baselines else None
    decide = decider(file, lock.shares)
    results = []
    for student in course.students:
        hand_in, note = lock.hand_ins.get(student.id), lock.notes.get(student.id, "")
        if student.id in lock.struck:
            results.append(
                Result(student, hand_in, None, "; ".join(filter(None, ["struck", note])))
            )
            continue
        bot = hand_in.bot if hand_in else ""
        blocks = final_blocks(played, lock.terms, bot, decide) if bot and played else {}
        results.append(Result(student, hand_in, mark_of(file, lock, hand_in, blocks, field), note))
    return results


def _played(path: Path) -> BaselineRecord:
    with Store(path) as store:
        return BaselineRecord(store)


def marks_csv(course: Course, results: list[Result]) -> str:
    """Return marks.csv: a line a student, in the order of the roster; no cell is a formula."""
    parts = [LEGAL] if course.file.marks.legal else []
    parts += [*course.file.marks.baselines]
    parts += [FIELD] if course.file.marks.field else []
    head = ["id", "name", "group", *parts, "mark", "low", "high", "precise", "games"]
    head += ["days_late", "deduction", "final", "file", "received", "sha256", "note"]
    rows = [_row(result, parts) for result in results]
    return csv_of([list(map(csv_cell, row)) for row in [head, *rows]])


def _row(result: Result, parts: list[str]) -> list[str]:
    student, mark, hand_in = result.student, result.mark, result.hand_in
    row = [student.id, student.name, student.group]
    if mark is None:
        row += [""] * (len(parts) + 8)
    else:
        row += [_points(mark.parts[name].points) for name in parts]
        row += [_points(end) for end in mark.total]
        row += ["yes" if mark.precise else "no", str(mark.games)]
        row += [str(mark.days_late), _points(mark.deduction), _points(mark.final)]
    row += [hand_in.file, hand_in.received, hand_in.content] if hand_in else [""] * 3
    return [*row, result.note]


def _points(value: float) -> str:
    return f"{value:.2f}"
