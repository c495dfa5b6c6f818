"""`arena watch`: try a bot after every save, in one line."""

import json
import re
import shlex
import shutil
import sys
import time
from pathlib import Path
from secrets import token_hex
from typing import Any

import click

from arena.author.check.findings import Finding, StepResult
from arena.author.watch import SaveResult, WatchRequest, watch
from arena.bots.sandboxes.registry import AUTO
from arena.cli import options
from arena.cli.exit_codes import INTERRUPTED, stop_if_lost
from arena.cli.isolation import own_bots_option
from arena.cli.output import harmless
from arena.game.records import Cause
from arena.io.errors import ArenaError
from arena.league.terms.config import MAX_GAMES
from arena.ratings.maths.intervals import wilson

_PLACE = re.compile(r'File "[^"\n]*?([^"/\n]+)", line (\d+)')
"""A place in a traceback of Python; other languages say it in their last line, or before it."""
_RIVAL = "sample:honest"
_GAMES = 100


@click.command()
@click.argument("bot", type=options.PathType())
@options.against_option(
    "rival",
    "Whom it plays: a folder, an archive or sample:NAME.",
    default=_RIVAL,
    show_default=True,
)
@click.option(
    "--games",
    type=click.IntRange(1, MAX_GAMES),
    default=_GAMES,
    show_default=True,
    help="Games after a save, rounded up to a multiple of 20: ten in each seat, on the same dice.",
)
@options.variant_option()
@options.sandbox_option
@own_bots_option
@options.packages_option
@options.json_option
def command(
    bot: Path, *, sandbox: str | None, trust_bots: bool, as_json: bool, **games: Any
) -> int:
    """Try BOT, a folder, whenever a file in it is saved: the first steps of the check, then games.

    Prints one line for each save, which changes as games are played; without a terminal, or with
    --json, a line after the steps and one after the games. Ctrl-C ends it.
    """
    if not bot.is_dir():
        hint = "arena new my-bot --lang python makes one"
        raise ArenaError("no such folder" if not bot.exists() else "not a folder", str(bot), hint)
    request = WatchRequest(
        bot, sandbox=sandbox or AUTO, trusted=trust_bots, seed=token_hex(16), **games
    )
    shown = _Lines(request, as_json=as_json)
    try:
        watch(request, shown.show)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        shown.end()


class _Lines:
    """Shows the result of each save: at a terminal in a line that changes, else in two lines."""

    def __init__(self, request: WatchRequest, *, as_json: bool) -> None:
        self._bot = shlex.quote(str(request.bot))
        self._rival = request.rival
        self._as_json = as_json
        self._live = sys.stdout.isatty() and not as_json
        self._in_line = False
        self._saved_at = ""

    def show(self, result: SaveResult) -> None:
        """Show what is known of the bot now; raises as `stop_if_lost` if that is for nobody."""
        if result == SaveResult():
            self.end()
            self._saved_at = time.strftime("%H:%M:%S")
        text = harmless(f"{self._saved_at}  {self._words(result)}")
        if self._live:
            click.echo(f"\r{text[: shutil.get_terminal_size().columns - 1]}\x1b[K", nl=False)
            self._in_line = True
        elif result != SaveResult() and result.games in {0, result.of}:
            click.echo(json.dumps(self._data(result)) if self._as_json else text)
        stop_if_lost()

    def end(self) -> None:
        """End the line that changes."""
        if self._in_line:
            click.echo()
        self._in_line = False

    def _words(self, result: SaveResult) -> str:
        if result.refused:
            return result.refused
        if result.report is None:
            return "checking"
        if fault := _fault(result):
            step, finding = fault
            said = finding.stderr.strip().splitlines()[-1:]
            crashed = finding.what.startswith(Cause.CRASH.value)
            # What a bot says last tells most about its crash.
            what = f"{_place(finding.stderr)}{said[0]}" if said and crashed else finding.what
            return f"step {step.number}, {step.name}: {what} (arena check {self._bot})"
        report = result.report
        ok = f"steps 1 to {report.steps[-1].number} ok ({report.sandbox})"
        if not result.games:
            return ok
        low, high = wilson(result.won, result.games)
        left = f", {result.of - result.games} left" if result.games < result.of else ""
        faults = f"; faults in {result.faults} (arena check {self._bot})" * bool(result.faults)
        return (
            f"won {result.won} of {result.games} against {self._rival}"
            f" (95 %: {100 * low:.0f} to {100 * high:.0f} %){left}{faults}; {ok}"
        )

    def _data(self, result: SaveResult) -> dict[str, object]:
        fault = _fault(result)
        named = {"step": fault[0].number, "fault": fault[1].what} if fault else {}
        played = {"games": result.games, "won": result.won, "faults": result.faults}
        return {"saved_at": self._saved_at, "refused": result.refused, **named, **played}


def _place(stderr: str) -> str:
    """Return the file and line of the bot that the last traceback ends with: `bot.py:6: `."""
    places = _PLACE.findall(stderr)
    return f"{places[-1][0]}:{places[-1][1]}: " if places else ""


def _fault(result: SaveResult) -> tuple[StepResult, Finding] | None:
    """Return the first fault of the check, and its step."""
    steps = result.report.steps if result.report else ()
    return next(((step, step.findings[0]) for step in steps if step.findings), None)
