"""Whose mark goes into a line of a school's export."""

import re
from pathlib import Path

import pytest

from arena.course.output.fill import At, fill
from arena.course.roster import Student
from arena.io.errors import ArenaError

# Ids, addresses and accounts on a roster, what a file has, and whose it is.
ROSTER = [
    Student("007", "Jane", "jane@school.example", account="Participant 4711"),
    Student("0100", "Li", "li@school.example", account="Teilnehmer/in4712"),
    Student("100", "Ray", "", account="ray-9"),
    Student("08", "Max", "", account="4713"),
    Student("9", "Zo\u00eb", "ZOE@school.example"),
]
WHOSE = {
    "007": "007",
    "7": "007",
    '="007"': "007",
    '="7"': "007",
    "'007": "007",
    "#007": "007",
    "00007": "007",
    "0100": "0100",
    "100": "100",
    "#100": "100",
    "0009": "9",
    "JANE@school.example": "007",
    "#zoe@school.example": "9",
    "Ray-9": "100",
    "Participant 4711": "007",
    "Teilnehmer/in4711": "007",
    "Participante 4712": "0100",
    "participant\u00a04713": "08",
    "4711": "007",
    "4713": "08",
    "7.0": None,
    "Participant 7": None,
    "Participant 9": None,
    "-7": None,
    "7" * 5000: None,
    "=": None,
    "'": None,
}


@pytest.mark.parametrize("text", WHOSE, ids=lambda text: text[:20])
def test_line_is_that_of_the_student_who_is_meant(tmp_path: Path, text: str) -> None:
    path, meant = tmp_path / "export.csv", WHOSE[text]
    cell = '"' + text.replace('"', '""') + '"'
    path.write_text(f"id,Grade\n{cell},\n", encoding="utf-8")
    filled = fill(path, "id", "Grade", ROSTER, {student.id: "5" for student in ROSTER})
    assert filled.filled == [meant] * (meant is not None)
    assert filled.strangers == [At(2, text)] * (meant is None)
    after = "5" if meant else ""
    assert filled.content.decode() == f"id,Grade\n{cell},{after}\n"


def test_formula_without_quotes_is_an_id(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(b'id,Grade\n="007",\n')
    filled = fill(path, "id", "Grade", ROSTER, {"007": "5"})
    assert filled.content == b'id,Grade\n="007",5\n'


TWO = {
    "zeros": ([Student("007"), Student("0007")], "7", "'7' may be '007' or '0007'"),
    "zeros and an account": (
        [Student("007"), Student("ada", account="7")],
        "7",
        "'7' may be '007' or 'ada'",
    ),
    "zeros and a participant": (
        [Student("007"), Student("ada", account="Participant 7")],
        "7",
        "'7' may be '007' or 'ada'",
    ),
    "an id and an account": (
        [Student("7"), Student("ada", account="7")],
        "7",
        "'7' may be '7' or 'ada'",
    ),
    "one participant's number": (
        [Student("s1", account="Participant 7"), Student("s2", account="Teilnehmer/in7")],
        "Participante 7",
        "'Participante 7' may be 's1' or 's2'",
    ),
}


@pytest.mark.parametrize("case", TWO)
def test_id_of_two_students_is_refused(tmp_path: Path, case: str) -> None:
    students, text, what = TWO[case]
    path = tmp_path / "export.csv"
    path.write_text(f"id,Grade\n{text},\n")
    with pytest.raises(ArenaError, match=re.escape(what)) as refused:
        fill(path, "id", "Grade", students, {})
    assert refused.value.where == f"{path}:2"
