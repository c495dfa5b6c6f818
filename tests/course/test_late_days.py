"""Late days that cost nothing: a budget over the courses of a term."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.course.config import Options, load_course, terms_of
from arena.course.lock import Lock, LockedHandIn, write_lock
from arena.course.marks import mark_of
from tests.course.school import course_yaml, roster

KEYS = {"marks": {"total": 100, "legal": 100}, "reference": None}
LATE = {"points_per_day": 10, "days": 5, "free_days": 3}


def test_days_used_in_another_course_are_gone(tmp_path: Path) -> None:
    for name in ("first", "second", "third"):
        (tmp_path / name).mkdir()
        roster(tmp_path / name, "s1,Ada", "s2,Bob")
        late = {**LATE, "used_in": ["../first", "../second"]} if name == "third" else LATE
        course_yaml(tmp_path / name, late=late, **KEYS)
        used = {"first": {"s1": 2}, "second": {"s1": 3, "s2": 1}}.get(name, {})
        if used:
            course = load_course(tmp_path / name)
            hand_ins = {id_: LockedHandIn("x", "", 4, "", free_days=n) for id_, n in used.items()}
            write_lock(course.folder, Lock(terms_of(course, None, Options()), hand_ins=hand_ins))
    assert load_course(tmp_path / "first").free_days == {"s1": 3, "s2": 3}
    assert load_course(tmp_path / "third").free_days == {"s1": 0, "s2": 2}


@pytest.mark.parametrize(("days", "free", "deduction"), [(4, 0, 40), (4, 3, 10), (2, 2, 0)])
def test_free_days_are_not_deducted(tmp_path: Path, days: int, free: int, deduction: float) -> None:
    roster(tmp_path, "s1,Ada")
    course = load_course(course_yaml(tmp_path, late=LATE, **KEYS))
    lock = Lock(replace(terms_of(course, None, Options()), seed="x"))
    hand_in = LockedHandIn("x", "", days, "", steps=1, of=1, free_days=free)
    mark = mark_of(course.file, lock, hand_in, {}, {})
    assert (mark.deduction, mark.final) == (deduction, 100 - deduction)
