"""Whatever is wrong with a course is said in one line, with exit code 2, and nothing is written."""

from pathlib import Path

import pytest

from tests.cli.command import error_line, run
from tests.course.school import QUICK, course_yaml, roster

MARKS = dict(QUICK["marks"])  # type: ignore[call-overload]
BASELINE = {"random": {"bot": "sample:random", "points": 50}}
# Changed keys of course.yaml, and what the error says, in this order.
COURSES: dict[str, tuple[dict[str, object], tuple[str, ...]]] = {
    "no zone": ({"deadline": "2026-11-20 23:59"}, ("no time zone", "course.yaml:5", "Europe")),
    "skipped hour": ({"deadline": "2026-03-29 02:30 Europe/Berlin"}, ("not at all",)),
    "repeated hour": ({"deadline": "2026-10-25 02:30 Europe/Berlin"}, ("twice",)),
    "no deadline": (
        {"deadline": None},
        ("missing key 'deadline'", "for example `deadline: 2026-11-20 23:59 Europe/Berlin`"),
    ),
    "a list of marks": ({"marks": [1]}, ("marks: expected keys with values", "not a list")),
    "no such column": (
        {"roster": {"file": "roster.csv", "id": "Matrikel"}},
        ("no column 'Matrikel'", "roster.csv:1"),
    ),
    "opened after the deadline": ({"opened": "2101-01-01 12:00 UTC"}, ("opened after the dead",)),
    "percent of what": ({"extensions": {"s1": "+25 %"}}, ("percent", "course.yaml:", "opened")),
    "a part called as another": (
        {"marks": {**MARKS, "legal": 30, "by_hand": {"field": 10}}},
        ("no part of its own can be called 'field'", "course.yaml:"),
    ),
    "a part called as what is added": (
        {"marks": {**MARKS, "legal": 30, "by_hand": {"bonus": 10}}},
        ("can be called 'bonus'",),
    ),
    "marks without a grade": ({"grades": {"key": {"A": 1}}}, ("begin at 0 points", "course.yaml:")),
    "a grade that nobody reaches": (
        {"grades": {"key": {"A": 101, "B": 0}}},
        ("'A' begins at more than all of the 100 points",),
    ),
    "two grades in one": ({"grades": {"key": {"A": 0, "B": 0}}}, ("two grades begin",)),
    "a better grade of none": ({"grades": {"better": True}}, ("without a key",)),
    "no starter": ({"starter": ["nowhere"]}, ("no such folder: 'nowhere'", "course.yaml:")),
    "late days of no course": (
        {"late": {"free_days": 2, "used_in": ["nowhere"]}},
        ("nothing was graded in 'nowhere'", "course.yaml:"),
    ),
    "no points by hand": ({"by_hand": "by-hand.csv"}, ("no such file", "by-hand.csv")),
    "unknown resubmissions": (
        {"resubmissions": "first"},
        ("unknown resubmissions 'first'", "best", "latest"),
    ),
    "a struck number of nobody": ({"struck": [7777]}, ("no student has the id '7777'",)),
    "marks do not add up": (
        {"marks": {**MARKS, "legal": 39}},
        ("add up to 99 points, not to the total of 100", "course.yaml:6", "legal 39"),
    ),
    "negative points": ({"marks": {**MARKS, "legal": -10, "field": 60}}, ("marks.legal must be",)),
    "negative points of a baseline": (
        {"marks": {**MARKS, "baselines": {"x": {"bot": "sample:random", "points": -1}}}},
        ("marks.baselines.x.points must be 0 to 100000, not -1", "course.yaml:"),
    ),
    "no points": ({"marks": {"total": 0}}, ("add up to 0 points",)),
    "no such baseline": (
        {"marks": {**MARKS, "baselines": {"x": {"bot": "sample:randm", "points": 50}}}},
        ("there is no sample bot 'randm'", "course.yaml:", "did you mean 'random'"),
    ),
    "baseline that is a pattern": (
        {"marks": {**MARKS, "baselines": {"x": {"bot": "sample:*", "points": 50}}}},
        ("names", "bots", "name one of them"),
    ),
    "all points for no more than none": (
        {"marks": {**MARKS, "baselines": {"x": {"bot": "sample:odds", "points": 50, "all": 0.5}}}},
        ("`all` must be a larger share", "course.yaml:", "`none` is 0.5"),
    ),
    "no reference": ({"reference": None}, ("need a reference", "sample:odds")),
    "unknown key": ({"dedline": "x"}, ("unknown key 'dedline'", "did you mean 'deadline'")),
    "unknown variant": ({"variant": "bgaa"}, ("unknown variant", "course.yaml:")),
    "unknown sandbox": ({"sandbox": "proces"}, ("unknown sandbox", "did you mean 'process'")),
    "unknown student with an extension": (
        {"extensions": {"s9": "2100-12-01 12:00 UTC"}},
        ("no student has the id 's9'", "course.yaml:"),
    ),
    "extension before the deadline": (
        {"extensions": {"s1": "2000-12-01 12:00 UTC"}},
        ("ends before the deadline",),
    ),
    "struck stranger": ({"struck": ["s9"]}, ("no student has the id 's9'",)),
    "no budget": ({"budget": 1}, ("budget must be 80 to",)),
    "no hand-ins": ({"submissions": "nowhere"}, ("no such folder or archive", "nowhere")),
    "no roster": ({"roster": "nobody.csv"}, ("no such file", "nobody.csv")),
    "no list of times": ({"received": "times.csv"}, ("no such file", "times.csv")),
}


@pytest.mark.parametrize("case", COURSES)
def test_bad_course(tmp_path: Path, case: str) -> None:
    keys, parts = COURSES[case]
    roster(tmp_path, "s1,Ada")
    (tmp_path / "hand-ins/s1").mkdir(parents=True)
    course_yaml(tmp_path, **keys)
    before = sorted(tmp_path.rglob("*"))
    ran = run("course", "grade", ".", "--trust-bots", cwd=tmp_path)
    error_line(ran, *parts)
    assert sorted(tmp_path.rglob("*")) == before


ROSTERS = {
    "no ids": ("name,email\nAda,a@b\n", "no column 'id'"),
    "an id that is empty": ("id,name\n,Ada\n", "a student without an id"),
    "a student twice": ("id,name\ns1,Ada\nS1,Bob\n", "'S1' is there twice"),
    "a student twice, once as a Mac writes it": (
        "id,name\nm\u00fc,Ada\nmu\u0308,Bob\n",
        "is there twice",
    ),
    "nobody": ("id,name\n", "no students"),
    "empty": ("", "no column 'id'"),
    "not UTF-8": ("id,name\ns1,\udce4\n", "cannot be read"),
    "open quote": ('id,name\ns1,"Ada\n', "not a CSV file"),
}


@pytest.mark.parametrize("case", ROSTERS)
def test_bad_roster(tmp_path: Path, case: str) -> None:
    text, what = ROSTERS[case]
    (tmp_path / "roster.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    (tmp_path / "hand-ins").mkdir()
    course_yaml(tmp_path)
    error_line(run("course", "grade", ".", cwd=tmp_path), what, "roster.csv")


@pytest.mark.parametrize("command", [["verify"], ["marks", "--into", "x.csv", "--id", "a"]])
def test_course_that_was_not_graded(tmp_path: Path, command: list[str]) -> None:
    roster(tmp_path, "s1,Ada")
    course_yaml(tmp_path)
    more = ["--grade", "b"] if command[0] == "marks" else []
    ran = run("course", command[0], ".", *command[1:], *more, cwd=tmp_path)
    error_line(ran, "nothing was graded yet", "arena course grade")


def test_unknown_command_of_a_course(tmp_path: Path) -> None:
    error_line(run("course", "grad", cwd=tmp_path), "course grad", "did you mean 'grade'?")


def test_example_is_not_made_twice(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    error_line(run("course", "init", ".", cwd=tmp_path), "the folder is not empty")
