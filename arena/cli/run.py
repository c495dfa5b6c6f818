"""`arena run`: play a league and write its report."""

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from arena.bots.choose import check_freezing, check_trust, make_sandbox
from arena.bots.docker.engine import warning
from arena.bots.docker.sandbox import DockerSandbox
from arena.bots.manifest import Bot
from arena.bots.sandbox import Sandbox
from arena.bots.stage import install_hint, missing_program
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
from arena.cli.output import print_json, print_table, say
from arena.cli.progress import Tally, progress
from arena.cli.replays import replays_option
from arena.cli.reporting import say_report, write_report
from arena.league.config import League, check_anchor, check_enough, load_league, without
from arena.league.course import Course, Verdict
from arena.league.plan import begin
from arena.league.runner import run
from arena.match.ready import ready
from arena.publish.files import check_folder
from arena.publish.kept import Choice
from arena.ratings.overall import Overall
from arena.ratings.table import Leaderboard
from arena.records import LeagueInfo, PlayedFixture
from arena.store.store import Store

STOPPING = "stopping: what runs is finished and saved first; Ctrl-C again stops at once"


@click.command()
@league_argument
@store_option
@site_option
@replays_option
@sandbox_option
@trust_option
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes [default: cores].")
@click.option(
    "--skip-missing-runtimes",
    is_flag=True,
    help="Leave bots out whose interpreter or compiler is not on this machine.",
)
@click.option(
    "--drop-games",
    is_flag=True,
    help="Go on where a bot left or has other files: its games stay stored and count no more.",
)
@json_option
def command(
    league: Path,
    store: Path | None,
    site: Path,
    sandbox: str | None,
    workers: int | None,
    *,
    replays: Choice,
    trust_bots: bool,
    skip_missing_runtimes: bool,
    drop_games: bool,
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
    check_anchor(plan.ratings, [bot.name for bot in plan.bots], plan.anchor_at)
    check_trust(box, plan.bots, trusted=trust_bots)
    check_freezing(box, plan.limits)
    rules = next(iter(plan.variants.values()))
    with (
        Store(store_path(league, store), create=True) as kept,
        ready(plan.bots, rules, plan.limits, box) as staged,
    ):
        info = begin(plan, box.name, kept, drop=drop_games, notify=say)
        check_folder(site)
        _announce(info, kept)
        bots = {bot.name: bot for bot in staged}
        course = Course(info)
        finished = _play(
            info, course, bots, box, kept, workers=workers or plan.workers, pin=plan.pin
        )
        if not finished:
            return _say_how_to_resume(kept)
        report = write_report(kept, info, info.ratings, site, replays)
    if as_json:
        print_json({**report.data(), "league": info})
    else:
        _print_boards(report.ratings.boards)
        _print_overall(report.ratings.overall)
    say_report(report)
    return 0


def _leave_out(plan: League) -> League:
    """Leave out the bots that this machine cannot run, with one line for all of them."""
    lacking = [bot for bot in plan.bots if missing_program(bot)]
    if lacking:
        names = ", ".join(f"{bot.name} (needs {missing_program(bot)})" for bot in lacking)
        hints = sorted({install_hint(bot) for bot in lacking})
        say(f"left out: {names}; to have them play: {'; '.join(hints)}")
    return without(plan, lacking)


def _announce(info: LeagueInfo, store: Store) -> None:
    """Say what is in force, and publish the seed's hash, before the first game."""
    sizes = ", ".join(map(str, info.players))
    say(f"{info.name}: {len(info.bots)} bots, {', '.join(info.variants)}, tables of {sizes}")
    say(f"sandbox: {info.sandbox}; store: {store.path}")
    if info.sandbox == DockerSandbox.name and (old := warning()):
        say(f"warning: {old}")
    say(f"SHA-256 of the master seed: {info.commitment}")


def _play(
    info: LeagueInfo,
    course: Course,
    bots: dict[str, Bot],
    sandbox: Sandbox,
    store: Store,
    *,
    workers: int,
    pin: bool,
) -> bool:
    """Play what is not stored yet; returns whether the league was finished."""
    stored = [one for one in store.played() if course.counts(one.fixture)]
    for one in stored:
        course.add(one)
    most = f"at most {len(course)}" if info.until else f"{len(course)}"
    if stored:
        say(f"stored already: {len(stored)} of {most} fixtures")
    tally = Tally(len(course) - len(stored))
    finished = not course.due() or _play_on(
        *(info, course, bots, sandbox, store, tally), workers=workers, pin=pin
    )
    for verdict in course.verdicts() if finished else ():
        _say_verdict(verdict, info)
    return finished


def _play_on(
    info: LeagueInfo,
    course: Course,
    bots: dict[str, Bot],
    sandbox: Sandbox,
    store: Store,
    tally: Tally,
    *,
    workers: int,
    pin: bool,
) -> bool:
    def keep(played: PlayedFixture) -> None:
        store.add(played)
        course.add(played)

    with progress(tally) as update:
        return run(
            *(info, course.due, bots, sandbox, keep, update),
            workers=workers,
            pin=pin,
            notify=lambda: say(STOPPING),
        )


def _say_verdict(verdict: Verdict, info: LeagueInfo) -> None:
    """Say where a variant and table size stopped, and why."""
    where = f"{verdict.variant}, tables of {verdict.players}: after {verdict.rounds} rounds"
    if not verdict.tied:
        say(f"{where} all neighbours are separated at {info.until:.4g}")
        return
    pairs = ", ".join(" and ".join(pair) for pair in verdict.tied)
    say(f"{where} the budget is spent; not separated: {pairs}")


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


def _print_boards(boards: Sequence[Leaderboard]) -> None:
    for board in boards:
        click.echo(f"\n{board.variant}, tables of {board.players}")
        rows = [
            [
                f"{rank:2} {row.bot}{' (provisional)' if row.provisional else ''}",
                f"{row.best}-{row.worst}",
                f"{row.mu:+.2f}",
                f"{row.low:+.2f} to {row.high:+.2f}",
                f"{row.mean_place:.2f}",
                f"{100 * row.win_share:.1f} %",
                str(row.games),
                str(row.faults),
            ]
            for rank, row in enumerate(board.rows, 1)
        ]
        chance = f"wins (chance {100 / board.players:.1f} %)"
        head = ["   bot", "ranks", "mu", "95 %", "place", chance, "games", "faults"]
        print_table(head, rows)


def _print_overall(overall: Overall | None) -> None:
    if overall is None:
        return
    click.echo("\noverall: share of rivals finished behind, mean over the tables")
    rows = [
        [
            f"{rank:2} {row.bot}",
            f"{row.best}-{row.worst}",
            f"{100 * row.score:.1f} %",
            f"{100 * row.low:.1f} to {100 * row.high:.1f}",
            str(row.games),
        ]
        for rank, row in enumerate(overall.rows, 1)
    ]
    print_table(["   bot", "ranks", "score", "95 %", "games"], rows)
