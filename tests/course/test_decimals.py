"""Marks are written with the decimal sign of a school's export."""

from pathlib import Path

import pytest

from arena.course.output.fill import fill
from arena.course.roster import Student
from arena.io.errors import ArenaError

MARKS = {"s1": "61.50", "s2": "7.00"}
STUDENTS = [Student("s1"), Student("s2")]
# A file with semicolons, and the sign that its marks get.
SIGNS = {
    "a mark": ("id;G\ns1;\ns2;55,00\n", ","),
    "points possible": ("id;G\nPossible;100,00\ns1;\n", ","),
    "maximum in German": ("id;G;Bestwertung;Gruppe\ns1;;100,00;1.2\n", ","),
    "maximum in English": ("id;G;Maximum Grade;x\ns1;;100.00;1,2\n", "."),
    "mark before maximum": ("id;G;Maximum grade\ns1;55.50;100,00\n", "."),
    "another column": ("id;G;Total\ns1;;55,00 %\nx;;-\n", ","),
    "words in another column": ("id;G;Note\ns1;;1,5\ns2;;see 3\n", "."),
    "dates": ("id;G;Day\ns1;;20.12.2026\ns2;;1,5\n", "."),
    "thousands alone": ("id;G;x\ns1;;1,000\n", "."),
    "thousands and decimals": ("id;G;x\ns1;;1.234,50\n", ","),
    "many thousands": ("id;G;x\ns1;;1.234.567\n", "."),
    "three decimals": ("id;G;x\ns1;;0,125\n", ","),
    "spaces between thousands": ("id;G;x\ns1;;1\u202f234,5\n", ","),
    "number as text": ("id;G\ns1;'-5,00\n", ","),
    "ids": ("id;G\ns1;\n1,5;\n", "."),
    "nothing": ("id;G\ns1;\n", "."),
}


@pytest.mark.parametrize("case", SIGNS)
def test_marks_get_the_decimal_sign_of_the_file(tmp_path: Path, case: str) -> None:
    text, sign = SIGNS[case]
    path = tmp_path / "export.csv"
    path.write_text(text, encoding="utf-8")
    filled = fill(path, "id", "G", STUDENTS, {"s1": "1.70"})
    assert f"\ns1;1{sign}70" in filled.content.decode()
    filled = fill(path, "id", "G", STUDENTS, {"s1": "v1.70"})
    assert "\ns1;v1.70" in filled.content.decode()


BOTH_SIGNS = {
    "among marks": (
        "id;G\ns1;55.50\ns2;\nx;1,5\ny;2,5\n",
        "commas in lines 4, 5, and points in line 2",
    ),
    "elsewhere": ("id;G;a;b\ns1;;4,5;\nx;;;1.5\n", "commas in line 2, and points in line 3"),
}


@pytest.mark.parametrize("case", BOTH_SIGNS)
def test_both_decimal_signs_are_refused_if_a_mark_needs_one(tmp_path: Path, case: str) -> None:
    text, what = BOTH_SIGNS[case]
    path = tmp_path / "export.csv"
    path.write_text(text)
    with pytest.raises(ArenaError, match=what):
        fill(path, "id", "G", STUDENTS, MARKS)
    assert fill(path, "id", "G", STUDENTS, {"s1": "5"}).filled == ["s1"]


def test_numbers_of_the_course_follow_it_where_the_file_shows_no_sign(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(b"id;G\ns1;55\n")
    assert fill(path, "id", "G", STUDENTS, {"s1": "1,7"}).content == b"id;G\ns1;1,7\n"
