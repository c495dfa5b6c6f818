"""Errors as they are printed: one line, with the place marked at a terminal, JSON for programs."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from arena.cli.output import harmless, wrapped_at
from arena.io.errors import ArenaError

WIDTH = 80
"""Columns at which lines break."""
_MOST = 1024 * 1024
"""Bytes of a file in which a place is looked up."""
_SHOWN = 200
"""Characters shown of a line."""


class ReportedError(ArenaError):
    """An error whose parts are in the data that the command printed."""


def print_error(error: ArenaError, code: int, *, as_json: bool) -> None:
    """Print an error on standard error; with --json, print its parts on standard output, too."""
    if as_json and not isinstance(error, ReportedError):
        parts = {"what": error.what, "where": error.where, "mend": error.hint}
        # On one line, as some commands print a line for each thing.
        click.echo(json.dumps({"error": {"code": code, **parts}}))
    if not in_colour():
        click.echo(f"error: {harmless(str(error))}", err=True)
        return
    for line in _lines(error):
        click.echo(line, err=True, color=True)


def in_colour(*, err: bool = True) -> bool:
    """Return whether a person reads standard error, or standard output, and wants colours.

    https://no-color.org, https://force-color.org
    """
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stderr if err else sys.stdout).isatty()


def _lines(error: ArenaError) -> Iterator[str]:
    """Yield the parts of an error on lines of their own, with the line that it is about."""
    what = wrapped_at(harmless(f"error: {error.what}"), WIDTH)
    yield what.replace("error:", click.style("error:", fg="red", bold=True), 1)
    if error.where:
        yield wrapped_at(f"  {harmless(error.where)}", WIDTH)
        yield from _marked(error.where)
    if error.hint:
        yield click.style(wrapped_at(f"  {harmless(error.hint)}", WIDTH), fg="green")


def _marked(where: str) -> Iterator[str]:
    """Yield the line at `FILE:LINE:COLUMN` or `FILE:LINE`, with a mark below the column."""
    name, *numbers = where.rsplit(":", 2)
    if len(numbers) == 2 and not numbers[0].isdecimal():
        name, numbers = f"{name}:{numbers[0]}", numbers[1:]
    if not numbers or not all(number.isdecimal() for number in numbers):
        return
    line = _line(Path(name), int(numbers[0]))
    if line is None:
        return
    number = f"  {numbers[0]} | "
    yield f"{number}{harmless(line)}"
    if len(numbers) > 1 and 0 < int(numbers[1]) <= len(line) + 1:
        before = len(harmless(line[: int(numbers[1]) - 1]))
        bar = f"{' ' * (len(number) - 2)}| "
        yield f"{bar}{' ' * before}{click.style('^', fg='red', bold=True)}"


def _line(path: Path, number: int) -> str | None:
    """Return a line of a file, from 1; None if it cannot be read."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST:
            return None
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, ValueError):
        return None
    return lines[number - 1][:_SHOWN].replace("\t", " ") if 0 < number <= len(lines) else None
