"""Other users of the machine read nothing of a course, whatever the umask is."""

import os
import subprocess
from pathlib import Path

import pytest

from arena.bots.sandboxes.process import ProcessSandbox
from arena.course import new
from arena.course.config import load_course
from arena.course.output.private import close_to_others
from arena.io.files import umask
from tests.cli.command import Ran, run
from tests.course.school import course_yaml, grade, hand_in, marks, roster
from tests.e2e.live import let_others_in
from tests.support.depth import depth

OTHERS = 0o077
DEADLINE = "2100-11-20 23:59 Europe/Berlin"
LEGAL: dict[str, object] = {"marks": {"total": 100, "legal": 100}, "reference": None}
FIELD: dict[str, object] = {**LEGAL, "marks": {"total": 100, "legal": 90, "field": 10}}


def readable(folder: Path) -> list[str]:
    """Return what others have any right to, of a folder and all that is below it."""
    paths = [folder, *folder.rglob("*")]
    return [str(path) for path in paths if path.lstat().st_mode & OTHERS]


def ok(*arguments: object, cwd: Path) -> Ran:
    ran = run("course", *arguments, cwd=cwd)
    assert ran.code == 0, ran.err
    return ran


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mask", "sandbox", "keys"),
    depth(
        [(0o000, "process", FIELD)],
        [(0o000, "process", FIELD), (0o022, "bubblewrap", LEGAL)],
    ),
)
def test_all_that_a_course_writes_is_private(
    tmp_path: Path, mask: int, sandbox: str, keys: dict[str, object]
) -> None:
    """Bots start all the same: where the arena is root, as a user who may not enter there."""
    let_others_in(tmp_path)
    course = tmp_path / "course"
    in_week = {**keys, "submissions": "hand-ins/week-1"}
    (tmp_path / "r.csv").write_text("id,name\ns1,Ada\ns2,Bo\n", encoding="utf-8")
    with umask(mask):
        ok("init", course, "--roster", tmp_path / "r.csv", "--deadline", DEADLINE, cwd=tmp_path)
        assert readable(course) == []
        hand_in(course, "week-1/s1", "honest")
        hand_in(course, "week-1/s2", "random")
        subprocess.run(["chmod", "-R", "go=", course / "hand-ins"], check=True)
        course_yaml(course, **in_week, sandbox=sandbox).chmod(0o600)
        assert "can be read" not in grade(course).err
        assert readable(course) == []
        found = {(row["legal"], row.get("field", "") != "") for row in marks(course).values()}
        assert found == ({("90.00", True)} if keys is FIELD else {("100.00", False)})
        assert (course / "site/index.html").exists() == (keys is FIELD)
        ok("handouts", course, cwd=course)
        ok("gradescope", course, "--into", course / "out", cwd=course)
        assert os.access(course / "out/autograder/setup.sh", os.X_OK)
        ok("forget", course, "s2", "--yes", cwd=course)
        assert readable(course) == []
        assert os.umask(mask) == mask


@pytest.mark.slow
def test_worked_example_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(new, "make_sandbox", lambda _: ProcessSandbox())
    (tmp_path / "demo").mkdir()
    with umask(0):
        ok("init", tmp_path / "demo", cwd=tmp_path)
    assert readable(tmp_path / "demo") == []
    assert (tmp_path / "demo/hand-ins/s26_first.zip").exists()


def test_older_course_is_closed_and_the_teachers_own_files_are_named(tmp_path: Path) -> None:
    let_others_in(tmp_path)
    course = tmp_path / "my course"
    (course / "hand-ins").mkdir(parents=True)
    roster(course, "s1,Ada")
    course_yaml(course, **LEGAL)
    (course / "feedback").mkdir()
    (tmp_path / "elsewhere").write_text("x")
    (course / "feedback/link").symlink_to(tmp_path / "elsewhere")
    for name in ("marks.csv", "feedback/0.html"):
        (course / name).write_text("old")
    for path in (course, *course.rglob("*")):
        path.chmod(0o755)
    (course / "grading").mkdir(mode=0o500)
    (tmp_path / "elsewhere").chmod(0o644)
    said = ok("check", course, cwd=tmp_path).err
    warning = "course.yaml, hand-ins, roster.csv can be read by other users of this machine"
    assert f"{warning}: chmod -R go= '{course}'" in said
    for name in ("marks.csv", "feedback", "feedback/0.html"):
        assert (course / name).stat().st_mode & 0o777 == 0o700
    assert (course / "grading").stat().st_mode & 0o777 == 0o500
    assert (tmp_path / "elsewhere").stat().st_mode & 0o777 == 0o644
    course.chmod(0o700)
    assert close_to_others(load_course(course)) == ""
