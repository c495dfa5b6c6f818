"""`arena coach`, `puzzle`: a bot's leaks and what mends them, and its worst turns as puzzles."""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import reduce
from pathlib import Path
from shlex import quote
from textwrap import wrap
from typing import Any, BinaryIO

import click
import msgspec

from arena.author.coach.coaching import (
    Coaching,
    Puzzle,
    RequestTime,
    coach_quick,
    coach_stored,
    puzzles,
)
from arena.author.coach.words import REQUESTS, at_table, bids, did, leak_facts, named
from arena.author.quick_table import PERSON, TableRequest
from arena.bots.sandboxes.registry import AUTO
from arena.cli import options
from arena.cli.author.person import EndOfInputError, TerminalPerson, hanging_up_interrupts, tell
from arena.cli.author.play import new_folder
from arena.cli.exit_codes import OK
from arena.cli.isolation import own_bots_option
from arena.cli.options import json_option
from arena.cli.output import division_name, harmless, print_columns, print_json, say
from arena.cli.progress_bar import PLAIN_EVERY, SOON, TerminalListener
from arena.io.errors import ArenaError
from arena.io.files import new_file
from arena.league.table.person import LeftError
from arena.league.terms.config import MAX_GAMES
from arena.league.terms.house import rules_named
from arena.playstats.coach.coach import Leak
from arena.playstats.coach.decisions import Decision, DecisionAction
from arena.ratings.maths.intervals import wilson

_GAMES = 50
"""Games in each order of seats, if nobody says how many."""
_LEAKS = 3
"""Leaks that are printed, to stay on one screen."""
_WIDTH = 100
"""Characters of a line about a leak."""
_SHOWN = 4
"""Choices of a puzzle that are shown, the best first, beside the bot's and the person's."""
_NOTHING = 0.005
"""A choice that costs less counts as the best one."""
_OPTIONS = (
    click.argument("bot", metavar="BOT"),
    click.option("--league", type=options.PathType(), help="Judge the stored games of a league."),
    options.store_option,
    options.against_option(
        "against",
        "A bot to play a quick table with: a folder, an archive, a pattern or sample:NAME;"
        " repeat it for more players [default: sample:odds].",
        multiple=True,
    ),
    click.option(
        "--games",
        type=click.IntRange(1, MAX_GAMES),
        help=f"Games of a quick table, in each order of seats [default: {_GAMES}].",
    ),
    click.option("--variant", help="The rule book of a quick table [default: bga]."),
    click.option("--calza", is_flag=True, help="Play a quick table with calza."),
    click.option(
        "--seed",
        callback=options.printable,
        help="Repeats the dice of a quick table; own bots need --trust-bots for it.",
    ),
    click.option(
        "--into",
        "folder",
        type=options.PathType(),
        help="A new folder for the quick table [default: one among the temporary files].",
    ),
    options.sandbox_option,
    own_bots_option,
    options.packages_option,
)


def coached_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the bot, and the options that say which of its games are judged."""
    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), command)


class Hearer:
    """Writes every decision to a file, if there is one, and says now and then how far it is."""

    def __init__(self, file: BinaryIO | None = None) -> None:
        self._file = file
        self._games = self._begun = 0
        self._game: tuple[int, int] | None = None
        self._next = 0.0

    def expect(self, games: int) -> None:
        """Note how many games will be judged from now on."""
        self._games, self._next = games, time.monotonic() + SOON

    def __call__(self, decision: Decision) -> None:
        """Write a decision to the file, and say now and then how far the judging is."""
        if self._file:
            self._file.write(msgspec.json.encode(decision) + b"\n")
        game = decision.fixture, decision.game
        self._begun += game != self._game
        self._game = game
        if time.monotonic() >= self._next:
            say(f"judging game {self._begun} of {self._games}")
            self._next = time.monotonic() + PLAIN_EVERY


def coach_bot(
    bot: str, hear: Hearer, *, league: Path | None, store: Path | None, timed: bool, **quick: Any
) -> tuple[Coaching, Path]:
    """Judge stored games, or those of a quick table; returns the store, too.

    `timed`: whether the answers at a quick table are timed.
    """
    if league:
        _refuse(quick, "it is for a quick table: leave out --league")
        path = options.store_path(league, store)
        return coach_stored(bot, league, path, hear, hear.expect), path
    _refuse({"store": store}, "name its league, too: --league LEAGUE")
    request = TableRequest(
        bots=(bot, *quick["against"]),
        folder=quick["folder"] or new_folder(),
        games=quick["games"] or _GAMES,
        rules=rules_named(quick["variant"] or "bga", calza=quick["calza"] or None),
        seed=quick["seed"],
        sandbox=quick["sandbox"] or AUTO,
        packages=quick["packages"],
    )
    coaching = coach_quick(
        request, TerminalListener(), hear, hear.expect, trusted=quick["trust_bots"], timed=timed
    )
    return coaching, request.store


def _refuse(given: dict[str, Any], hint: str) -> None:
    """Refuse options that do not go with --league, or without it."""
    for name, value in given.items():
        if value:
            flag = {"folder": "into"}.get(name, name).replace("_", "-")
            command = click.get_current_context().command_path
            raise ArenaError(f"--{flag} has no effect here", command, hint)


def print_coaching(coaching: Coaching) -> None:
    """Print all that an author is told."""
    judgement = coaching.judgement
    low, high = wilson(judgement.won, judgement.games)
    click.echo(
        f"{harmless(coaching.bot)} won {judgement.won:,} of {judgement.games:,} games:"
        f" {100 * low:.0f} to {100 * high:.0f} % (95 %);"
        f" leaks found in {judgement.decisions:,} decisions: {len(judgement.leaks)}"
    )
    if len(judgement.tables) > 1:
        rows = [
            [division_name(table.variant, table.players), f"{table.games:,}", f"{table.won:,}"]
            for table in judgement.tables
        ]
        print_columns(["table", "games", "won"], rows)
    for number, leak in enumerate(judgement.leaks[:_LEAKS], 1):
        _print_leak(number, leak, coaching.test)
    if judgement.leaks:
        click.echo(f"\n{coaching.caution}")
    else:
        click.echo("\nNo leak is clear; `arena puzzle` shows its most expensive turns.")
    click.echo("\nBids, by how likely they were by its own dice")
    rows = [
        [
            f"{100 * bin_.low:.0f} to {100 * bin_.high:.0f} %",
            f"{bin_.bids:,}",
            f"{bin_.expected:.1%}",
            f"{bin_.held:.1%}",
        ]
        for bin_ in judgement.calibration
    ]
    print_columns(["", "bids", "expected", "true"], rows)
    _print_times(coaching.times)
    say(f"replays: arena report {quote(coaching.league)} --replays all, or --site FOLDER here")
    say(f"messages of a game: arena rerun {quote(coaching.league)} FIXTURE GAME")


def _print_leak(number: int, leak: Leak, test: str) -> None:
    worth = f"{leak.worth.per_game:.3f} ± {leak.worth.half_width:.3f}"
    click.echo(
        f"\n{number}. {leak.what}: {leak.times:,} of {leak.of:,};"
        f" the change is worth {worth} wins per game"
    )
    _print_line("change", leak.advice)
    for name, text in leak_facts(leak).items():
        _print_line(name, text)
    for decision in leak.examples:
        _print_line("look at", in_a_line(decision))
    click.echo(f"  {'test':8}{harmless(test)}")


def _print_line(name: str, text: str) -> None:
    first, *others = wrap(text, _WIDTH)
    click.echo(f"  {name:8}{first}")
    for other in others:
        click.echo(f"  {'':8}{other}")


def in_a_line(decision: Decision) -> str:
    """Return a position, what the bot did there, what was better, the loss, and its address."""
    heard = f"after {bids(decision)}: " if decision.bids else ""
    hand = " ".join(map(str, decision.hand))
    error = f" ± {196 * decision.error:.0f}" if decision.error else ""
    return (
        f"{hand} ({at_table(decision)}) {heard}{did(decision)}; better {named(decision.best)};"
        f" loss {100 * decision.loss:.0f}{error} % ({address(decision)})"
    )


def address(decision: Decision) -> str:
    """Return the fixture, game and step of a decision."""
    return f"fixture {decision.fixture}, game {decision.game}, step {decision.step}"


def _print_times(times: Sequence[RequestTime] | None) -> None:
    if times is None:
        say("a league does not keep what each request took: a quick table (no --league) shows it")
        return
    clock = "CPU" if all(request.clock == "cpu" for request in times) else "Wall"
    click.echo(f"\n{clock} time of its answers")
    rows = [
        [
            REQUESTS[request.kind],
            f"{request.requests:,}",
            f"{1e3 * request.median:.2f} ms",
            f"{1e3 * request.longest:.2f} ms",
        ]
        for request in times
    ]
    print_columns(["", "requests", "median", "longest"], rows)


@click.command()
@coached_options
@click.option(
    "--decisions",
    type=options.PathType(),
    help="Also write every decision to this new file, a JSON object per line.",
)
@click.option(
    "--site",
    type=options.PathType(),
    help="Also write the league's report with all games to this folder, and a page of this.",
)
@options.json_option
def coach(
    *, bot: str, site: Path | None, decisions: Path | None, as_json: bool, **games: Any
) -> int:
    """Say which leaks BOT has, which change mends each, and which decisions cost it most.

    With --league BOT is a name, and its stored games are judged. Otherwise it is a folder, an
    archive or sample:NAME, and first plays a quick table.
    """
    with new_file(decisions) if decisions else nullcontext() as file:
        coaching, store = coach_bot(bot, Hearer(file), timed=True, **games)
    if as_json:
        print_json(coaching)
    else:
        print_coaching(coaching)
    if site:
        from arena.author.coach.page import write_page  # slow to import, and few ask for it

        say(f"page: {write_page(coaching, store, site)}")
    return OK


@click.command()
@coached_options
@json_option
def puzzle_(*, bot: str, as_json: bool, **games: Any) -> int:
    """Show the worst turns of BOT, one after another: what would you do? Then what choices cost.

    Type your answers as at a table (`arena play --me`); q stops. With --league BOT is a name, and
    its stored games are judged; otherwise it first plays a quick table. At the end of the input the
    rest is shown without questions.
    """
    coaching, store = coach_bot(bot, Hearer(), timed=False, **games)
    found = [*puzzles(coaching, store)]
    if as_json:
        print_json({"bot": coaching.bot, "league": coaching.league, "puzzles": found})
        return OK
    if not found:
        say(f"{coaching.bot} made no turn that was not the best")
        return OK
    with hanging_up_interrupts():
        costs = _solve(found, coaching.bot)
        if costs:
            yours, its = (sum(each) / len(costs) for each in zip(*costs, strict=True))
            best = sum(cost < _NOTHING for cost, _ in costs)
            tell(
                f"\nYou found the best choice in {best} of {len(costs)} and gave up"
                f" {_percent(yours)} a turn; the bot {_percent(its)}."
            )
    say(f"next: arena coach {quote(bot)} names the change that mends each leak")
    return OK


def _solve(found: Sequence[Puzzle], bot: str) -> list[tuple[float, float]]:
    """Ask for every puzzle, and say what choices cost; returns the costs to the person and bot."""
    person, costs = TerminalPerson(), list[tuple[float, float]]()
    for number, puzzle in enumerate(found, 1):
        decision = puzzle.decision
        where = address(decision)
        tell(f"\nPuzzle {number} of {len(found)}: {bot} is you ({puzzle.rules.name}; {where})")
        try:
            choice = _asked(person, puzzle)
        except LeftError:
            break
        _print_choices(puzzle, choice, bot)
        if choice:
            cost = {each.action: each.cost for each in puzzle.choices}
            costs.append((cost[choice], cost[decision.action]))
    return costs


def _asked(person: TerminalPerson, puzzle: Puzzle) -> DecisionAction | None:
    """Return what the person chooses; None at the end of input that is not from a terminal.

    Raises LeftError if the person leaves.
    """
    seat = puzzle.decision.seat
    names = [PERSON if at == seat else name for at, name in enumerate(puzzle.seats)]
    person.join(names, puzzle.rules, puzzle.dice)
    typing = sys.stdin.isatty()
    try:
        answer = person.decide(puzzle.request)
    except EndOfInputError:
        answer = None
        if typing:
            raise LeftError from None
    if not typing:
        click.echo()  # Nobody has pressed Enter.
    if answer and answer.action == "bid":
        return DecisionAction("bid", answer.quantity, answer.face)
    return DecisionAction(answer.action) if answer else None


def _print_choices(puzzle: Puzzle, choice: DecisionAction | None, bot: str) -> None:
    by = {puzzle.decision.action: [harmless(bot)]}
    if choice:
        by.setdefault(choice, []).append(PERSON)
    shown = {*[each.action for each in puzzle.choices[:_SHOWN]], *by}
    rows = [
        [
            named(each.action),
            _percent(each.chance),
            _percent(each.cost),
            ", ".join(by.get(each.action, [])),
        ]
        for each in puzzle.choices
        if each.action in shown
    ]
    print_columns(["", "chance to win", "costs", "chosen by"], rows)


def _percent(chance: float) -> str:
    return f"{100 * chance:.0f} %"
