"""Points that the teacher gives: a part of the mark, a bonus, a penalty, an appeal."""

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path

from msgspec import Struct

from arena.course.roster import Student, find_id
from arena.course.table import read_table
from arena.io.errors import ArenaError, did_you_mean

BONUS = "bonus"
PENALTY = "penalty"
APPEAL = "appeal"
ADDED = (BONUS, PENALTY, APPEAL)
"""Kinds of points that are added to a mark last, after its parts and deductions."""
MAX_POINTS = 100_000
_MAX_REASON = 500
_COLUMNS = {"id": "id", "part": "part", "points": "points", "reason": "reason"}


class ByHand(Struct, frozen=True, forbid_unknown_fields=True):
    """Points that the teacher gave a student."""

    part: str
    """The name of a part of the mark, or one of ADDED."""
    points: float
    reason: str
    """Why, in a sentence that the student reads."""


def read_by_hand(
    path: Path, students: Sequence[Student], parts: Mapping[str, float]
) -> dict[str, list[ByHand]]:
    """Return what the teacher gave each student, by id, in the order of the file.

    `parts` has the most points of each part that is marked by hand. Raises ArenaError, with the
    line, for an unknown student or part, for points out of range, and for a missing reason.
    """
    given: dict[str, list[ByHand]] = {}
    for row in read_table(path, _COLUMNS, [*_COLUMNS]):
        points = _points(row.cells["points"], row.where)
        entry = ByHand(row.cells["part"], points, row.cells["reason"])
        id_ = find_id(row.cells["id"], students)
        if id_ is None:
            what = f"no student has the id '{row.cells['id']}'"
            raise ArenaError(what, row.where, "ids are those of the roster")
        theirs = given.setdefault(id_, [])
        _check(entry, theirs, parts, row.where)
        theirs.append(entry)
    return given


def _points(text: str, where: str) -> float:
    try:
        points = float(text.replace(",", ".").replace("\u2212", "-"))
    except ValueError:
        points = float("nan")
    if not isfinite(points) or abs(points) > MAX_POINTS:
        raise ArenaError(f"'{text}' is no number of points", where, "write it like 2.5 or -2.5")
    return points


def _check(entry: ByHand, others: Sequence[ByHand], parts: Mapping[str, float], where: str) -> None:
    if entry.part not in parts and entry.part not in ADDED:
        hint = did_you_mean(entry.part, [*parts, *ADDED])
        raise ArenaError(f"unknown part '{entry.part}'", where, hint)
    if not entry.reason or len(entry.reason) > _MAX_REASON:
        what = f"a reason has 1 to {_MAX_REASON} characters"
        raise ArenaError(what, where, "say in a sentence why: the student reads it")
    if entry.part in parts:
        if not 0 <= entry.points <= parts[entry.part]:
            what = f"'{entry.part}' has 0 to {parts[entry.part]:g} points, not {entry.points:g}"
            raise ArenaError(what, where, "correct it, or add a line with a bonus")
        if any(other.part == entry.part for other in others):
            what = f"the student has points for '{entry.part}' already"
            raise ArenaError(what, where, "leave one of the lines out")
    if (entry.part == PENALTY and entry.points > 0) or (entry.part == BONUS and entry.points < 0):
        sign = "negative" if entry.part == PENALTY else "positive"
        what = f"the points of a {entry.part} are {sign}, not {entry.points:g}"
        raise ArenaError(what, where, "points are added as they are written")
