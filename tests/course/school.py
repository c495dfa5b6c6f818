"""Courses to test with."""

import csv
import json
import shutil
from pathlib import Path

from tests.cli.command import ROOT, Ran, run

QUICK = {
    "name": "Class",
    "roster": "roster.csv",
    "submissions": "hand-ins",
    "deadline": "2100-11-20 23:59 Europe/Berlin",
    "marks": {
        "total": 100,
        "legal": 40,
        "baselines": {"random": {"bot": "sample:random", "points": 50}},
        "field": 10,
    },
    "reference": "sample:honest",
    "precision": 30,
    "budget": 80,
    "reference_games": 80,
    "sandbox": "process",
    "alike": 0,
    "times": "files",
}
"""Few games."""
SAMPLES = ROOT / "sample_bots"
STUDENTS = (
    "s1,Ada,ada@school.example,A",
    "s2,=HYPERLINK(1),bob@school.example,B",
    "s3,Cy,cy@school.example,A",
    "s4,@SUM(A1),di@school.example,B",
    "s5,Ed,ed@school.example,A",
    "s6,Flo,flo@school.example,B",
)
LATE = {"points_per_day": 10, "days": 3}


def course_yaml(folder: Path, **keys: object) -> Path:
    """Write course.yaml, by default a quick course, and return its path; None leaves a key out."""
    path = folder / "course.yaml"
    whole = {key: value for key, value in {**QUICK, **keys}.items() if value is not None}
    # JSON is YAML.
    path.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    return path


def roster(folder: Path, *lines: str, head: str = "id,name,email,group") -> None:
    """Write roster.csv."""
    text = "\n".join([head, *lines]) + "\n"
    (folder / "roster.csv").write_text(text, encoding="utf-8")


def hand_in(course: Path, student: str, sample: str, *, name: str = "") -> None:
    """Hand in a sample bot, under a name of one's own if one is given."""
    folder = course / "hand-ins" / student
    shutil.copytree(SAMPLES / sample, folder)
    if name:
        manifest = folder / "bot.yaml"
        manifest.write_text(manifest.read_text().replace(f"name: {sample}", f"name: {name}"))


def grade(course: Path, *more: str) -> Ran:
    """Grade a course with one worker."""
    return run("course", "grade", course, "--trust-bots", "--workers", "1", *more, cwd=course)


def marks(course: Path) -> dict[str, dict[str, str]]:
    """Return the lines of marks.csv by student."""
    with (course / "marks.csv").open(newline="", encoding="utf-8") as file:
        return {row["id"]: row for row in csv.DictReader(file)}
