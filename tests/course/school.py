"""Courses to test with."""

import json
from pathlib import Path

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
