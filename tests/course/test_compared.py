"""The teacher's page of hand-ins that are alike."""

from pathlib import Path

import pytest

from arena.author.alike.alike import Alike, AlikeRequest
from arena.course.config import Course, load_course
from arena.course.lock import Lock
from arena.course.marks import grading
from arena.course.output import similarity as compared
from arena.course.output.similarity import compare_hand_ins
from arena.io.errors import ArenaError
from tests.author.alike.plants import hand_ins
from tests.course.school import course_yaml, roster
from tests.course.shown import HEAD, STUDENTS, lock_of

NAMES = ("original", "renamed", "apart")


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """Return a course with a hand-in, its copy with other names, and one that was written apart."""
    roster(tmp_path, *STUDENTS, head=HEAD)
    hand_ins(tmp_path / "hand-ins", ["renamed"])
    course = load_course(course_yaml(tmp_path))
    grading(course).mkdir()
    return course


def compare(course: Course, lock: Lock, *names: str) -> list[str]:
    """Compare the hand-ins of some students; returns what was said."""
    said: list[str] = []
    sources = {name: course.submissions / name for name in names}
    compare_hand_ins(course, lock, sources, 1, said.append, trusted=True)
    return said


def test_page_shows_copies_to_the_teacher_alone(course: Course) -> None:
    assert compare(course, lock_of(course), *NAMES, "absent") == ["comparing 3 hand-ins"]
    page = course.folder / "alike.html"
    text = page.read_text(encoding="utf-8")
    assert "original Ada and renamed Zoë" in text
    assert "def believable(turn, quantity, face, wild):" in text
    assert "apart Flo" not in text.partition("<main")[2]
    assert page.stat().st_mode & 0o077 == 0


def test_hand_ins_are_compared_again_only_if_they_changed(course: Course) -> None:
    assert compare(course, lock_of(course), *NAMES)
    assert compare(course, lock_of(course), *NAMES) == []
    assert compare(course, lock_of(course, "2"), *NAMES)
    assert compare(course, lock_of(course, "3"), "original") == []
    assert not (course.folder / "alike.html").exists()


def test_positions_are_drawn_by_the_secret_of_the_course(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[AlikeRequest] = []

    def stand_in(
        _: object, __: object, request: AlikeRequest, *___: object, **____: object
    ) -> Alike:
        asked.append(request)
        raise ArenaError("a worker died")

    monkeypatch.setattr(compared, "alike", stand_in)
    said = compare(course, lock_of(course), *NAMES)
    assert [one.seed for one in asked] == ["secret/alike"]
    assert said[-1] == "hand-ins were not compared: a worker died"
