"""A course whose results are made up: its pages, with nothing of them empty, without games."""

from pathlib import Path

import msgspec

from arena.author.check.findings import CheckReport, Finding, StepResult
from arena.course.config import Course, load_course
from arena.course.games.tables import PER_BLOCK
from arena.course.intake.checks import Checked, check_key
from arena.course.intake.entries import CHECKS, Options
from arena.course.lock import Lock, LockedHandIn
from arena.course.marks.marks import mark_of
from arena.course.marks.result import Result, grading
from arena.course.output.class_page import Notices
from arena.course.output.page_addresses import page_path
from arena.course.output.pages import write_pages
from arena.course.output.similarity import compare_hand_ins
from arena.course.points import share_of
from arena.course.terms import terms_of
from arena.game.records import LimitsInfo
from tests.author.alike.plants import hand_ins
from tests.course.school import course_yaml, roster

STUDENTS = ("original,Ada", "renamed,Zoë", "apart,Flo", "absent,Ed")
_SECRET = "a test's"  # noqa: S105 - it names pages of tests
PAGES = {
    "class of a course": "class.html",
    "student of a course": page_path(_SECRET.encode(), "renamed"),
    "alike": "alike.html",
}
"""One page of each kind."""
_FAULT = Finding("timeout: no answer within 2 s", "seat 0", "think less", ('{"type":"turn"}',), "x")


def write_course(folder: Path, **keys: object) -> Course:
    """Write a course and its pages: copies, a fault, one who is late, one who handed in nothing."""
    folder.mkdir(exist_ok=True)
    roster(folder, *STUDENTS)
    hand_ins(folder / "hand-ins", ["renamed"])
    course = load_course(course_yaml(folder, table=True, **keys))
    (grading(course) / CHECKS).mkdir(parents=True)
    (grading(course) / "secret").write_text(_SECRET, encoding="ascii")
    lock = lock_of(course)
    sources = {name: course.submissions / name for name in lock.hand_ins}
    similarity = compare_hand_ins(course, lock, sources, 1, lambda _: None, trusted=True)
    results = [result(course, lock, number) for number in range(len(STUDENTS))]
    write_pages(course, lock, results, Notices(("lost.zip",), (), similarity))
    return course


def lock_of(course: Course, content: str = "1") -> Lock:
    """Return a lock of the students who handed in, and of what the reference reached."""
    kept = {
        one.id: LockedHandIn(one.id, "2026-11-20 23:00:00+01:00", days, content, steps=16, of=17)
        for days, one in enumerate(course.students[:-1])
    }
    terms = msgspec.structs.replace(terms_of(course, None, Options()), seed="secret")
    return Lock(terms=terms, shares={"random": share_of([70], PER_BLOCK)}, hand_ins=kept)


def result(course: Course, lock: Lock, number: int) -> Result:
    """Return what a student is told, given by place on the roster."""
    student = course.students[number]
    hand_in = lock.hand_ins.get(student.id)
    if hand_in:
        path = grading(course) / CHECKS / f"{check_key(student.id, hand_in.content)}.json"
        path.write_bytes(msgspec.json.encode(_checked()))
    blocks = {"random": [60]} if hand_in else {}
    mark = mark_of(course.file, lock, hand_in, blocks, {})
    return Result(student, hand_in, mark, "" if hand_in else "nothing was handed in")


def _checked() -> Checked:
    steps = [StepResult(4, "game", "a game", [_FAULT])]
    report = CheckReport("bot", "process", False, steps, 0, False, LimitsInfo(), None, [], "", "")
    return Checked(report, "")
