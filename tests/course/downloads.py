"""Courses of what platforms give a teacher: classes, what they handed in, the course.yaml."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.course.platforms import PACKINGS, Export, Person, Submitted, a_class, export
from tests.course.school import course_yaml

BERLIN = ZoneInfo("Europe/Berlin")
DEADLINE = datetime(2026, 11, 20, 23, 59, tzinfo=BERLIN)
DOWNLOADED = datetime(2026, 11, 25, 10, 0, tzinfo=BERLIN)
KEYS: dict[str, object] = {
    "roster": "roster.csv",
    "deadline": "2026-11-20 23:59 Europe/Berlin",
    "late": {"points_per_day": 10, "days": 3},
    "marks": {"total": 10, "legal": 10},
    "reference": None,
    "times": None,
}
BOT = {"bot.yaml": b"name: %b\ncommand: python3 bot.py\nruntime: python\n", "bot.py": b"# %b\n"}


def bot(name: str) -> dict[str, bytes]:
    return {path: content % name.encode() for path, content in BOT.items()}


def hours(late: float) -> datetime:
    return DEADLINE + timedelta(hours=late)


def people(count: int) -> list[Person]:
    """Return a class without two students of one name, which some platforms cannot tell apart."""
    found: dict[str, Person] = {}
    for person in a_class(3 * count):
        found.setdefault(person.name, person._replace(team=""))
    return [*found.values()][:count]


def submitted(persons: Sequence[Person], packings: Iterable[str]) -> list[Submitted]:
    """Return what each handed in: every fifth one late, each packed in another way."""
    names = list(packings)
    return [
        Submitted(
            person,
            hours(3 if number % 5 == 4 else -1 - number),
            PACKINGS[names[number % len(names)]](bot(f"b{number}")),
        )
        for number, person in enumerate(persons)
    ]


def school(
    folder: Path,
    source: str,
    handed_in: Sequence[Submitted],
    persons: Sequence[Person],
    mode: str = "",
    **keys: object,
) -> Export:
    """Write a course of a platform's download, with all of its records."""
    found = export(
        source,
        folder,
        handed_in,
        people=persons,
        deadline=DEADLINE,
        downloaded=DOWNLOADED,
        mode=mode,
    )
    records = [record.name for record in found.records]
    more = {"submissions": found.submissions.name, "received": records or None}
    course_yaml(folder, **{**KEYS, **more, **keys})
    return found


DOWNLOADS = {
    "Moodle, folders, ": ("moodle", ""),
    "Moodle, files, ": ("moodle", "files"),
    "Moodle, folders,": ("moodle", "german"),
    "Moodle, folders": ("moodle", "blind"),
    "Canvas, ": ("canvas", ""),
    "Canvas": ("canvas", "anonymous"),
    "Blackboard, ": ("blackboard", ""),
    "Blackboard": ("blackboard", "o'clock"),
    "Gradescope": ("gradescope", ""),
    "GitHub Classroom": ("github", ""),
    "Brightspace": ("brightspace", ""),
    "Sakai": ("sakai", ""),
    "Stud.IP": ("studip", ""),
}
"""What `check` calls them -> the platform and the variant of its download."""
