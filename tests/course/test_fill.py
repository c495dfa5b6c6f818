"""Marks in a school's export: one column changes, and no other byte."""

import csv
import io
import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.course.output.fill import At, fill
from arena.course.roster import Student
from arena.io.errors import ArenaError
from tests.cli.command import error_line, run
from tests.course.school import course_yaml, roster

MARKS = {"s1": "61.50", "s2": "7.00"}
STUDENTS = [Student("s1", email="ada@school.example"), Student("s2", email="bob@school.example")]
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
    "semicolons": (b"id;Grade;x\ns1;;a\n", b"id;Grade;x\ns1;61.50;a\n"),
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
    "title in another case": (b"ID,GRADE\ns1,\n", b"ID,GRADE\ns1,61.50\n"),
    "title with other spaces": (b"id,\xc2\xa0Grade \ns1,\n", b"id,\xc2\xa0Grade \ns1,61.50\n"),
    "title with a character of no width": (
        b"id,Grade\xe2\x80\x8b\ns1,\n",
        b"id,Grade\xe2\x80\x8b\ns1,61.50\n",
    ),
    "this very title before one alike": (b"id,grade,Grade\ns1,,\n", b"id,grade,Grade\ns1,,61.50\n"),
    "line ends of an old Mac": (b"id,Grade\rs1,\rs2,\r", b"id,Grade\rs1,61.50\rs2,7.00\r"),
    "number of another program": (b'id,Grade\ns1,"=""7.00"""\n', b'id,Grade\ns1,"61.50"\n'),
}


@pytest.mark.parametrize("case", EXPORTS)
def test_only_the_column_changes(tmp_path: Path, case: str) -> None:
    before, after = EXPORTS[case]
    path = tmp_path / "export.csv"
    path.write_bytes(before)
    assert fill(path, "id", "Grade", STUDENTS, MARKS).content == after


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
    "Moodle's worksheet in German": (
        "ID",
        "Bewertung",
        (
            b'\xef\xbb\xbfID,"Vollst\xc3\xa4ndiger Name",E-Mail-Adresse,Status,Bewertung,'
            b'Bestwertung,"Zuletzt ge\xc3\xa4ndert (Bewertung)","Feedback als Kommentar"\r\n'
            b'Teilnehmer/in4711,"Ada L",a@school.example,"Zur Bewertung abgegeben",<s1:"">,'
            b'"100,00",-,\r\n'
            b'Teilnehmer/in4712,"B\xc3\xb6b","b@school.example","3 Minuten zu sp\xc3\xa4t",'
            b'<s2:"55,50">,"100,00","Montag, 21. Dezember 2026, 09:30",\r\n'
        ),
    ),
    "Moodle's worksheet in English": (
        "identifier",
        "Grade",
        (
            b'\xef\xbb\xbfIdentifier,"Full name",Status,Grade,"Maximum grade"\r\n'
            b'"Participant 4711","Ada L","Submitted for grading",<s1:>,100.00\r\n'
            b'"Participant 4712","B\xc3\xb6b","No submission",<s2:>,100.00\r\n'
            b'"Participant 4713","Guest","No submission",,100.00\r\n'
        ),
    ),
    "Blackboard's download": (
        "Student ID",
        "Perudo bot [Total Pts: 100 Score] |4242",
        (
            '\ufeff"Last Name"\t"Username"\t"Student ID"\t'
            '"Perudo bot [Total Pts: 100 Score] |4242"\n'
            '"Lee"\t"alee"\t"s1"\t<s1:"">\n"Ray"\t"bray"\t"s2"\t<s2:"Needs Grading">\n'
        ).encode("utf-16-le"),
    ),
    "GitHub Classroom's grades": (
        "roster_identifier",
        "points_awarded",
        (
            b"assignment_name,github_username,roster_identifier,submission_timestamp,"
            b"points_awarded,points_available\nPerudo,annlee,s1,2026-11-18 23:12:11 UTC,<s1:0>,0\n"
        ),
    ),
    "Brightspace's grades": (
        "OrgDefinedId",
        "Perudo Points Grade",
        (
            b"OrgDefinedId,Username,Perudo Points Grade,End-of-Line Indicator\r\n"
            b"#s1,#ada,<s1:>,#\r\n#s2,#bob,<s2:55.5>,#\r\n"
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
WITH_COMMAS = {
    "Moodle's grades in German",
    "Moodle's worksheet in German",
    "Canvas' gradebook with semicolons",
}
ACCOUNTS = [
    Student("s1", email="ada@school.example", account="Participant 4711"),
    Student("s2", email="bob@school.example", account="4712"),
]
_SLOT = re.compile(r'<(s\d):("?)([^>"]*)"?>')


@pytest.mark.parametrize("system", SYSTEMS)
def test_exports_of_real_systems_change_in_one_column(tmp_path: Path, system: str) -> None:
    id_column, mark_column, template = SYSTEMS[system]
    encoding = "utf-16-le" if template.startswith(b"\xff\xfe") else "utf-8"
    text = template.decode(encoding)
    path = tmp_path / "export.csv"
    path.write_bytes(_SLOT.sub(r"\2\3\2", text).encode(encoding))
    found = fill(path, id_column, mark_column, ACCOUNTS, MARKS)
    marks = {
        id_: mark.replace(".", "," if system in WITH_COMMAS else ".") for id_, mark in MARKS.items()
    }
    wanted = _SLOT.sub(lambda slot: slot[2] + marks[slot[1]] + slot[2], text)
    assert found.content.decode(encoding) == wanted
    assert found.filled == [slot[1] for slot in _SLOT.finditer(text)]


ENCODINGS = {
    "UTF-8": (b"", "utf-8"),
    "UTF-8 with a mark": (b"\xef\xbb\xbf", "utf-8"),
    "Windows-1252": (b"", "cp1252"),
    "UTF-16, little end first": (b"\xff\xfe", "utf-16-le"),
    "UTF-16, big end first": (b"\xfe\xff", "utf-16-be"),
    "UTF-16 without a mark": (b"", "utf-16-le"),
    "UTF-16 without a mark, big end first": (b"", "utf-16-be"),
}


@pytest.mark.parametrize("decomposed", [False, True])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_title_is_found_in_every_encoding_and_unicode_form(
    tmp_path: Path, encoding: str, decomposed: bool
) -> None:
    mark, name = ENCODINGS[encoding]
    titles = ["W\u00fcrfel\u00a0Bot", "Wu\u0308rfel\u00a0Bot"]
    # Windows-1252 has composed letters alone.
    title = titles[decomposed and name != "cp1252"]
    path = tmp_path / "export.csv"
    path.write_bytes(mark + f"id;{title};x\ns1;;J\u00fcrgen\n".encode(name))
    asked = titles[not decomposed].upper().replace("\u00a0", "  ")
    wanted = mark + f"id;{title};x\ns1;61.50;J\u00fcrgen\n".encode(name)
    assert fill(path, "id", asked, STUDENTS, MARKS).content == wanted


REFUSED = {
    "quote that is not doubled": (b'n,id,Grade\n"a \\"b, c",s1,\n', "more cells than the first"),
    "no such column": (b"id,Grad\ns1,\n", "no column is called 'Grade'"),
    "no ids": (b"Idea,Grade\ns1,\n", "no column is called 'id'"),
    "two columns alike": (b"id,GRADE,grade\ns1,,\n", "2 columns are called 'Grade': 2 and 3"),
    "twice in two forms": (b"id,Grade\ns1,\nada@school.example,\n", "'s1' is there twice"),
    "one column for both": (b"id\tGrade\tx\ns1\t\t\n", "is the column of ids"),
    "two columns": (b"id,Grade,Grade\ns1,,\n", "2 columns are called 'Grade'"),
    "twice": (b"id,Grade\ns1,\ns1,\n", "'s1' is there twice, in lines 2 and 3"),
    "open quote": (b'id,Grade\n"s1,\n', "a quote that does not end"),
    "empty": (b"", "no column is called 'id'"),
    "no end of columns": (b"id,Grade\n" + b"," * 20_000, "more than 10,000 columns"),
    "workbook": (b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0\xd8", "not a text file|not readable"),
    "UTF-16 cut in a character": ("id,Grade\ns1,\n".encode("utf-16")[:-1], "not readable as text"),
    "UTF-32": ("id,Grade\ns1,\n".encode("utf-32"), "not a text file"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_export_is_refused_in_one_line(tmp_path: Path, case: str) -> None:
    content, what = REFUSED[case]
    path = tmp_path / "export.csv"
    path.write_bytes(content)
    mark_column = "ID" if case == "one column for both" else "Grade"
    with pytest.raises(ArenaError, match=what):
        fill(path, "id", mark_column, STUDENTS, MARKS)
    assert path.read_bytes() == content


HINTS = {
    "Perudo bot": "did you mean 'Perudo bot (90210)'?",
    "perudo": "did you mean 'Assignment: Perudo (Real)' or 'Perudo bot (90210)'?",
    "SIS LOGIN": "did you mean 'SIS Login ID'?",
    "SIS Logn": "did you mean 'SIS Login ID'?",
    "W\u00fcrfel": "known: Assignment: Perudo (Real), Perudo bot (90210), SIS Login ID, id",
}


@pytest.mark.parametrize("asked", HINTS)
def test_column_that_may_be_meant_is_named(tmp_path: Path, asked: str) -> None:
    path = tmp_path / "export.csv"
    titles = "id,SIS Login ID,Assignment: Perudo (Real),Perudo bot (90210)"
    path.write_text(f"{titles}\ns1,,,\n")
    with pytest.raises(ArenaError) as refused:
        fill(path, "id", asked, STUDENTS, MARKS)
    assert (refused.value.where, refused.value.hint) == (f"{path}:1", HINTS[asked])


def test_quote_that_does_not_end_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(b'id,Grade,x\r\ns1,,"a\r\nb"\r\n"s2,,\r\n')
    with pytest.raises(ArenaError, match="a quote that does not end") as refused:
        fill(path, "id", "Grade", STUDENTS, MARKS)
    assert refused.value.where == f"{path}:4"


def test_mark_that_the_encoding_does_not_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(b"id,Grade,x\ns1,,J\xfcrgen\n")
    with pytest.raises(ArenaError, match="'\u4e00' cannot be written in Windows-1252"):
        fill(path, "id", "Grade", STUDENTS, {"s1": "\u4e00"})


def test_lines_that_get_no_mark_are_named(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(b'n,id,Grade\n"a\nb",x9,5\n,s1,\n,s2\n\nPoints,,100\nA,s5,9\n')
    students = [Student(f"s{number}") for number in (5, 4, 3, 2, 1)]
    marks = {f"s{number}": "5" for number in (4, 3, 2, 1)} | {"s5": ""}
    filled = fill(path, "id", "Grade", students, marks)
    assert filled.content == b'n,id,Grade\n"a\nb",x9,5\n,s1,5\n,s2\n\nPoints,,100\nA,s5,9\n'
    assert (filled.filled, filled.known) == (["s1"], 3)
    assert (filled.strangers, filled.no_cell) == ([At(2, "x9")], [At(5, "s2")])
    assert (filled.no_id, filled.missing) == ([7], ["s4", "s3"])
    assert not filled.is_whole


def test_guests_and_students_without_a_mark_are_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(b"id,Grade\nx9,5\ns1,\ns2,9\n")
    filled = fill(path, "id", "Grade", STUDENTS, {"s1": "5"})
    assert filled.content == b"id,Grade\nx9,5\ns1,5\ns2,9\n"
    assert filled.is_whole


_IDS = ["s1", "007", "0042", "J\u00fcrgen", "a b"]
_HEAD = {"id": "ID", "mark": "W\u00fcrfel", "most": "Maximum grade", "other": "x", "word": "\u00fc"}
_LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
_WORDS = st.text("a\u00e4\u00df \",;\t:\n'#=-", max_size=5)


class Table(NamedTuple):
    """A table before and after marks are filled in."""

    before: list[list[str]]
    after: list[list[str]]
    marks: dict[str, str]
    sign: str


def _cell(text: str, separator: str, *, quoted: bool) -> str:
    quoted = quoted or any(c in text for c in separator + '"\r\n')
    return '"' + text.replace('"', '""') + '"' if quoted else text


@st.composite
def _tables(draw: st.DrawFn, separator: str) -> Table:
    sign, columns = draw(st.sampled_from(".,")), draw(st.permutations([*_HEAD]))
    ids = draw(st.lists(st.sampled_from(_IDS), unique=True, min_size=1))
    points = draw(st.dictionaries(st.sampled_from(ids), st.integers(0, 10_000)))
    marks = {id_: f"{cents / 100:.2f}" for id_, cents in points.items()}
    table = Table([], [], marks, sign)
    for id_ in ["", *ids]:
        before = _HEAD
        if id_:
            old = draw(st.sampled_from(["", "-", f"12{sign}50"]))
            without_zeros = draw(st.sampled_from([id_, id_.lstrip("0")]))
            texts = [without_zeros, old, f"100{sign}00", draw(_WORDS), "\u00fc"]
            before = dict(zip(_HEAD, texts, strict=True))
        row = {name: _cell(before[name], separator, quoted=draw(st.booleans())) for name in columns}
        table.before.append([*row.values()])
        if id_ in marks:
            quoted = row["mark"].startswith('"')
            row["mark"] = _cell(marks[id_].replace(".", sign), separator, quoted=quoted)
        table.after.append([*row.values()])
    return table


@given(st.data())
def test_only_marks_change_in_any_table(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    separator, line_end = data.draw(st.sampled_from(",;\t:")), data.draw(_LINE_ENDS)
    order, encoding = data.draw(st.sampled_from([*ENCODINGS.values()]))
    table, last = data.draw(_tables(separator)), data.draw(st.sampled_from(["", line_end]))

    def whole(rows: list[list[str]]) -> bytes:
        return order + (line_end.join(map(separator.join, rows)) + last).encode(encoding)

    path = tmp_path_factory.mktemp("table") / "export.csv"
    path.write_bytes(whole(table.before))
    filled = fill(path, "ID", "W\u00fcrfel", [Student(id_) for id_ in _IDS], table.marks)
    assert filled.content == whole(table.after)
    text = io.StringIO(filled.content.removeprefix(order).decode(encoding), newline="")
    rows = csv.DictReader(text, delimiter=separator, strict=True)
    read = {row["ID"].lstrip("0"): row["W\u00fcrfel"].replace(table.sign, ".") for row in rows}
    assert {id_: read[id_.lstrip("0")] for id_ in table.marks} == table.marks


COMMA = {"key": {"1.7": 50, "5.0": 0}, "decimal_comma": True}
# Options, an export, and what becomes of it.
FILLED = {
    "points with a comma, which is quoted": (
        [],
        b"id,Grade\ns1,\ns2,\n",
        b'id,Grade\ns1,"2,50"\ns2,"60,00"\n',
    ),
    "points with a point, as the file has it": (
        [],
        b"id,Grade,Maximum grade\ns1,,100.00\ns2,,100.00\n",
        b"id,Grade,Maximum grade\ns1,2.50,100.00\ns2,60.00,100.00\n",
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


# An export, what becomes of it, and what is said as JSON and in words.
NOT_WHOLE = {
    "nobody of the roster": (
        b"id,Grade\nx1,5\n,6\n",
        b"id,Grade\nx1,5\n,6\n",
        {
            "filled": 0,
            "left_alone": [{"line": 2, "id": "x1"}],
            "no_id": [3],
            "missing": ["s1", "s2"],
        },
        (
            "no line has the id, e-mail address or account of a student on the roster\n"
            "left alone: x1 (line 2)\nno id: line 3\nnot in the file: s1, s2\n"
        ),
    ),
    "one is missing and one has no cell": (
        b"id,x,Grade\ns2,\n",
        b"id,x,Grade\ns2,\n",
        {"filled": 0, "no_cell": [{"line": 2, "id": "s2"}], "missing": ["s1"]},
        "no cell for the mark: s2 (line 2)\nnot in the file: s1\n",
    ),
    "one is missing": (
        b"id,Grade\ns2,\n",
        b'id,Grade\ns2,"60,00"\n',
        {"filled": 1, "missing": ["s1"]},
        "not in the file: s1\n",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", NOT_WHOLE)
def test_marks_that_are_missing_in_the_file_are_a_finding(
    graded: Path, tmp_path: Path, case: str
) -> None:
    before, after, said, words = NOT_WHOLE[case]
    export = tmp_path / "export.csv"
    export.write_bytes(before)
    columns = ("--into", export, "--id", "id", "--grade", "Grade")
    ran = run("course", "marks", graded, *columns, cwd=tmp_path)
    assert (ran.code, export.read_bytes(), ran.err) == (1, after, words)
    ran = run("course", "marks", graded, *columns, "--json", cwd=tmp_path)
    assert (ran.code, export.read_bytes()) == (1, after)
    assert json.loads(ran.out) == {"left_alone": [], "no_cell": [], "no_id": [], **said}


@pytest.mark.slow
def test_guest_in_the_file_is_a_note(graded: Path, tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    export.write_bytes(b"id;Grade\nguest;5\ns1;\ns2;\n;100,00\n")
    columns = ("--into", export, "--id", "id", "--grade", "Grade")
    ran = run("course", "marks", graded, *columns, cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "left alone: guest (line 2)\n")
    assert export.read_bytes() == b"id;Grade\nguest;5\ns1;2,50\ns2;60,00\n;100,00\n"


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
