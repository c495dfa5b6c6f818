"""The final mark of a course of weeks: the weighted mean of the marks of its weeks."""

from collections.abc import Mapping, Sequence
from math import sqrt

from msgspec import Struct

from arena.course.config import Course, Week
from arena.course.marks import Result
from arena.course.points import Grade, GradeKey, Total, grade_of
from arena.course.roster import Student
from arena.io.text import csv_of
from arena.publish.data.schema import csv_cell

FINAL = "final.csv"


class Final(Struct, frozen=True):
    """The final mark of a student."""

    student: Student
    weeks: dict[str, float | None]
    """The points of each week that was graded, by its name; None for no mark."""
    total: Total | None
    """Their weighted mean; None for a student who has no mark in one of them."""
    grade: Grade | None
    """None if the course has no grades."""


def finals(
    students: Sequence[Student], graded: Mapping[Week, Sequence[Result]], grades: GradeKey | None
) -> list[Final]:
    """Return the final marks by the weeks that were graded, at least one."""
    results = {
        week: {result.student.id: result for result in theirs} for week, theirs in graded.items()
    }
    return [
        _final(student, {week: each.get(student.id) for week, each in results.items()}, grades)
        for student in students
    ]


def _final(student: Student, weeks: Mapping[Week, Result | None], grades: GradeKey | None) -> Final:
    """Return a final mark; its interval has the root of the sum of squares of the weeks'."""
    marks = {week: result.mark if result else None for week, result in weeks.items()}
    points = {week.name: mark.final if mark else None for week, mark in marks.items()}
    known = {week: mark for week, mark in marks.items() if mark}
    if len(known) < len(marks):
        return Final(student, points, None, None)
    whole = sum(week.weight for week in known)
    shares = {week: week.weight / whole for week in known}
    mean = sum(share * known[week].final for week, share in shares.items())
    below = sqrt(sum((share * known[week].below) ** 2 for week, share in shares.items()))
    above = sqrt(sum((share * known[week].above) ** 2 for week, share in shares.items()))
    total = Total(mean, mean - below, mean + above)
    return Final(student, points, total, grade_of(grades, mean, total.high) if grades else None)


def final_csv(course: Course, graded: Sequence[Week], rows: Sequence[Final], note: str) -> str:
    """Return final.csv, with a line per student in the order of the roster, without formulas.

    Weeks that are not `graded` have empty cells. `note` is the same in every line.
    """
    names = [week.name for week in course.weeks]
    head = ["id", "name", "group", "team", *names, "final", "low", "high", "grade", "note"]
    table = [head]
    for row in rows:
        points = [row.weeks.get(week.name) if week in graded else None for week in course.weeks]
        student = row.student
        cells = [student.id, student.name, student.group, student.team]
        cells += ["" if value is None else f"{value:.2f}" for value in points]
        cells += [f"{value:.2f}" for value in row.total] if row.total else [""] * 3
        table.append([*cells, row.grade.name if row.grade else "", note])
    return csv_of([[*map(csv_cell, row)] for row in table])
