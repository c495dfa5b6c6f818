"""`arena rerun`: play a stored fixture again with live bots, or ask one of them, and compare."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from arena.author.check.hints.fault import Evidence, hint_for
from arena.author.rerun import (
    AskedSeat,
    ModelRecord,
    RerunAs,
    find_asked,
    from_record,
    rerun_as,
    stored_fixture,
    write_lines,
)
from arena.bots.bot import Bot
from arena.bots.sandboxes.registry import check_freezing
from arena.bots.workshop import open_workshop, sandbox_for
from arena.cli import options
from arena.cli.exit_codes import FINDINGS, OK
from arena.cli.isolation import own_bots_option
from arena.cli.output import harmless, print_columns, print_json, say
from arena.game.records import Conditions, Fault, PlayedFixture
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.io.errors import ArenaError, did_you_mean
from arena.io.files import exists
from arena.league.changes import everyone, version_name, version_of
from arena.league.store.store import Store
from arena.league.table.live_seat import Request
from arena.league.table.recorded_game import Reply
from arena.league.table.rerun import Rerun, RerunDecision, Watcher, rerun
from arena.league.terms.config import League, load_league
from arena.league.terms.stored_schedule import schedule_of

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
_FAULTS = 3
"""Faults of a bot that are explained."""
_MAX_SHOWN = 160
"""Characters of an event that are printed."""


def find_seat(
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


def seat_heading(request: RerunAs, asked: AskedSeat) -> str:
    """Return a line that says who is asked what."""
    stored = asked.stored
    of_game = "" if request.game is None else f", game {request.game}"
    seat = f"seat {stored.seat} of {len(stored.fixture.seats)}"
    who = f"'{asked.bot.name}' in {seat}, played by '{stored.fixture.seats[stored.seat]}'"
    return f"fixture {request.fixture}{of_game}: {who} ({asked.sandbox.name})"


def finish_seat(
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
    return print_summary(head, decisions, why, listed=listed, as_json=as_json)


def print_summary(
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


@click.command()
@options.league_argument
@fixture_argument
@game_argument
@options.as_option(
    "Instead, ask BOT (a folder, an archive, sample:NAME) what was asked then, in the sandbox"
    " of arena check, and show what it decides differently."
)
@seat_option
@click.option("--differing", is_flag=True, help="With --as: only what it decides differently.")
@record_option
@click.option(
    "--ask-models",
    is_flag=True,
    help="Ask language models what is not in the record; first, say how much that is.",
)
@options.store_option
@options.sandbox_option
@own_bots_option
@options.packages_option
@options.json_option
def command(
    league: Path,
    fixture: int,
    game: int | None,
    *,
    bot: str | None,
    store: Path | None,
    **chosen: Any,
) -> int:
    """Play FIXTURE of LEAGUE again with the current bots, on the same dice and in the same seats.

    FIXTURE is its number in the schedule, from 0, as in the report. With GAME, from 0, the
    conversation of that game is printed. The exit code is 1 if any game differs from the stored
    one. Nothing is stored.

    With --as, another build of a bot is asked what its seat was asked, whatever it answers: each
    request is that of the stored game. The exit code is 1 if it faults or decides differently.

    What bots ask language models is answered from the record.
    """
    if bot is not None:
        return _rerun_as(league, store, fixture=fixture, game=game, bot=bot, **chosen)
    for name in ("seat", "differing", "record", "packages"):
        given = chosen.pop(name)
        if given is not None and given is not False:
            raise ArenaError(f"--{name} needs --as", "arena rerun", "name a bot: --as my-bot")
    return _rerun(league, fixture, game, store, **chosen)


def _rerun(
    league: Path,
    fixture: int,
    game: int | None,
    store: Path | None,
    *,
    sandbox: str | None,
    trust_bots: bool,
    ask_models: bool,
    as_json: bool,
) -> int:
    config = load_league(league)
    with Store(options.store_path(league, store)) as opened:
        schedule, stored = schedule_of(opened), stored_fixture(opened, fixture, game)
    info = schedule.conditions
    bots = [_current(name, config, info) for name in stored.fixture.seats]
    chosen = sandbox_for(
        bots,
        sandbox or config.sandbox,
        trusted=trust_bots,
        images=config.images,
        paths=config.sandbox_paths,
    )
    check_freezing(chosen, info.limits)
    _say_what_changed(info, stored, bots, chosen.name)
    with open_workshop(chosen, packages=config.packages) as workshop:
        staged = [workshop.stage(bot) for bot in bots]
        _, rules = schedule.drawn[stored.fixture.id]
        play = partial(rerun, stored, rules, staged, chosen, info.limits, game)
        if any(bot.info.models for bot in bots):
            record = ModelRecord(config.models, stored.exchanges, ask_models)
            result = from_record(play, record, stored.fixture.seats, say)
        else:
            result = play()
    if as_json:
        print_json(result)
    else:
        _print_replayed(result)
    return FINDINGS if result.differences else OK


def _current(name: str, config: League, conditions: Conditions) -> Bot:
    """Return the bot of league.yaml that played under a name, perhaps with other files."""
    known = {bot.name: bot for bot in everyone(conditions)}
    current = {bot.name: bot for bot in config.bots}
    current |= {version_name(bot.info, known): bot for bot in config.bots}
    if bot := current.get(name) or current.get(version_of(name)[0]):
        return bot
    what = f"'{name}' played in this fixture, but is not in the league now"
    raise ArenaError(what, str(config.path), did_you_mean(name, current))


def _rerun_as(
    league: Path,
    store: Path | None,
    *,
    record: Path | None,
    differing: bool,
    trust_bots: bool,
    ask_models: bool,
    as_json: bool,
    **chosen: Any,
) -> int:
    request, asked = find_seat(league, store, record, trusted=trust_bots, **chosen)
    ask_bot = partial(rerun_as, request, asked, Watcher(), "")
    if asked.bot.info.models:
        models = load_league(league).models if ask_models else {}
        record_of = ModelRecord(models, asked.exchanges, ask_models)
        decisions, why = from_record(ask_bot, record_of, [asked.bot.name], say)
    else:
        decisions, why = ask_bot()
    listed = [decision for decision in decisions if decision.differs or not differing]
    if not as_json:
        click.echo(harmless(seat_heading(request, asked)))
        _print_decisions(listed, asked.bot.info.runtime)
    return finish_seat(asked, decisions, why, record=record, listed=listed, as_json=as_json)


def _print_decisions(decisions: Sequence[RerunDecision], runtime: str) -> None:
    """Print the decisions side by side; those that differ are marked."""
    head = ["game", "round", "step", "dice", "last bid", "stored", "now", ""]
    rows = [
        [
            *map(str, (decision.request.game, decision.request.round, decision.step)),
            " ".join(map(str, decision.request.dice)),
            last_bid(decision.request),
            *map(in_words, (decision.stored, decision.now)),
            "<" if decision.differs else "",
        ]
        for decision in decisions
    ]
    if rows:
        print_columns(head, rows)
    faulted = [decision for decision in decisions if isinstance(decision.now, Fault)]
    for decision in faulted[:_FAULTS]:
        click.echo(f"game {decision.request.game}, step {decision.step}")
        for line in fault_lines(decision, runtime) + stderr_lines(decision):
            click.echo(harmless(f"  {line}"))
    if len(faulted) > _FAULTS:
        click.echo(f"and {len(faulted) - _FAULTS} more faults (--json prints them)")


def _say_what_changed(
    conditions: Conditions, stored: PlayedFixture, bots: Sequence[Bot], sandbox: str
) -> None:
    """Say why the result may differ, before it is played."""
    before = {bot.name: bot.digest for bot in everyone(conditions)}
    for name, bot in zip(stored.fixture.seats, bots, strict=True):
        if bot.info.digest != before.get(name):
            say(f"'{name}' has different files now")
    if sandbox != stored.sandbox:
        say(f"it was played in the sandbox '{stored.sandbox}', not in '{sandbox}'")
    if conditions.memory_across_fixtures:
        say("bots kept their memory from earlier fixtures, and start without it now")


def _print_replayed(result: Rerun) -> None:
    for line in result.transcript:
        click.echo(harmless(line))
    for difference in result.differences:
        say(f"game {difference.game} differs from step {difference.step} on")
        say(f"  stored: {difference.stored[:_MAX_SHOWN] or 'nothing'}")
        say(f"  now:    {difference.now[:_MAX_SHOWN] or 'nothing'}")
    if not result.differences:
        games = "1 game" if result.games == 1 else f"{result.games} games"
        say(f"fixture {result.fixture}, {games}: as stored")
