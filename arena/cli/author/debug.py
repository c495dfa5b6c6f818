"""`arena debug`: ask a bot what it was asked in a stored game, step by step."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from arena.author.rerun.debugger import how_to_attach, reaches_terminal
from arena.author.rerun.rerun_as import AskedSeat, rerun_as
from arena.bots.sandboxes.capped import Capped, left_out
from arena.bots.sessions.session import MAX_STDERR
from arena.cli import options
from arena.cli.author import seat_replay as asked_again
from arena.cli.author.person import ask
from arena.cli.author.terminal import hanging_up_interrupts
from arena.cli.output import harmless, say
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.league.table.live_seat import Request
from arena.league.table.rerun_seat import RerunDecision, Watcher

_KEYS = "Enter: ask, c: go on without stopping, q: quit"
_WORDS = {"": "", "c": "c", "continue": "c", "q": "q", "quit": "q", "exit": "q"}
"""The words that may be typed, and the key that each stands for."""


@click.command()
@options.league_argument
@asked_again.fixture_argument
@asked_again.game_argument
@options.as_option("The bot to debug: a folder, an archive, sample:NAME.", required=True)
@asked_again.seat_option
@asked_again.record_option
@options.store_option
@options.sandbox_option
@options.trust_option
@options.packages_option
@options.json_option
def command(
    league: Path,
    *,
    store: Path | None,
    record: Path | None,
    trust_bots: bool,
    as_json: bool,
    **chosen: Any,
) -> int:
    """Ask a bot what its seat was asked in GAME of FIXTURE of LEAGUE, without time limits.

    Stops before each request if it runs at a terminal. Shows what the bot writes to standard error
    and how to attach a debugger. In the process sandbox, breakpoint() of a bot in Python opens a
    debugger in the terminal. The exit code is 1 if the bot faults or decides differently.
    """
    request, asked = asked_again.find(
        league, store, record, trusted=trust_bots, limited=False, **chosen
    )
    terminal = _terminal()
    watcher = _Steps(asked, stops=bool(terminal) and not as_json, prints=not as_json)
    if not as_json:
        click.echo(harmless(f"{asked_again.heading(request, asked)}, no time limits"))
    if not reaches_terminal(asked.sandbox):
        what = f"breakpoint() and most debuggers do not work in the sandbox '{asked.sandbox.name}'"
        say(f"{what}: --sandbox process --trust-bots if you trust the bot")
    with hanging_up_interrupts():
        try:
            decisions, why = rerun_as(request, asked, watcher, terminal)
        finally:
            watcher.end_step()
    return asked_again.finish(
        asked, decisions, why, record=record, listed=decisions, as_json=as_json
    )


def _terminal() -> str:
    """Return the path of the terminal that a person types at and reads, "" if there is none."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return os.ttyname(sys.stdin.fileno())
    return ""


def _key() -> str:
    """Return the key that a person chose; asks again until it is one."""
    while (typed := ask(f"{_KEYS} > ")) not in _WORDS:
        click.echo(f"there is no '{harmless(typed)}' here; {_KEYS}")
    return _WORDS[typed]


class _Steps(Watcher):
    """Shows what happens as it happens, and stops before each request until a person goes on."""

    def __init__(self, asked: AskedSeat, *, stops: bool, prints: bool) -> None:
        self._asked = asked
        self._stops = stops
        self._prints = prints
        self._shown = Capped(MAX_STDERR)
        self._in_line = False
        """Whether the bot's last line on standard error has not ended yet."""

    def started(self, pid: int | None) -> None:
        if pid:
            attach = how_to_attach(self._asked.bot.info.runtime, pid)
            say(f"started, process {pid}; to attach: {attach}")

    def asking(self, request: Request) -> bool:
        self.end_step()
        if self._prints:
            seats = self._asked.stored.fixture.seats
            bids = ", ".join(
                f"{name_bid(Bid(bid.quantity, bid.face))} by {seats[bid.seat]}"
                for bid in request.bids
            )
            dice = " ".join(map(str, request.dice))
            place = f"game {request.game}, round {request.round}"
            click.echo(harmless(f"{place}: dice {dice}; bids: {bids or 'none'}"))
        key = _key() if self._stops else ""
        self._stops = self._stops and key != "c"
        return key != "q"

    def wrote(self, chunk: bytes) -> None:
        text = self._shown.take(chunk).decode("utf-8", "backslashreplace")
        if text:
            lines = text.replace("\r\n", "\n").split("\n")
            click.echo("\n".join(map(harmless, lines)), err=True, nl=False)
            self._in_line = bool(lines[-1])

    def decided(self, decision: RerunDecision) -> None:
        is_cut = self.end_step()
        if not self._prints:
            return
        stored, now = map(asked_again.in_words, (decision.stored, decision.now))
        differs = "  <" if decision.differs else ""
        click.echo(f"  step {decision.step}: stored {stored}, now {now}{differs}")
        runtime = self._asked.bot.info.runtime
        lines = asked_again.fault_lines(decision, runtime)
        for line in lines + (asked_again.stderr_lines(decision) if is_cut else []):
            click.echo(harmless(f"  {line}"))

    def end_step(self) -> bool:
        """Say how much standard error of a step was left out; returns whether any was."""
        if self._in_line:
            click.echo(err=True)
            self._in_line = False
        size = self._shown.end_step()
        if size:
            say(left_out(size, "standard error"))
        return bool(size)
