"""Words for what a bot decides in a stored game, and the options of the commands that ask it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from arena.author.check.hints.fault import Evidence, hint_for
from arena.author.rerun.rerun_as import AskedSeat, RerunAs, find_asked, write_lines
from arena.cli import options
from arena.cli.exit_codes import FINDINGS, OK
from arena.cli.output import print_json, say
from arena.game.records import Fault
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.io.files import exists
from arena.league.table.live_seat import Request
from arena.league.table.recorded_seat import Reply
from arena.league.table.rerun_seat import RerunDecision

_MAX_NUMBER = 10**9
_STDERR_LINES, _LINE = 6, 150
"""Lines that are shown of the end of standard error, and characters of each."""

_number = click.IntRange(0, _MAX_NUMBER)
fixture_argument = click.argument("fixture", type=_number)
fixture_if_league = click.argument("fixture", type=_number, required=False)
game_argument = click.argument("game", type=_number, required=False)
seat_option = click.option(
    "--seat",
    type=click.IntRange(0, 5),
    help="The seat to take [default: that of the bot with the same name].",
)
record_option = click.option(
    "--record",
    type=options.PathType(dir_okay=False),
    metavar="FILE",
    help="Write the lines of the seat to a new FILE, with the answers, for the bot's own tests.",
)


def find(
    league: Path, store: Path | None, record: Path | None, *, sandbox: str | None, **request: Any
) -> tuple[RerunAs, AskedSeat]:
    """Find what to ask and whom; raises ArenaError, also if the file to record to is there."""
    if record and record.exists():
        raise exists(record)
    path = options.store_path(league, store)
    if sandbox is not None:
        request["sandbox"] = sandbox
    asking = RerunAs(path, **request)
    return asking, find_asked(asking)


def heading(request: RerunAs, asked: AskedSeat) -> str:
    """Say who is asked what."""
    stored = asked.stored
    of_game = "" if request.game is None else f", game {request.game}"
    seat = f"seat {stored.seat} of {len(stored.fixture.seats)}"
    who = f"'{asked.bot.name}' in {seat}, played by '{stored.fixture.seats[stored.seat]}'"
    return f"fixture {request.fixture}{of_game}: {who} ({asked.sandbox.name})"


def finish(
    asked: AskedSeat,
    decisions: Sequence[RerunDecision],
    why: str,
    *,
    record: Path | None,
    listed: Sequence[RerunDecision],
    as_json: bool,
) -> int:
    """Record and print what was decided; returns the exit code."""
    stored = asked.stored
    if record:
        write_lines(record, stored, listed)
        say(f"recorded: {record}")
    head = {"fixture": stored.fixture.index, "seat": stored.seat, "bot": asked.bot.name}
    return summed_up(head, decisions, why, listed=listed, as_json=as_json)


def summed_up(
    head: dict[str, Any],
    decisions: Sequence[RerunDecision],
    why: str,
    *,
    listed: Sequence[RerunDecision],
    as_json: bool,
) -> int:
    """Print how much was asked, as JSON after what `head` has; returns the exit code."""
    differing = sum(decision.differs for decision in decisions)
    if as_json:
        counts = {"requests": len(decisions), "differing": differing, "stopped": why}
        rows = [
            msgspec.to_builtins(decision) | {"differs": decision.differs} for decision in listed
        ]
        print_json(head | counts | {"decisions": rows})
    faults = sum(isinstance(decision.now, Fault) for decision in decisions)
    say(f"asked: {len(decisions)}, decided differently: {differing}, faults: {faults}")
    if why:
        say(f"not all was asked: {why}")
    return FINDINGS if differing or faults else OK


def in_words(reply: Reply | None) -> str:
    """Say an answer or the cause of a fault in a word or two."""
    if reply is None:
        return "?"
    if isinstance(reply, Fault):
        return reply.cause.value
    return name_bid(Bid(reply.quantity, reply.face)) if reply.action == "bid" else reply.action


def last_bid(request: Request) -> str:
    """Say the bid on the table, or - if there is none."""
    if not request.bids:
        return "-"
    return name_bid(Bid(request.bids[-1].quantity, request.bids[-1].face))


def fault_lines(decision: RerunDecision, runtime: str) -> list[str]:
    """Say what was wrong and how to mend it; nothing of a decision without a fault."""
    fault = decision.now
    if not isinstance(fault, Fault):
        return []
    lines = [f"{fault.cause}: {fault.detail}"]
    if hint := hint_for(
        Evidence(fault.cause, fault.detail, decision.came, decision.stderr, runtime=runtime)
    ):
        lines.append(f"mend: {hint}")
    return lines


def stderr_lines(decision: RerunDecision) -> list[str]:
    """Return the end of what a bot that faulted had written to standard error."""
    tail = decision.stderr.splitlines()[-_STDERR_LINES:]
    return [f"stderr: {line[:_LINE]}" for line in tail]
