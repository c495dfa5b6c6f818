"""When a hand-in was received: by which source, and what happens where sources differ."""

import shutil
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from arena.course.config import ReceivedEntry, load_course
from arena.course.intake.records import read_records
from arena.course.intake.times import Receipt
from arena.course.moments import Due, parse_moment
from tests.cli.command import error_line, run
from tests.course.downloads import KEYS, bot, hours, people, school
from tests.course.platforms import PACKINGS, Submitted
from tests.course.school import course_yaml, marks, roster
from tests.course.test_platforms import check

ZIP = PACKINGS["flat-zip"]


@pytest.fixture
def moodle(tmp_path: Path) -> Path:
    """Three students of Moodle, the second one late, with the worksheet."""
    persons = people(3)
    handed_in = [
        Submitted(persons[0], hours(-2), ZIP(bot("one"))),
        Submitted(persons[1], hours(2), ZIP(bot("two"))),
    ]
    school(tmp_path, "moodle", handed_in, persons)
    return tmp_path


def received(folder: Path, *lines: str, head: str = "file,received") -> None:
    (folder / "times.csv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")


def listed(folder: Path, *tables: object, **keys: object) -> None:
    """Name lists in course.yaml, beside those that it has."""
    course = load_course(folder)
    own = [entry.table for entry in course.received]
    kept = {"submissions": course.submissions.name, "received": [*tables, *own]}
    course_yaml(folder, **{**KEYS, **kept, **keys})


def test_list_of_the_teacher_comes_before_the_platform_if_it_says_why(moodle: Path) -> None:
    first, second, _ = people(3)
    _, rows, _ = check(moodle)
    file = rows[second.id]["file"]
    assert rows[second.id]["days_late"] == 1
    received(moodle, f"{file},2026-11-20T22:00:00Z")
    listed(moodle, "times.csv")
    ran, rows, survey = check(moodle)
    [problem] = survey["problems"]
    assert problem["what"] == (
        f"the times of '{file}' disagree: 2026-11-20 23:00:00 by times.csv,"
        " 2026-11-21 01:59:00 by Moodle's worksheet"
    )
    assert (ran.code, problem["students"]) == (1, [second.id])
    ran = run("course", "grade", moodle, "--trust-bots", cwd=moodle)
    error_line(ran, "the times of", "disagree", "`reason`")
    received(moodle, f"{file},2026-11-20T22:00:00Z,by mail", head="file,received,reason")
    ran, rows, survey = check(moodle)
    assert (ran.code, survey["problems"]) == (0, [])
    assert (rows[second.id]["days_late"], rows[second.id]["time_source"]) == (0, "times.csv")
    assert rows[first.id]["time_source"] == "Moodle's worksheet"


def test_records_that_differ_by_seconds_agree(moodle: Path) -> None:
    first = people(3)[0]
    _, rows, _ = check(moodle)
    received(moodle, f"{rows[first.id]['file']},2026-11-20 21:59:40")
    listed(moodle, "times.csv")
    ran, rows, survey = check(moodle)
    assert (ran.code, survey["problems"]) == (0, [])
    assert rows[first.id]["received"] == "2026-11-20 21:59:40+01:00"


@pytest.mark.parametrize("by", ["id", "account"])
def test_list_may_be_by_student(moodle: Path, by: str) -> None:
    first, second, _ = people(3)
    name = {"id": second.id, "account": second.number}[by]
    received(moodle, f"{name},2026-11-20 22:00,by mail", head=f"{by},received,reason")
    listed(moodle, "times.csv")
    ran, rows, _ = check(moodle)
    assert (ran.code, rows[second.id]["time_source"]) == (0, "times.csv")
    assert rows[first.id]["time_source"] == "Moodle's worksheet"


def test_canvas_and_its_api_may_disagree(tmp_path: Path) -> None:
    persons = people(2)
    handed_in = [Submitted(person, hours(-1), ZIP(bot("b"))) for person in persons]
    found = school(tmp_path, "canvas", handed_in, persons)
    [answer] = found.records
    text = answer.read_text(encoding="utf-8")
    answer.write_text(text.replace('"late":false', '"late":true', 1), encoding="utf-8")
    ran, _, survey = check(tmp_path)
    assert ran.code == 1
    assert "on time by no LATE in Canvas' name" in survey["problems"][0]["what"]


def test_worksheet_that_is_older_than_the_hand_ins_is_named(moodle: Path) -> None:
    [sheet] = moodle.glob("Grades-*.csv")
    text = sheet.read_text(encoding="utf-8")
    sheet.write_text(text.replace('"Friday, 20 November 2026, 9:59 PM"', "-"), "utf-8")
    ran, _, survey = check(moodle)
    assert ran.code == 1
    assert survey["problems"][0]["hint"].startswith(f"{sheet.name} has no time for that")


def test_draft_of_moodle_is_named(moodle: Path) -> None:
    first = people(3)[0]
    [sheet] = moodle.glob("Grades-*.csv")
    text = sheet.read_text(encoding="utf-8")
    sheet.write_text(text.replace("Submitted for grading", "Draft (not submitted)", 1), "utf-8")
    _, rows, survey = check(moodle)
    assert survey["notes"] == [f"drafts, which were not submitted: '{rows[first.id]['file']}'"]


def test_worksheet_among_the_hand_ins_is_not_taken_for_one(moodle: Path) -> None:
    [sheet] = moodle.glob("Grades-*.csv")
    (moodle / "hand-ins").mkdir()
    shutil.copy(sheet, moodle / "hand-ins")
    course_yaml(moodle, **{**KEYS, "submissions": "hand-ins"})
    ran, _, survey = check(moodle)
    assert ran.code == 1
    assert "name it in `received`" in survey["problems"][0]["hint"]


def test_copy_of_a_course_has_the_same_times(
    moodle: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    _, rows, _ = check(moodle)
    copied = tmp_path_factory.mktemp("copies") / "course"
    shutil.copytree(moodle, copied, copy_function=shutil.copyfile)
    _, again, _ = check(copied)
    assert again == rows


def test_two_files_of_one_moment_are_named(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada,,")
    folder = tmp_path / "hand-ins"
    for name in ("s1_bot", "s1_other"):
        (folder / name).mkdir(parents=True)
        for path, content in bot(name.replace("_", "-")).items():
            (folder / name / path).write_bytes(content)
    received(tmp_path, "s1_bot,2026-11-20 12:00", "s1_other,2026-11-20 12:00")
    course_yaml(tmp_path, **{**KEYS, "submissions": "hand-ins", "received": "times.csv"})
    ran, rows, survey = check(tmp_path)
    [problem] = survey["problems"]
    assert problem["what"] == "'s1_other' and 's1_bot' came at the same moment"
    assert (ran.code, rows["s1"]["bot"]) == (1, "s1-other")
    course_yaml(
        tmp_path,
        **{**KEYS, "submissions": "hand-ins", "received": "times.csv", "ignored": ["s1_other"]},
    )
    ran, rows, survey = check(tmp_path)
    assert (ran.code, rows["s1"]["bot"]) == (0, "s1-bot")


def test_hand_in_that_came_too_late_is_shown_with_how_late(tmp_path: Path) -> None:
    [person] = people(1)
    school(tmp_path, "moodle", [Submitted(person, hours(100), ZIP(bot("b")))], [person])
    _, rows, survey = check(tmp_path)
    row = rows[person.id]
    assert (row["counts"], row["late_by"], row["days_late"]) == (False, "4 d 4 h", 5)
    assert survey["platform"] == "Moodle, folders, 1 of 1 students"
    ran = run("course", "check", tmp_path, cwd=tmp_path)
    assert "4 d 4 h, too late" in ran.out


def test_late_by_has_the_two_largest_units_that_are_not_zero(tmp_path: Path) -> None:
    [person] = people(1)
    late = hours(24.05)
    school(tmp_path, "canvas", [Submitted(person, late, ZIP(bot("b")))], [person])
    _, rows, _ = check(tmp_path)
    assert rows[person.id]["late_by"] == "1 d 3 min"


LATE_BY = {
    "2026-11-20 22:58:59": None,
    "2026-11-20 22:59:00": None,
    "2026-11-20 22:59:01": 1,
    "2026-11-20 23:02:31": 211,
}


@pytest.mark.parametrize("moment", LATE_BY)
def test_late_by_is_counted_from_the_deadline_without_the_grace(moment: str) -> None:
    due = Due(parse_moment("2026-11-20 23:59 Europe/Berlin", "here"), 600)
    receipt = Receipt(parse_moment(f"{moment} UTC", "here"))
    late = receipt.late_by(due)
    assert (late.total_seconds() if late else None) == LATE_BY[moment]


def test_unknown_time_is_never_late() -> None:
    due = Due(parse_moment("2000-01-01 12:00 UTC", "here"), 0)
    assert (Receipt().days_late(due), Receipt().is_known) == (0, False)
    assert (Receipt(late=True).days_late(due), Receipt(late=True).is_known) == (1, False)
    assert (Receipt(late=False).days_late(due), Receipt(late=False).is_known) == (0, True)


BAD_LISTS = {
    "no time": ("times.csv", "file,received\na,tomorrow\n", "not a date and a time"),
    "no column": ("times.csv", "name,when\na,b\n", "no column 'file'"),
    "no cell": ("times.csv", "file,received\n,2026-11-20 12:00\n", "without a file or a time"),
    "twice": (
        "t.csv",
        "id,received\n1,2026-11-20 12:00\n1,2026-11-20 12:00\n",
        "'1' is there twice",
    ),
    "JSON of something else": ("api.json", '{"errors": []}', "not Canvas' submissions"),
    "broken JSON": ("api.json", "[", "not Canvas' submissions"),
}


@pytest.mark.parametrize("case", BAD_LISTS)
def test_bad_list_is_refused_in_one_line(moodle: Path, case: str) -> None:
    name, text, said = BAD_LISTS[case]
    (moodle / name).write_text(text)
    listed(moodle, name)
    error_line(run("course", "check", moodle, cwd=moodle), said, name)


def test_lists_of_platforms_are_recognised_by_their_columns(tmp_path: Path) -> None:
    lists = {
        "worksheet.csv": "Moodle's worksheet",
        "grades.csv": "GitHub Classroom's grades",
        "scores.csv": "Gradescope's scores",
        "api.json": "Canvas' submissions",
    }
    texts = {
        "worksheet.csv": '\ufeffID,"Vollständiger Name",Status,"Zuletzt geändert (Abgabe)"\r\n'
        'Teilnehmer/in4711,"Jane O\'Brien",x,"Donnerstag, 17. Dezember 2026, 20:15"\r\n',
        "grades.csv": "github_username,roster_identifier,student_repository_name,"
        "submission_timestamp\nannlee,s1,perudo-annlee,2026-12-17 19:15:11 UTC\n",
        "scores.csv": "First Name,SID,Email,Submission ID,Submission Time\n"
        "Ann,007,a@x,11,2026-12-17 20:15:11 +0100\n",
        "api.json": '[{"user_id":1,"submitted_at":"2026-12-17T19:15:11Z","late":false}]',
    }
    for name, source in lists.items():
        (tmp_path / name).write_text(texts[name], encoding="utf-8", newline="")
        [record] = read_records(tmp_path / name, ReceivedEntry(name), ZoneInfo("Europe/Berlin"))
        assert record.moment
        assert (record.source, f"{record.moment:%Y-%m-%d %H:%M}") == (source, "2026-12-17 19:15")


def test_forgotten_student_is_in_no_worksheet(moodle: Path) -> None:
    first = people(3)[0]
    [sheet] = moodle.glob("Grades-*.csv")
    before = sheet.read_bytes()
    assert first.email.encode() in before
    ran = run("course", "forget", moodle, first.id, "--yes", cwd=moodle)
    assert ran.code == 0, ran
    gone = [line for line in before.splitlines(keepends=True) if first.email.encode() in line]
    assert sheet.read_bytes() == before.replace(gone[0], b"")


@pytest.mark.slow
def test_late_by_an_unknown_time_is_one_day_if_the_teacher_goes_on(tmp_path: Path) -> None:
    persons = people(2)
    handed_in = [
        Submitted(persons[0], hours(-1), ZIP(bot("one"))),
        Submitted(persons[1], hours(50), ZIP(bot("two"))),
    ]
    school(tmp_path, "canvas", handed_in, persons, received=None, sandbox="process")
    command = ("course", "grade", tmp_path, "--trust-bots", "--workers", 1)
    error_line(run(*command, cwd=tmp_path), "late, nothing says by how much", "Canvas' API")
    ran = run(*command, "--ignore-unknown", cwd=tmp_path)
    assert ran.code == 0, ran
    found = marks(tmp_path)
    assert [found[person.id]["days_late"] for person in persons] == ["0", "1"]
    assert {row["received"] for row in found.values()} == {""}
    pages = [page.read_text(encoding="utf-8") for page in (tmp_path / "feedback").glob("*.html")]
    assert sum("on time (no LATE in Canvas" in page for page in pages) == 1
    assert sum("1 day late (LATE in Canvas" in page for page in pages) == 1
