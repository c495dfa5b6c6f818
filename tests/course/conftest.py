"""A course that was graded, which tests look at, or go on with in copies."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.manifest import load_bot
from arena.course.output import student_page
from tests.course.judged import RememberingCoach
from tests.course.school import LATE, STUDENTS, course_yaml, grade, hand_in, roster
from tests.e2e.live import let_others_in
from tests.support.archives import BOT, zip_of
from tests.support.made_once import made_once


@pytest.fixture(scope="session", autouse=True)
def _games_are_judged_once() -> Iterator[None]:
    """Gradings of one course have most games in common."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(student_page, "Coach", RememberingCoach)
        yield


@pytest.fixture(scope="session")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a late copy of a bot, a sample bot, a broken hand-in, and two of none."""
    return made_once(tmp_path_factory, "school", _grade) / "course"


def _grade(school: Path) -> None:
    course = school / "course"
    course.mkdir()
    let_others_in(school)
    roster(course, *STUDENTS)
    hand_in(course, "s1", "honest", name="mine")
    hand_in(course, "s3", "random")
    hand_in(course, "s4", "honest", name="mine")
    (course / "hand-ins/s4/bot.yaml").write_text("comand: python3 bot.py\n")
    hand_in(course, "s6", "honest", name="late")
    lines = ["file,received", "s6,2100-11-21 12:00 Europe/Berlin"]
    (course / "received.csv").write_text("\n".join(lines) + "\n")
    course_yaml(course, received="received.csv", late=LATE)
    ran = grade(course)
    assert ran.code == 0, ran.err
    (school / "said").write_text(ran.err)


@pytest.fixture
def copy(graded: Path, tmp_path: Path) -> Path:
    """Return a copy of the course to go on with."""
    let_others_in(tmp_path)
    return Path(shutil.copytree(graded, tmp_path / "course", symlinks=True))


@pytest.fixture(scope="session")
def tidy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the digest of the bot of `tests/support/archives.py`, handed in as it should be."""
    return load_bot(zip_of(tmp_path_factory.mktemp("tidy") / "a.zip", BOT)).info.digest
