"""Students, what they hand in, and what a teacher downloads."""

import random
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple


class Person(NamedTuple):
    """A student as the school knows them."""

    id: str
    """The school's id, with leading zeros: 007."""
    first: str
    last: str
    email: str
    login: str
    number: str
    """The platform's own number of the person: Moodle's participant number, Canvas's user id."""
    team: str = ""
    """The name of the team; "" without."""

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}".strip()

    @property
    def sortable(self) -> str:
        return f"{self.last}, {self.first}" if self.last else self.first


class Submitted(NamedTuple):
    """One attempt that a student, or a member of a team, handed in."""

    person: Person
    at: datetime
    """When the platform received it; with a zone."""
    files: Mapping[str, bytes]
    """What the student uploaded, by its name or path."""
    attempt: int = 1


class Export(NamedTuple):
    """What the teacher downloads."""

    submissions: Path
    """The zip, or for repositories the folder of the clones."""
    records: list[Path]
    """Other files of the platform that hold times: a worksheet, an API's answer, grades."""
    roster: Path
    """The school's roster.csv: UTF-8; id,name,email,account,team."""
    names: dict[str, str]
    """Person.id -> the name of (one of) the person's entries in the download."""


# The first people of every class: each has a name that some platform changes, or that two share.
_AWKWARD = [
    ("Jane", "O'Brien-Smith", "jobrien"),
    ("Zoë", "Groß", "zgross"),
    ("Jürgen", "van der Berg", "jvanderberg"),
    ("Ann", "Lee", "alee"),
    ("Ann", "Lee", "alee2"),
    ("Li", "Wei_Chen", "li_wei"),
    ("Ana María", "de la Cruz", "amdelacruz"),
    ("伟", "王", "wwang"),
    ("Øyvind", "Æbelø", "oaebelo"),
    ("Jo", "Ray", "ray"),
    ("Bob", "Ray", "rayb"),
    ("Madonna", "", "madonna"),
    ("Łukasz", "Żak", "lzak"),
    ("Team", "7", "team_7"),
    ("Ali", "Al-Sayed: Jr.", "ali.sayed"),
]
_FIRST = ["Mia", "Noah", "Emma", "Paul", "Lina", "Finn", "Ida", "Tom", "Eva", "Max"]
_LAST = ["Meyer", "Schulz", "Novak", "Rossi", "Silva", "Kowalski", "Dubois", "Khan", "Olsen"]


def a_class(n: int = 40, seed: int = 1) -> list[Person]:
    """Return a class of n students, the first with names that hurt; two of three have a team."""
    draw = random.Random(seed)
    names = list(_AWKWARD)
    while len(names) < n:
        first, last = draw.choice(_FIRST), draw.choice(_LAST)
        names.append((first, last, f"{first[0]}{last}{len(names)}".lower()))
    ids = draw.sample(range(1, 1000), n)
    # A number of few digits begins others: 10 and 101.
    numbers = draw.sample(range(10, 10 + 20 * n), n)
    people = []
    for place, (first, last, login) in enumerate(names[:n]):
        email = f"{login}@example.org"
        number = place // 3 + 1
        # The name of this team looks like a part of what Canvas writes after it.
        team = ("team_7" if number == 7 else f"Team {number}") if place % 3 else ""
        people.append(
            Person(f"{ids[place]:05d}", first, last, email, login, str(numbers[place]), team)
        )
    return people
