"""results.json: what Gradescope specifies, and nothing else.

gradescope-autograders.readthedocs.io/en/latest/specs
"""

from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from arena.course.intake.checks import read_check
from arena.course.intake.entries import CHECKS
from arena.course.marks import Result, grading
from arena.course.output.autograder import result_of
from arena.course.output.gradescope import results_json
from tests.course.shown import lock_of, result, write_course

Format = Literal["text", "html", "simple_format", "md", "ansi"]
Visibility = Literal["hidden", "after_due_date", "after_published", "visible"]


class Test(msgspec.Struct, forbid_unknown_fields=True):
    """A test case."""

    __test__ = False
    score: float
    max_score: float
    status: Literal["passed", "failed"] = "passed"
    name: str = ""
    name_format: Format = "text"
    number: str = ""
    output: str = ""
    output_format: Format = "text"
    tags: list[str] = []
    visibility: Visibility = "visible"
    extra_data: dict[str, Any] = {}


class Results(msgspec.Struct, forbid_unknown_fields=True):
    """The whole file; there is a score here, or one of each test."""

    tests: list[Test]
    score: float | None = None
    execution_time: float = 0.0
    output: str = ""
    output_format: Format = "text"
    test_output_format: Format = "text"
    test_name_format: Format = "text"
    visibility: Visibility = "visible"
    stdout_visibility: Visibility = "visible"
    extra_data: dict[str, Any] = {}
    leaderboard: list[dict[str, Any]] = []


def decoded(text: str | bytes) -> Results:
    return msgspec.json.decode(text, type=Results)


def test_results_of_a_grading_are_as_specified(tmp_path: Path) -> None:
    course = write_course(tmp_path / "course")
    for number in range(len(course.students)):
        one: Result = result(course, lock_of(course), number)
        content = one.hand_in.content if one.hand_in else ""
        kept = read_check(grading(course) / CHECKS, one.student.unit, content)
        found = decoded(results_json(one, kept.report if kept else None, 2.0, ""))
        assert one.mark
        assert found.score == pytest.approx(one.mark.final, abs=0.005)
        assert [test.name for test in found.tests] == ["legal", "random", "field"]
        assert sum(test.max_score for test in found.tests) == course.file.marks.total
    struck = decoded(
        results_json(msgspec.structs.replace(one, mark=None, note="struck"), None, 2.0, "")
    )
    assert (struck.score, struck.output) == (0, "struck")


def test_results_of_the_autograder_are_as_specified() -> None:
    steps = [{"number": 1, "name": "manifest", "findings": []}]
    found = decoded(msgspec.json.encode(result_of({"steps": steps, "left": 3}, 30)))
    assert [test.score for test in found.tests] == [7.5, 0, 0, 0]
    assert sum(test.max_score for test in found.tests) == 30
