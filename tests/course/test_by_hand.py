"""Points that the teacher gives: read with their reasons, added to marks, told to students."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.course.by_hand import ByHand, read_by_hand
from arena.course.config import Options, load_course, terms_of
from arena.course.lock import Lock, LockedHandIn
from arena.course.marks import marks_csv, results_of
from arena.course.roster import Student
from arena.io.errors import ArenaError
from tests.course.school import course_yaml, roster

ADA = (Student("0042", "Ada"), Student("s2", "Bob"))
PARTS = {"oral": 20.0}
HEAD = "id;part;points;reason\n"


def test_points_are_read_with_their_reasons(tmp_path: Path) -> None:
    path = tmp_path / "by-hand.csv"
    lines = ["0042;bonus;2,5;a bot in Rust", "S2;penalty;-5;no names", "0042;oral;17;good"]
    path.write_text(HEAD + "\n".join(lines), encoding="utf-8")
    assert read_by_hand(path, ADA, PARTS) == {
        "0042": [ByHand("bonus", 2.5, "a bot in Rust"), ByHand("oral", 17, "good")],
        "s2": [ByHand("penalty", -5, "no names")],
    }


REFUSED = {
    "s9;bonus;1;x": "no student has the id 's9'",
    "s2;bonsu;1;x": "unknown part 'bonsu'",
    "s2;bonus;one;x": "'one' is no number of points",
    "s2;bonus;nan;x": "'nan' is no number of points",
    "s2;bonus;1;": "a reason has",
    "s2;bonus;-1;x": "the points of a bonus are positive",
    "s2;penalty;1;x": "the points of a penalty are negative",
    "s2;oral;21;x": "'oral' has 0 to 20 points, not 21",
    "s2;oral;1;x\ns2;oral;2;x": "has points for 'oral' already",
}


@pytest.mark.parametrize("lines", REFUSED)
def test_line_is_refused_with_its_number(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "by-hand.csv"
    path.write_text(HEAD + lines, encoding="utf-8")
    with pytest.raises(ArenaError) as refused:
        read_by_hand(path, ADA, PARTS)
    assert REFUSED[lines] in refused.value.what
    assert refused.value.where == f"{path}:{2 + lines.count(chr(10))}"


def test_marks_have_what_was_given(tmp_path: Path) -> None:
    roster(tmp_path, "original,Ada", "renamed,Zoë", "apart,Flo", "absent,Ed")
    lines = ["original;oral;8;knew the rules", "original;appeal;2;a typo of mine"]
    lines += ["absent;bonus;3;helped others", "apart;penalty;-100;late to the talk"]
    (tmp_path / "by-hand.csv").write_text(HEAD + "\n".join(lines))
    keys = {"marks": {"total": 27, "legal": 17, "by_hand": {"oral": 10}}, "reference": None}
    grades = {"key": {"passed": 20, "failed": 0}}
    course = load_course(course_yaml(tmp_path, by_hand="by-hand.csv", grades=grades, **keys))
    terms = replace(terms_of(course, None, Options()), seed="secret")
    hand_in = LockedHandIn("x", "2026-11-20 23:00:00+01:00", 0, "1", steps=16, of=17)
    hand_ins = dict.fromkeys(("original", "renamed", "apart"), hand_in)
    lock = Lock(terms, {}, hand_ins, by_hand=dict(course.by_hand), grades=course.file.grades)
    results = results_of(course, lock)
    marks = [result.mark for result in results if result.mark]
    assert [round(mark.final) for mark in marks] == [16 + 8 + 2, 16, 0, 3]
    assert [mark.grade.name for mark in marks if mark.grade] == ["passed", *["failed"] * 3]
    assert [mark.reasons["oral"] for mark in marks[:2]] == ["knew the rules", "not marked yet"]
    text = marks_csv(course, lock, results)
    assert "oral: knew the rules; appeal +2: a typo of mine" in text
    assert "bonus +3: helped others" in text
