"""`arena compare`: let two versions of a bot play the same field, and say which is better."""

import shlex
from collections.abc import Callable
from typing import Any, Literal

import click
import msgspec
from msgspec.structs import asdict, replace

from arena.author.compare.behaviour import (
    NEW,
    OLD,
    VERSIONS,
    Behaviour,
    DifferingShare,
    Example,
    from_field,
)
from arena.author.compare.compare import CompareRequest, compare
from arena.author.compare.result import EQUIVALENT, Comparison, Until
from arena.cli.exit_codes import INTERRUPTED, OK
from arena.cli.isolation import own_bots_option
from arena.cli.options import (
    PathType,
    against_option,
    json_option,
    packages_option,
    printable,
    sandbox_option,
    workers_option,
)
from arena.cli.output import division_name, harmless, print_columns, print_json, say
from arena.cli.progress_bar import TerminalListener
from arena.game.records import Conditions
from arena.game.rules.books import MAX_PLAYERS, MIN_PLAYERS
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.league.table.decisions_by_build import BuildDecision
from arena.league.terms.config import MAX_BLOCKS, MAX_GAMES
from arena.ratings.two_versions import Paired

_SURE = 0.95
"""The probability from which on a version is taken to be better or worse."""
_BLOCKS = "How often each version meets the field."
_UNTIL = (
    "Stop as soon as one version is better at this confidence, such as 0.95, or neither is by"
    " --points; --blocks is then the most."
)
_TEST = (
    "How --until decides: by a sequential probability ratio test, or by planned looks, whose"
    " intervals hold at once."
)
_POINTS = "The difference in rivals beaten that the ratio test looks for, in percentage points."
_SIZES = click.IntRange(MIN_PLAYERS, MAX_PLAYERS)


def _number(flag: str, low: int, high: int, default: int, text: str) -> Callable[..., Any]:
    limits = click.IntRange(low, high)
    return click.option(flag, type=limits, default=default, show_default=True, help=text)


def _repeated(flag: str, name: str, default: object, text: str, **more: Any) -> Callable[..., Any]:
    text = f"{text}; repeat it for more."
    shown: dict[str, Any] = {"multiple": True, "show_default": True, **more}
    return click.option(flag, name, default=(default,), help=text, **shown)


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@against_option(
    "field",
    "An opponent of both: a folder, an archive, a pattern or sample:NAME; repeat it for more"
    " [default: the sample bots that run here].",
    multiple=True,
)
@_number("--blocks", 2, MAX_BLOCKS, 20, _BLOCKS)
@click.option("--until", type=click.FloatRange(0.5, 0.9999), metavar="CONFIDENCE", help=_UNTIL)
@click.option(
    "--test",
    type=click.Choice(["ratio", "planned"]),
    default="ratio",
    show_default=True,
    help=_TEST,
)
@click.option(
    "--points", type=click.FloatRange(0.5, 50), default=5.0, show_default=True, help=_POINTS
)
@_number("--games", 1, MAX_GAMES, 10, "Games at each table.")
@_repeated("--players", "players", 2, "Players at a table", type=_SIZES)
@_repeated("--variant", "variants", "bga", "A rule book", metavar="NAME")
@click.option("--calza", is_flag=True, help="Play with calza.")
@click.option(
    "--seed",
    metavar="TEXT",
    callback=printable,
    help="Plays the same games again, if it is one that was printed [default: random].",
)
@click.option(
    "--models",
    type=PathType(),
    metavar="LEAGUE",
    help="Let bots ask the language models of this league.yaml.",
)
@workers_option
@sandbox_option
@own_bots_option
@packages_option
@json_option
def command(
    old: str,
    new: str,
    *,
    until: float | None,
    test: Literal["ratio", "planned"],
    points: float,
    as_json: bool,
    **options: object,
) -> int:
    """Let two versions of a bot, OLD and NEW, play the same field on the same dice, and compare."""
    rule = Until(until, test, points) if until else None
    request = msgspec.convert({"old": old, "new": new, **options}, CompareRequest)
    request = replace(request, until=rule)
    comparison = compare(request, _Listener())
    if comparison is None:
        say("stopped: nothing is kept of a comparison")
        return INTERRUPTED
    if as_json:
        print_json({"old": old, "new": new, **asdict(comparison)})
    else:
        _print_strength(old, new, comparison)
        if comparison.behaviour:
            _print_behaviour(comparison.behaviour)
        say(_next_step(new, comparison))
    say(f"to play the same games again: --seed {shlex.quote(comparison.conditions.seed)}")
    return OK


def _next_step(new: str, comparison: Comparison) -> str:
    """Return what to do with a result: a better version is coached on, an open one is played on."""
    decision = comparison.decision if comparison.until else None
    if decision == NEW or (not comparison.until and comparison.better > _SURE):
        return f"next: arena coach {shlex.quote(new)}"
    if decision or (not comparison.until and comparison.better < 1 - _SURE):
        return "next: keep the old one; in its games arena coach says what else to change"
    blocks = 2 * comparison.conditions.blocks
    return f"next: --blocks {blocks} plays twice as many games, for smaller differences"


class _Listener(TerminalListener):
    def started(self, conditions: Conditions) -> None:
        field = ", ".join(bot.name for bot in conditions.bots)
        say(f"field: {field}; sandbox: {conditions.sandbox}")

    def stopping(self) -> None:
        say("stopping after the fixtures being played; Ctrl-C again stops at once")


def _print_strength(old: str, new: str, comparison: Comparison) -> None:
    say(f"old: {old}; new: {new}")
    until = comparison.until
    rows = [
        _row(
            division_name(division.variant, division.players),
            division.rivals_beaten,
            division.games,
            division.better,
        )
        for division in comparison.divisions
    ]
    if until or len(rows) > 1:
        name = "all, equally weighted"
        if until and until.test == "planned":
            name = f"all, {100 * until.confidence:.4g} % at all looks"
        better = comparison.decision if comparison.decision in VERSIONS else None
        rows.append(_row(name, comparison.rivals_beaten, comparison.games, better))
    rows += [
        _row(f"against {rival.bot}", rival.rivals_beaten, rival.games)
        for rival in comparison.opponents
    ]
    print_columns(["rivals beaten", "old", "new", "new - old", "95 %", "games", "better"], rows)
    for version, use in sorted(comparison.models.items(), reverse=True):
        money = f"money {use.money:.4g}, {use.money / comparison.games:.4g} a game"
        tokens = f"{'about ' if use.estimated else ''}{use.tokens:,} tokens"
        asked = f"{use.answers:,} answers, {tokens}, {use.seconds:.0f} s, {money}"
        failed = f", {use.failed:,} requests that the server failed with" if use.failed else ""
        click.echo(f"language models, {version}: {asked}{failed}")
    faults = comparison.faults
    click.echo(
        f"{_verdict(comparison)}, by rivals beaten;"
        f" {comparison.games} games each; faults: old {faults[OLD]}, new {faults[NEW]}"
    )


def _verdict(comparison: Comparison) -> str:
    if not (until := comparison.until):
        return f"new is better with probability {comparison.better:.1%}"
    verdict = f"{comparison.decision} is better" if comparison.decision else "not decided"
    if comparison.decision == EQUIVALENT:
        gap = f"{100 * comparison.rivals_beaten.difference:+.1f}"
        verdict = f"neither is better by {until.points:g} points (new - old: {gap})"
    played, most = comparison.looks[-1].blocks, comparison.conditions.blocks
    return f"{verdict} at {100 * until.confidence:.4g} %, after {played} of {most} blocks"


def _row(name: str, share: Paired, games: int, better: str | None = None) -> list[str]:
    old, new = (f"{100 * value:.1f} %" for value in (share.old, share.new))
    ends = max(share.low, -1.0), min(share.high, 1.0)
    low, high = (f"{100 * value:+.1f}" for value in ends)
    gap = f"{100 * share.difference:+.1f} %"
    return [name, old, new, gap, f"{low} to {high} %", f"{games}", better or ""]


def _print_behaviour(behaviour: Behaviour) -> None:
    rows = [
        [
            difference.kind,
            _percent(difference.versions),
            _percent(difference.old),
            _percent(difference.new),
            f"{difference.versions.positions}",
        ]
        for difference in behaviour.differences
    ]
    click.echo()
    head = ["decided differently", "old to new", "old again", "new again", "positions"]
    print_columns(head, rows)
    for example in behaviour.examples:
        click.echo(f"for example {harmless(_in_words(example))}")
    faults = behaviour.faults
    if any(faults.values()):
        click.echo(f"faults when asked again: old {faults[OLD]}, new {faults[NEW]}")


def _percent(share: DifferingShare) -> str:
    return f"{100 * share.otherwise / share.positions:.1f} %" if share.positions else ""


def _in_words(example: Example) -> str:
    request, seats = example.request, example.seats
    table = division_name(example.variant, len(seats))
    if request.palifico_seat is not None:
        table += ", palifico"
    dice = " ".join(map(str, request.dice))
    if request.dice_counts:
        dice += f" of {sum(request.dice_counts)} dice"
    moment = "to open"
    if request.bids:
        last = request.bids[-1]
        moment = (
            f"after {name_bid(Bid(last.quantity, last.face))} by {from_field(seats[last.seat])}"
        )
    decided = f"old {_decided(example.old)}, new {_decided(example.new)}"
    return f"({table}), with {dice} {moment}: {decided}"


def _decided(decision: BuildDecision) -> str:
    if decision.action == "bid":
        return name_bid(Bid(decision.quantity, decision.face))
    return decision.action
