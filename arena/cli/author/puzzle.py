"""`arena puzzle`: the worst turns of a bot, one after another, as puzzles for a person."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from arena.author.coach.puzzles import Puzzle, puzzles
from arena.author.coach.words import named
from arena.author.quick_table import PERSON
from arena.cli.author.coached import Hearer, coach_bot, coached_options
from arena.cli.author.person import EndOfInputError, TerminalPerson, tell
from arena.cli.author.terminal import hanging_up_interrupts
from arena.cli.exit_codes import OK
from arena.cli.options import json_option
from arena.cli.output import harmless, print_json, print_table, say
from arena.game.wire.messages import Answer
from arena.league.table.person import LeftError
from arena.playstats.coach.decisions import DecisionAction

_SHOWN = 4
"""Choices that are shown, the best first, beside the bot's and the person's."""


@click.command()
@coached_options
@json_option
def command(*, bot: str, as_json: bool, **games: Any) -> int:
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
        _print_result(_solve(found, coaching.bot))
    return OK


def _solve(found: Sequence[Puzzle], bot: str) -> list[tuple[float, float]]:
    """Ask for every puzzle, and say what choices cost; returns the costs to the person and bot."""
    person, costs = TerminalPerson(), list[tuple[float, float]]()
    for number, puzzle in enumerate(found, 1):
        decision = puzzle.decision
        where = f"fixture {decision.fixture}, game {decision.game}, step {decision.step}"
        tell(f"\nPuzzle {number} of {len(found)}: {bot} is you ({puzzle.book}; {where})")
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
    person.join(names, puzzle.book, puzzle.dice)
    typing = sys.stdin.isatty()
    try:
        choice = _action(person.decide(puzzle.request))
    except EndOfInputError:
        choice = None
        if typing:
            raise LeftError from None
    if not typing:
        click.echo()  # Nobody has pressed Enter.
    return choice


def _action(answer: Answer) -> DecisionAction:
    if answer.action == "bid":
        return DecisionAction("bid", answer.quantity, answer.face)
    return DecisionAction(answer.action)


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
    print_table(["", "chance to win", "costs", "chosen by"], rows)


def _percent(chance: float) -> str:
    return f"{100 * chance:.0f} %"


def _print_result(costs: Sequence[tuple[float, float]]) -> None:
    if costs:
        yours, its = (sum(each) / len(costs) for each in zip(*costs, strict=True))
        best = sum(cost < 0.005 for cost, _ in costs)
        tell(
            f"\nYou found the best choice in {best} of {len(costs)} and gave up {_percent(yours)} a"
            f" turn; the bot {_percent(its)}."
        )
