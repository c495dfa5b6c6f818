"""`arena debug`: ask a bot what it was asked in a stored game, or before a fault, step by step."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from arena.author.rerun import (
    ENDING,
    debug_kept,
    how_to_attach,
    reaches_terminal,
    read_conversation,
    rerun_as,
)
from arena.bots.manifest import find_bot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import AUTO
from arena.bots.sandboxes.run_once import Capped, left_out
from arena.bots.sessions.session import MAX_STDERR
from arena.bots.workshop import sandbox_for
from arena.cli import options
from arena.cli.author.person import ask, hanging_up_interrupts
from arena.cli.author.rerun import (
    fault_lines,
    find_seat,
    finish_seat,
    fixture_if_league,
    game_argument,
    in_words,
    print_summary,
    record_option,
    seat_heading,
    seat_option,
    stderr_lines,
)
from arena.cli.exit_codes import FINDINGS
from arena.cli.isolation import own_bots_option
from arena.cli.output import harmless, say
from arena.game.records import Fault
from arena.game.rules.books import MAX_PLAYERS
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.io.errors import ArenaError
from arena.league.table.live_seat import Request
from arena.league.table.rerun import RerunDecision, Watcher

_KEYS = "Enter: ask, c: go on without stopping, q: quit"
_WORDS = {"": "", "c": "c", "continue": "c", "q": "q", "quit": "q", "exit": "q"}
"""The words that may be typed, and the key that each stands for."""
_SEATS = [f"seat {seat}" for seat in range(MAX_PLAYERS)]
"""A conversation has no names of bots."""


@click.command()
@click.argument("league", metavar="LEAGUE|FILE", type=options.PathType())
@fixture_if_league
@game_argument
@options.as_option("The bot to debug: a folder, an archive, sample:NAME.", required=True)
@seat_option
@record_option
@options.store_option
@options.sandbox_option
@own_bots_option
@options.packages_option
@options.json_option
def command(league: Path, *, fixture: int | None, as_json: bool, **chosen: Any) -> int:
    """Ask a bot what its seat was asked in GAME of FIXTURE of LEAGUE, without time limits.

    Or ask it what a FILE of arena check or arena rerun --record has, up to its last request.

    Stops before each request of a game, and before the last one of a file, if it runs at a
    terminal. Shows what the bot writes to standard error and how to attach a debugger. In the
    process sandbox, breakpoint() of a bot in Python opens a debugger in the terminal. The exit code
    is 1 if the bot faults or decides differently.
    """
    if league.suffix == ENDING:
        return _debug_file(league, fixture=fixture, as_json=as_json, **chosen)
    if fixture is None:
        hint = "name a fixture of the league, as in arena debug league.yaml 12 3 --as my-bot"
        raise ArenaError("missing argument 'FIXTURE'", "arena debug", hint)
    return _debug_seat(league, fixture=fixture, as_json=as_json, **chosen)


def _debug_seat(
    league: Path,
    *,
    store: Path | None,
    record: Path | None,
    trust_bots: bool,
    as_json: bool,
    **chosen: Any,
) -> int:
    request, asked = find_seat(league, store, record, trusted=trust_bots, limited=False, **chosen)
    terminal = _terminal()
    steps = _Steps(asked.stored.fixture.seats, asked.bot.info.runtime, terminal, prints=not as_json)
    _begin(f"{seat_heading(request, asked)}, no time limits", asked.sandbox, as_json=as_json)
    with hanging_up_interrupts():
        try:
            decisions, why = rerun_as(request, asked, steps, terminal)
        finally:
            steps.end_step()
    return finish_seat(asked, decisions, why, record=record, listed=decisions, as_json=as_json)


def _debug_file(
    file: Path,
    *,
    bot: str,
    sandbox: str | None,
    trust_bots: bool,
    packages: bool,
    as_json: bool,
    **of_a_league: Any,
) -> int:
    if given := [name for name, value in of_a_league.items() if value is not None]:
        what = f"'{given[0]}' is for a stored game, not for a file of lines"
        raise ArenaError(what, "arena debug", "leave it out")
    conversation = read_conversation(file)
    asked = find_bot(bot, Path.cwd(), "--as")
    place = sandbox_for([asked], sandbox or AUTO, trusted=trust_bots)
    terminal, requests = _terminal(), conversation.requests
    last = requests[-1] if requests else None
    steps = _Steps(_SEATS, asked.info.runtime, terminal, prints=not as_json, begin_at=last)
    count = f"{len(requests)} requests" + (f", the last with id {last.id}" if last else "")
    _begin(f"{file}: {count}, to '{asked.name}' ({place.name})", place, as_json=as_json)
    with hanging_up_interrupts():
        try:
            decisions, why = debug_kept(
                conversation, asked, place, steps, terminal, packages=packages
            )
        finally:
            steps.end_step()
    head = {"file": str(file), "bot": asked.name}
    code = print_summary(head, decisions, why, listed=decisions, as_json=as_json)
    return code if requests or not why else FINDINGS


def _begin(heading: str, sandbox: Sandbox, *, as_json: bool) -> None:
    """Say who is asked what, and whether a debugger can be used."""
    if not as_json:
        click.echo(harmless(heading))
    if not reaches_terminal(sandbox):
        what = f"breakpoint() and most debuggers do not work in the sandbox '{sandbox.name}'"
        say(f"{what}: --sandbox process --trust-bots if you trust the bot")


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
    """Shows what happens as it happens; stops before each request until a person goes on.

    `seats` are the names of all seats. Requests before `begin_at` are neither shown nor stopped at,
    if the conversation comes from a file, which has no decisions of another build.
    """

    def __init__(
        self,
        seats: Sequence[str],
        runtime: str,
        terminal: str,
        *,
        prints: bool,
        begin_at: Request | None = None,
    ) -> None:
        self._seats = seats
        self._runtime = runtime
        self._stops = prints and bool(terminal)
        self._prints = prints
        self._begin_at = begin_at
        self._in_file = begin_at is not None
        self._shown = Capped(MAX_STDERR)
        self._in_line = False
        """Whether the bot's last line on standard error has not ended yet."""

    def started(self, pid: int | None) -> None:
        if pid:
            attach = how_to_attach(self._runtime, pid)
            say(f"started, process {pid}; to attach: {attach}")

    def asking(self, request: Request) -> bool:
        self.end_step()
        if request is self._begin_at:
            self._begin_at = None
        if self._begin_at:
            return True
        if self._prints:
            bids = ", ".join(
                f"{name_bid(Bid(bid.quantity, bid.face))} by {self._seats[bid.seat]}"
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
        if not self._prints or (self._begin_at and not isinstance(decision.now, Fault)):
            return
        stored, now = map(in_words, (decision.stored, decision.now))
        differs = "  <" if decision.differs else ""
        place = "line {}: " if self._in_file else f"step {{}}: stored {stored}, "
        click.echo(f"  {place.format(decision.step)}now {now}{differs}")
        lines = fault_lines(decision, self._runtime)
        for line in lines + (stderr_lines(decision) if is_cut else []):
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
