"""`arena run`: play a league and write its report."""

import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from arena.bots.choose import check_freezing, check_trust, make_sandbox
from arena.bots.manifest import Bot
from arena.bots.sandbox import Sandbox
from arena.bots.stage import install_hint, missing_program, stage, staging
from arena.cli.main import INTERRUPTED
from arena.cli.options import (
    json_option,
    league_argument,
    sandbox_option,
    site_option,
    store_option,
    store_path,
    trust_option,
)
from arena.cli.output import boards_data, print_json, print_table, say
from arena.cli.progress import Tally, progress
from arena.errors import ArenaError
from arena.league.config import League, check_enough, load_league, without
from arena.league.plan import begin
from arena.league.runner import run
from arena.league.schedule import schedule
from arena.match.table import try_start
from arena.publish.files import check_folder
from arena.publish.site import write_site
from arena.ratings.table import Leaderboard, leaderboards
from arena.records import LeagueInfo
from arena.store.store import Store

STOPPING = "stopping: what runs is finished and saved first; Ctrl-C again stops at once"


@click.command()
@league_argument
@store_option
@site_option
@sandbox_option
@trust_option
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes [default: cores].")
@click.option(
    "--skip-missing-runtimes",
    is_flag=True,
    help="Leave bots out whose interpreter or compiler is not on this machine.",
)
@json_option
def command(
    league: Path,
    store: Path | None,
    site: Path,
    sandbox: str | None,
    workers: int | None,
    *,
    trust_bots: bool,
    skip_missing_runtimes: bool,
    as_json: bool,
) -> int:
    """Play LEAGUE (a league.yaml) to its end and write its report.

    What was played is stored as it comes. Ctrl-C finishes what runs and saves it; running again
    goes on from there.
    """
    plan = load_league(league)
    box = make_sandbox(sandbox or plan.sandbox, plan.bots, plan.images)
    if skip_missing_runtimes and box.uses_host_programs:
        plan = _leave_out(plan)
    check_enough(plan)
    check_trust(box, plan.bots, trusted=trust_bots)
    check_freezing(box, plan.limits)
    with Store(store_path(league, store), create=True) as kept, _staged(plan, box) as bots:
        info = begin(plan, box.name, kept)
        check_folder(site)
        _announce(info, kept)
        finished = _play(info, bots, box, kept, workers=workers or plan.workers, pin=plan.pin)
        if not finished:
            return _say_how_to_resume(kept)
        played = list(kept.played())
        boards = leaderboards(played)
        index = write_site(info, boards, played, site)
    if as_json:
        print_json({"site": str(index), "league": info, "leaderboards": boards_data(boards)})
    else:
        _print_boards(boards)
    say(f"report: {index}")
    return 0


def _leave_out(plan: League) -> League:
    """Leave out the bots that this machine cannot run, with one line for all of them."""
    lacking = [bot for bot in plan.bots if missing_program(bot)]
    if lacking:
        names = ", ".join(f"{bot.name} (needs {missing_program(bot)})" for bot in lacking)
        hints = sorted({install_hint(bot) for bot in lacking})
        say(f"left out: {names}; to have them play: {'; '.join(hints)}")
    return without(plan, lacking)


@contextmanager
def _staged(plan: League, sandbox: Sandbox) -> Iterator[dict[str, Bot]]:
    """Copy, build and try every bot before the first game; the copies go when the run ends."""
    with staging() as runs:
        bots = {bot.name: stage(bot, runs, sandbox) for bot in plan.bots}
        rules = next(iter(plan.variants.values()))
        for bot in bots.values():
            if fault := try_start(bot, rules, sandbox, plan.limits):
                where = next(str(b.folder) for b in plan.bots if b.name == bot.name)
                hint = f"see why: arena check {where}"
                raise ArenaError(f"'{bot.name}' does not start: {fault.detail}", where, hint)
        yield bots


def _announce(info: LeagueInfo, store: Store) -> None:
    """Say what is in force, and publish the seed's hash, before the first game."""
    sizes = ", ".join(map(str, info.players))
    say(f"{info.name}: {len(info.bots)} bots, {', '.join(info.variants)}, tables of {sizes}")
    say(f"sandbox: {info.sandbox}; store: {store.path}")
    say(f"SHA-256 of the master seed: {info.commitment}")


def _play(
    info: LeagueInfo,
    bots: dict[str, Bot],
    sandbox: Sandbox,
    store: Store,
    *,
    workers: int,
    pin: bool,
) -> bool:
    """Play what is not stored yet; returns whether the schedule was finished."""
    fixtures = schedule(info)
    finished = store.finished()
    missing = [fixture for fixture in fixtures if fixture.id not in finished]
    if finished:
        say(f"stored already: {len(fixtures) - len(missing)} of {len(fixtures)} fixtures")
    if not missing:
        return True
    tally = Tally(len(missing))
    with progress(tally) as update:
        return run(
            *(info, missing, bots, sandbox, store, update),
            workers=workers,
            pin=pin,
            notify=lambda: say(STOPPING),
        )


def _say_how_to_resume(store: Store) -> int:
    """Print a command that can be pasted: all options as they were, the store's among them."""
    again = shlex.join([*_program(), *click.get_current_context().obj])
    say(f"stopped: {len(store.finished())} fixtures are stored; go on with: {again}")
    return INTERRUPTED


def _program() -> list[str]:
    """Return what starts the arena from the person's shell."""
    if shutil.which("arena"):
        return ["arena"]
    return [sys.argv[0]] if Path(sys.argv[0]).name == "arena" else [sys.executable, "-m", "arena"]


def _print_boards(boards: list[Leaderboard]) -> None:
    for board in boards:
        click.echo(f"\n{board.variant}, tables of {board.players}")
        rows = [
            [
                f"{rank:2} {row.bot}",
                f"{row.mu:+.2f}",
                f"±{row.high - row.mu:.2f}",
                str(row.games),
                str(row.wins),
                f"{row.mean_place:.2f}",
                str(row.faults),
            ]
            for rank, row in enumerate(board.rows, 1)
        ]
        print_table(["   bot", "mu", "95 %", "games", "wins", "place", "faults"], rows)
