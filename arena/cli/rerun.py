"""`arena rerun`: play a stored fixture again with live bots, and compare."""

from collections.abc import Sequence
from pathlib import Path

import click

from arena.cli.options import (
    json_option,
    league_argument,
    sandbox_option,
    store_option,
    store_path,
    trust_option,
)
from arena.cli.output import harmless, print_json, say
from arena.errors import ArenaError, did_you_mean
from arena.league.config import load_league
from arena.match.rerun import Rerun, rerun
from arena.records import LeagueInfo, PlayedFixture
from arena.sandboxes.registry import check_freezing, make_sandbox
from arena.sandboxes.run_folder import run_folder
from arena.store.store import Store
from arena.submissions.manifest import Bot
from arena.submissions.staging import check_trust, runtimes_of, stage

_SHOWN = 160
"""Characters of an event that are printed."""


@click.command()
@league_argument
@click.argument("fixture", type=click.IntRange(min=0))
@click.argument("game", type=click.IntRange(min=0), required=False)
@store_option
@sandbox_option
@trust_option
@json_option
def command(
    league: Path,
    fixture: int,
    game: int | None,
    store: Path | None,
    sandbox: str | None,
    *,
    trust_bots: bool,
    as_json: bool,
) -> int:
    """Play FIXTURE of LEAGUE again, on the same dice and in the same seats, with the bots as now.

    FIXTURE is its place in the schedule, from 0, as the report names it. With GAME, from 0, all
    that is said in that game is printed. Exit code 1 where it comes out differently from what is
    stored. Nothing is stored.
    """
    plan = load_league(league)
    with Store(store_path(league, store)) as kept:
        info, stored = _stored(kept, fixture, game)
    bots = [_bot(plan.bots, name, league) for name in stored.fixture.seats]
    box = make_sandbox(sandbox or plan.sandbox, runtimes_of(bots), plan.images)
    check_trust(box, bots, trusted=trust_bots)
    check_freezing(box, info.limits)
    _say_what_changed(info, stored, bots, box.name)
    with run_folder() as runs:
        staged = {bot.name: stage(bot, runs, box) for bot in bots}
        seats = [staged[bot.name] for bot in bots]
        rules = info.variants[stored.fixture.variant]
        played = rerun(stored, rules, seats, box, info.limits, game)
    if as_json:
        print_json(played)
    else:
        _print(played)
    return 1 if played.differences else 0


def _stored(kept: Store, fixture: int, game: int | None) -> tuple[LeagueInfo, PlayedFixture]:
    """Return the conditions and the fixture; raises ArenaError where either is not there."""
    info = kept.league
    if info is None:
        raise ArenaError("nothing was played yet", str(kept.path), "start with: arena run")
    played = next(kept.played(fixture, fixture), None)
    if played is None:
        raise ArenaError(f"fixture {fixture} is not stored", str(kept.path), "see: arena status")
    if game is not None and game not in {one.game for one in played.games}:
        hint = f"its games are 0 to {len(played.games) - 1}"
        raise ArenaError(f"fixture {fixture} has no game {game}", str(kept.path), hint)
    return info, played


def _bot(bots: Sequence[Bot], name: str, league: Path) -> Bot:
    names = {bot.name: bot for bot in bots}
    if name not in names:
        what = f"'{name}' played in this fixture, and is not in the league now"
        raise ArenaError(what, str(league), did_you_mean(name, names))
    return names[name]


def _say_what_changed(
    info: LeagueInfo, stored: PlayedFixture, bots: Sequence[Bot], sandbox: str
) -> None:
    """Say why it may come out differently, before it is played."""
    before = {bot.name: bot.digest for bot in info.bots}
    for bot in {bot.name: bot for bot in bots}.values():
        if bot.info.digest != before.get(bot.name):
            say(f"'{bot.name}' has other files now than when it played")
    if sandbox != stored.sandbox:
        say(f"it was played in the sandbox '{stored.sandbox}', and is now in '{sandbox}'")
    if info.memory_across_fixtures:
        say("bots kept what they learnt in earlier fixtures, and start afresh now")


def _print(played: Rerun) -> None:
    for line in played.transcript:
        click.echo(harmless(line))
    for one in played.differences:
        say(f"game {one.game} comes out differently from step {one.step} on")
        say(f"  stored: {one.stored[:_SHOWN] or 'nothing'}")
        say(f"  now:    {one.now[:_SHOWN] or 'nothing'}")
    if not played.differences:
        games = "1 game" if played.games == 1 else f"{played.games} games"
        say(f"fixture {played.fixture}, {games}: just as stored")
