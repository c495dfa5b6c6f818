"""`arena run`: play a league and write its report."""

import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.main import FINDINGS, INTERRUPTED, OK
from arena.cli.options import (
    json_option,
    league_argument,
    sandbox_option,
    site_option,
    store_option,
    store_path,
    trust_option,
)
from arena.cli.output import print_json, print_table, say, say_report
from arena.cli.progress_bar import Tally, progress
from arena.cli.replays import replays_option
from arena.errors import ArenaError
from arena.league.cluster.address import check_installed, local_workers
from arena.league.cluster.worker import run_spec
from arena.league.conditions import commit, resolve
from arena.league.config import League, check_anchor, check_enough, load_league, without
from arena.league.progress import LeagueProgress, Verdict
from arena.league.runner import MOST_DEATHS, run
from arena.league.workers import Engine, Processes
from arena.match.preparation import prepared
from arena.publish.output.site_folder import check_folder
from arena.publish.replay.selection import ReplayChoice
from arena.publish.report import write_report
from arena.ratings.table import Leaderboard, Overall
from arena.records import FixtureResult, LeagueInfo, QuarantinedFixture
from arena.sandboxes.base import Sandbox
from arena.sandboxes.docker.engine import warning
from arena.sandboxes.docker.sandbox import DockerSandbox
from arena.sandboxes.registry import check_freezing, make_sandbox
from arena.store.rows import Packed
from arena.store.store import Store
from arena.submissions.bot import StagedBot, check_trust, install_hint, runtimes_of

if TYPE_CHECKING:  # slow to import, and not always installed
    from arena.league.cluster.client import Cluster

STOPPING = "stopping: what runs is finished and saved first; Ctrl-C again stops at once"
_ASIDE_SHOWN = 5
"""Fixtures named in one line."""


@click.command()
@league_argument
@store_option
@site_option
@replays_option
@sandbox_option
@trust_option
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes [default: cores].")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Play on the workers of a Dask scheduler (tcp://HOST:PORT), or on N workers that are"
    " started here for this run (local:N).",
)
@click.option(
    "--skip-missing-runtimes",
    is_flag=True,
    help="Leave bots out whose interpreter or compiler is not on this machine.",
)
@click.option(
    "--accept-changes",
    is_flag=True,
    help="Go on where LEAGUE or its bots changed: what does not count any more stays stored.",
)
@json_option
def command(
    league: Path,
    store: Path | None,
    site: Path,
    sandbox: str | None,
    workers: int | None,
    cluster: str | None,
    *,
    replays: ReplayChoice,
    trust_bots: bool,
    skip_missing_runtimes: bool,
    accept_changes: bool,
    as_json: bool,
) -> int:
    """Play LEAGUE (a league.yaml) to its end and write its report.

    What was played is stored as it comes. Ctrl-C finishes what runs and saves it; running again
    goes on from there.
    """
    if cluster:
        _check_cluster(cluster, workers)
    plan = load_league(league)
    box = make_sandbox(sandbox or plan.sandbox, runtimes_of(plan.bots), plan.images)
    if skip_missing_runtimes and box.uses_host_programs:
        plan = _leave_out(plan)
    check_enough(plan)
    check_anchor(plan.ratings, [bot.name for bot in plan.bots], plan.anchor_at)
    check_trust(box, plan.bots, trusted=trust_bots)
    check_freezing(box, plan.limits)
    with (
        _connected(cluster) as link,
        Store(store_path(league, store), create=True) as kept,
        _prepared(plan, box, kept, accept=accept_changes) as (info, staged),
    ):
        check_folder(site)
        _announce(info, kept)
        engine: Engine = link or Processes(box, workers or plan.workers, pin=plan.pin)
        trusted = trust_bots or all(bot.shipped for bot in plan.bots)
        orders = run_spec(plan, sandbox, trusted=trusted)
        if link:
            link.distribute(orders, staged, say)
        course = LeagueProgress(info)
        if not _play(info, course, {bot.name: bot for bot in staged}, engine, kept):
            return _say_how_to_resume(kept)
        report = write_report(kept, info, info.ratings, site, replays)
    if as_json:
        print_json({**report.data(), "league": info})
    else:
        _print_boards(report.ratings.boards)
        _print_overall(report.ratings.overall)
    say_report(report)
    if report.aside:
        _say_set_aside(report.aside)
    return FINDINGS if report.aside else OK


def _check_cluster(address: str, workers: int | None) -> None:
    """Refuse an address that is none, before anything is read or started."""
    local_workers(address)
    if workers is not None:
        what = "--workers counts processes of this machine without a cluster"
        raise ArenaError(what, f"--cluster {address}", "leave it out, or give --cluster local:N")
    check_installed(address)


def _connected(cluster: str | None) -> "AbstractContextManager[Cluster | None]":
    if cluster is None:
        return nullcontext()
    # Slow to import, and not always installed.
    from arena.league.cluster.client import connected

    return connected(cluster)


@contextmanager
def _prepared(
    plan: League, box: Sandbox, store: Store, *, accept: bool
) -> Iterator[tuple[LeagueInfo, list[StagedBot]]]:
    """Yield the conditions in force and the bots, ready to play; changes are looked at first."""
    proposal = resolve(plan, box.name, store, accept=accept)
    rules = next(iter(plan.variants.values()))
    with prepared(plan.bots, rules, plan.limits, box) as staged:
        yield commit(proposal, store, say), staged


def _leave_out(plan: League) -> League:
    """Leave out the bots that this machine cannot run, with one line for all of them."""
    lacking = [bot for bot in plan.bots if bot.missing_program]
    if lacking:
        names = ", ".join(f"{bot.name} (needs {bot.missing_program})" for bot in lacking)
        hints = sorted({install_hint(bot.info.runtime) for bot in lacking})
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
    course: LeagueProgress,
    bots: dict[str, StagedBot],
    engine: Engine,
    store: Store,
) -> bool:
    """Play what is not stored yet; returns whether the league was finished."""
    stored = [one for one in store.results() if course.counts(one.fixture.id)]
    for one in stored:
        course.add(one)
    most = f"at most {len(course)}" if info.until else f"{len(course)}"
    if stored:
        say(f"stored already: {len(stored)} of {most} fixtures")
    tally = Tally(len(course) - len(stored))
    if course.due() and not _play_on(info, course, bots, engine, store, tally):
        return False
    # What was set aside is due again, in the next run; its table size did not come to its end.
    missing = {(one.variant, len(one.seats)) for one in course.due()}
    for verdict in course.verdicts():
        if (verdict.variant, verdict.players) not in missing:
            _say_verdict(verdict, info)
    return True


def _play_on(
    info: LeagueInfo,
    course: LeagueProgress,
    bots: dict[str, StagedBot],
    engine: Engine,
    store: Store,
    tally: Tally,
) -> bool:
    def keep(packed: Packed, result: FixtureResult) -> None:
        store.add(packed)
        course.add(result)

    with progress(tally) as update:
        return run(
            *(info, course.due, bots, engine, keep, store.quarantine, update),
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


def _say_set_aside(aside: Sequence[QuarantinedFixture]) -> None:
    """Say which fixtures are missing, and how to play them after all."""
    shown = [f"{one.fixture.id} ({', '.join(one.fixture.seats)})" for one in aside[:_ASIDE_SHOWN]]
    more = [f"and {len(aside) - _ASIDE_SHOWN} more"] if len(aside) > _ASIDE_SHOWN else []
    why = f"at least {MOST_DEATHS} workers died of each"
    names = ", ".join([*shown, *more])
    say(f"set aside: {len(aside)} fixtures, {why}: {names}; to try them again: {_again()}")


def _say_how_to_resume(store: Store) -> int:
    say(f"stopped: {len(store.finished())} fixtures are stored; go on with: {_again()}")
    return INTERRUPTED


def _again() -> str:
    """Return a command that can be pasted: all options as they were, the store's among them."""
    return shlex.join([*_program(), *click.get_current_context().obj])


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
