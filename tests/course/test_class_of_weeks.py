"""A class of ten in four weeks, 40 hand-ins: who got farther has more points, week by week."""

import csv
import random
from pathlib import Path

import pytest
import yaml

from arena.course.finals import FINAL
from arena.course.new import make_own_course
from arena.course.plan import STARTER, WEEKS
from tests.course.school import grade, hand_in, marks
from tests.e2e.live import let_others_in
from tests.support.depth import only_in_long

LEVELS = (STARTER, *(week.solution for week in WEEKS))
"""What two students each come to: from the bot that they were given to the solution of week 4."""
STUDENTS = 2 * len(LEVELS)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of four weeks as it is made, but for few games, on known dice."""
    let_others_in(tmp_path)
    monkeypatch.setattr("secrets.token_hex", lambda _: "class")
    monkeypatch.setattr("random.SystemRandom", lambda: random.Random(3))
    ids = [f"s{number}" for number in range(STUDENTS)]
    (tmp_path / "r.csv").write_text("\n".join(["id", *ids, ""]), encoding="utf-8")
    folder = tmp_path / "course"
    make_own_course(folder, tmp_path / "r.csv", "2100-11-20 23:59 Europe/Berlin")
    keys = yaml.safe_load((folder / "course.yaml").read_text(encoding="utf-8"))
    few = {"budget": 160, "reference_games": 160, "alike": 0, "sandbox": "process"}
    for week in keys["weeks"]:
        week["precision"] = 30
    text = yaml.safe_dump({**keys, **few, "times": "files"})
    (folder / "course.yaml").write_text(text, encoding="utf-8")
    return folder


@only_in_long
@pytest.mark.slow
def test_each_week_rewards_its_lesson(course: Path) -> None:
    for week in range(1, len(WEEKS) + 1):
        for number in range(STUDENTS):
            hand_in(course, f"week-{week}/s{number}", LEVELS[min(number // 2, week)])
        ran = grade(course, "--week", str(week))
        assert ran.code == 0, ran.err
        points = [float(row["final"]) for row in marks(course / f"week-{week}").values()]
        assert points[::2] == points[1::2]  # copies play the same games
        assert points[2 * week] > points[2 * week - 2] + 5, points
    with (course / FINAL).open(newline="", encoding="utf-8") as file:
        final = [float(row["final"]) for row in csv.DictReader(file)]
    assert len(final) == STUDENTS
    assert final == sorted(final), final
