"""`arena rerun`: play a stored fixture again with live bots, and compare."""

from collections.abc import Sequence
from pathlib import Path

import click

from arena.cli import options
from arena.cli.output import harmless, print_json, say
from arena.errors import ArenaError, did_you_mean
from arena.league.config import load_league
from arena.match.replay import Rerun, rerun
from arena.records import LeagueInfo, PlayedFixture
from arena.sandboxes.registry import check_freezing, make_sandbox
from arena.sandboxes.run_folder import run_folder
from arena.store.store import Store
from arena.submissions.bot import Bot, check_trust, runtimes_of
from arena.submissions.staging import stage

_MAX_NUMBER = 10**9
_MAX_SHOWN = 160
"""Characters of an event that are printed."""


@click.command()
@options.league_argument
@click.argument("fixture", type=click.IntRange(0, _MAX_NUMBER))
@click.argument("game", type=click.IntRange(0, _MAX_NUMBER), required=False)
@options.store_option
@options.sandbox_option
@options.trust_option
@options.json_option
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
    """Play FIXTURE of LEAGUE again with the current bots, on the same dice and in the same seats.

    FIXTURE is its number in the schedule, from 0, as in the report. With GAME, from 0, the
    conversation of that game is printed. The exit code is 1 if any game differs from the stored
    one. Nothing is stored.
    """
    config = load_league(league)
    with Store(options.store_path(league, store)) as opened:
        info, stored = _stored(opened, fixture, game)
    current = {bot.name: bot for bot in config.bots}
    for name in stored.fixture.seats:
        if name not in current:
            what = f"'{name}' played in this fixture, but is not in the league now"
            raise ArenaError(what, str(league), did_you_mean(name, current))
    bots = [current[name] for name in stored.fixture.seats]
    chosen = make_sandbox(sandbox or config.sandbox, runtimes_of(bots), config.images)
    check_trust(chosen, bots, trusted=trust_bots)
    check_freezing(chosen, info.limits)
    _say_what_changed(info, stored, bots, chosen.name)
    with run_folder() as runs:
        staged = [stage(bot, runs, chosen, packages=config.packages) for bot in bots]
        rules = info.variants[stored.fixture.variant]
        result = rerun(stored, rules, staged, chosen, info.limits, game)
    if as_json:
        print_json(result)
    else:
        _print(result)
    return 1 if result.differences else 0


def _stored(store: Store, fixture: int, game: int | None) -> tuple[LeagueInfo, PlayedFixture]:
    """Return the conditions and the fixture; raises ArenaError if either is missing."""
    info = store.conditions()
    played = next(store.played(fixture, fixture), None)
    if played is None:
        raise ArenaError(f"fixture {fixture} is not stored", str(store.path), "see: arena status")
    if game is not None and game not in {record.game for record in played.games}:
        hint = f"its games are 0 to {len(played.games) - 1}"
        raise ArenaError(f"fixture {fixture} has no game {game}", str(store.path), hint)
    return info, played


def _say_what_changed(
    info: LeagueInfo, stored: PlayedFixture, bots: Sequence[Bot], sandbox: str
) -> None:
    """Say why the result may differ, before it is played."""
    before = {bot.name: bot.digest for bot in info.bots}
    for bot in {bot.name: bot for bot in bots}.values():
        if bot.info.digest != before.get(bot.name):
            say(f"'{bot.name}' has different files now")
    if sandbox != stored.sandbox:
        say(f"it was played in the sandbox '{stored.sandbox}', not in '{sandbox}'")
    if info.memory_across_fixtures:
        say("bots kept their memory from earlier fixtures, and start without it now")


def _print(result: Rerun) -> None:
    for line in result.transcript:
        click.echo(harmless(line))
    for difference in result.differences:
        say(f"game {difference.game} differs from step {difference.step} on")
        say(f"  stored: {difference.stored[:_MAX_SHOWN] or 'nothing'}")
        say(f"  now:    {difference.now[:_MAX_SHOWN] or 'nothing'}")
    if not result.differences:
        games = "1 game" if result.games == 1 else f"{result.games} games"
        say(f"fixture {result.fixture}, {games}: as stored")
