"""`arena alike`: bots that are alike, by their source and by what they decide."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from arena.author.alike.alike import (
    POSITIONS,
    Alike,
    AlikeRequest,
    alike,
    find_hand_ins,
)
from arena.author.alike.by_text import MOST_COMPARED, SourcePart, TextShare
from arena.author.alike.pairs import MOST_SHOWN, AnyFigure
from arena.bots.sandboxes.registry import AUTO
from arena.cli import options
from arena.cli.exit_codes import OK
from arena.cli.isolation import own_bots_option
from arena.cli.output import harmless, print_columns, print_json, say
from arena.league.terms.house import rules_named

_PLACES = 3
"""Shared places of a pair that are printed."""


@click.command()
@click.argument("patterns", metavar="BOT... | FOLDER", nargs=-1, required=True)
@click.option(
    "--positions",
    type=click.IntRange(0, 100_000),
    default=POSITIONS,
    show_default=True,
    help="Positions in which each bot is asked; 0 compares the source alone.",
)
@click.option(
    "--seed",
    callback=options.printable,
    help="Seed for sampling the positions; reuse one to repeat them. By default a new, secret one.",
)
@options.variant_option("variant_name")
@click.option(
    "--common",
    type=options.PathType(),
    multiple=True,
    metavar="FOLDER",
    help="Starter code to ignore. Repeat it for more folders.",
)
@click.option(
    "--page",
    type=options.PathType(dir_okay=False),
    metavar="FILE",
    help="Also write a page with the source of both side by side.",
)
@options.workers_option
@options.sandbox_option
@own_bots_option
@options.packages_option
@options.json_option
def command(
    *,
    patterns: tuple[str, ...],
    variant_name: str,
    sandbox: str | None,
    page: Path | None,
    trust_bots: bool,
    as_json: bool,
    **terms: Any,
) -> int:
    """Show which bots are alike, the most unusual pair first.

    A BOT is a folder, an archive or sample:NAME; a FOLDER has many of them. Bots are compared by
    their source, whatever names it uses and in whatever order it stands, and by what they decide in
    the same positions, whatever language they are written in. Code that came with the arena is
    ignored.
    """
    rules = rules_named(variant_name)
    request = AlikeRequest(rules=rules, sandbox=sandbox or AUTO, **terms)
    result = alike(*find_hand_ins(patterns, Path.cwd()), request, say, trusted=trust_bots)
    if result.seed:
        say(f"the same positions again: --seed {result.seed}")
    if as_json:
        print_json(result)
    else:
        _print_pairs(result)
        _print_bots(result)
        if not page and any(pair.stands_out for pair in result.pairs):
            say("next: --page FILE shows the pairs side by side (arena help alike)")
    if page:
        from arena.author.alike.page import write_page  # slow to import, and few ask for it

        write_page(result, page)
        say(f"page: {page}")
    return OK


def _print_pairs(result: Alike) -> None:
    out = [pair for pair in result.pairs if pair.stands_out]
    pairs = f"{len(result.pairs):,} {'pair' if len(result.pairs) == 1 else 'pairs'}"
    click.echo(
        f"{len(out)} of {pairs} {'is' if len(out) == 1 else 'are'} more alike than others are"
    )
    shown = out[:MOST_SHOWN]
    rows = []
    for pair in shown:
        text = "-"
        if pair.text:
            text = f"{_percent(pair.text.of_one)} / {_percent(pair.text.of_other)}"
        decisions = _percent(pair.behaviour.most, 1) if pair.behaviour else "-"
        rows.append([f"{pair.one} and {pair.other}", text, decisions, f"{pair.unusual:.2f}"])
    rows += [
        _row_of_any("any two: median", result, "median"),
        _row_of_any("any two: nine of ten below", result, "ninety"),
        _row_of_any("listed above", result, "line"),
    ]
    print_columns(["", "source", "decisions", "unusual"], rows)
    if len(out) > len(shown):
        click.echo(f"and {len(out) - len(shown):,} more pairs: --json lists all")
    for pair in shown:
        if pair.text and pair.text.places:
            click.echo(f"\n{harmless(pair.one)} and {harmless(pair.other)}")
            _print_places(pair.text)


def _row_of_any(name: str, result: Alike, figure: AnyFigure) -> list[str]:
    text, behaviour = result.any_text.said(figure), result.any_behaviour.said(figure)
    decisions = "-" if behaviour is None else _percent(behaviour, 1)
    return [name, "-" if text is None else _percent(text), decisions, ""]


def _percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f} %"


def _print_places(text: TextShare) -> None:
    for shared in text.places[:_PLACES]:
        click.echo(f"  {_part(shared.one)} and {_part(shared.other)}: {shared.tokens} tokens")
    if len(text.places) > _PLACES:
        more = len(text.places) - _PLACES
        click.echo(f"  and {more} more: --page FILE shows all side by side")
    if text.more:
        click.echo(f"  and {text.more:,} more that are no longer, and listed nowhere")
    if text.not_placed:
        what = f"{text.not_placed:,} shared fingerprints"
        click.echo(f"  {what} were not placed: {MOST_COMPARED:,} tokens were compared before")


def _part(part: SourcePart) -> str:
    return f"{harmless(part.file)} {part.first}-{part.last}"


def _print_bots(result: Alike) -> None:
    click.echo()
    rows = [
        [bot.name, f"{bot.own}", _first(bot.shared_with), _first(bot.decides_like)]
        for bot in result.bots
    ]
    print_columns(["", "own", "source also in", "decides like"], rows)
    for bot in result.bots:
        if bot.not_its_own:
            say(f"{bot.name}: its source came with the arena, or all were given it: in no pair")
        if bot.unread:
            say(f"{bot.name}: not read: {bot.unread}")
        elif not bot.files:
            say(f"{bot.name}: no source in a language that is known: compared by what it decides")
        if bot.not_asked:
            say(f"{bot.name}: not asked: {bot.not_asked}")
        elif bot.answered < result.positions:
            say(f"{bot.name}: answered in {bot.answered:,} of {result.positions:,} positions")
    for left in result.left_out:
        say(f"{left.name}: left out: {left.why}")


def _first(shares: Mapping[str, float]) -> str:
    """Name the largest share; shares are in order."""
    return next((f"{name} {_percent(share)}" for name, share in shares.items()), "-")
