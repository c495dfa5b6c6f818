"""Playing a league from its file to its last fixture: `arena run`, but for the report.

Nothing here needs a terminal: tests, services and the command line give a request and listen.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from arena.errors import ArenaError
from arena.league.cluster.address import check_installed, local_workers
from arena.league.cluster.worker import run_spec
from arena.league.conditions import commit, resolve
from arena.league.config import League, check_anchor, check_bot_count, load_league, without
from arena.league.process_pool import ProcessEngine
from arena.league.progress import LeagueProgress, Verdict
from arena.league.runner import RunListener, play_due
from arena.league.schedule import Schedule
from arena.league.workers import Engine
from arena.match.preparation import prepared
from arena.records import Fixture, FixtureResult, LeagueInfo, QuarantinedFixture
from arena.sandboxes.base import Sandbox
from arena.sandboxes.docker.engine import warning
from arena.sandboxes.docker.sandbox import DockerSandbox
from arena.sandboxes.registry import check_freezing, make_sandbox
from arena.store.rows import Packed
from arena.store.store import Store
from arena.submissions.manifest import Bot
from arena.submissions.staging import check_trust, install_hint, missing_program, runtimes_of

if TYPE_CHECKING:  # slow to import, and not always installed
    from arena.league.cluster.client import Cluster


class RunRequest(Struct, frozen=True):
    """What to play, and how; None stands for what the league.yaml says."""

    league: Path
    store: Path
    sandbox: str | None = None
    workers: int | None = None
    cluster: str | None = None
    """A Dask scheduler's address, or `local:N`; None plays in processes of this machine."""
    trust_bots: bool = False
    """Whether bots that did not come with the arena may run without isolation."""
    skip_missing_runtimes: bool = False
    """Whether bots that this machine lacks a program for are left out."""
    accept_changes: bool = False
    """Whether to go on if the league changed since its first game."""


class LeagueListener(RunListener):
    """Hears how a league goes."""

    def verdict(self, verdict: Verdict, conditions: LeagueInfo) -> None:
        """Take how a division with `until` came to its end."""


class RunOutcome(Struct, frozen=True):
    """How far a run came."""

    conditions: LeagueInfo
    finished: bool
    """False if the run was stopped."""
    stored: int
    """Fixtures in the store, also those that no longer count."""


def play_league(request: RunRequest, listener: LeagueListener | None = None) -> RunOutcome:
    """Play what a store lacks of a league; raises ArenaError if that cannot begin, or go on."""
    with open_run(request, listener or LeagueListener()) as run:
        return run.play()


@contextmanager
def open_run(request: RunRequest, listener: LeagueListener) -> Iterator["LeagueRun"]:
    """Check a league, prepare its bots and store its conditions, all before the first game.

    Raises ArenaError for the first thing that is wrong; changes are looked at before bots are
    built and tried.
    """
    if request.cluster is not None:
        _check_cluster(request.cluster, request.workers)
    league, sandbox = _checked(request, listener)
    with (
        _connected(request.cluster) as cluster,
        Store(request.store, create=True) as store,
    ):
        resolution = resolve(league, sandbox.name, store, accept=request.accept_changes)
        rules = next(iter(league.variants.values()))
        with prepared(league.bots, rules, league.limits, sandbox) as staged:
            commit(resolution, store, listener.note)
            workers = _Workers(request, league, sandbox, staged, cluster)
            yield LeagueRun(store, resolution.schedule, workers, listener)


class LeagueRun:
    """A league that is ready to be played, with its store open."""

    def __init__(
        self, store: Store, schedule: Schedule, workers: "_Workers", listener: LeagueListener
    ) -> None:
        self.store = store
        self.schedule = schedule
        self._workers = workers
        self._listener = listener
        self._progress = LeagueProgress(schedule)

    def play(self) -> RunOutcome:
        """Play what is not stored yet, until all is played or the run is stopped."""
        self._announce()
        engine, bots = self._workers.engine(self._listener)
        left = len(self._progress) - self._resume()
        finished = not self.due() or self._play(engine, bots, left)
        if finished:
            self._tell_verdicts()
        conditions = self.schedule.conditions
        return RunOutcome(conditions, finished, len(self.store.finished()))

    def due(self) -> Sequence[Fixture]:
        """Return what to play next."""
        return self._progress.due()

    def keep(self, packed: Packed, result: FixtureResult) -> None:
        """Store a fixture that was played."""
        self.store.add(packed)
        self._progress.add(result)

    def quarantine(self, fixture: QuarantinedFixture) -> None:
        """Store that a fixture cannot be played in this run."""
        self.store.quarantine(fixture)

    def _announce(self) -> None:
        conditions = self.schedule.conditions
        self._listener.started(conditions)
        if conditions.sandbox == DockerSandbox.name and (text := warning()):
            self._listener.note(f"warning: {text}")

    def _resume(self) -> int:
        """Take what is stored into account; returns how many fixtures of it count."""
        stored = [one for one in self.store.results() if self._progress.counts(one.fixture.id)]
        for result in stored:
            self._progress.add(result)
        most = "at most " if self.schedule.conditions.until else ""
        if stored:
            self._listener.note(
                f"stored already: {len(stored)} of {most}{len(self._progress)} fixtures"
            )
        return len(stored)

    def _play(self, engine: Engine, bots: Sequence[Bot], left: int) -> bool:
        by_name = {bot.name: bot for bot in bots}
        with self._listener.progress(left) as on_result:
            return play_due(
                self.schedule.conditions, by_name, engine, self, self._listener, on_result
            )

    def _tell_verdicts(self) -> None:
        # A quarantined fixture is due again in the next run: its division is not at its end.
        unfinished = {fixture.division for fixture in self.due()}
        for verdict in self._progress.verdicts():
            if verdict.division not in unfinished:
                self._listener.verdict(verdict, self.schedule.conditions)


class _Workers(Struct, frozen=True):
    """Where a run is played, and with which bots."""

    request: RunRequest
    league: League
    sandbox: Sandbox
    staged: list[Bot]
    cluster: "Cluster | None"

    def engine(self, listener: RunListener) -> tuple[Engine, list[Bot]]:
        """Return an engine, and the bots as its tasks name them."""
        if self.cluster is None:
            workers = self.request.workers or self.league.workers
            return ProcessEngine(self.sandbox, workers, pin=self.league.pin), self.staged
        trusted = self.request.trust_bots or all(bot.shipped for bot in self.league.bots)
        spec = run_spec(self.league, self.request.sandbox, trusted=trusted)
        return self.cluster, self.cluster.distribute(spec, self.staged, listener.note)


def _checked(request: RunRequest, listener: RunListener) -> tuple[League, Sandbox]:
    """Read a league and choose its sandbox; raises ArenaError if it cannot be played there."""
    league = load_league(request.league)
    name = request.sandbox or league.sandbox
    sandbox = make_sandbox(name, runtimes_of(league.bots), league.images)
    if request.skip_missing_runtimes and sandbox.uses_host_programs:
        league = _without_missing_runtimes(league, listener)
    check_bot_count(league)
    check_anchor(league.ratings, [bot.name for bot in league.bots], league.anchor_at)
    check_trust(sandbox, league.bots, trusted=request.trust_bots)
    check_freezing(sandbox, league.limits)
    return league, sandbox


def _without_missing_runtimes(league: League, listener: RunListener) -> League:
    """Leave out the bots that this machine cannot run, with one line for all of them."""
    missing = [bot for bot in league.bots if missing_program(bot)]
    if missing:
        names = ", ".join(f"{bot.name} (needs {missing_program(bot)})" for bot in missing)
        hints = sorted({install_hint(bot) for bot in missing})
        listener.note(f"left out: {names}; to include them: {'; '.join(hints)}")
    return without(league, missing)


def _check_cluster(address: str, workers: int | None) -> None:
    """Refuse a wrong address before anything is read or started."""
    local_workers(address)
    if workers is not None:
        what = "--workers counts processes of this machine without a cluster"
        raise ArenaError(what, f"--cluster {address}", "leave it out, or give --cluster local:N")
    check_installed(address)


def _connected(address: str | None) -> "AbstractContextManager[Cluster | None]":
    if address is None:
        return nullcontext()
    # Slow to import, and not always installed.
    from arena.league.cluster.client import connected

    return connected(address)
