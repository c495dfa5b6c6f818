"""A course of weeks: a deadline, a lock and marks for each, one roster, and a final mark."""

import csv
import json
from pathlib import Path

import pytest

from arena.course.config import Options, load_course, load_weeks, terms_of
from arena.course.lock import Lock, LockedHandIn, write_lock
from arena.course.output.handouts import PACK, write_handouts
from arena.io.errors import ArenaError
from tests.cli.command import Ran, error_line, run
from tests.course.school import STUDENTS, course_yaml, hand_in, marks, roster
from tests.e2e.live import let_others_in
from tests.support.made_once import made_once

LEGAL = {"total": 100, "legal": 100}
ORAL = {"total": 100, "legal": 50, "by_hand": {"oral": 50}}
FIRST = {"name": "first", "deadline": "2100-11-20 23:59 Europe/Berlin", "weight": 1}
SECOND = {"name": "The second!", "deadline": "2100-11-27 23:59 Europe/Berlin", "weight": 3}
WEEKS = [
    {**FIRST, "submissions": "hand-ins/first", "marks": LEGAL},
    {**SECOND, "submissions": "hand-ins/second", "marks": ORAL, "by_hand": "oral.csv"},
]
KEYS: dict[str, object] = {"deadline": None, "submissions": None, "marks": None, "reference": None}


def ok(*arguments: object, cwd: Path) -> Ran:
    ran = run("course", *arguments, cwd=cwd)
    assert ran.code == 0, ran.err
    return ran


def grade(course: Path, week: str) -> Ran:
    options = ("--week", week, "--trust-bots", "--workers", 1)
    return ok("grade", course, *options, cwd=course)


def final(course: Path) -> dict[str, dict[str, str]]:
    with (course / "final.csv").open(newline="", encoding="utf-8") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose two weeks were graded: legal play, and an oral exam beside it."""
    return made_once(tmp_path_factory, "weeks", _grade) / "course"


def _grade(school: Path) -> None:
    course = school / "course"
    course.mkdir()
    let_others_in(school)
    roster(course, *STUDENTS[:3])
    course_yaml(course, **KEYS, weeks=WEEKS)
    (course / "hand-ins").mkdir()
    (course / "oral.csv").write_text("id,part,points,reason\ns1,oral,30,well\n", encoding="utf-8")
    hand_in(course, "first/s1", "honest")
    hand_in(course, "first/s2", "random")
    hand_in(course, "second/s1", "odds")
    grade(course, "1")
    (school / "after-1.csv").write_bytes((course / "final.csv").read_bytes())
    grade(course, "The second!")


def test_each_week_has_a_lock_marks_and_pages_of_its_own(course: Path) -> None:
    assert marks(course / "first")["s2"]["final"] == "100.00"
    assert marks(course / "the-second")["s1"]["final"] == "80.00"
    for folder, name in (("first", "first"), ("the-second", "The second!")):
        lock = json.loads((course / folder / "course.lock").read_bytes())
        assert lock["week"] == name
        assert f"Class, {name}" in (course / folder / "class.html").read_text(encoding="utf-8")
    assert not (course / "course.lock").exists()
    written = [course / name for name in ("first", "the-second", "grading", "final.csv")]
    paths = [path for top in written for path in (top, *top.rglob("*"))]
    assert [path for path in paths if path.stat().st_mode & 0o077] == []


def test_final_mark_is_the_weighted_mean(course: Path) -> None:
    rows = final(course)
    assert [rows["s1"][week] for week in ("first", "The second!")] == ["100.00", "80.00"]
    assert {id_: row["final"] for id_, row in rows.items()} == {
        "s1": "85.00",
        "s2": "25.00",
        "s3": "0.00",
    }
    after_first = (course.parent / "after-1.csv").read_text(encoding="utf-8")
    assert "not graded yet: The second!" in after_first
    assert "not graded" not in (course / "final.csv").read_text(encoding="utf-8")


def test_marks_of_a_week_and_final_ones_go_into_the_schools_file(
    course: Path, tmp_path: Path
) -> None:
    export = tmp_path / "export.csv"
    for week, wanted in (("", "85.00"), ("2", "80.00")):
        export.write_text("id,Grade\ns1,\ns2,\ns3,\n", encoding="utf-8")
        chosen = ("--week", week) if week else ()
        columns = ("--id", "id", "--grade", "Grade")
        ok("marks", course, "--into", export, *columns, *chosen, cwd=tmp_path)
        assert f"s1,{wanted}" in export.read_text(encoding="utf-8")


def test_page_of_a_student_has_one_name_in_all_weeks(course: Path, tmp_path: Path) -> None:
    for week in ("1", "2"):
        ok("feedback", course, "--week", week, "--into", tmp_path / "public", cwd=tmp_path)
    pages = [
        {page.name for page in (tmp_path / "public" / week / "feedback").iterdir()}
        for week in ("first", "the-second")
    ]
    assert len(pages[0]) == 3
    assert pages[0] == pages[1]


def test_week_is_checked_and_verified(course: Path) -> None:
    ran = ok("check", course, "--week", 2, "--workers", 1, "--trust-bots", "--json", cwd=course)
    rows = {row["student"]: row for row in json.loads(ran.out)["survey"]["students"]}
    assert rows["s1"]["file"] == "s1"
    assert rows["s1"]["deadline"].startswith("2100-11-27")
    assert not rows["s2"]["file"]
    ok("verify", course, "--week", "the-second", "--workers", 1, cwd=course)


def test_student_is_forgotten_in_all_weeks(course: Path, tmp_path: Path) -> None:
    let_others_in(tmp_path)
    _grade(tmp_path)
    copy = tmp_path / "course"
    ok("forget", copy, "s1", "--yes", cwd=tmp_path)
    left = [path for path in copy.rglob("*") if path.is_file() and path.suffix in {".csv", ".lock"}]
    assert [path for path in left if b"s1" in path.read_bytes()] == []
    assert not (copy / "hand-ins/first/s1").exists()
    assert not (copy / "hand-ins/second/s1").exists()
    assert {*final(copy)} == {"s2", "s3"}


@pytest.mark.parametrize("command", ["check", "grade", "verify"])
def test_week_has_to_be_named(course: Path, command: str) -> None:
    ran = run("course", command, course, cwd=course)
    error_line(ran, "the course has weeks", "course.yaml", "1 (first), 2 (The second!)")
    ran = run("course", command, course, "--week", "third", cwd=course)
    error_line(ran, "there is no week 'third'", "course.yaml", "--week")


@pytest.mark.parametrize(
    ("weeks", "said"),
    [
        ([], ("weeks are a list", "course.yaml:")),
        (["first"], ("a week has keys", "course.yaml:")),
        ([{**WEEKS[0], "roster": "r.csv"}], ("`roster` is the same in all weeks", "above `weeks`")),
        ([{**WEEKS[0], "weight": 0}], ("weight", "course.yaml:")),
        ([{**WEEKS[0], "dedline": "x"}], ("dedline", "deadline")),
        ([WEEKS[0], WEEKS[0]], ("two weeks have the folder 'first'", "rename")),
        ([{"marks": LEGAL, "submissions": "x"}], ("deadline", "course.yaml")),
        (
            [WEEKS[0], {**WEEKS[0], "name": "b", "marks": {"total": 50, "legal": 50}}],
            ("totals of 50 and 100", "weight"),
        ),
    ],
)
def test_bad_weeks_are_one_clear_line(
    tmp_path: Path, weeks: list[object], said: tuple[str, ...]
) -> None:
    roster(tmp_path, *STUDENTS)
    course_yaml(tmp_path, **KEYS, weeks=weeks)
    with pytest.raises(ArenaError) as raised:
        load_weeks(tmp_path)
    assert all(word in str(raised.value) for word in said), raised.value


def test_error_names_the_line_of_the_week(tmp_path: Path) -> None:
    roster(tmp_path, *STUDENTS)
    path = course_yaml(tmp_path, **KEYS, weeks=[WEEKS[0], {**WEEKS[1], "grace": -1}])
    line = path.read_text(encoding="utf-8").splitlines().index('   "grace": -1') + 1
    with pytest.raises(ArenaError, match=rf"course\.yaml:{line}:"):
        load_course(tmp_path, "1")


def test_course_of_one_exercise_has_no_week(tmp_path: Path) -> None:
    roster(tmp_path, *STUDENTS)
    with pytest.raises(ArenaError, match="the course has no weeks"):
        load_course(course_yaml(tmp_path), "1")
    (tmp_path / PACK).mkdir()
    (tmp_path / PACK / "a.md").write_text("by the deadline of week 1\n", encoding="utf-8")
    [page] = write_handouts(load_weeks(tmp_path))
    assert "by the deadline of week 1" in page.read_text(encoding="utf-8")


def test_free_days_are_gone_that_were_used_in_earlier_weeks(tmp_path: Path) -> None:
    roster(tmp_path, *STUDENTS[:2])
    late = {"points_per_day": 10, "days": 5, "free_days": 3}
    course_yaml(tmp_path, **KEYS, late=late, weeks=WEEKS)
    (tmp_path / "oral.csv").write_text("id,part,points,reason\n", encoding="utf-8")
    first = load_course(tmp_path, "1")
    first.folder.mkdir()
    hand_ins = {"s1": LockedHandIn("x", "", 4, "", free_days=2)}
    write_lock(first.folder, Lock(terms_of(first, None, Options()), hand_ins=hand_ins))
    assert load_course(tmp_path, "1").free_days == {"s1": 3, "s2": 3}
    assert load_course(tmp_path, "2").free_days == {"s1": 1, "s2": 3}
