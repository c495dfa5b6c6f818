"""The key of grades: from points to what a mark is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.course.points import GradeKey, grade_of, written

GERMAN = {"1.0": 95.0, "1.3": 90.0, "2.0": 80.0, "4.0": 50.0, "5.0": 0.0}
LETTERS = {"A": 90.0, "B": 80.0, "F": 0.0}

# The key, the points, the upper end of the interval, the grade, and that of the points alone.
CASES = {
    "at the line": (GradeKey(GERMAN), 95, 97, "1.0", "1.0"),
    "below it": (GradeKey(GERMAN), 94.99, 97, "1.3", "1.3"),
    "a sum of floats": (GradeKey(GERMAN), 0.1 + 0.2 + 94.7 - 1e-13, 95, "1.0", "1.0"),
    "nothing": (GradeKey(GERMAN), 0, 0, "5.0", "5.0"),
    "more than all": (GradeKey(GERMAN), 104, 104, "1.0", "1.0"),
    "letters": (GradeKey(LETTERS), 85, 85, "B", "B"),
    "rounded up": (GradeKey(GERMAN, round_to=0.5), 94.75, 94.75, "1.0", "1.0"),
    "rounded down": (GradeKey(GERMAN, round_to=0.5), 94.74, 94.74, "1.3", "1.3"),
    "with a comma": (GradeKey(GERMAN, decimal_comma=True), 91, 91, "1,3", "1,3"),
    "letters have no comma": (GradeKey({"A.": 0.0}, decimal_comma=True), 5, 5, "A.", "A."),
    "the interval spans two": (GradeKey(GERMAN, better=True), 94, 96, "1.0", "1.3"),
    "it ends at the line": (GradeKey(GERMAN, better=True), 94, 95, "1.0", "1.3"),
    "it spans one": (GradeKey(GERMAN, better=True), 94, 94.9, "1.3", "1.3"),
    "it spans three": (GradeKey(GERMAN, better=True), 79, 97, "2.0", "4.0"),
    "not asked for": (GradeKey(GERMAN), 94, 96, "1.3", "1.3"),
    "points": (GradeKey(round_to=0.5), 83.25, 90, "83.5", "83.5"),
    "points of school": (GradeKey({"15": 95.0, "14": 90.0, "0": 0.0}), 92, 92, "14", "14"),
    "points with a comma": (GradeKey(round_to=0.5, decimal_comma=True), 83.25, 90, "83,5", "83,5"),
}


@pytest.mark.parametrize("case", CASES)
def test_grade(case: str) -> None:
    key, points, high, name, by_points = CASES[case]
    grade = grade_of(key, points, high)
    assert (grade.name, grade.by_points) == (name, by_points)
    assert grade.is_raised == (name != by_points)


@given(points=st.floats(0, 110), more=st.floats(0, 30), better=st.booleans())
def test_more_points_are_never_a_worse_grade(points: float, more: float, better: bool) -> None:
    key, names = GradeKey(GERMAN, better=better), [*GERMAN]
    low, high = (grade_of(key, value, value + 5) for value in (points, points + more))
    assert names.index(high.name) <= names.index(low.name)
    assert names.index(low.by_points) - names.index(low.name) in (0, 1)


@pytest.mark.parametrize(("text", "comma"), [("83.50", "83,50"), ("A", "A"), ("1.2.3", "1.2.3")])
def test_numbers_are_written_with_a_comma(text: str, comma: str) -> None:
    assert written(GradeKey(decimal_comma=True), text) == comma
    assert written(GradeKey(), text) == text
