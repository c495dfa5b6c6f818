"""The look at a course before its games: who handed in what, what would be lost, what was given."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.manifest import load_bot
from arena.course.check import survey
from arena.course.config import load_course
from arena.course.estimate import Speed, effort, within
from arena.course.intake.entries import GivenOut, program_of
from arena.course.intake.hand_ins import hand_ins_of
from tests.cli.command import ROOT, error_line, run
from tests.course.school import course_yaml, roster
from tests.course.test_from_ladder import Club

SAMPLES, KITS = ROOT / "sample_bots", ROOT / "protocol/kits"
LEGAL = {"marks": {"total": 100, "legal": 100}, "reference": None}
LATE = {"deadline": "2026-11-20 12:00 UTC", "grace": 300, "late": {"days": 3, "free_days": 1}}
OWN = (
    "def mine(turn):\n    return {" + ", ".join(f"{n}: turn[{n}] - {n}" for n in range(60)) + "}\n"
)


@pytest.fixture
def school(tmp_path: Path) -> Path:
    """A course of students with something of each kind, whose times are listed."""
    roster(tmp_path, "s1,Ada,,,", "s2,Bob,,,", "s3,Cy,,,", "s4,Di,,,duo", "s5,Ed,,,duo", head=HEAD)
    folder = tmp_path / "hand-ins"
    shutil.copytree(SAMPLES / "memory", folder / "s1")
    shutil.copytree(SAMPLES / "honest", folder / "s2_late")
    (folder / "s2_late/bot.py").write_text(OWN)
    (folder / "s3").mkdir()
    (folder / "s3/bot.yaml").write_text("comand: x")
    shutil.copytree(KITS / "python", folder / "s4_bot")
    days = {"s1": 20, "s2_late": 22, "s3": 19, "s4_bot": 19}
    lines = [f"{name},2026-11-{day} 11:00 UTC" for name, day in days.items()]
    (tmp_path / "received.csv").write_text("\n".join(["file,received", *lines]) + "\n")
    keys = {**LEGAL, **LATE, "times": None, "extensions": {"s2": "+12 hours"}}
    course_yaml(tmp_path, received="received.csv", **keys)
    return tmp_path


HEAD = "id,name,email,group,team"


def test_check_says_who_handed_in_what_and_how_late(school: Path) -> None:
    ran = run("course", "check", school, "--json", cwd=school)
    assert ran.code == 0, ran
    rows = {one["student"]: one for one in json.loads(ran.out)["survey"]["students"]}
    assert [(one["file"], one["days_late"], one["sign"]) for one in rows.values()] == [
        ("s1", 0, "the id"),
        ("s2_late", 2, "the id"),
        ("s3", 0, "the id"),
        ("s4_bot", 0, "the id"),
        ("s4_bot", 0, "the id"),
    ]
    late = rows["s2"]
    assert (late["free_days"], late["extension"], late["grace"]) == (1, "+12 hours", 300)
    assert (late["deadline"], late["zone"]) == ("2026-11-21 00:00:00+00:00", "UTC")
    assert "comand" in rows["s3"]["unreadable"]
    assert (rows["s1"]["given"]["name"], rows["s1"]["given"]["share"]) == ("sample:memory", 1.0)
    assert rows["s5"]["given"]["name"] == "kit python"
    assert rows["s2"]["given"] is None


def test_link_is_not_followed_when_hand_ins_are_looked_at(school: Path, tmp_path: Path) -> None:
    shutil.rmtree(school / "hand-ins/s3")
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "bot.yaml").write_text("secret: of the teacher")
    (school / "hand-ins/s3").symlink_to(secret)
    ran = run("course", "check", school, cwd=school)
    assert ran.code == 0, ran
    assert "s3: no bot: " in ran.out
    assert "of the teacher" not in ran.out + ran.err
    assert "key 'secret'" not in ran.out + ran.err


def test_check_prints_it_for_people(school: Path) -> None:
    ran = run("course", "check", school, cwd=school)
    assert ran.code == 0, ran
    assert "s2: 2 days late" in ran.out
    assert "s1: nothing of its own: 100 % of its source is in sample:memory" in ran.out
    assert "s3: no bot: unknown key 'comand'" in ran.out
    assert "times are those of UTC, and 5 min of grace" in ran.out


def misspelt(course: Path) -> None:
    with (course / "received.csv").open("a") as file:
        file.write("s77,2026-11-20 11:00 UTC\n")


def unlisted(course: Path) -> None:
    text = (course / "received.csv").read_text()
    (course / "received.csv").write_text(text.replace("s1,", "s1_,"))


def stranger(course: Path) -> None:
    (course / "hand-ins/s9_bot").mkdir()


def team_of_strangers(course: Path) -> None:
    shutil.rmtree(course / "hand-ins/s2_late")
    (course / "hand-ins/s3").rename(course / "hand-ins/s3_s2_team")
    text = (course / "received.csv").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("s2")]
    (course / "received.csv").write_text("\n".join(lines).replace("s3,", "s3_s2_team,"))


PROBLEMS: dict[str, tuple[Callable[[Path], None], list[str]]] = {
    "a typo in the times": (
        misspelt,
        ["'s77' in ", "received.csv:6 names nothing that was handed in"],
    ),
    "a typo that makes a student late": (
        unlisted,
        ["no time of receipt: 's1'", "names nothing that was handed in"],
    ),
    "a stranger": (stranger, ["'s9_bot' belongs to nobody on the roster"]),
    "two ids in a name": (
        team_of_strangers,
        ["'s3_s2_team' counts for 's3' alone, 's2' handed in nothing"],
    ),
}


@pytest.mark.parametrize("case", PROBLEMS)
def test_marks_are_not_lost_without_a_word(school: Path, case: str) -> None:
    spoil, said = PROBLEMS[case]
    spoil(school)
    ran = run("course", "check", school, cwd=school)
    assert ran.code == 1
    for text in said:
        assert text in ran.err
    ran = run("course", "grade", school, "--trust-bots", cwd=school)
    error_line(ran, said[0].removeprefix("'s77'"), "--ignore-unknown")
    assert not (school / "grading").exists()


def test_file_that_is_ignored_is_no_stranger(school: Path) -> None:
    stranger(school)
    keys = {**LEGAL, **LATE, "received": "received.csv", "ignored": ["s9_bot"]}
    course_yaml(school, **keys)
    assert run("course", "check", school, cwd=school).code == 0


def test_team_that_the_roster_knows_is_no_problem(school: Path) -> None:
    team_of_strangers(school)
    roster(school, "s1,,,,", "s2,,,,x", "s3,,,,X", "s4,,,,duo", "s5,,,,duo", head=HEAD)
    with hand_ins_of(load_course(school)) as intake:
        seen = survey(load_course(school), intake)
    assert seen.problems == []
    assert [one.file for one in seen.students][1:3] == ["s3_s2_team", "s3_s2_team"]


def test_best_hand_in_is_not_known_before_the_games(school: Path) -> None:
    shutil.copytree(SAMPLES / "honest", school / "hand-ins/s1_second")
    with (school / "received.csv").open("a") as file:
        file.write("s1_second,2026-11-19 11:00 UTC\n")
    keys = {**LEGAL, **LATE, "received": "received.csv", "resubmissions": "best"}
    course = load_course(course_yaml(school, **keys))
    with hand_ins_of(course) as intake:
        assert survey(course, intake).students[0].note == "the best of 2 counts"


def test_starter_code_is_named(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "honest", tmp_path / "starter")
    (tmp_path / "starter/bot.py").write_text(OWN)
    shutil.copytree(tmp_path / "starter", tmp_path / "bot")
    text = OWN.replace("mine", "ours").replace("turn[", "request[").replace("59", "95")
    (tmp_path / "bot/bot.py").write_text(text)
    given = GivenOut({"starter/": tmp_path / "starter"}).of(load_bot(tmp_path / "bot"))
    assert given is not None
    assert (given.name, given.share) == ("starter/", 1.0)
    assert GivenOut({}).of(load_bot(tmp_path / "bot")) is None


def test_bots_that_differ_in_their_names_are_one_program(tmp_path: Path) -> None:
    one = load_bot(shutil.copytree(SAMPLES / "honest", tmp_path / "one"))
    manifest = shutil.copytree(SAMPLES / "honest", tmp_path / "two") / "bot.yaml"
    manifest.write_text(manifest.read_text().replace("name: honest", "name: mine"))
    two = load_bot(tmp_path / "two")
    assert one.info.digest != two.info.digest
    assert program_of(one) == program_of(two)
    with (tmp_path / "two/bot.py").open("a") as file:
        file.write("# changed\n")
    assert program_of(load_bot(tmp_path / "two")) != program_of(one)


def test_author_of_a_ladder_who_is_no_student_is_no_problem(tmp_path: Path) -> None:
    club = Club(tmp_path / "club")
    folder = tmp_path / "course"
    folder.mkdir()
    roster(folder, "s1,Ada", "s2,Bob")
    course_yaml(folder, **LEGAL, submissions={"ladder": "../club"})
    club.submit("s1", "mine", "20 10:00")
    club.submit("guest", "theirs", "20 10:00")
    ran = run("course", "check", folder, cwd=folder)
    assert ran.code == 0, ran
    assert "the author s1" in ran.out
    assert "'guest' belongs to nobody on the roster" in ran.out


@pytest.mark.slow
def test_check_says_how_long_grading_takes(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada")
    shutil.copytree(SAMPLES / "odds", tmp_path / "hand-ins/s1")
    course_yaml(tmp_path)
    ran = run("course", "check", tmp_path, "--workers", "1", "--json", cwd=tmp_path)
    assert ran.code == 0, ran
    found = json.loads(ran.out)["effort"]
    # 80 of the reference, 80 of the student, 20 of the two in the field.
    assert (found["games"], found["precision"]) == (180, 30)


def test_less_time_is_a_less_precise_look(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada")
    course = load_course(course_yaml(tmp_path, precision=2, budget=100_000))
    speed = Speed(games=100.0, shares={"random": 0.9})
    planned = effort(course, 30, 30, speed)
    assert within(course, 30, 30, speed, planned.seconds) == planned
    half = within(course, 30, 30, speed, planned.seconds / 2)
    assert (half.precision > 2, half.seconds <= planned.seconds / 2) == (True, True)
    # The checks take their time however wide the intervals are.
    assert within(course, 30, 30, speed, 1).precision >= course.file.marks.total
