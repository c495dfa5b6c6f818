"""Results from a lock and its games, where there are games."""

from pathlib import Path

from arena.course.config import load_course
from arena.course.marks import results_of
from tests.course.school import course_yaml, roster
from tests.course.shown import STUDENTS, lock_of


def test_course_without_baselines_has_no_games(tmp_path: Path) -> None:
    roster(tmp_path, *STUDENTS)
    keys = {"marks": {"total": 17, "legal": 17}, "reference": None}
    course = load_course(course_yaml(tmp_path, **keys))
    marks = [one.mark for one in results_of(course, lock_of(course))]
    assert {(mark.games, tuple(mark.parts)) for mark in marks if mark} == {(0, ("legal",))}
