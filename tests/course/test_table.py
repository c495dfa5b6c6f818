"""Tables that teachers fill in: whatever program wrote them, whatever their columns are called."""

from pathlib import Path

import pytest

from arena.course.config import load_course
from arena.course.intake.hand_ins import hand_ins_of
from arena.course.roster import Student, find_id, read_roster
from arena.course.table import Titles
from arena.io.errors import ArenaError
from tests.course.school import course_yaml, roster

COLUMNS: dict[str, Titles] = {
    "id": "Matrikelnummer",
    "name": ["Vorname", "Nachname"],
    "team": "Gruppe",
}
TABLES = {
    "commas": "Matrikelnummer,Vorname,Nachname,Gruppe\n4711,Zoë,Maß,red\n",
    "semicolons, Excel": "\ufeffMatrikelnummer;Vorname;Nachname;Gruppe\r\n4711;Zoë;Maß;red\r\n",
    "tabs, other order": "Gruppe\tNachname\tVorname\tMatrikelnummer\nred\tMaß\tZoë\t4711\n",
    "spaces, a Mac": " matrikelnummer , Vorname,Nachname,GRUPPE\n4711, Zoe\u0308,Maß\u00a0 , red\n",
}


@pytest.mark.parametrize("case", TABLES)
def test_columns_of_a_roster_are_mapped(tmp_path: Path, case: str) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(TABLES[case], encoding="utf-8")
    assert read_roster(path, COLUMNS) == (Student("4711", "Zoë Maß", team="red"),)


REFUSED = {
    "a column that is not there": (
        "Matrikelnr,Vorname,Nachname,Gruppe\n1,a,b,c\n",
        "no column 'Mat",
    ),
    "Windows-1252": ("Matrikelnummer,Vorname\n4711,Zo\udceb\n", "may be 'ë'"),
    "UTF-16": ("M\0a\0", "UTF-16"),
    "a team called as a student": (
        "Matrikelnummer,Vorname,Nachname,Gruppe\n1,a,b,2\n2,c,d,\n",
        "the team of '1' is called as the student '2'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_table_is_refused_in_plain_words(tmp_path: Path, case: str) -> None:
    text, what = REFUSED[case]
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ArenaError) as refused:
        read_roster(path, COLUMNS)
    assert what in str(refused.value)
    assert "codec" not in str(refused.value)
    assert "roster.csv" in refused.value.where


@pytest.mark.parametrize(
    ("written", "meant"),
    [("0042", "0042"), (42, "0042"), ("42", None), ("ZOË", "Zoë"), (1001, None), ("a  b", "a b")],
)
def test_id_is_found_as_a_person_writes_it(written: str | int, meant: str | None) -> None:
    students = [Student(id_) for id_ in ("0042", "Zoë", "01001", "001001", "a b")]
    assert find_id(written, students) == meant


def test_student_whose_id_is_a_number_needs_no_quotes(tmp_path: Path) -> None:
    roster(tmp_path, "0042,Ada", "1004,Bob")
    path = tmp_path / "course.yaml"
    course_yaml(tmp_path, struck=[42], extensions={"1004": "+1 day"})
    path.write_text(path.read_text().replace('"1004"', "1004").replace("42", "0042"))
    course = load_course(path)
    assert course.struck == {"0042"}
    assert course.due["1004"].extension == "+1 day"


def test_times_are_read_as_the_roster_is(tmp_path: Path) -> None:
    roster(tmp_path, "zoë,Zoë")
    (tmp_path / "hand-ins/zoe\u0308 bot").mkdir(parents=True)
    text = "\ufeffDatei;Abgegeben;Note\r\nzoë  bot/;2026-11-20 12:00 UTC;x\r\n"
    (tmp_path / "times.csv").write_text(text, encoding="utf-8")
    listed = {"table": "times.csv", "file": "Datei", "received": "Abgegeben"}
    with hand_ins_of(load_course(course_yaml(tmp_path, received=listed))) as intake:
        [hand_in] = intake.hand_ins
        assert f"{hand_in.receipt.moment:%d %H}" == "20 12"
        assert intake.unknown_lines == []


def test_line_of_a_folder_is_that_of_the_archive_in_it(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada")
    (tmp_path / "hand-ins/s1").mkdir(parents=True)
    (tmp_path / "hand-ins/s1/bot.zip").write_bytes(b"")
    (tmp_path / "received.csv").write_text("file,received\ns1,2026-11-20 12:00 UTC\n")
    with hand_ins_of(load_course(course_yaml(tmp_path, received="received.csv"))) as intake:
        assert f"{intake.hand_ins[0].receipt.moment:%d %H}" == "20 12"


def test_file_that_is_listed_twice_is_refused(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada")
    (tmp_path / "hand-ins/s1").mkdir(parents=True)
    line = "s1,2026-11-20 12:00 UTC\n"
    (tmp_path / "received.csv").write_text(f"file,received\n{line}{line}")
    course = load_course(course_yaml(tmp_path, received="received.csv"))
    with (
        pytest.raises(ArenaError, match="'s1' is there twice") as refused,
        hand_ins_of(course),
    ):
        pass
    assert refused.value.where.endswith("received.csv:3")
