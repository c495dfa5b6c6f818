"""`arena compare`: let two versions of a bot play the same field, and say which is better."""

import shlex
from collections.abc import Callable
from typing import Any

import click
import msgspec
from msgspec.structs import asdict

from arena.cli.main import INTERRUPTED, OK
from arena.cli.options import (
    json_option,
    packages_option,
    printable,
    sandbox_option,
    trust_option,
    workers_option,
)
from arena.cli.output import print_json, print_table, say
from arena.cli.progress_bar import TerminalListener
from arena.league.compare import NEW, OLD, CompareRequest, Comparison, compare
from arena.league.config import MAX_GAMES, MAX_ROUNDS
from arena.perudo.rules import MAX_PLAYERS, MIN_PLAYERS
from arena.ratings.paired import Paired
from arena.records import LeagueInfo

_ROUNDS = "How often each version meets the field."
_UNTIL = (
    "Stop as soon as one version is better at this confidence, such as 0.95; --rounds is then the"
    " most."
)


def _number(flag: str, low: int, high: int, default: int, text: str) -> Callable[..., Any]:
    limits = click.IntRange(low, high)
    return click.option(flag, type=limits, default=default, show_default=True, help=text)


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--field",
    metavar="BOT",
    multiple=True,
    help="An opponent of both: a folder, a pattern or sample:NAME; repeat it for more"
    " [default: the sample bots that run here].",
)
@_number("--rounds", 2, MAX_ROUNDS, 20, _ROUNDS)
@click.option("--until", type=click.FloatRange(0.5, 0.9999), metavar="CONFIDENCE", help=_UNTIL)
@_number("--games", 1, MAX_GAMES, 10, "Games at each table.")
@_number("--players", MIN_PLAYERS, MAX_PLAYERS, 2, "Players at a table.")
@click.option("--variant", metavar="NAME", default="bga", show_default=True, help="The rule book.")
@click.option(
    "--seed",
    metavar="TEXT",
    callback=printable,
    help="Plays the same games again, if it is one that was printed [default: random].",
)
@workers_option
@sandbox_option
@trust_option
@packages_option
@json_option
def command(old: str, new: str, *, as_json: bool, **options: object) -> int:
    """Let two versions of a bot, OLD and NEW, play the same field on the same dice, and compare."""
    request = msgspec.convert({"old": old, "new": new, **options}, CompareRequest)
    comparison = compare(request, _Listener())
    if comparison is None:
        say("stopped: nothing is kept of a comparison")
        return INTERRUPTED
    if as_json:
        print_json({"old": old, "new": new, **asdict(comparison)})
    else:
        _print(old, new, comparison)
    say(f"to play the same games again: --seed {shlex.quote(comparison.conditions.seed)}")
    return OK


class _Listener(TerminalListener):
    def started(self, conditions: LeagueInfo) -> None:
        field = ", ".join(bot.name for bot in conditions.bots)
        say(f"field: {field}; sandbox: {conditions.sandbox}")

    def stopping(self) -> None:
        say("stopping after the fixtures being played; Ctrl-C again stops at once")


def _print(old: str, new: str, comparison: Comparison) -> None:
    say(f"old: {old}; new: {new}")
    places, wins, until = comparison.mean_place, comparison.win_share, comparison.until
    interval = f"{100 * until:.4g} %, all looks" if until else "95 %"
    print_table(
        ["", "old", "new", "new - old", interval],
        [_row("mean place", places, 1, ".3f", ""), _row("win share", wins, 100, ".1f", " %")],
    )
    faults = comparison.faults
    click.echo(
        f"{_verdict(comparison)}, by mean place;"
        f" {comparison.games} games each; faults: old {faults[OLD]}, new {faults[NEW]}"
    )


def _verdict(comparison: Comparison) -> str:
    if not comparison.until:
        return f"new is better with probability {comparison.better:.1%}"
    verdict = f"{comparison.decision} is better" if comparison.decision else "not decided"
    played, most = comparison.looks[-1].rounds, comparison.conditions.rounds
    return f"{verdict} at {100 * comparison.until:.4g} %, after {played} of {most} rounds"


def _row(name: str, figure: Paired, scale: int, form: str, unit: str) -> list[str]:
    old, new = (f"{scale * value:{form}}{unit}" for value in (figure.old, figure.new))
    gap, low, high = (
        f"{scale * value:+{form}}" for value in (figure.difference, figure.low, figure.high)
    )
    return [name, old, new, f"{gap}{unit}", f"{low} to {high}{unit}"]
