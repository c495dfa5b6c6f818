"""Hand-ins: whose they are, which one counts, and what is said of the others."""

import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.course.config import Course, load_course
from arena.course.intake.choice import HandIn, Works, choose
from arena.course.intake.hand_ins import bot_in, hand_ins_by_student, hand_ins_of
from arena.course.terms.deadlines import Due, parse_moment
from tests.course.school import course_yaml, roster

DUE = Due(parse_moment("2026-11-20 12:00 UTC", "here"), 10)


def hand_in(name: str, moment: str) -> HandIn:
    received = datetime.fromisoformat(f"2026-11-{moment}").replace(tzinfo=UTC)
    return HandIn("s1", name, Path(name), received)


CHOICES = {
    "none": ([], 3, None, 0, "nothing was handed in"),
    "one": ([("a", "20 11:00")], 3, "a", 0, ""),
    "the last in time": ([("b", "20 11:00"), ("a", "20 11:59")], 3, "a", 0, "'b'"),
    "in the grace": ([("a", "20 11:00"), ("b", "20 12:10")], 3, "b", 0, "'a'"),
    "one in time, one late": ([("a", "20 11:00"), ("b", "20 12:11")], 3, "a", 0, "1 day late"),
    "only late": ([("a", "21 11:00")], 3, "a", 1, "1 day late"),
    "the last of the late ones": ([("a", "21 11:00"), ("b", "22 11:00")], 3, "b", 2, "2 days"),
    "too late": ([("a", "24 11:00")], 3, None, 0, "'a'"),
    "no late days": ([("a", "20 12:11")], 0, None, 0, "1 day late"),
    "at the same moment": ([("b", "20 11:00"), ("a", "20 11:00")], 3, "b", 0, "'a'"),
}


@pytest.mark.parametrize("case", CHOICES)
def test_choice(case: str) -> None:
    names, days, wanted, late, said = CHOICES[case]
    choice = choose([hand_in(*one) for one in names], DUE, days)
    assert (choice.hand_in.name if choice.hand_in else None) == wanted
    assert choice.days_late == late
    assert said in choice.note


BROKEN, FAULTY = Works(starts=False, passed=False), Works(passed=False)
# The hand-ins in time and late, how they work, which one counts, and what is said of the others.
WORKING = {
    "broken in time, working late": (["20 11:00", "21 11:00"], {"0": BROKEN}, "1", "not start"),
    "working, then broken": (["20 10:00", "20 11:00"], {"1": BROKEN}, "0", "does not start"),
    "passed, then faulty": (["20 10:00", "20 11:00"], {"1": FAULTY}, "0", "not pass its check"),
    "faulty in time, passed late": (["20 11:00", "21 11:00"], {"0": FAULTY}, "0", "1 day late"),
    "all broken": (["20 11:00", "21 11:00"], {"0": BROKEN, "1": BROKEN}, "0", "not start"),
    "working, but too late": (["20 11:00", "25 11:00"], {"0": BROKEN}, "0", "5 days late"),
}


@pytest.mark.parametrize("case", WORKING)
def test_hand_in_that_works_counts(case: str) -> None:
    moments, works, wanted, said = WORKING[case]
    hand_ins = [hand_in(str(number), moment) for number, moment in enumerate(moments)]
    choice = choose(hand_ins, DUE, 3, works)
    assert choice.hand_in is not None
    assert choice.hand_in.name == wanted
    assert said in choice.note


def test_team_hands_in_together_and_each_member_has_an_own_deadline(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada,red", "s2,Bob,red", "s3,Cy,", head="id,name,team")
    for name in ("s1_first", "red_second", "s1_s2_both", "s3"):
        (tmp_path / "hand-ins" / name).mkdir(parents=True)
    days = {"s1_first": 19, "red_second": 22, "s1_s2_both": 18, "s3": 19}
    lines = [f"{name},2100-11-{day} 12:00 UTC" for name, day in days.items()]
    (tmp_path / "received.csv").write_text("\n".join(["file,received", *lines]))
    keys = {"deadline": "2100-11-20 12:00 UTC", "extensions": {"s2": "+3 days"}}
    course = load_course(course_yaml(tmp_path, received="received.csv", **keys))
    with hand_ins_of(course) as intake:
        pools = hand_ins_by_student(course, intake.hand_ins)
    counts = {one.id: choose(pool, course.due[one.id], 0).hand_in for one, pool in pools.items()}
    names = {id_: one.name for id_, one in counts.items() if one}
    assert names == {"s1": "s1_first", "s2": "red_second", "s3": "s3"}


@pytest.fixture
def course(tmp_path: Path) -> Course:
    roster(tmp_path, "s1,Ada Lovelace", "s2,Bob", "s11,Cy", "4711,Dora Dee")
    (tmp_path / "hand-ins").mkdir()
    return load_course(course_yaml(tmp_path))


def test_times_are_those_of_the_list_or_of_the_newest_file(course: Course) -> None:
    folder = course.submissions / "s1"
    folder.mkdir()
    for number, name in enumerate(("old", "new")):
        (folder / name).write_bytes(b"")
        os.utime(folder / name, (1_000 + number, 1_000 + number))
    with hand_ins_of(course) as intake:
        found = intake.hand_ins
        assert found[0].received.timestamp() == 1_001
    (course.folder / "received.csv").write_text("file,received\ns1,2026-11-20 12:00 UTC\n")
    listed = load_course(course_yaml(course.folder, received="received.csv"))
    with hand_ins_of(listed) as intake:
        found = intake.hand_ins
        assert found[0].received == DUE.deadline


def test_zip_file_of_an_lms(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada Lovelace", "s2,Bob")
    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("deep/bot.yaml", "name: x")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        info = zipfile.ZipInfo(
            "Ada Lovelace_7_assignsubmission_file/bot.zip", (2026, 11, 20, 11, 0, 0)
        )
        archive.writestr(info, inner.read_bytes())
        archive.writestr(zipfile.ZipInfo("s2/bot.yaml", (2026, 11, 20, 23, 0, 0)), "name: y")
    course = load_course(course_yaml(tmp_path, submissions="all.zip"))
    with hand_ins_of(course) as intake:
        found = intake.hand_ins
        ada, bob = found
        assert ada.name == "Ada Lovelace_7_assignsubmission_file/bot.zip"
        assert f"{ada.received:%H:%M}" == "10:00"  # 11:00 on the clock of the deadline
        assert bob.student == "s2"
        assert bot_in(bob.source).joinpath("bot.yaml").is_file()


def test_bot_is_found_in_wrapping_folders(tmp_path: Path) -> None:
    inner = tmp_path / "a/b/c"
    inner.mkdir(parents=True)
    (inner / "bot.yaml").write_text("")
    (tmp_path / "a/.DS_Store").write_text("")
    assert bot_in(tmp_path) == inner
    (tmp_path / "a/readme").write_text("")
    assert bot_in(tmp_path) == tmp_path / "a"
