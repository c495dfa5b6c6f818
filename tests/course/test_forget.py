"""A student is forgotten: nothing names them any more, and the marks of others stay."""

import shutil
from pathlib import Path

import pytest

from tests.cli.command import error_line, run
from tests.course.school import course_yaml, roster
from tests.e2e.live import let_others_in

LEGAL = {"marks": {"total": 100, "legal": 100}, "reference": None, "received": "received.csv"}
LEGAL |= {"by_hand": "by_hand.csv"}
BY_HAND = 'id;part;points;reason\nx1001;bonus;1;helped Bo\nx1002;penalty;-1;"late,\nagain"\n'
STUDENTS = (
    'x1001,"Adalbert ""A""",,A,',
    "x1002,Bo,,B,",
    "x1003,Cy,,A,duo",
    "x1004,Dietlind,,B,duo",
)
RECEIVED = (
    b'file,received\r\nx1001,"2100-11-20 20:00 Europe/Berlin"\r\nx1002,2100-11-20 21:00 UTC\r\n'
)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graded course of bots that do not start; two students are a team."""
    course = tmp_path_factory.mktemp("school") / "course"
    course.mkdir()
    let_others_in(course.parent)
    roster(course, *STUDENTS, head="id,name,email,group,team")
    for name in ("x1001", "x1002", "x1003"):
        (course / "hand-ins" / name).mkdir(parents=True)
        (course / "hand-ins" / name / "bot.yaml").write_text(f"comand: {name}\n")
    (course / "received.csv").write_bytes(RECEIVED)
    (course / "by_hand.csv").write_text(BY_HAND)
    course_yaml(course, **LEGAL)
    ran = run("course", "grade", course, "--trust-bots", "--workers", 1, cwd=course)
    assert ran.code == 0, ran.err
    return course


@pytest.fixture
def course(graded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(graded, tmp_path / "course"))


def naming(course: Path, word: str) -> set[str]:
    """Return the files below a course that have a word in them, or in their paths."""
    paths = [path for path in course.rglob("*") if path.is_file()]
    found = [path for path in paths if word.encode() in path.read_bytes() or word in path.parts]
    return {str(path.relative_to(course)) for path in found}


@pytest.mark.slow
def test_forgotten_student_is_named_nowhere(course: Path) -> None:
    before = (course / "marks.csv").read_bytes().splitlines(keepends=True)
    lines = (course / "roster.csv").read_bytes().splitlines(keepends=True)
    assert "marks.csv" in naming(course, "x1001")
    ran = run("course", "forget", course, "x1001", "--yes", cwd=course)
    assert ran.code == 0, ran.err
    assert naming(course, "x1001") == set()
    assert naming(course, "Adalbert") == set()
    assert not (course / "hand-ins/x1001").exists()
    assert (course / "marks.csv").read_bytes() == b"".join(before[:1] + before[2:])
    assert (course / "roster.csv").read_bytes() == b"".join(lines[:1] + lines[2:])
    assert (course / "received.csv").read_bytes() == RECEIVED[:15] + RECEIVED.split(b'"\r\n')[1]
    assert (course / "by_hand.csv").read_text() == BY_HAND.replace("x1001;bonus;1;helped Bo\n", "")
    assert run("course", "verify", course, "--workers", 1, cwd=course).code == 0


@pytest.mark.slow
def test_member_of_a_team_leaves_its_hand_in(course: Path) -> None:
    ran = run("course", "forget", course, "x1004", "--yes", cwd=course)
    assert ran.code == 0, ran.err
    assert "left: the hand-ins of the team 'duo'" in ran.err
    assert (course / "hand-ins/x1003").exists()
    assert naming(course, "Dietlind") == set()
    assert "x1003" in (course / "marks.csv").read_text()


def test_it_only_says_what_it_would_do_unless_it_is_told_to(course: Path) -> None:
    before = naming(course, "x1001")
    ran = run("course", "forget", course, "x1001", cwd=course)
    assert ran.code == 0
    assert "would be removed: 'x1001'" in ran.out
    assert f"arena course forget {course} x1001 --yes" in ran.err
    assert naming(course, "x1001") == before


def test_one_whom_course_yaml_names_is_taken_out_there_first(course: Path) -> None:
    course_yaml(course, **LEGAL, struck=["x1001"])
    before = naming(course, "x1001")
    ran = run("course", "forget", course, "x1001", "--yes", cwd=course)
    error_line(ran, "`struck` names 'x1001'", "course.yaml", "take that out first")
    assert naming(course, "x1001") == before


def test_stranger_cannot_be_forgotten(course: Path) -> None:
    ran = run("course", "forget", course, "x1005", "--yes", cwd=course)
    error_line(ran, "no student has the id 'x1005'", "roster.csv", "did you mean")


def test_only_student_is_a_course_to_be_removed(tmp_path: Path) -> None:
    roster(tmp_path, "x1001,Ada,,")
    (tmp_path / "hand-ins").mkdir()
    course_yaml(tmp_path)
    ran = run("course", "forget", tmp_path, "x1001", "--yes", cwd=tmp_path)
    error_line(ran, "the only student", "roster.csv", "remove the folder")
