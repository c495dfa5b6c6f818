"""`arena run`: play a league and write its report."""

import shlex
import shutil
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import click
import msgspec

from arena.cli import options
from arena.cli.exit_codes import FINDINGS, INTERRUPTED, OK
from arena.cli.league.standings import print_standings, say_parts, shortened
from arena.cli.output import division_name, print_json, reporting, say, say_report
from arena.cli.progress_bar import TerminalListener
from arena.game.records import Conditions, QuarantinedFixture
from arena.io.errors import ArenaError, first_of
from arena.league.cluster.entry import check_cluster, cluster_at
from arena.league.play.dispatcher import MAX_DEATHS, RunListener
from arena.league.play.league_run import RunOutcome, RunRequest, open_run
from arena.league.play.workers import RemoteEngine
from arena.league.schedule.playoff import PlayoffVerdict, playoff_in_words
from arena.league.schedule.progress import Verdict
from arena.league.terms.master_seed import withheld
from arena.publish.replays import ReplayChoice
from arena.publish.report import Asked, Report, write_report
from arena.publish.site_folder import check_folder

_QUARANTINED_SHOWN = 5
"""Fixtures named in one line."""


@click.command()
@options.league_argument
@options.store_option
@options.site_option
@options.replays_option
@options.sandbox_option
@options.trust_option
@options.workers_option
@click.option(
    "--cluster",
    metavar="ADDRESS",
    callback=options.printable,
    help="Play on the workers of a Dask scheduler (tls://HOST:PORT or tcp://HOST:PORT), or on N"
    " workers started here for this run (local:N).",
)
@click.option(
    "--mixed-sandboxes",
    is_flag=True,
    help="Let each worker of a cluster take the strongest sandbox that works there.",
)
@click.option(
    "--skip-missing-runtimes",
    is_flag=True,
    help="Leave out bots whose interpreter or compiler is not on this machine, "
    "and sample bots that do not start.",
)
@click.option(
    "--accept-changes",
    is_flag=True,
    help="Continue if LEAGUE or its bots changed; games that no longer count stay stored.",
)
@options.json_option
def command(
    league: Path,
    store: Path | None,
    site: Path,
    replays: ReplayChoice,
    cluster: str | None,
    *,
    as_json: bool,
    **values: object,
) -> int:
    """Play LEAGUE (a league.yaml) to its end and write its report.

    Each fixture is stored as soon as it is played. Ctrl-C finishes and saves the fixtures being
    played; run the same command again to continue.
    """
    paths = {"league": league, "store": options.store_path(league, store)}
    request = msgspec.convert({**paths, **values}, RunRequest)
    if cluster is not None:
        check_cluster(cluster, request.workers)
    elif request.mixed_sandboxes:
        hint = "add --cluster ADDRESS, or leave it out"
        raise ArenaError("only a cluster has sandboxes to mix", "--mixed-sandboxes", hint)
    remote = cluster_at(cluster)
    outcome, report = play_and_report(request, site, replays, _Listener(request.store), remote)
    if report is None:
        say(f"stopped: {outcome.stored} fixtures are stored; go on with: {_same_command()}")
        return INTERRUPTED
    if as_json:
        conditions = withheld(outcome.conditions) if report.left else outcome.conditions
        print_json({**report.data(), "league": conditions})
    else:
        print_standings(report.ratings)
    say_report(report)
    if report.faults:
        named = [f"{bot} {count}" for bot, count in report.faults.items()]
        page = report.front_page.with_name("faults.html")
        say(f"faults: {shortened(named)}: see {page}")
    if report.quarantined:
        _say_quarantined(report.quarantined)
    return FINDINGS if report.faults or report.quarantined else OK


def play_and_report(
    request: RunRequest,
    site: Path,
    replays: ReplayChoice,
    listener: RunListener,
    remote: AbstractContextManager[RemoteEngine | None],
) -> tuple[RunOutcome, Report | None]:
    """Play a league and write its report; there is none if the run was stopped.

    Raises ArenaError if the league cannot be played or the site cannot be written.
    """
    with open_run(request, listener, remote) as run:
        check_folder(site)
        outcome = run.play()
        if not outcome.finished:
            return outcome, None
        options = outcome.conditions.ratings
        league = run.league
        asked = Asked(options, site, replays)
        with reporting() as tell:
            report = write_report(league.store, lambda: league.schedule, asked, tell)
        return outcome, report


class _Listener(TerminalListener):
    def __init__(self, store: Path) -> None:
        self._store = store

    def started(self, conditions: Conditions) -> None:
        sizes = ", ".join(map(str, conditions.players))
        bots, variants = len(conditions.bots), ", ".join(conditions.variants)
        say(f"{conditions.name}: {bots} bots, {variants}, tables of {sizes}")
        say(f"sandbox: {conditions.sandbox}; store: {self._store}")
        say(f"SHA-256 of the master seed: {conditions.commitment}")

    def stopping(self) -> None:
        say("stopping after the fixtures being played, which are saved; Ctrl-C again stops at once")

    def verdict(self, verdict: Verdict, conditions: Conditions) -> None:
        where = f"{division_name(*verdict.division)}: after {verdict.blocks} blocks"
        if verdict.tied:
            pairs = ", ".join(" and ".join(pair) for pair in verdict.tied)
            say(f"{where} the budget is spent; not separated: {pairs}")
            say_parts(where, verdict.parts)
        else:
            at = f"{conditions.until:.4g}, each pair by itself"
            say(f"{where} all neighbours are separated at {at}")

    def playoff(self, verdict: PlayoffVerdict) -> None:
        say(playoff_in_words(verdict))


def _say_quarantined(fixtures: Sequence[QuarantinedFixture]) -> None:
    """Say which fixtures are missing, and how to play them after all."""
    missing = [f"{f.fixture.id} ({', '.join(f.fixture.seats)})" for f in fixtures]
    names = ", ".join(first_of(missing, _QUARANTINED_SHOWN))
    say(
        f"quarantined: {len(fixtures)} fixtures, each killed at least {MAX_DEATHS} workers:"
        f" {names}; to try them again: {_same_command()}"
    )


def _same_command() -> str:
    """Return a command that can be pasted: this one, with all its options."""
    program = [sys.executable, "-m", "arena"]
    if Path(sys.argv[0]).name == "arena":
        program = ["arena" if shutil.which("arena") else sys.argv[0]]
    return shlex.join([*program, *click.get_current_context().obj])
