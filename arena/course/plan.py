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


def _marks(legal: float, points: dict[str, float], field: float = 0.0) -> MarksEntry:
    baselines = {name: BaselineEntry(f"sample:{name}", of) for name, of in points.items()}
    return MarksEntry(100, legal, baselines, field)


ONE_EXERCISE = _marks(30, {"random": 30, "honest": 30}, field=10)
WEEKS = (
    PlannedWeek("honest", _marks(50, {"random": 50}), 2),
    PlannedWeek("odds", _marks(30, {"honest": 70}), 2),
    PlannedWeek("memory", _marks(20, {"sh-minimal": 40, "odds": 40}), 5),
    PlannedWeek("equilibrium", _marks(20, {"odds": 30, "memory": 40}, field=10), 8),
)
STARTER = "random"
"""The sample bot that students begin with: legal, and worse than the solution of any week."""
