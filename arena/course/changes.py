"""What a grading changed: every mark that moved, and why."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from arena.course.by_hand import ByHand
from arena.course.config import FIELD, LEGAL, Course
from arena.course.lock import GradingTerms, Lock
from arena.course.marks import Mark, Result, grading
from arena.io.files import read_json, write_file

_FILE = "last.json"
_LEAST = 0.005
"""The least difference in points that two decimals show."""
_NAMES = {
    "arena": "the arena",
    "reference_games": "reference_games",
    "scheme": "marks or late",
    "rules": "variant",
}


class Moved(Struct, frozen=True):
    """A mark that is not what it was."""

    student: str
    before: float | None
    """Points after the deduction; None without a mark."""
    now: float | None
    why: str


def changed_terms(old: GradingTerms, new: GradingTerms) -> str:
    """Return in words what changed of that which decides games or points; "" for nothing."""
    left_out = {"baselines", "reference", "arena", "quick"}
    if old.quick or new.quick:
        left_out.add("precision")  # a first look is not the last word, before or after
    changed = [
        _NAMES.get(key, key)
        for key in GradingTerms.__struct_fields__
        if key not in left_out and getattr(old, key) != getattr(new, key)
    ]
    changed += [
        f"the baseline '{name}'"
        for name in sorted(old.baselines.keys() | new.baselines.keys())
        if old.baselines.get(name) != new.baselines.get(name)
    ]
    if old.reference != new.reference:
        changed.append("the reference")
    return ", ".join(changed)


class GradingOutcome(Struct, frozen=True):
    """The lock and the results of a grading."""

    lock: Lock
    results: list[Result]


def read_outcome(course: Course) -> GradingOutcome | None:
    """Return the outcome of the last grading; None without one that this version can read."""
    return read_json(grading(course) / _FILE, GradingOutcome)


def write_outcome(course: Course, outcome: GradingOutcome) -> None:
    """Keep the outcome of a grading: the next one is compared with it."""
    write_file(grading(course) / _FILE, msgspec.json.encode(outcome))


def moved(before: GradingOutcome, now: GradingOutcome) -> Iterator[Moved]:
    """Yield the marks that moved between two gradings, with the parts that did and why."""
    earlier = {result.student.id: result for result in before.results}
    for result in now.results:
        was = earlier.pop(result.student.id, None)
        old_final, final = _final(was), _final(result)
        differ = (old_final is None) != (final is None)
        differ = differ or abs((old_final or 0) - (final or 0)) >= _LEAST
        if differ or (was and _grade(was) != _grade(result)):
            why = "; ".join(_reasons(was, result, before.lock, now.lock))
            yield Moved(result.student.id, old_final, final, why)
    for id_, was in earlier.items():
        yield Moved(id_, _final(was), None, "no longer on the roster")


def _final(result: Result | None) -> float | None:
    return result.mark.final if result and result.mark else None


def _grade(result: Result) -> str:
    return result.mark.grade.name if result.mark and result.mark.grade else ""


def _reasons(was: Result | None, result: Result, old: Lock, new: Lock) -> Iterator[str]:
    if was is None:
        yield "new on the roster"
        return
    if was.mark is None or result.mark is None:
        yield "struck" if result.mark is None else "no longer struck"
        return
    is_same = _content(was) == _content(result)
    if not is_same:
        file = result.hand_in.file if result.hand_in else "none"
        yield f"another hand-in counts: {file}"
    yield from _parts(was.mark, result.mark, old, new, is_same=is_same)
    if was.mark.deduction != result.mark.deduction:
        yield f"deduction {result.mark.deduction:g}, not {was.mark.deduction:g}"
    yield from _added(was.mark.added, result.mark.added)
    if _grade(was) != _grade(result):
        yield f"grade {_grade(result) or 'none'}, not {_grade(was) or 'none'}"


def _added(was: Sequence[ByHand], now: Sequence[ByHand]) -> Iterator[str]:
    """Yield the points by hand that are new, and those that are gone."""
    for entries, others, word in ((now, was, ""), (was, now, "no more ")):
        for entry in entries:
            if entry not in others:
                yield f"{word}{entry.part} {entry.points:+g} ({entry.reason})"


def _parts(was: Mark, now: Mark, old: Lock, new: Lock, *, is_same: bool) -> Iterator[str]:
    """Yield the parts that moved, and why if the same hand-in counts."""
    for name in {**was.parts, **now.parts}:
        before = was.parts[name].points if name in was.parts else 0.0
        after = now.parts[name].points if name in now.parts else 0.0
        if abs(before - after) >= _LEAST:
            why = (
                now.reasons.get(name) or now.withheld or (_cause(name, old, new) if is_same else "")
            )
            yield f"{name} {after:.2f}, not {before:.2f}{f' ({why})' if why else ''}"


def _cause(name: str, old: Lock, new: Lock) -> str:
    if old.terms.scheme != new.terms.scheme:
        return "marks or late changed"
    if name == FIELD:
        left, joined = len({*old.field} - {*new.field}), len({*new.field} - {*old.field})
        if left or joined:
            return f"the field changed: {joined} joined, {left} left"
        return _precision_change(old, new) or "other games"
    if name == LEGAL:
        return "checked again"
    if old.terms.baselines.get(name) != new.terms.baselines.get(name):
        return "the baseline changed"
    if old.shares.get(name) != new.shares.get(name):
        return "the reference was measured again"
    return _precision_change(old, new) or "other games count"


def _precision_change(old: Lock, new: Lock) -> str:
    before, now = old.terms.precision, new.terms.precision
    return f"played to ±{now:g} points, not ±{before:g}" if before != now else ""


def _content(result: Result) -> str:
    return result.hand_in.content if result.hand_in else ""
