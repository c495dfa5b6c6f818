"""The look at a course before its games: nothing that was handed in is run."""

import time

from msgspec import Struct
from msgspec.structs import replace

from arena.course.conditions import terms_of
from arena.course.config import Course
from arena.course.estimate import Effort, Speed, effort, measure_speed, within
from arena.course.intake.entries import Options
from arena.course.intake.hand_ins import hand_ins_of
from arena.course.intake.survey import Survey, survey
from arena.course.lock import read_lock
from arena.course.output.private import close_to_others
from arena.io.errors import ArenaError


class Checkup(Struct, frozen=True):
    """What a look at a course found."""

    survey: Survey
    baselines: list[str]
    """Each with the bot that plays it, and the reference."""
    effort: Effort | None
    """None if there is nothing to play."""
    readable: str
    """What other users of the machine can read, and what to do; "" for nothing."""


def check_course(course: Course, options: Options) -> Checkup:
    """Say who handed in what, what would be lost, and how long a grading takes.

    Raises ArenaError if something of the course cannot be read, or its own bots cannot play.
    """
    with hand_ins_of(course) as intake:
        seen = survey(course, intake)
    own = [f"{name} ({entry.bot})" for name, entry in course.file.marks.baselines.items()]
    if course.file.reference:
        own.append(f"the reference ({course.file.reference})")
    readable = close_to_others(course)
    return Checkup(seen, own, _effort(course, seen, options), readable)


def precision_within(course: Course, options: Options, seconds: float) -> Effort:
    """Return the most precise grading that this time allows; raises ArenaError as the check."""
    if not course.file.marks.baselines:
        raise ArenaError("there are no baselines to play", str(course.path), "leave out --within")
    began = time.monotonic()
    with hand_ins_of(course) as intake:
        seen = survey(course, intake)
    speed = _speed(course, options)
    left = seconds - (time.monotonic() - began)
    return within(course, seen.handed_in, seen.bots, speed, left)


def _effort(course: Course, seen: Survey, options: Options) -> Effort | None:
    if not course.file.marks.baselines:
        return None
    return effort(course, seen.handed_in, seen.bots, _speed(course, options))


def _speed(course: Course, options: Options) -> Speed:
    terms = terms_of(course, read_lock(course.folder), options)
    return measure_speed(course, replace(terms, seed="speed"), options)
