"""Marks in a school's export: one column changes, and no other byte."""

import re
from pathlib import Path

import pytest

from arena.course.output.fill import fill
from arena.io.errors import ArenaError
from tests.cli.command import error_line, run
from tests.course.school import course_yaml, roster

MARKS = {"s1": "61.50", "s2": "7.00"}
# An export, and what becomes of it.
EXPORTS = {
    "plain": (b"id,Grade\ns1,\ns2,3\n", b"id,Grade\ns1,61.50\ns2,7.00\n"),
    "line ends": (b"id,Grade\r\ns1,\r\ns2,3\r\n", b"id,Grade\r\ns1,61.50\r\ns2,7.00\r\n"),
    "no last line end": (b"id,Grade\ns1,", b"id,Grade\ns1,61.50"),
    "byte order mark": (b"\xef\xbb\xbfid,Grade\ns1,\n", b"\xef\xbb\xbfid,Grade\ns1,61.50\n"),
    "quotes": (
        b'"id","Full name","Grade"\n"s1","Ada, ""A"" L","-"\n',
        b'"id","Full name","Grade"\n"s1","Ada, ""A"" L","61.50"\n',
    ),
    "mixed quotes": (b'id,"Grade",x\ns1,4,"a\nb"\n', b'id,"Grade",x\ns1,61.50,"a\nb"\n'),
    "semicolons": (b"id;Grade;x\ns1;;1,5\n", b"id;Grade;x\ns1;61.50;1,5\n"),
    "tabs": (b"id\tGrade\ns1\t\n", b"id\tGrade\ns1\t61.50\n"),
    "spaces around an id": (b"id,Grade\n s1 , \n", b"id,Grade\n s1 ,61.50\n"),
    "another column first": (b"Grade,x,id\n,=1+1,s1\n", b"Grade,x,id\n61.50,=1+1,s1\n"),
    "points possible": (
        b"Student,id,Grade\n    Points Possible,,100\nAda,s1,\n",
        b"Student,id,Grade\n    Points Possible,,100\nAda,s1,61.50\n",
    ),
    "stranger": (b"id,Grade\nx9,5\ns1,\n", b"id,Grade\nx9,5\ns1,61.50\n"),
    "short line": (b"id,Grade\ns2\n\ns1,\n", b"id,Grade\ns2\n\ns1,61.50\n"),
    "bytes that are no UTF-8": (b"id,n,Grade\ns1,\xe4\xff,\n", b"id,n,Grade\ns1,\xe4\xff,61.50\n"),
    "another case": (b"id,Grade\nS1,\n", b"id,Grade\nS1,61.50\n"),
}


@pytest.mark.parametrize("case", EXPORTS)
def test_only_the_column_changes(tmp_path: Path, case: str) -> None:
    before, after = EXPORTS[case]
    path = tmp_path / "export.csv"
    path.write_bytes(before)
    assert fill(path, "id", "Grade", MARKS).content == after


# Exports as the systems write them: where a mark goes, <ID:what was there>.
MOODLE_HEAD = (
    b'"First name","Last name","ID number",Institution,Department,"Email address",'
    b'"Assignment: Perudo, part 1 (Real)","Course total (Real)",'
    b'"Last downloaded from this course"\n'
)
WORKSHEET_HEAD = (
    b'Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",'
    b'"Last modified (submission)","Last modified (grade)","Feedback comments"\r\n'
)
CANVAS_HEAD = (
    b"Student,ID,SIS User ID,SIS Login ID,Section,Notes,Perudo (4711),Assignments Current Points,"
    b"Assignments Final Points,Current Score,Final Score\n"
)
SYSTEMS = {
    "Moodle's grades": (
        "Email address",
        "Assignment: Perudo, part 1 (Real)",
        MOODLE_HEAD
        + b"Ada,Lovelace,4711,,,Ada@school.example,<s1:->,-,1790000000\n"
        + b'"Bob ""B""",O\'Hara,,"Uni, North",,bob@school.example,<s2:"55.00">,"55.00",1790000000\n'
        + b"Guest,User,,,,guest@school.example,-,-,1790000000\n",
    ),
    "Moodle's grades with colons": (
        "ID number",
        "Perudo (Real)",
        (
            b'"First name":"ID number":"Perudo (Real)":"Last downloaded from this course"\n'
            b"Ada:s1:<s1:->:1790000000\nBob:s2:<s2:->:1790000000\n"
        ),
    ),
    "Moodle's grades in German": (
        "E-Mail-Adresse",
        "Aufgabe: W\xfcrfel (Punkte)",
        (
            b'\xef\xbb\xbfVorname;Nachname;E-Mail-Adresse;"Aufgabe: W\xc3\xbcrfel (Punkte)"\r\n'
            b"J\xc3\xbcrgen;M\xc3\xbcller;ada@school.example;<s1:55,00>\r\n"
        ),
    ),
    "Moodle's grades with tabs": (
        "Email address",
        "Perudo (Real)",
        b'"First name"\t"Email address"\t"Perudo (Real)"\nAda\tada@school.example\t<s1:->\n',
    ),
    "Moodle's offline worksheet": (
        "Email address",
        "Grade",
        WORKSHEET_HEAD
        + b'"Participant 17","Ada Lovelace",ada@school.example,"Submitted for grading - ",'
        + b'<s1:>,100.00,Yes,"Friday, 20 November 2026, 11:59 PM",-,"<p>Well done,</p>\r\n'
        + b'<p>""Ada""; s2@school.example,bob@school.example</p>\n"\r\n'
        + b'"Participant 18","Bob O\'Hara",bob@school.example,"No submission",'
        + b"<s2:>,100.00,Yes,-,-,\r\n",
    ),
    "Canvas' gradebook": (
        "SIS Login ID",
        "Perudo (4711)",
        CANVAS_HEAD
        + b",,,,,,Manual Posting,,,,\n"
        + b"    Points Possible,,,,,(read only),100.00,(read only),(read only),(read only),"
        + b"(read only)\n"
        + b'"Lovelace, Ada",1001,sis-1,s1,"Perudo 1, and Perudo 2",,<s1:>,0.00,0.00,,0.00\n'
        + b'"O\'Hara, Bob",1002,,s2,Perudo 1,"late,\nagain",<s2:EX>,,,,\n'
        + b'"Student, Test",1003,,f00dcafe,Perudo 1,,N/A,0.00,0.00,,0.00',
    ),
    "Canvas' gradebook with semicolons": (
        "SIS User ID",
        "Perudo (4711)",
        (
            b"\xef\xbb\xbfLastName;FirstName;ID;SIS User ID;SIS Login ID;Section;Perudo (4711)\n"
            b"    Points Possible;;;;;;100,00\nLovelace;Ada;1001;S1;ada;One;<s1:55,00>\n"
        ),
    ),
}
_SLOT = re.compile(rb'<(s\d):("?)([^>"]*)"?>')


@pytest.mark.parametrize("system", SYSTEMS)
def test_exports_of_real_systems_change_in_one_column(tmp_path: Path, system: str) -> None:
    id_column, mark_column, template = SYSTEMS[system]
    path = tmp_path / "export.csv"
    path.write_bytes(_SLOT.sub(rb"\2\3\2", template))
    keys = {f"{name}@school.example": MARKS[id_] for name, id_ in (("ada", "s1"), ("bob", "s2"))}
    found = fill(path, id_column, mark_column, MARKS | keys)
    wanted = _SLOT.sub(lambda slot: slot[2] + MARKS[slot[1].decode()].encode() + slot[2], template)
    assert found.content == wanted


REFUSED = {
    "quote that is not doubled": (b'n,id,Grade\n"a \\"b, c",s1,\n', "more cells than the first"),
    "no such column": (b"id,Grad\ns1,\n", "no column is called 'Grade'"),
    "no ids": (b"ID,Grade\ns1,\n", "no column is called 'id'"),
    "two columns": (b"id,Grade,Grade\ns1,,\n", "2 columns are called 'Grade'"),
    "twice": (b"id,Grade\ns1,\ns1,\n", "'s1' is there twice, in lines 2 and 3"),
    "open quote": (b'id,Grade\n"s1,\n', "a quote that does not end"),
    "empty": (b"", "no column is called 'id'"),
    "UTF-16": ("id,Grade\ns1,\n".encode("utf-16"), "UTF-16"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_export_is_refused_in_one_line(tmp_path: Path, case: str) -> None:
    content, what = REFUSED[case]
    path = tmp_path / "export.csv"
    path.write_bytes(content)
    with pytest.raises(ArenaError, match=what):
        fill(path, "id", "Grade", MARKS)
    assert path.read_bytes() == content


def test_people_without_a_mark_are_named(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(b"id,Grade\nx9,5\ns1,\n")
    filled = fill(path, "id", "Grade", MARKS)
    assert (filled.filled, filled.strangers) == (["s1"], ["x9"])


COMMA = {"key": {"1.7": 50, "5.0": 0}, "decimal_comma": True}
# Options, an export, and what becomes of it.
FILLED = {
    "points with a comma, which is quoted": (
        [],
        b"id,Grade\ns1,\ns2,\n",
        b'id,Grade\ns1,"2,50"\ns2,"60,00"\n',
    ),
    "grades": (["--what", "grades"], b"id;Grade\ns1;\ns2;\n", b"id;Grade\ns1;5,0\ns2;1,7\n"),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course that was graded by hand alone."""
    course = tmp_path_factory.mktemp("course")
    roster(course, "s1,Ada", "s2,Bob")
    (course / "hand-ins").mkdir()
    lines = ["id,part,points,reason", "s1,oral,2.5,silent", "s2,oral,60,fluent"]
    (course / "by-hand.csv").write_text("\n".join(lines))
    parts = {"total": 100, "legal": 40, "by_hand": {"oral": 60}}
    course_yaml(course, marks=parts, reference=None, by_hand="by-hand.csv", grades=COMMA)
    ran = run("course", "grade", course, cwd=course)
    assert ran.code == 0, ran.err
    return course


@pytest.mark.slow
@pytest.mark.parametrize("case", FILLED)
def test_points_and_grades_are_filled_in(graded: Path, tmp_path: Path, case: str) -> None:
    options, before, after = FILLED[case]
    export = tmp_path / "export.csv"
    export.write_bytes(before)
    columns = ("--into", export, "--id", "id", "--grade", "Grade")
    ran = run("course", "marks", graded, *columns, *options, cwd=tmp_path)
    assert (ran.code, export.read_bytes()) == (0, after), ran


@pytest.mark.slow
def test_marks_that_somebody_edited_are_not_passed_over(graded: Path, tmp_path: Path) -> None:
    export, marks = tmp_path / "export.csv", graded / "marks.csv"
    export.write_bytes(b"id,Grade\ns1,\n")
    kept = marks.read_bytes()
    marks.write_bytes(kept.replace(b"60.00", b"61.00"))
    columns = ("--into", export, "--id", "id", "--grade", "Grade")
    ran = run("course", "marks", graded, *columns, cwd=tmp_path)
    marks.write_bytes(kept)
    error_line(ran, "it is not as arena course grade wrote it", "marks.csv", "`by_hand`")
    assert export.read_bytes() == b"id,Grade\ns1,\n"
