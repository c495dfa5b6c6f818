"""What `arena coach` prints."""

from collections.abc import Sequence
from shlex import quote
from textwrap import wrap

import click

from arena.author.coach.coaching import Coaching
from arena.author.coach.request_times import RequestTime
from arena.author.coach.words import REQUESTS, at_table, bids, did, leak_facts, named
from arena.cli.output import division_name, harmless, print_table, say
from arena.playstats.coach.decisions import Decision
from arena.playstats.coach.judgement import CalibrationBin, Cost, Judgement, Leak
from arena.ratings.maths.intervals import wilson

_LEAKS = 3
"""Leaks that are printed, to stay on one screen."""
_WIDTH = 100


def print_coaching(coaching: Coaching) -> None:
    """Print all that an author is told."""
    judgement = coaching.judgement
    _print_result(coaching.bot, judgement)
    for number, leak in enumerate(judgement.leaks[:_LEAKS], 1):
        _print_leak(number, leak, coaching.test)
    if judgement.leaks:
        click.echo(f"\n{coaching.caution}")
    else:
        click.echo("\nNo leak is clear; `arena puzzle` shows its most expensive turns.")
    _print_calibration(judgement.calibration)
    _print_times(coaching.times)
    say(f"replays: arena report {quote(coaching.league)} --replays all, or --site FOLDER here")
    say(f"messages of a game: arena rerun {quote(coaching.league)} FIXTURE GAME")


def _print_result(bot: str, judgement: Judgement) -> None:
    low, high = wilson(judgement.won, judgement.games)
    click.echo(
        f"{harmless(bot)} won {judgement.won:,} of {judgement.games:,} games:"
        f" {100 * low:.0f} to {100 * high:.0f} % (95 %);"
        f" leaks found in {judgement.decisions:,} decisions: {len(judgement.leaks)}"
    )
    if len(judgement.tables) > 1:
        rows = [
            [division_name(table.variant, table.players), f"{table.games:,}", f"{table.won:,}"]
            for table in judgement.tables
        ]
        print_table(["table", "games", "won"], rows)


def _cost(cost: Cost) -> str:
    return f"{cost.per_game:.3f} ± {cost.half_width:.3f}"


def _print_leak(number: int, leak: Leak, test: str) -> None:
    click.echo(
        f"\n{number}. {leak.what}: {leak.times:,} of {leak.of:,};"
        f" the change is worth {_cost(leak.worth)} wins per game"
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
    return f"{decision.fixture} {decision.game} {decision.step}"


def _print_calibration(bins: Sequence[CalibrationBin]) -> None:
    click.echo("\nBids, by how likely they were by its own dice")
    rows = [
        [
            f"{100 * bin_.low:.0f} to {100 * bin_.high:.0f} %",
            f"{bin_.bids:,}",
            f"{bin_.expected:.1%}",
            f"{bin_.held:.1%}",
        ]
        for bin_ in bins
    ]
    print_table(["", "bids", "expected", "true"], rows)


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
    print_table(["", "requests", "median", "longest"], rows)
