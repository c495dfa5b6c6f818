"""The generator against literal strings from the platforms' sources and public samples."""

import csv
import io
import json
import stat
import subprocess
import tarfile
import unicodedata
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from tests.course.platforms import (
    BAD_PACKINGS,
    MODES,
    PACKINGS,
    PLATFORMS,
    Export,
    Person,
    Submitted,
    a_class,
    export,
)

BOT = {"bot.yaml": b"name: ann\ncommand: python3 bot.py\n", "bot.py": b"print(1)\n"}
UPLOAD = {"bot.zip": b"PK"}
DEADLINE = datetime(2026, 11, 18, 22, 59, tzinfo=UTC)
DOWNLOADED = datetime(2026, 11, 21, 9, 30, 2, tzinfo=UTC)
SHOWN = (2026, 11, 21, 10, 30, 2)
"""The download on a clock in Berlin."""
ON_TIME = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)
LATE = DEADLINE + timedelta(minutes=3, seconds=31)

JANE = Person("007", "Jane", "O'Brien-Smith", "jane@example.org", "jobrien", "4711")
ZOE = Person("008", "Zoë", "Groß", "zoe@example.org", "zgross", "4712")
LI = Person("009", "Li", "Wei_Chen", "li@example.org", "li_wei", "88")
ANN = Person("00123", "Ann", "Lee", "ann@example.org", "alee", "101", "Team_3")
BOB = Person("00124", "Bob", "Ray", "bob@example.org", "bray", "102", "Team_3")

EVERY_MODE = [(platform, mode) for platform, modes in MODES.items() for mode in modes]


def handed_in(
    person: Person, at: datetime = ON_TIME, attempt: int = 1, files: Mapping[str, bytes] = UPLOAD
) -> Submitted:
    return Submitted(person, at, files, attempt)


def download(
    platform: str,
    into: Path,
    *submitted: Submitted,
    mode: str = "",
    people: list[Person] | None = None,
) -> Export:
    return export(
        platform,
        into,
        submitted,
        people=people or [],
        deadline=DEADLINE,
        downloaded=DOWNLOADED,
        mode=mode,
    )


def names(exported: Export) -> list[str]:
    with zipfile.ZipFile(exported.submissions) as archive:
        return archive.namelist()


def read(exported: Export, name: str) -> bytes:
    with zipfile.ZipFile(exported.submissions) as archive:
        return archive.read(name)


def first_entry(exported: Export) -> zipfile.ZipInfo:
    with zipfile.ZipFile(exported.submissions) as archive:
        return archive.infolist()[0]


@pytest.mark.parametrize(("platform", "mode"), EVERY_MODE)
def test_everything_is_dated_by_the_download(platform: str, mode: str, tmp_path: Path) -> None:
    submitted = [handed_in(JANE), handed_in(JANE, LATE, 2), handed_in(ANN)]
    exported = download(platform, tmp_path, *submitted, mode=mode)
    if exported.submissions.is_file():
        with zipfile.ZipFile(exported.submissions) as archive:
            assert archive.testzip() is None
            assert {entry.date_time for entry in archive.infolist()} == {SHOWN}
    files = [exported.submissions, exported.roster, *exported.records]
    files += exported.submissions.rglob("*")
    assert {path.stat().st_mtime for path in files} == {DOWNLOADED.timestamp()}


@pytest.mark.parametrize(("platform", "mode"), EVERY_MODE)
def test_each_student_has_an_entry_and_a_line_of_the_roster(
    platform: str, mode: str, tmp_path: Path
) -> None:
    people = a_class(16)
    submitted = [handed_in(person, files={"bot.zip": person.id.encode()}) for person in people[:12]]
    if (platform, mode) == ("github", "commits"):
        submitted = submitted[:2]
    exported = download(platform, tmp_path, *submitted, mode=mode, people=people)
    is_zip = exported.submissions.is_file()
    entries = names(exported) if is_zip else [p.name for p in exported.submissions.iterdir()]
    # A task for groups has no folder of a student without one.
    groups_only = (platform, mode) == ("openolat", "teams")
    handed = {hand_in.person.id for hand_in in submitted if hand_in.person.team or not groups_only}
    assert handed <= set(exported.names)
    for person in handed:
        assert [entry for entry in entries if exported.names[person] in entry]
    with exported.roster.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [person.id for person in people]
    assert list(rows[0]) == ["id", "name", "email", "account", "team"]


def test_a_platform_has_no_other_mode(tmp_path: Path) -> None:
    assert list(MODES) == list(PLATFORMS)
    with pytest.raises(ValueError, match="no mode 'flat'"):
        download("canvas", tmp_path, handed_in(JANE), mode="flat")


@pytest.mark.parametrize(
    ("mode", "path"),
    [
        ("folders", "Jane OBrien-Smith_4711_assignsubmission_file/src/bot.py"),
        ("old-folders", "Jane OBrien-Smith_4711_assignsubmission_file_/src/bot.py"),
        ("files", "Jane OBrien-Smith_4711_assignsubmission_file_bot.py"),
        ("blind", "Participant_4711_assignsubmission_file/src/bot.py"),
    ],
)
def test_moodle_paths(mode: str, path: str, tmp_path: Path) -> None:
    hand_in = handed_in(JANE, files={"src/bot.py": b"1"})
    assert names(download("moodle", tmp_path, hand_in, mode=mode)) == [path]


def test_moodle_deletes_characters_and_keeps_umlauts(tmp_path: Path) -> None:
    files = {"a & b/it's_mine?.py": b"1"}
    exported = download("moodle", tmp_path, handed_in(LI, files=files), handed_in(ZOE))
    assert names(exported) == [
        "Li Wei Chen_88_assignsubmission_file/a  b/its_mine_.py",
        "Zoë Groß_4712_assignsubmission_file/bot.zip",
    ]


def test_moodle_names_teams_by_the_number_of_a_group(tmp_path: Path) -> None:
    submitted = [handed_in(ANN), handed_in(BOB, LATE), handed_in(LI)]
    exported = download("moodle", tmp_path, *submitted, mode="teams")
    # 88 is Li's number as a participant, too.
    assert names(exported) == [
        "Team 3_88_assignsubmission_file/bot.zip",
        "Default group_assignsubmission_file/bot.zip",
    ]
    assert exported.names[ANN.id] == exported.names[BOB.id] == "Team 3_88_assignsubmission_file"
    sheet = exported.records[0].read_text(encoding="utf-8-sig")
    assert '"Submitted for grading - 3 mins 31 secs late",Team_3,' in sheet
    assert '"Submitted for grading","Default group",' in sheet


def test_moodle_worksheet(tmp_path: Path) -> None:
    submitted = [handed_in(JANE, datetime(2026, 11, 17, 19, 15, tzinfo=UTC)), handed_in(ZOE, LATE)]
    exported = download("moodle", tmp_path, *submitted, people=[JANE, ZOE, LI])
    # openspout: a mark of the byte order, LF, quotes where fputcsv puts them.
    assert exported.records[0].read_bytes().decode() == (
        '\ufeffIdentifier,"Full name","Email address",Status,Grade,"Maximum grade",'
        '"Grade can be changed","Last modified (submission)","Last modified (grade)",'
        '"Feedback comments"\n'
        '"Participant 4711","Jane O\'Brien-Smith",jane@example.org,"Submitted for grading",,'
        '100.00,Yes,"Tuesday, 17 November 2026, 8:15 PM",-,\n'
        '"Participant 4712","Zoë Groß",zoe@example.org,'
        '"Submitted for grading - 3 mins 31 secs late",,'
        '100.00,Yes,"Thursday, 19 November 2026, 12:02 AM",-,\n'
        '"Participant 88","Li Wei_Chen",li@example.org,'
        '"No submission - Assignment is overdue by: 2 days 10 hours",,100.00,Yes,-,-,\n'
    )


def test_moodle_worksheet_in_german(tmp_path: Path) -> None:
    submitted = [handed_in(JANE), handed_in(ZOE, LATE)]
    exported = download("moodle", tmp_path, *submitted, mode="german")
    head, rows = exported.records[0].read_bytes().decode().split("\r\n", 1)
    assert head.startswith('\ufeffID,"Vollständiger Name",E-Mail-Adresse,Status,Bewertung,')
    assert rows == (
        'Teilnehmer/in4711,"Jane O\'Brien-Smith",jane@example.org,"Zur Bewertung abgegeben",,'
        '"100,00",Ja,"Mittwoch, 18. November 2026, 10:00",-,\r\n'
        'Teilnehmer/in4712,"Zoë Groß",zoe@example.org,'
        '"Zur Bewertung abgegeben - 3 Minuten 31 Sekunden zu spät",,'
        '"100,00",Ja,"Donnerstag, 19. November 2026, 00:02",-,\r\n'
    )


@pytest.mark.parametrize(
    ("platform", "mode", "flags", "system", "version", "needs", "attributes"),
    [
        # ZipStream-PHP 3 src/File.php: UTF-8 always, sizes after the data, zip64; made by 0x603.
        ("moodle", "", 0x808, 6, 3, 45, 32),
        # Version 2: no flag for a name in ASCII.
        ("moodle", "old-folders", 0, 6, 3, 20, 32),
        # rubyzip lib/zip/entry.rb with unicode_names.
        ("canvas", "", 0x800, 3, 63, 20, (stat.S_IFREG | 0o644) << 16),
        # java.util.zip.ZipOutputStream.
        ("sakai", "", 0x808, 0, 20, 20, 0),
        ("openolat", "", 0x808, 0, 20, 20, 0),
        # libzip _zip_dirent_write.
        ("ilias", "", 0, 3, 63, 20, (stat.S_IFREG | 0o666) << 16),
    ],
)
def test_headers_are_those_of_the_library(
    platform: str,
    mode: str,
    flags: int,
    system: int,
    version: int,
    needs: int,
    attributes: int,
    tmp_path: Path,
) -> None:
    entry = first_entry(download(platform, tmp_path, handed_in(JANE), mode=mode))
    assert (entry.flag_bits, entry.create_system) == (flags, system)
    assert (entry.create_version, entry.extract_version) == (version, needs)
    assert entry.external_attr == attributes
    assert entry.compress_type == zipfile.ZIP_DEFLATED


def test_canvas_names(tmp_path: Path) -> None:
    submitted = [
        handed_in(JANE, files={"my bot: v2?.tar.gz": b"1"}),
        handed_in(ZOE, LATE),
        handed_in(LI),
        handed_in(LI, ON_TIME + timedelta(hours=1), 2),
    ]
    exported = download("canvas", tmp_path, *submitted)
    assert names(exported) == [
        "obriensmithjane_4711_5001_my bot_ v2_.tar.gz",
        "großzoë_LATE_4712_5004_bot.zip",
        "wei_chenli_88_5003_bot-1.zip",
    ]


def test_canvas_anonymous_names(tmp_path: Path) -> None:
    exported = download("canvas", tmp_path, handed_in(JANE, LATE), mode="anonymous")
    answer = json.loads(exported.records[0].read_bytes())[0]
    assert names(exported) == [f"LATE_anon_{answer['anonymous_id']}_5001_bot.zip"]


def test_canvas_groups_have_one_representative(tmp_path: Path) -> None:
    ann, bob = ANN._replace(team="team_7"), BOB._replace(team="team_7")
    exported = download("canvas", tmp_path, handed_in(bob), mode="teams", people=[ann, bob])
    assert names(exported) == ["team_7_101_5001_bot.zip"]
    answers = json.loads(exported.records[0].read_bytes())
    assert [answer["submitted_at"] for answer in answers] == ["2026-11-18T09:00:00Z"] * 2


def test_canvas_numbers_files_of_one_name(tmp_path: Path) -> None:
    files = {"a/bot.tar.gz": b"1", "b/bot.tar.gz": b"2"}
    exported = download("canvas", tmp_path, handed_in(JANE, files=files))
    assert names(exported) == [
        "obriensmithjane_4711_5001_bot.tar.gz",
        "obriensmithjane_4711_5002_bot-1.tar.gz",
    ]


def test_canvas_answer_of_the_api(tmp_path: Path) -> None:
    exported = download("canvas", tmp_path, handed_in(ZOE, LATE, 2), people=[ZOE, LI])
    late, none = json.loads(exported.records[0].read_bytes())
    assert late["user_id"] == 4712
    assert late["submitted_at"] == "2026-11-18T23:02:31Z"
    assert (late["late"], late["seconds_late"], late["attempt"]) == (True, 211, 2)
    assert late["workflow_state"] == "submitted"
    assert (none["workflow_state"], none["submitted_at"], none["late"]) == (
        "unsubmitted",
        None,
        False,
    )


def test_blackboard_text_of_an_attempt(tmp_path: Path) -> None:
    exported = download("blackboard", tmp_path, handed_in(ANN))
    stamp = "Perudo bot_alee_attempt_2026-11-18-10-00-00"
    assert names(exported) == [f"{stamp}.txt", f"{stamp}_bot.zip"]
    assert read(exported, f"{stamp}.txt") == (
        b"Name: Ann Lee (alee)\r\n"
        b"Assignment: Perudo bot\r\n"
        b"Date Submitted: Wednesday, November 18, 2026 10:00:00 AM CET\r\n"
        b"Current Grade: Needs Grading\r\n"
        b"\r\n"
        b"Submission Field:\r\n"
        b"There is no student submission text data for this assignment.\r\n"
        b"\r\n"
        b"Comments:\r\n"
        b"There are no student comments for this assignment.\r\n"
        b"\r\n"
        b"Files:\r\n"
        b"\tOriginal filename: bot.zip\r\n"
        b"\tFilename: Perudo bot_alee_attempt_2026-11-18-10-00-00_bot.zip\r\n"
    )


@pytest.mark.parametrize(
    ("mode", "dates"),
    [
        (
            "",
            ["Sunday, October 25, 2026 2:30:00 AM CEST", "Sunday, October 25, 2026 2:30:01 AM CET"],
        ),
        (
            "o'clock",
            [
                "Sunday, 25 October 2026 02:30:00 o'clock CEST",
                "Sunday, 25 October 2026 02:30:01 o'clock CET",
            ],
        ),
    ],
)
def test_blackboard_names_the_zone_in_the_night_of_the_change(
    mode: str, dates: list[str], tmp_path: Path
) -> None:
    summer = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    winter = summer + timedelta(hours=1, seconds=1)
    submitted = [handed_in(ANN, summer), handed_in(ANN, winter, 2)]
    exported = download("blackboard", tmp_path, *submitted, mode=mode)
    texts = [read(exported, name) for name in names(exported) if name.endswith(".txt")]
    found = [text.decode().splitlines()[2].removeprefix("Date Submitted: ") for text in texts]
    assert found == dates


def test_gradescope_metadata(tmp_path: Path) -> None:
    at = datetime(2026, 11, 18, 10, 32, 56, 104713, tzinfo=UTC)
    early = at - timedelta(days=1)
    submitted = [handed_in(ANN, early), handed_in(ANN, at, 2)]
    exported = download("gradescope", tmp_path, *submitted, people=[ANN, BOB])
    text = read(exported, "assignment_101_export/submission_metadata.yml").decode()
    assert text == (
        "---\n"
        "submission_101:\n"
        "  :submitters:\n"
        "  - :name: Ann Lee\n"
        "    :sid: '00123'\n"
        "    :email: ann@example.org\n"
        "  - :name: Bob Ray\n"
        "    :sid: '00124'\n"
        "    :email: bob@example.org\n"
        "  :created_at: 2026-11-18 10:32:56.104713000 Z\n"
        "  :score: 0.0\n"
        "  :status: processed\n"
        "  :history:\n"
        "  - :id: 90000\n"
        "    :created_at: 2026-11-17 10:32:56.104713000 Z\n"
        "    :score: 0.0\n"
        "    :status: processed\n"
    )


def test_gradescope_metadata_is_yaml_whatever_the_names(tmp_path: Path) -> None:
    people = a_class(20)
    exported = download("gradescope", tmp_path, *map(handed_in, people))
    text = read(exported, "assignment_101_export/submission_metadata.yml")
    submitters = [
        person for record in yaml.safe_load(text).values() for person in record[":submitters"]
    ]
    assert {person[":name"] for person in submitters} == {person.name for person in people}
    assert {person[":sid"] for person in submitters} == {person.id for person in people}


def test_gradescope_unpacks_a_zip_that_is_safe(tmp_path: Path) -> None:
    good = download("gradescope", tmp_path, handed_in(ANN, files=PACKINGS["folder-in-zip"](BOT)))
    assert names(good)[1:] == [
        "assignment_101_export/submission_101/my-bot/bot.yaml",
        "assignment_101_export/submission_101/my-bot/bot.py",
    ]
    bad = download("gradescope", tmp_path, handed_in(ANN, files=BAD_PACKINGS["upwards"](BOT)))
    assert names(bad)[1:] == ["assignment_101_export/submission_101/my-bot.zip"]


def test_github_grades_and_clones(tmp_path: Path) -> None:
    exported = download("github", tmp_path, handed_in(ANN, LATE, files=BOT))
    assert exported.submissions.name == "perudo-submissions"
    clone = exported.submissions / exported.names[ANN.id]
    assert sorted(path.name for path in clone.iterdir()) == [".git", "bot.py", "bot.yaml"]
    row = next(csv.DictReader(io.StringIO(exported.records[0].read_text(encoding="utf-8"))))
    assert row["student_repository_name"] == clone.name == "perudo-alee"
    assert row["submission_timestamp"] == "2026-11-18 23:02:31 UTC"
    assert (row["github_username"], row["roster_identifier"]) == ("alee", "00123")


def test_github_commits_are_dated_as_they_were_received(tmp_path: Path) -> None:
    submitted = [handed_in(ANN, files={"old.py": b""}), handed_in(ANN, LATE, 2, BOT)]
    exported = download("github", tmp_path, *submitted, mode="commits")
    clone = exported.submissions / "perudo-alee"
    log = ["git", "log", "--format=%aI %cI", "--name-status", "--reverse"]
    shown = subprocess.run(log, cwd=clone, capture_output=True, text=True, check=True).stdout
    assert shown == (
        "2026-11-18T09:00:00+00:00 2026-11-18T09:00:00+00:00\n\nA\told.py\n"
        "2026-11-18T23:02:31+00:00 2026-11-18T23:02:31+00:00\n\n"
        "A\tbot.py\nA\tbot.yaml\nD\told.py\n"
    )
    assert (clone / "bot.py").read_bytes() == BOT["bot.py"]


@pytest.mark.parametrize(("mode", "time"), [("", "926 PM"), ("dotted", "9.26 PM")])
def test_brightspace_folders(mode: str, time: str, tmp_path: Path) -> None:
    at = datetime(2026, 10, 5, 19, 26, tzinfo=UTC)
    exported = download("brightspace", tmp_path, handed_in(ZOE, at), mode=mode)
    folder = f"39786-640693 - Zoë Groß - Oct 5, 2026 {time}"
    assert names(exported) == ["index.html", f"{folder}/bot.zip"]
    assert exported.names == {ZOE.id: folder}


def test_ilias_keeps_all_attempts_in_ascii(tmp_path: Path) -> None:
    files = {"Lösung 日.zip": b"1"}
    submitted = [handed_in(ZOE, files=files), handed_in(ZOE, LATE, 2, files)]
    assert names(download("ilias", tmp_path, *submitted)) == [
        "Gross_Zoe_zgross_4712/Loesung ___.zip",
        "Gross_Zoe_zgross_4712/Late Submission - Loesung ___ (2).zip",
    ]


def test_ilias_teams(tmp_path: Path) -> None:
    exported = download("ilias", tmp_path, handed_in(ANN), mode="teams", people=[ANN, BOB])
    assert names(exported) == ["Team 31/Lee_Ann_alee_101/bot.zip"]
    assert exported.names == {ANN.id: "Team 31/Lee_Ann_alee_101", BOB.id: "Team 31"}


def test_sakai_times_and_grades(tmp_path: Path) -> None:
    submitted = [handed_in(JANE), handed_in(ZOE, LATE + timedelta(milliseconds=120))]
    exported = download("sakai", tmp_path, *submitted)
    # escapeInvalidCharsEntry takes accents off; ß is no letter with one.
    assert names(exported) == [
        "Perudo bot/O'Brien-Smith, Jane(jobrien)/timestamp.txt",
        "Perudo bot/O'Brien-Smith, Jane(jobrien)/Submission attachment(s)/",
        "Perudo bot/O'Brien-Smith, Jane(jobrien)/Submission attachment(s)/bot.zip",
        "Perudo bot/Groß, Zoe(zgross)/timestamp.txt",
        "Perudo bot/Groß, Zoe(zgross)/Submission attachment(s)/",
        "Perudo bot/Groß, Zoe(zgross)/Submission attachment(s)/bot.zip",
        "Perudo bot/grades.csv",
    ]
    assert read(exported, "Perudo bot/Groß, Zoe(zgross)/timestamp.txt") == (
        b"2026-11-18T23:02:31.120Z"
    )
    assert read(exported, "Perudo bot/grades.csv").decode() == (
        '"Perudo bot","SCORE_GRADE_TYPE"\n'
        '""\n'
        '"Display ID","ID","Last Name","First Name","grade","Submission date","Late submission"\n'
        '"jobrien","jobrien","O\'Brien-Smith","Jane","","2026-11-18T09:00:00Z","On time"\n'
        '"zgross","zgross","Groß","Zoë","","2026-11-18T23:02:31.120Z","Late"\n'
    )


def test_openolat_folders(tmp_path: Path) -> None:
    submitted = [handed_in(ZOE, LATE), handed_in(ZOE, LATE + timedelta(days=1), 2)]
    root = "ita_Perudo_bot_2026-11-21T10-30-02_000/Gross_Zoe_zgross"
    exported = download("openolat", tmp_path, *submitted)
    assert names(exported) == [
        f"{root}/1_submissions/bot.zip",
        f"{root}/1_submissions/Late_submission.txt",
        f"{root}/3_revisions_1/bot.zip",
    ]
    assert read(exported, f"{root}/1_submissions/Late_submission.txt") == b"Late"


def test_studip_list_of_files(tmp_path: Path) -> None:
    umlaut = {"Lösung.zip": b"PK"}
    exported = download(
        "studip", tmp_path, handed_in(JANE, files=umlaut), handed_in(ZOE, LATE, files=umlaut)
    )
    with zipfile.ZipFile(exported.submissions) as archive:
        shown = [entry.filename.encode("cp437").decode() for entry in archive.infolist()]
        # Names in UTF-8 that no flag marks.
        assert {entry.flag_bits for entry in archive.infolist()} == {0}
    assert shown == [
        "Hausaufgaben/",
        "Hausaufgaben/Lösung.zip",
        "Hausaufgaben/Lösung[1].zip",
        "archive_filelist.csv",
    ]
    assert read(exported, "archive_filelist.csv").decode() == (
        "\ufeffName;Größe;Vorname;Nachname;Downloads;Datum;Pfad\r\n"
        'Lösung.zip;2;Jane;O\'Brien-Smith;0;"18.11.2026 10:00";Hausaufgaben/Lösung.zip\r\n'
        'Lösung[1].zip;2;Zoë;Groß;0;"19.11.2026 00:02";Hausaufgaben/Lösung[1].zip\r\n'
    )


def test_a_class_has_names_that_hurt() -> None:
    people = a_class()
    assert people == a_class(40, seed=1)
    assert len(people) == len({p.id for p in people}) == len({p.login for p in people}) == 40
    assert len({p.name for p in people}) < 40
    assert len({p.number for p in people}) == 40
    assert all(p.id.startswith("0") for p in people)
    assert {"O'Brien-Smith", "van der Berg", "de la Cruz", "Wei_Chen", "王"} < {
        p.last for p in people
    }
    assert any(a.login != b.login and a.login.startswith(b.login) for a in people for b in people)
    assert "team_7" in {p.team for p in people}


def contents(files: Mapping[str, bytes]) -> set[bytes]:
    """Return what is in the uploaded files, and in the archives among them."""
    found: set[bytes] = set()
    for name, content in files.items():
        if content.startswith(b"PK\3\4"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                assert archive.testzip() is None
                found |= contents({entry: archive.read(entry) for entry in archive.namelist()})
        elif name.endswith(".tar.gz"):
            with tarfile.open(fileobj=io.BytesIO(content)) as tar:
                found |= {member.read() for e in tar if (member := tar.extractfile(e))}
        else:
            found.add(content)
    return found


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_packing_holds_the_bot(packing: str) -> None:
    assert len(PACKINGS) >= 15
    assert set(BOT.values()) <= contents(PACKINGS[packing](BOT))


def packed_names(packing: str) -> list[str]:
    content = next(iter(PACKINGS[packing](BOT).values()))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {entry.flag_bits & 0x800 for entry in archive.infolist()} == {0}
        return archive.namelist()


def test_names_of_unknown_encoding() -> None:
    # What Python makes of them: it reads CP437.
    assert packed_names("names-in-cp437")[0] == "Jürgen Müller/bot.yaml"
    assert packed_names("names-in-cp850")[0] == "Jürgen ¥rsted/bot.yaml"
    assert packed_names("names-in-unmarked-utf8")[0] == "J├╝rgen Gro├ƒ/bot.yaml"
    assert packed_names("backslashes") == ["my-bot\\bot.yaml", "my-bot\\bot.py"]


def test_a_mac_writes_names_apart_and_files_of_its_own() -> None:
    shown = packed_names("names-in-nfd")[1].encode("cp437").decode()
    assert shown == unicodedata.normalize("NFD", "Jürgen Müller/bot.yaml")
    assert packed_names("archive-utility") == [
        "my-bot/",
        "my-bot/bot.yaml",
        "my-bot/bot.py",
        "my-bot/.DS_Store",
        "__MACOSX/my-bot/._bot.yaml",
        "__MACOSX/my-bot/._bot.py",
        "__MACOSX/my-bot/._.DS_Store",
    ]


def test_a_date_of_zero_and_a_link() -> None:
    with zipfile.ZipFile(io.BytesIO(PACKINGS["zero-date"](BOT)["my-bot.zip"])) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 0, 0, 0, 0, 0)}
    content = PACKINGS["virtual-environment"](BOT)["my-bot.zip"]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        link = archive.getinfo("my-bot/.venv/bin/python")
    assert stat.S_ISLNK(link.external_attr >> 16)


def bad_zip(packing: str) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(BAD_PACKINGS[packing](BOT)["my-bot.zip"]))


def test_bad_packings_are_bad() -> None:
    assert BAD_PACKINGS["rar"](BOT)["my-bot.rar"].startswith(b"Rar!\x1a\x07")
    with pytest.raises(zipfile.BadZipFile):
        bad_zip("truncated")
    with bad_zip("encrypted") as archive, pytest.raises(RuntimeError, match="encrypted"):
        archive.read("my-bot/bot.yaml")
    with bad_zip("no-manifest") as archive:
        assert not [name for name in archive.namelist() if name.endswith("bot.yaml")]
    with bad_zip("link") as archive:
        assert stat.S_ISLNK(archive.getinfo("my-bot/bot.py").external_attr >> 16)


@pytest.mark.parametrize(
    ("packing", "name"),
    [
        ("backslashes-upwards", "..\\..\\x.py"),
        ("upwards", "../x"),
        ("absolute", "/x"),
        ("drive", "C:/x"),
    ],
)
def test_bad_packings_name_places_outside(packing: str, name: str) -> None:
    with bad_zip(packing) as archive:
        assert archive.namelist()[-1] == name


def test_a_bomb_is_small_until_it_is_read() -> None:
    content = BAD_PACKINGS["bomb"](BOT)["my-bot.zip"]
    assert len(content) < 200_000
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        packed = archive.getinfo("my-bot/weights.bin").compress_size
    assert packed < 200_000
