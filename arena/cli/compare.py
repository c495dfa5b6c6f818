"""`arena compare`: let two versions of a bot meet the same field, and say which is better."""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

import click

from arena import __version__
from arena.cli.main import INTERRUPTED
from arena.cli.options import json_option, sandbox_option, trust_option
from arena.cli.output import print_json, print_table, say
from arena.cli.progress_bar import Tally, progress
from arena.errors import ArenaError
from arena.league.compare import NEW, OLD, Comparison, compare, comparison_fixtures, in_field
from arena.league.config import MAX_GAMES, MAX_ROUNDS
from arena.match.preparation import prepared
from arena.perudo.rules import MAX_PLAYERS, MIN_PLAYERS, variant
from arena.ratings.paired import Paired
from arena.records import LeagueInfo, LimitsInfo
from arena.sandboxes.base import Sandbox
from arena.sandboxes.registry import AUTO, make_sandbox
from arena.seeds import commitment
from arena.submissions.bot import Bot, check_trust, runtimes_of
from arena.submissions.bot_patterns import bot_sources, find_bots
from arena.submissions.manifest import load_bot

SAMPLES = "sample:*"
STOPPING = "stopping: what runs is finished first; Ctrl-C again stops at once"


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--field",
    metavar="BOT",
    multiple=True,
    help="Whom both play: a folder, a pattern or sample:NAME; repeat it for more"
    " [default: the sample bots that run here].",
)
@click.option(
    "--rounds",
    type=click.IntRange(2, MAX_ROUNDS),
    default=20,
    show_default=True,
    help="How often each version meets the field; the interval is over rounds.",
)
@click.option(
    "--games",
    type=click.IntRange(1, MAX_GAMES),
    default=10,
    show_default=True,
    help="Games at each table.",
)
@click.option(
    "--players",
    type=click.IntRange(MIN_PLAYERS, MAX_PLAYERS),
    default=2,
    show_default=True,
    help="Players at a table.",
)
@click.option(
    "--variant", "book", metavar="NAME", default="bga", show_default=True, help="The rule book."
)
@click.option("--seed", metavar="TEXT", help="Plays the same games again [default: drawn].")
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes [default: cores].")
@sandbox_option
@trust_option
@json_option
def command(
    old: str,
    new: str,
    field: tuple[str, ...],
    rounds: int,
    games: int,
    players: int,
    book: str,
    seed: str | None,
    workers: int | None,
    sandbox: str | None,
    *,
    trust_bots: bool,
    as_json: bool,
) -> int:
    """Let two versions of a bot, OLD and NEW, play the same field on the same dice, and compare."""
    versions = [_version(old, "OLD"), _version(new, "NEW")]
    others = _field(field, players)
    box = make_sandbox(sandbox or AUTO, runtimes_of([*versions, *others]))
    check_trust(box, [*versions, *others], trusted=trust_bots)
    info = LeagueInfo(
        name=f"{old} and {new}",
        variants={book: variant(book, {})},
        bots=tuple(bot.info for bot in others),
        players=(players,),
        games=games,
        rounds=rounds,
        limits=LimitsInfo(),
        sandbox=box.name,
        seed=(key := seed or secrets.token_hex(8)),
        commitment=commitment(key),
        arena_version=__version__,
    )
    say(f"field: {', '.join(bot.name for bot in others)}; sandbox: {box.name}; seed: {key}")
    compared = _play(info, versions, others, box, workers or len(os.sched_getaffinity(0)))
    if compared is None:
        say("stopped: nothing is kept of a comparison")
        return INTERRUPTED
    if as_json:
        print_json({"old": old, "new": new, "conditions": info, **_data(compared)})
    else:
        _print(old, new, compared)
    return 0


def _version(pattern: str, which: str) -> Bot:
    folders = bot_sources(pattern, Path.cwd(), which)
    if len(folders) > 1:
        raise ArenaError(f"'{pattern}' names {len(folders)} bots", which, "name one")
    return load_bot(folders[0])


def _field(patterns: tuple[str, ...], players: int) -> tuple[Bot, ...]:
    named = [(pattern, "--field") for pattern in patterns or (SAMPLES,)]
    bots = find_bots(named, Path.cwd())
    if not patterns:
        bots = tuple(bot for bot in bots if not bot.missing_program)
    if len(bots) < players - 1:
        what = f"{len(bots)} bots in the field are too few for tables of {players}"
        raise ArenaError(what, "--field", "name more, or fewer --players")
    return bots


def _play(
    info: LeagueInfo,
    versions: Sequence[Bot],
    others: Sequence[Bot],
    sandbox: Sandbox,
    workers: int,
) -> Comparison | None:
    [rules] = info.variants.values()
    names = [OLD, NEW, *(in_field(bot.name) for bot in others)]
    with prepared([*versions, *others], rules, info.limits, sandbox) as staged:
        bots = dict(zip(names, staged, strict=True))
        with progress(Tally(len(comparison_fixtures(info)))) as update:
            return compare(
                info, bots, sandbox, update, workers=workers, notify=lambda: say(STOPPING)
            )


def _data(compared: Comparison) -> dict[str, object]:
    return {name: getattr(compared, name) for name in compared.__struct_fields__}


def _print(old: str, new: str, compared: Comparison) -> None:
    say(f"old: {old}; new: {new}")
    places, wins = compared.mean_place, compared.win_share
    print_table(
        ["", "old", "new", "new - old", "95 %"],
        [_row("mean place", places, 1, ".3f", ""), _row("win share", wins, 100, ".1f", " %")],
    )
    faults = compared.faults
    click.echo(
        f"new is better with probability {compared.better:.1%}, by mean place;"
        f" {compared.games} games each; faults: old {faults[OLD]}, new {faults[NEW]}"
    )


def _row(name: str, figure: Paired, scale: int, form: str, unit: str) -> list[str]:
    old, new = (f"{scale * value:{form}}{unit}" for value in (figure.old, figure.new))
    gap, low, high = (
        f"{scale * value:+{form}}" for value in (figure.difference, figure.low, figure.high)
    )
    return [name, old, new, f"{gap}{unit}", f"{low} to {high}{unit}"]
