"""Links among hand-ins are not followed: they are a fault of whoever handed them in."""

import os
import shutil
from pathlib import Path

import pytest

from arena.course.config import load_course
from arena.course.intake.entries import content_hash, content_of
from arena.course.intake.hand_ins import hand_ins_of
from tests.cli.command import ROOT, run
from tests.course.school import course_yaml, marks, roster
from tests.e2e.live import let_others_in

HONEST = ROOT / "sample_bots/honest"
# What each student's hand-in has in the place of a bot, and where the link is.
LINKS = {
    "itself": ("s02", "../../secret"),
    "of another student": ("s03", "s01"),
    "an archive": ("s04.zip", "s01.zip"),
    "in a wrapping folder": ("s05/bot", "../s01"),
    "deep in wrapping folders": ("s06/a/b/bot", "../../../../secret"),
    "an archive in a folder": ("s07/bot.zip", "../s01.zip"),
    "a manifest": ("s08/bot.yaml", "../s01/bot.yaml"),
    "a file of the bot": ("s09/bot.py", "../s01/bot.py"),
    "a manifest outside the course": ("s12/bot.yaml", "../../../secret/notes.yaml"),
    "to nothing": ("s10", "absent"),
    "to itself": ("s11", "s11"),
}


@pytest.fixture
def school(tmp_path: Path) -> Path:
    """Return a course with a bot outside, one that s01 handed in, and links by the others."""
    let_others_in(tmp_path)
    course = tmp_path / "course"
    shutil.copytree(HONEST, course / "hand-ins/s01")
    shutil.copytree(HONEST, tmp_path / "secret")
    (tmp_path / "secret/notes.yaml").write_text("password: 1\n")
    shutil.make_archive(str(course / "hand-ins/s01"), "zip", HONEST)
    shutil.copytree(HONEST, course / "hand-ins/s09", ignore=shutil.ignore_patterns("bot.py"))
    for path, target in LINKS.values():
        link = course / "hand-ins" / path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
    roster(course, *(f"s{number:02},N{number}" for number in range(1, 13)))
    course_yaml(course, marks={"total": 100, "legal": 100}, reference=None)
    return course


@pytest.mark.slow
def test_links_are_their_students_fault_and_the_others_are_graded(school: Path) -> None:
    ran = run("course", "grade", school, "--trust-bots", "--workers", "1", cwd=school)
    assert ran.code == 0, ran.err
    found = marks(school)
    assert {id_ for id_, row in found.items() if float(row["mark"]) > 0} == {"s01"}
    assert len({row["sha256"] for row in found.values()}) == len(found)
    pages = [page.read_text() for page in (school / "feedback").iterdir()]
    assert sum("a symbolic link" in page for page in pages) == len(LINKS)
    assert not any("secret" in page or "password" in page for page in pages)


@pytest.mark.parametrize("case", LINKS)
def test_no_link_is_followed(school: Path, case: str) -> None:
    student = Path(LINKS[case][0]).parts[0].removesuffix(".zip")
    with hand_ins_of(load_course(school / "course.yaml")) as intake:
        found = intake.hand_ins
        [mine] = [one for one in found if one.student == student]
    moment, content = mine.receipt, content_of(mine)
    assert (mine.inside.bot, "link" in mine.inside.why) == (None, True), mine.inside
    for outside in (school / "hand-ins/s01", school / "hand-ins/s01.zip", school.parent / "secret"):
        for path in [outside, *outside.rglob("*")]:
            if path.is_file():
                path.write_bytes(b"changed")
                os.utime(path, (2e9, 2e9))
    with hand_ins_of(load_course(school / "course.yaml")) as intake:
        found = intake.hand_ins
        [mine] = [one for one in found if one.student == student]
    assert (mine.receipt, content_of(mine)) == (moment, content)


def test_links_of_other_targets_are_other_contents(tmp_path: Path) -> None:
    hashes = set()
    for number, target in enumerate(("a", "b")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "bot").symlink_to(target)
        (tmp_path / f"link{number}").symlink_to(target)
        hashes |= {content_hash(folder), content_hash(tmp_path / f"link{number}")}
    assert len(hashes) == 4
