"""Output at a terminal: columns, JSON and sentences, all of it harmless."""

import json
import shutil
import sys
import textwrap
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import click
import msgspec

if TYPE_CHECKING:  # slow to import, and every command prints
    from arena.publish.report import Report
    from arena.ratings.leaderboard_rows import Suspicion

SEED_WARNING = (
    "warning: whoever guesses the seed or reads it in league.yaml can find out who is who"
)
"""Said where names are replaced by pseudonyms."""
REPORT_SOON = 0.6
"""Seconds before the first line: the command has taken a third of a second before it begins."""
REPORT_EVERY = 5.0
"""Seconds between lines."""


def division_name(variant: str, players: int) -> str:
    """Return what a division is called in messages: `bga, 2 players`."""
    return f"{variant}, {players} players"


def harmless(text: str) -> str:
    """Return text with control characters spelled out: a bot's name must not drive the terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def wrapped(line: str) -> str:
    """Return a line broken between words for a terminal, which would break words; else as it is."""
    return wrapped_at(line, shutil.get_terminal_size().columns) if sys.stdout.isatty() else line


def wrapped_at(line: str, columns: int) -> str:
    """Return a line broken between words, its rest indented by two more."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.fill(
        line,
        columns,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def say(text: str) -> None:
    """Print a line on stderr: stdout is for data."""
    click.echo(harmless(text), err=True)


def show_page(page: Path) -> None:
    """Show a page in the browser, or say where it is."""
    if not webbrowser.open(page.resolve().as_uri()):
        say(f"no browser was found: open {page.resolve()}")


def print_json(value: object) -> None:
    """Print data as indented JSON, all in ASCII: nothing in it must drive the terminal."""
    click.echo(json.dumps(msgspec.to_builtins(value), indent=2))


def print_result(value: object, *lines: str, as_json: bool) -> None:
    """Print what a command did, as JSON or as sentences."""
    if as_json:
        print_json(value)
        return
    for line in lines:
        click.echo(harmless(line))


def say_report(report: "Report") -> None:
    """Say where a report is, and what is suspicious in it."""
    suspicions = report.ratings.suspicions
    for case in suspicions:
        where = division_name(case.variant, case.players)
        say(f"suspicion: {_suspicion(case)} ({where}; p = {case.p:.2g})")
    if suspicions:
        page = report.front_page.with_name("suspicions.html")
        say(f"suspicions are not verdicts: see {page}")
    say(f"report: {report.front_page}")


def _suspicion(case: "Suspicion") -> str:
    if case.kind == "drift":
        return f"'{case.bot}' changed by {case.observed:+.2f} mu from the first block to the last"
    return (
        f"'{case.bot}' loses too often to '{case.opponent}': ahead in {case.observed:.1%} "
        f"of {case.games} games, expected {case.expected:.1%}"
    )


def print_columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns, the first aligned to the left and the others to the right."""
    cells = [head, *([harmless(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    for row in cells:
        first = row[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        click.echo("  ".join([first, *rest]).rstrip())


@contextmanager
def reporting() -> Iterator[Callable[[str], None]]:
    """Yield what to tell how far a report is; that is said while it is written, unless it is soon.

    A thread says it: what takes long tells nothing meanwhile.
    """
    done, last = Event(), ["games"]

    def say_again() -> None:
        pause = REPORT_SOON
        while not done.wait(pause):
            say(f"writing the report: {last[0]}")
            pause = REPORT_EVERY

    thread = Thread(target=say_again, daemon=True)
    thread.start()
    try:
        yield lambda text: last.__setitem__(0, text)
    finally:
        done.set()
        thread.join()
