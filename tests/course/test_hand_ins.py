"""Hand-ins: whose they are, which one counts, and what is said of the others."""

import os
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.course.config import Course, load_course
from arena.course.intake.hand_ins import HandIn, Works, choose, hand_ins_by_student, hand_ins_of
from arena.course.intake.inside import Inside
from arena.course.intake.times import Receipt
from arena.course.moments import Due, parse_moment
from tests.course.school import course_yaml, roster

DUE = Due(parse_moment("2026-11-20 12:00 UTC", "here"), 600)


def hand_in(name: str, moment: str) -> HandIn:
    received = datetime.fromisoformat(f"2026-11-{moment}").replace(tzinfo=UTC)
    return HandIn("s1", name, {name: Path(name)}, Inside(Path(name)), Receipt(received))


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
    "numbered": (
        [(f"s1_bot{n}.zip", "20 11:00") for n in ("", " (1)", " (10)", " (2)")],
        *(3, "s1_bot (10).zip", 0, "a later one was received in time"),
    ),
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
        assert found[0].receipt.moment is not None
        assert found[0].receipt.moment.timestamp() == 1_001
    (course.folder / "received.csv").write_text("file,received\ns1,2026-11-20 12:00 UTC\n")
    listed = load_course(course_yaml(course.folder, received="received.csv"))
    with hand_ins_of(listed) as intake:
        found = intake.hand_ins
        assert found[0].receipt.moment == DUE.deadline


def test_entry_of_a_zip_file_has_its_own_time_or_none(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada", "s2,Bob")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for name, moment in (("s1", (2026, 11, 20, 11, 0, 0)), ("s2", (1980, 0, 0, 0, 0, 0))):
            info = zipfile.ZipInfo(f"{name}/bot.yaml")
            info.date_time = moment
            archive.writestr(info, f"name: {name}")
    course = load_course(course_yaml(tmp_path, submissions="all.zip"))
    with hand_ins_of(course) as intake:
        one, two = intake.hand_ins
        # 11:00 on the clock of the deadline.
        assert f"{one.receipt.moment:%Y-%m-%d %H:%M}" == "2026-11-20 10:00"
        assert (two.receipt.is_known, two.inside.bot is not None) == (False, True)


def test_archive_without_times_of_entries_has_none(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada")
    (tmp_path / "s1").mkdir()
    (tmp_path / "s1/bot.yaml").write_text("name: x")
    with tarfile.open(tmp_path / "all.tar", "w") as archive:
        archive.add(tmp_path / "s1", "s1")
    course = load_course(course_yaml(tmp_path, submissions="all.tar"))
    with hand_ins_of(course) as intake:
        assert not intake.hand_ins[0].receipt.is_known


def test_file_that_is_called_as_a_platforms_text_is_the_bots(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada")
    folder = tmp_path / "hand-ins/s1"
    folder.mkdir(parents=True)
    for name in ("bot.yaml", "timestamp.txt", "Late_submission.txt"):
        (folder / name).write_text("name: x")
    with hand_ins_of(load_course(course_yaml(tmp_path))) as intake:
        bot = intake.hand_ins[0].inside.bot
        assert bot
        assert len([*bot.iterdir()]) == 3
