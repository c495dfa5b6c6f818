"""A course whose results are made up: its pages, with nothing of them empty, without games."""

from pathlib import Path

import msgspec
from msgspec.structs import replace

from arena.author.check.findings import CheckReport, Finding, StepResult
from arena.course.baselines import PER_BLOCK
from arena.course.by_hand import ByHand
from arena.course.config import Course, Options, load_course, terms_of
from arena.course.intake.checks import Checked, check_key
from arena.course.intake.entries import CHECKS
from arena.course.lock import Given, Lock, LockedHandIn
from arena.course.marks import Result, grading, mark_of
from arena.course.output.giving import page_path
from arena.course.output.pages import Notices, write_pages
from arena.course.output.similarity import compare_hand_ins
from arena.course.points import share_of
from arena.game.records import LimitsInfo
from tests.author.alike.plants import hand_ins
from tests.course.school import course_yaml, roster

HEAD = "id,name,email,group,team"
STUDENTS = (
    "original,Ada,,A,",
    "renamed,Zoë,,B,",
    "apart,Flo,,A,duo",
    "mate,Mia,,A,duo",
    "broken,Bo,,B,",
    "absent,Ed,,B,",
)
_SECRET = "a test's"  # noqa: S105 - it names pages of tests
_RULES = {
    "table": True,
    "grace": 300,
    "late": {"points_per_day": 10, "days": 3},
    "extensions": {"apart": "+3 days"},
    "grades": {"key": {"1.0": 90, "2.0": 70, "3.0": 60, "5.0": 0}, "better": True},
    "contact": "Dr. Example, room 3",
}


def page_of(student: str) -> str:
    return page_path(_SECRET.encode(), student)


PAGES = {
    "class of a course": "class.html",
    "best of a course": page_of("original"),
    "late of a course": page_of("renamed"),
    "team of a course": page_of("apart"),
    "broken of a course": page_of("broken"),
    "absent of a course": page_of("absent"),
    "alike": "alike.html",
}
"""One page of each kind."""
_FAULT = Finding("timeout: no answer within 2 s", "", "`think` less", ('{"type":"turn"}',), "x")


def write_course(folder: Path, **keys: object) -> Course:
    """Write a course and its pages: copies, a team, a fault, one who is late, one of nothing."""
    folder.mkdir(exist_ok=True)
    roster(folder, *STUDENTS, head=HEAD)
    hand_ins(folder / "hand-ins", ["renamed"])
    course = load_course(course_yaml(folder, **{**_RULES, **keys}))
    (grading(course) / CHECKS).mkdir(parents=True)
    (grading(course) / "secret").write_text(_SECRET, encoding="ascii")
    lock = lock_of(course)
    sources = {name: course.submissions / name for name in ("original", "renamed", "apart")}
    similarity = compare_hand_ins(course, lock, sources, 1, lambda _: None, trusted=True)
    results = [result(course, lock, number) for number in range(len(STUDENTS))]
    write_pages(course, lock, results, Notices(("lost.zip",), (), similarity))
    return course


def lock_of(course: Course, content: str = "1") -> Lock:
    """Return a lock of the students who handed in, and of what the reference reached."""
    plays = LockedHandIn("", "2100-11-20 20:00:00+01:00", 0, content, "b" * 64, 17, 17)
    known = replace(plays, given=Given("sample:honest", 0.97))
    late = replace(plays, received="2100-11-21 20:00:00+01:00", days_late=1)
    fails = replace(plays, bot="", steps=3)
    each = {"original": plays, "renamed": late, "apart": known, "mate": known, "broken": fails}
    kept = {id_: replace(one, file=id_) for id_, one in each.items()}
    return Lock(
        terms=replace(terms_of(course, None, Options()), seed="secret"),
        shares={"random": share_of([70], PER_BLOCK)},
        hand_ins=kept,
        by_hand={"renamed": [ByHand("appeal", 2.5, "the network failed")]},
        grades=course.file.grades,
    )


def result(course: Course, lock: Lock, number: int) -> Result:
    """Return what a student is told, given by place on the roster."""
    student = course.students[number]
    hand_in = lock.hand_ins.get(student.id)
    plays = bool(hand_in and hand_in.bot)
    if hand_in and not plays:
        path = grading(course) / CHECKS / f"{check_key(student.unit, hand_in.content)}.json"
        path.write_bytes(msgspec.json.encode(_checked(course)))
    blocks = {"random": [80 if student.id == "original" else 60]} if plays else {}
    by_hand = lock.by_hand.get(student.id, ())
    mark = mark_of(course.file, lock, hand_in, blocks, {}, by_hand)
    return Result(student, hand_in, mark, "" if hand_in else "nothing was handed in")


def _checked(course: Course) -> Checked:
    where = f"{course.submissions}/broken/bot.py:7"
    steps = [StepResult(4, "game", "a game", [replace(_FAULT, where=where)])]
    report = CheckReport("bot", "process", False, steps, 0, False, LimitsInfo(), None, [], "", "")
    return Checked(report, "")
