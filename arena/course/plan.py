"""The plan of a course: what the marks of its four weeks are made of, and of one exercise alone."""

from msgspec import Struct

from arena.course.config import BaselineEntry, MarksEntry


class PlannedWeek(Struct, frozen=True):
    """A week of the course that docs/guides/pack describes."""

    solution: str
    """The sample bot that solves its exercise."""
    marks: MarksEntry
    precision: float
    """Points that half the interval of a mark may have: rivals that are close take more games."""


REFERENCE = "reference"
"""The folder of the reference, which `arena course init` draws."""
STARTER = "random"
"""The sample bot that students begin with: legal, and worse than the solution of any week."""
_RANDOM = BaselineEntry("sample:random", 50)
_HONEST = BaselineEntry("sample:honest", 70)
_MINIMAL = BaselineEntry("sample:sh-minimal", 80, none=0.7)
"""It bids as little as it can: who notices wins more than by the odds alone."""
_READER = BaselineEntry(REFERENCE, 70, none=0.4, all=0.6)
"""It learns how its rival bids and doubts: who can be read wins less than half."""
WEEKS = (
    PlannedWeek("honest", MarksEntry(100, 50, {"random": _RANDOM}), 2),
    PlannedWeek("odds", MarksEntry(100, 30, {"honest": _HONEST}), 3),
    PlannedWeek("memory", MarksEntry(100, 20, {"sh-minimal": _MINIMAL}), 5),
    PlannedWeek("equilibrium", MarksEntry(100, 20, {REFERENCE: _READER}, field=10), 5),
)
ONE_EXERCISE = MarksEntry(
    100,
    30,
    {"random": BaselineEntry("sample:random", 30), "honest": BaselineEntry("sample:honest", 30)},
    field=10,
)
