"""Arguments, options and times that the commands of a teacher share."""

import re
from pathlib import Path

import click

from arena.cli.options import PathType
from arena.cli.output import say
from arena.course.marks import GradedCourse, load_graded
from arena.io.errors import ArenaError

course_argument = click.argument("course", type=PathType())
"""The folder of a course, or its course.yaml."""
week_option = click.option(
    "--week", default="", metavar="WEEK", help="In a course of weeks, which: its number or name."
)
first_look_option = click.option(
    "--first-look", is_flag=True, help="Go on though the marks are a first look."
)

_MINUTE, _HOUR = 60, 3600
_DURATION = re.compile(r"(\d{1,6}) ?(s|m|min|h)")
_UNITS = {"s": 1, "m": _MINUTE, "min": _MINUTE, "h": _HOUR}


def read_graded(path: Path, *, first_look: bool, week: str = "") -> GradedCourse:
    """Read a graded course as `load_graded` does, and say it if the marks are a first look."""
    graded = load_graded(path, first_look=first_look, week=week)
    if graded.first_look:
        say(f"this is {graded.first_look}")
    return graded


def duration(_ctx: click.Context, _param: click.Parameter, text: str | None) -> float | None:
    """Return the seconds of a duration such as 10m; raises ArenaError."""
    if text is None:
        return None
    written = _DURATION.fullmatch(text)
    if not written:
        raise ArenaError(f"'{text}' is not a time", "--within", "write it like 90s, 10m or 1h")
    return float(int(written[1]) * _UNITS[written[2]])


def in_words(seconds: float) -> str:
    """Return a duration as people say it: `40 s`, `4 min`, `1.5 h`."""
    if seconds < 2 * _MINUTE:
        return f"{max(1, round(seconds))} s"
    if seconds < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.1f} h"
