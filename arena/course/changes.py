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
"""Points that two decimals show."""
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
    """After the deduction; None for none."""
    now: float | None
    why: str


def changed_terms(old: GradingTerms, new: GradingTerms) -> str:
    """Name what decides games or points and changed, or return ""."""
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
    """What a grading came to."""

    lock: Lock
    results: list[Result]


def read_outcome(course: Course) -> GradingOutcome | None:
    """Return what the last grading came to; None if there was none, or of another arena."""
    return read_json(grading(course) / _FILE, GradingOutcome)


def write_outcome(course: Course, outcome: GradingOutcome) -> None:
    """Keep what a grading came to, for the next one to be compared with."""
    write_file(grading(course) / _FILE, msgspec.json.encode(outcome))


def moved(before: GradingOutcome, now: GradingOutcome) -> Iterator[Moved]:
    """Yield the marks that moved between two gradings, with the parts that did and why."""
    old_lock, lock = before.lock, now.lock
    earlier = {result.student.id: result for result in before.results}
    for result in now.results:
        was = earlier.pop(result.student.id, None)
        old_final, final = _final(was), _final(result)
        differ = (old_final is None) != (final is None)
        differ = differ or abs((old_final or 0) - (final or 0)) >= _LEAST
        if differ or (was and _grade(was) != _grade(result)):
            why = "; ".join(_reasons(was, result, old_lock, lock))
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
    if _content(was) != _content(result):
        file = result.hand_in.file if result.hand_in else "none"
        yield f"another hand-in counts: {file}"
    yield from _parts(was.mark, result.mark, old, new, same=_content(was) == _content(result))
    if was.mark.deduction != result.mark.deduction:
        yield f"deduction {result.mark.deduction:g}, not {was.mark.deduction:g}"
    yield from _by_hand(was.mark.added, result.mark.added)
    if _grade(was) != _grade(result):
        yield f"grade {_grade(result) or 'none'}, not {_grade(was) or 'none'}"


def _by_hand(was: Sequence[ByHand], now: Sequence[ByHand]) -> Iterator[str]:
    for entries, others, word in ((now, was, ""), (was, now, "no more ")):
        for entry in entries:
            if entry not in others:
                yield f"{word}{entry.part} {entry.points:+g} ({entry.reason})"


def _parts(was: Mark, now: Mark, old: Lock, new: Lock, *, same: bool) -> Iterator[str]:
    for name in {**was.parts, **now.parts}:
        before, after = was.parts.get(name), now.parts.get(name)
        points = (before.points if before else 0.0), (after.points if after else 0.0)
        if abs(points[0] - points[1]) >= _LEAST:
            why = now.reasons.get(name) or (_cause(name, old, new) if same else "")
            yield f"{name} {points[1]:.2f}, not {points[0]:.2f}{f' ({why})' if why else ''}"


def _cause(name: str, old: Lock, new: Lock) -> str:
    if old.terms.scheme != new.terms.scheme:
        return "marks or late changed"
    if name == FIELD:
        return _field_change(old, new)
    if name == LEGAL:
        return "checked again"
    if old.terms.baselines.get(name) != new.terms.baselines.get(name):
        return "the baseline changed"
    if old.shares.get(name) != new.shares.get(name):
        return "the reference was measured again"
    return _precision_change(old, new) or "other games count"


def _field_change(old: Lock, new: Lock) -> str:
    left, joined = len({*old.field} - {*new.field}), len({*new.field} - {*old.field})
    if left or joined:
        return f"the field changed: {joined} joined, {left} left"
    return _precision_change(old, new) or "other games"


def _precision_change(old: Lock, new: Lock) -> str:
    before, now = old.terms.precision, new.terms.precision
    return f"played to ±{now:g} points, not ±{before:g}" if before != now else ""


def _content(result: Result) -> str:
    return result.hand_in.content if result.hand_in else ""
