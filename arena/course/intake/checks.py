"""The check of every hand-in, as by `arena check`, stored by its content."""

from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.author.check.bench import CheckRequest
from arena.author.check.findings import CheckReport, Finding, StepResult
from arena.author.check.run import check
from arena.author.check.steps import FIRST_ALONE, STEPS
from arena.bots.manifest import load_bot
from arena.bots.runtimes import IMAGES
from arena.bots.sandboxes.registry import missing_image
from arena.course.intake.inside import Inside
from arena.io.errors import ArenaError, ShortageError, shortage_of
from arena.io.files import read_json, write_file
from arena.league.play.process_pool import map_ordered, pool

POSITIONS = 500
"""Recorded positions that a bot is asked: a quarter of those of `arena check`."""


class CheckedHandIn(NamedTuple):
    """A hand-in to be checked."""

    student: str
    """The id of its owner."""
    name: str
    request: CheckRequest
    inside: Inside
    """The bot in it, or why there is none."""


class Checked(Struct, frozen=True):
    """The check of a hand-in."""

    report: CheckReport
    digest: str
    """The digest of the bot; "" if it cannot be read."""

    @property
    def passed(self) -> int:
        """The number of steps that it passed."""
        return sum(step.ok for step in self.report.steps)

    @property
    def starts(self) -> bool:
        """Whether it can play."""
        first = [step.ok for step in self.report.steps[: FIRST_ALONE - 1]]
        return bool(self.digest) and len(first) == FIRST_ALONE - 1 and all(first)


class _Silent:
    """Does not tell how a check goes."""

    def trying(self, number: int, steps: int, name: str) -> None: ...

    def note(self, text: str) -> None: ...

    def warn(self, text: str) -> None: ...


def check_all(
    hand_ins: Mapping[str, CheckedHandIn],
    folder: Path,
    workers: int,
    tell: Callable[[str], None],
) -> dict[str, Checked]:
    """Check hand-ins side by side, except those whose checks are stored; returns them by key.

    A hand-in that fails is checked again with nothing beside it, and the better check counts.
    Raises ArenaError if a bot may not run in the sandbox, and ShortageError if the machine lacks
    something.
    """
    checks = {
        key: stored for key in hand_ins if (stored := read_json(folder / f"{key}.json", Checked))
    }
    left = [key for key in hand_ins if key not in checks]
    if left:
        tell(f"checking {len(left)} hand-ins")
        with pool(workers, pin=False) as executor:
            calls = [partial(_check_beside, hand_ins[key]) for key in left]
            results = map_ordered(executor, calls, 2 * workers)
            for number, (key, checked) in enumerate(zip(left, results, strict=True), 1):
                if not checked:
                    continue
                checks[key] = checked
                tell(f"checked {number} of {len(left)}: {_verdict(hand_ins[key], checked)}")
                if checked.report.ok:
                    _write(folder, key, checked)
    for key in left:
        if key not in checks or not checks[key].report.ok:
            again = _check(hand_ins[key])
            checks[key] = max(checks.get(key, again), again, key=attrgetter("passed"))
            tell(f"checked again: {_verdict(hand_ins[key], checks[key])}")
            _write(folder, key, checks[key])
    return checks


def check_key(unit: str, content: str) -> str:
    """Return the key under which the check of a hand-in is stored, given the hash of its content.

    It depends on the student or team (`Student.unit`), too: findings name files by their paths, and
    nobody is to see those of others with equal files.
    """
    return sha256(f"{content}/{unit}".encode("utf-8", "surrogatepass")).hexdigest()


def read_check(folder: Path, unit: str, content: str) -> Checked | None:
    """Return the stored check of a hand-in of a student or team; None if there is none."""
    return read_json(folder / f"{check_key(unit, content)}.json", Checked)


def _check_beside(hand_in: CheckedHandIn) -> Checked | None:
    """Check a hand-in beside others; returns None if the machine lacks something for that."""
    try:
        return _check(hand_in)
    except Exception as error:
        if shortage_of(error):
            return None
        raise


def _check(hand_in: CheckedHandIn) -> Checked:
    """Check a hand-in; raises ArenaError for what is not its fault, as a sandbox that fails."""
    request, inside = hand_in.request, hand_in.inside
    if inside.bot is None:
        error = ArenaError(inside.why, inside.where or hand_in.name, inside.hint)
        return Checked(_report(request, error), "")
    try:
        bot = load_bot(inside.bot)
    except ShortageError:
        raise
    except ArenaError as error:
        return Checked(_report(request, error), "")
    images = {**IMAGES, **request.images}
    if image := missing_image(request.sandbox, bot.info.runtime, images):
        what = f"there is no image for the runtime '{bot.info.runtime}' here"
        hint = f"use another runtime, or ask the teacher for '{image}'"
        return Checked(_report(request, ArenaError(what, "bot.yaml", hint)), "")
    report = check(replace(request, bot=bot), _Silent())
    if report.interrupted:
        raise KeyboardInterrupt
    return Checked(report, bot.info.digest)


def _report(request: CheckRequest, error: ArenaError) -> CheckReport:
    """Return the report of a hand-in that is refused."""
    first = STEPS[0]
    finding = Finding(error.what, error.where, error.hint)
    return CheckReport(
        bot=str(request.source),
        sandbox="",
        ok=False,
        steps=[StepResult(1, first.name, first.about, [finding])],
        left=len(STEPS) - 1,
        interrupted=False,
        limits=request.limits,
        measured=None,
        advice=[],
        stderr="",
        build="",
    )


def _write(folder: Path, key: str, checked: Checked) -> None:
    write_file(folder / f"{key}.json", msgspec.json.encode(checked), parents=True)


def _verdict(hand_in: CheckedHandIn, checked: Checked) -> str:
    return f"{hand_in.student} ({hand_in.name}): {checked.passed} of {len(STEPS)} steps"
