"""Hand-ins as schools' platforms write them: whose they are, when they came, which bot they are.

Downloads come from `tests.course.platforms`, which shares no code with the arena.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.cli.command import Ran, run
from tests.course.downloads import (
    BERLIN,
    DEADLINE,
    DOWNLOADS,
    KEYS,
    bot,
    hours,
    people,
    school,
    submitted,
)
from tests.course.platforms import (
    BAD_PACKINGS,
    PACKINGS,
    Person,
    Submitted,
)
from tests.course.school import course_yaml
from tests.support.sampling import sample


def check(folder: Path) -> tuple[Ran, Mapping[str, dict[str, Any]], dict[str, Any]]:
    """Return what `arena course check` says: the command, rows by student, and the survey."""
    ran = run("course", "check", folder, "--json", cwd=folder)
    assert ran.code in {0, 1}, ran
    survey = json.loads(ran.out)["survey"]
    return ran, {row["student"]: row for row in survey["students"]}, survey


def check_class(folder: Path, case: str, count: int, packings: Sequence[str]) -> None:
    platform, mode = DOWNLOADS[case]
    persons = people(count)
    handed_in = submitted(persons[:-2], packings)
    school(folder, platform, handed_in, persons, mode)
    ran, rows, survey = check(folder)
    assert survey["problems"] == []
    assert ran.code == 0
    assert survey["platform"].startswith(case)
    assert survey["platform"].endswith(f"{len(handed_in)} of {count} students")
    # Some platforms write no seconds.
    told = {id_: (row["received"][:16], row["days_late"], row["bot"]) for id_, row in rows.items()}
    wanted = {
        one.person.id: (
            str(one.at.astimezone(BERLIN))[:16],
            1 if one.at > DEADLINE else 0,
            f"b{number}",
        )
        for number, one in enumerate(handed_in)
    }
    assert told == wanted | {person.id: ("", 0, "") for person in persons[-2:]}
    assert all(row["time_source"] for row in rows.values() if row["file"])


# What Gradescope and GitHub keep is unpacked: a packing is what is in it.
FEW = ["flat-zip", "loose-files", "zip-in-zip", "zero-date", "backslashes", "archive-utility"]


@pytest.mark.parametrize("case", DOWNLOADS)
def test_owner_time_and_bot_are_those_of_the_platform(tmp_path: Path, case: str) -> None:
    check_class(tmp_path, case, 10, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("case", sample(DOWNLOADS, 3, "classes of forty"))
def test_class_of_forty_loses_nothing(tmp_path: Path, case: str) -> None:
    check_class(tmp_path, case, 40, list(PACKINGS))


TIMELESS = {
    "moodle": "download the grading worksheet",
    "github": "download the grades of the assignment",
    "ilias": "ILIAS keeps none",
    "studip": "archive_filelist.csv",
}


@pytest.mark.parametrize("platform", ["moodle", "github", "ilias"])
def test_time_of_the_download_is_nobodys_and_unknown_is_never_late(
    tmp_path: Path, platform: str
) -> None:
    persons = people(6)
    handed_in = [one for one in submitted(persons, FEW) if one.at < DEADLINE]
    school(tmp_path, platform, handed_in, persons, received=None)
    ran, rows, survey = check(tmp_path)
    assert ran.code == 1
    [problem] = survey["problems"]
    assert problem["what"].startswith("no time of receipt: ")
    assert TIMELESS[platform] in problem["hint"]
    assert {*problem["students"]} == {one.person.id for one in handed_in}
    assert {(row["received"], row["days_late"], row["late_by"]) for row in rows.values()} == {
        ("", 0, "")
    }
    ran = run("course", "grade", tmp_path, "--trust-bots", cwd=tmp_path)
    assert (ran.code, "no time of receipt" in ran.err) == (2, True), ran


@pytest.mark.parametrize("platform", ["moodle", "canvas", "blackboard", "sakai", "gradescope"])
def test_class_that_was_unpacked_and_copied_is_the_same(tmp_path: Path, platform: str) -> None:
    persons = people(6)
    found = school(tmp_path, platform, submitted(persons, FEW), persons)
    _, rows, _ = check(tmp_path)
    (tmp_path / "copied").mkdir()
    with ZipFile(found.submissions) as archive:
        archive.extractall(tmp_path / "copied")
    records = [record.name for record in found.records] or None
    course_yaml(tmp_path, **{**KEYS, "submissions": "copied", "received": records})
    _, again, _ = check(tmp_path)
    assert again == rows


@pytest.mark.parametrize("platform", ["moodle", "canvas", "blackboard"])
@pytest.mark.parametrize("packing", [name for name in BAD_PACKINGS if name != "two-bots"])
def test_bad_hand_in_is_refused_by_name_and_the_others_are_not(
    tmp_path: Path, platform: str, packing: str
) -> None:
    good, bad = people(2)
    handed_in = [
        Submitted(good, hours(-1), PACKINGS["flat-zip"](bot("good"))),
        Submitted(bad, hours(-1), BAD_PACKINGS[packing](bot("bad"))),
    ]
    school(tmp_path, platform, handed_in, [good, bad])
    _, rows, _ = check(tmp_path)
    assert rows[good.id]["bot"] == "good"
    assert (rows[bad.id]["bot"], bool(rows[bad.id]["unreadable"])) == ("", True)
    assert str(tmp_path) not in rows[bad.id]["unreadable"]


@pytest.mark.parametrize("platform", ["moodle", "canvas", "sakai"])
def test_of_two_bots_both_are_named_and_none_is_taken(tmp_path: Path, platform: str) -> None:
    [person] = people(1)
    both = {
        name: next(iter(PACKINGS["folder-in-zip"](bot(name)).values()))
        for name in ("one.zip", "two.zip")
    }
    school(tmp_path, platform, [Submitted(person, hours(-1), both)], [person])
    ran, rows, survey = check(tmp_path)
    assert (ran.code, rows[person.id]["bot"]) == (1, "")
    [problem] = survey["problems"]
    assert "two bots: one.zip: my-bot and two.zip: my-bot" in problem["what"]
    assert problem["students"] == [person.id]


def test_moodle_number_decides_whatever_the_name_lost(tmp_path: Path) -> None:
    jane = Person("007", "Jane", "O'Brien", "jane@example.org", "jobrien", "4711")
    li = Person("008", "Li", "Wei", "li@example.org", "li", "4712")
    handed_in = [Submitted(jane, hours(-1), {"src/bot.yaml": bot("j")["bot.yaml"]})]
    found = school(tmp_path, "moodle", handed_in, [jane, li], "old-folders")
    assert found.names["007"] == "Jane OBrien_4711_assignsubmission_file_"
    _, rows, _ = check(tmp_path)
    assert (rows["007"]["sign"], rows["007"]["bot"]) == ("Moodle's number 4711", "j")


def test_number_of_a_moodle_group_is_no_participants(tmp_path: Path) -> None:
    ann = Person("1", "Ann", "Lee", "ann@example.org", "ann", "87", "Team 3")
    bob = Person("2", "Bob", "Ray", "bob@example.org", "bob", "86", "Team 3")
    cy = Person("3", "Cy", "Young", "cy@example.org", "cy", "88")
    handed_in = [
        Submitted(ann, hours(-2), PACKINGS["flat-zip"](bot("team"))),
        Submitted(cy, hours(-1), PACKINGS["flat-zip"](bot("alone"))),
    ]
    found = school(tmp_path, "moodle", handed_in, [ann, bob, cy], "teams")
    assert found.names["1"] == "Team 3_88_assignsubmission_file"
    ran, rows, survey = check(tmp_path)
    assert [rows[id_]["bot"] for id_ in "123"] == ["team", "team", ""]
    assert rows["2"]["received"] == "2026-11-20 21:59:00+01:00"
    [problem] = survey["problems"]
    assert "'Default group_assignsubmission_file' belongs to nobody" in problem["what"]
    assert "without a group" in problem["what"]
    assert ran.code == 1
    # Without the team in the roster it is nobody's, not that of participant 88.
    text = (tmp_path / "roster.csv").read_text().replace(",Team 3", ",")
    (tmp_path / "roster.csv").write_text(text)
    _, rows, survey = check(tmp_path)
    assert [rows[id_]["file"] for id_ in "123"] == ["", "", ""]
    assert "is it that of a team?" in str(survey["problems"])


def test_canvas_says_late_where_nothing_says_when(tmp_path: Path) -> None:
    persons = people(3)
    handed_in = submitted(persons[:2], ["flat-zip"])
    handed_in[1] = handed_in[1]._replace(at=hours(3))
    found = school(tmp_path, "canvas", handed_in, persons, received=None)
    assert "_LATE_" in found.names[persons[1].id]
    ran, rows, survey = check(tmp_path)
    first, second = (rows[person.id] for person in persons[:2])
    assert (first["time_source"], first["days_late"]) == ("no LATE in Canvas' name", 0)
    assert (second["time_source"], second["late_by"]) == ("LATE in Canvas' name", "unknown")
    [problem] = survey["problems"]
    assert problem["what"].startswith("late, nothing says by how much: ")
    assert "Canvas' API" in problem["hint"]
    assert any("its due date has to be the deadline" in note for note in survey["notes"])
    assert ran.code == 1


@pytest.mark.parametrize("other", ["7", "8"])
def test_canvas_team_whose_name_ends_in_a_number_is_nobody_elses(
    tmp_path: Path, other: str
) -> None:
    team = Person("a", "Ann", "Lee", "a@example.org", "ann", "1234", "team_7")
    seven = Person("b", "Sue", "Park", "b@example.org", "sue", other)
    handed_in = [Submitted(team, hours(-1), {"main.py": b""})]
    found = school(tmp_path, "canvas", handed_in, [team, seven], "teams")
    assert found.names["a"].startswith("team_7_1234_")
    _, rows, _ = check(tmp_path)
    assert (rows["a"]["file"], rows["b"]["file"]) == (found.names["a"], "")


def test_second_upload_of_canvas_is_the_bot_that_it_names(tmp_path: Path) -> None:
    [person] = people(1)
    handed_in = [
        Submitted(person, hours(-9), bot("first"), attempt=1),
        Submitted(person, hours(-1), bot("second"), attempt=2),
    ]
    found = school(tmp_path, "canvas", handed_in, [person])
    with ZipFile(found.submissions) as archive:
        assert any(name.endswith("_bot-1.yaml") for name in archive.namelist())
    _, rows, _ = check(tmp_path)
    assert (rows[person.id]["bot"], rows[person.id]["unreadable"]) == ("second", "")


def test_last_of_two_attempts_counts_in_the_night_of_the_clock_change(tmp_path: Path) -> None:
    """On 25 October 2026 02:30 comes twice: by the names alone, which came last is open."""
    [person] = people(1)
    summer = datetime(2026, 10, 25, 2, 40, tzinfo=BERLIN)
    winter = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1)
    handed_in = [
        Submitted(person, winter, PACKINGS["flat-zip"](bot("winter")), attempt=2),
        Submitted(person, summer, PACKINGS["flat-zip"](bot("summer"))),
    ]
    deadline = "2026-10-25 03:00 Europe/Berlin"
    school(tmp_path, "blackboard", handed_in, [person], deadline=deadline)
    _, rows, _ = check(tmp_path)
    row = rows[person.id]
    assert (row["bot"], row["received"]) == ("winter", "2026-10-25 02:30:00+01:00")
    assert row["time_source"] == "Blackboard's text"


def test_two_submitters_of_gradescope_are_both_marked_and_keep_their_zeros(tmp_path: Path) -> None:
    ann = Person("00123", "Ann", "Lee", "ann@example.org", "ann", "1", "duo")
    bob = Person("00124", "Bob", "Ray", "bob@example.org", "bob", "2", "duo")
    handed_in = [Submitted(ann, hours(-1), bot("both"))]
    school(tmp_path, "gradescope", handed_in, [ann, bob])
    _, rows, _ = check(tmp_path)
    assert [(id_, row["bot"]) for id_, row in rows.items()] == [
        ("00123", "both"),
        ("00124", "both"),
    ]
    assert rows["00124"]["received"] == "2026-11-20 22:59:00+01:00"


def test_commit_of_2001_is_late_by_the_grades_and_unknown_without_them(tmp_path: Path) -> None:
    [person] = people(1)
    long_ago = [Submitted(person, datetime(2001, 1, 1, tzinfo=BERLIN), bot("b"))]
    found = school(tmp_path, "github", long_ago, [person], "commits")
    grades = found.records[0].read_text()
    found.records[0].write_text(
        grades.replace("2000-12-31 23:00:00 UTC", "2026-11-21 02:59:00 UTC")
    )
    _, rows, survey = check(tmp_path)
    assert (rows[person.id]["days_late"], rows[person.id]["late_by"]) == (1, "4 h")
    keys = {**KEYS, "submissions": found.submissions.name}
    course_yaml(tmp_path, **keys)
    ran, rows, survey = check(tmp_path)
    assert (ran.code, rows[person.id]["days_late"]) == (1, 0)
    assert survey["problems"][0]["what"].startswith("no time of receipt")
    course_yaml(tmp_path, **{**keys, "times": "commits"})
    ran, rows, survey = check(tmp_path)
    assert (ran.code, rows[person.id]["received"][:4]) == (0, "2001")
    assert "times are those of commits: their authors could have set them" in survey["notes"]


def test_repository_may_not_say_what_git_runs(tmp_path: Path) -> None:
    [person] = people(1)
    handed_in = [Submitted(person, hours(-1), bot("b"))]
    found = school(tmp_path, "github", handed_in, [person], "commits", received=None)
    [repository] = found.submissions.iterdir()
    touched = tmp_path / "touched"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {touched}\n")
    program.chmod(0o755)
    with (repository / ".git/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {program}\n\tsshCommand = {program}\n")
        config.write(f"[log]\n\tshowSignature = true\n[gpg]\n\tprogram = {program}\n")
    keys = {**KEYS, "submissions": found.submissions.name, "times": "commits"}
    course_yaml(tmp_path, **keys)
    _, rows, _ = check(tmp_path)
    assert rows[person.id]["received"] == "2026-11-20 22:59:00+01:00"
    assert not touched.exists()


def test_revisions_of_openolat_are_attempts_and_its_texts_say_late(tmp_path: Path) -> None:
    twice, late = people(2)
    handed_in = [
        Submitted(twice, hours(-9), PACKINGS["flat-zip"](bot("first")), attempt=1),
        Submitted(twice, hours(-1), PACKINGS["flat-zip"](bot("second")), attempt=2),
        Submitted(late, hours(3), PACKINGS["flat-zip"](bot("late"))),
    ]
    school(tmp_path, "openolat", handed_in, [twice, late])
    _, rows, survey = check(tmp_path)
    assert (rows[twice.id]["bot"], rows[late.id]["late_by"]) == ("second", "unknown")
    assert "OpenOLAT's Late_submission.txt" in rows[late.id]["time_source"]
    assert survey["problems"][0]["students"] == [late.id]


def test_brightspace_folder_without_a_colon_has_its_time(tmp_path: Path) -> None:
    [person] = people(1)
    handed_in = [Submitted(person, datetime(2026, 10, 10, 21, 26, tzinfo=BERLIN), bot("b"))]
    for mode in ("", "dotted"):
        shutil.rmtree(tmp_path / "in", ignore_errors=True)
        (tmp_path / "in").mkdir()
        found = school(tmp_path / "in", "brightspace", handed_in, [person], mode)
        assert found.names[person.id].endswith(("926 PM", "9.26 PM"))
        _, rows, _ = check(tmp_path / "in")
        assert rows[person.id]["received"] == "2026-10-10 21:26:00+02:00"


def test_classroom_workflow_beside_the_bot_is_no_second_bot(tmp_path: Path) -> None:
    [person] = people(1)
    files = {f"my-bot/{path}": content for path, content in bot("b").items()}
    files[".github/workflows/classroom.yml"] = b"name: check\n"
    school(tmp_path, "github", [Submitted(person, hours(-1), files)], [person])
    ran, rows, _ = check(tmp_path)
    assert (ran.code, rows[person.id]["bot"]) == (0, "b")


def test_platform_may_be_given_and_a_name_of_another_is_nobodys(tmp_path: Path) -> None:
    persons = people(2)
    school(tmp_path, "moodle", submitted(persons, FEW), persons, platform="canvas")
    _, _, survey = check(tmp_path)
    assert survey["platform"] == "Canvas, 0 of 2 students"
    assert "belong to nobody" in survey["problems"][-1]["what"]


def test_check_begins_with_what_concerns_more_than_one_student(tmp_path: Path) -> None:
    persons = people(4)
    school(tmp_path, "moodle", submitted(persons[:3], FEW), persons, received=None)
    ran = run("course", "check", tmp_path, cwd=tmp_path)
    assert ran.out.startswith("Moodle, folders, 3 of 4 students\n")
    assert ran.err.startswith("no time of receipt: ")
    [line] = [line for line in ran.out.splitlines() if line.startswith(persons[3].id)]
    assert line.split() == [persons[3].id, "nothing"]
