"""Plays a league from its file to its last fixture: `arena run` without the report."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.bot import StagedBot, runtimes_of
from arena.bots.builds.packages import wanted_by
from arena.bots.command import how_to_get
from arena.bots.models.config import read_key
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import AUTO, check_freezing, make_sandbox, unavailable
from arena.bots.workshop import check_trust, open_workshop
from arena.game.records import Conditions
from arena.league.play.dispatcher import RunListener
from arena.league.play.process_pool import ProcessEngine
from arena.league.play.stored_league import StoredLeague, model_access
from arena.league.play.workers import Engine, RemoteEngine, RunSpec
from arena.league.store.store import Store
from arena.league.table.preparation import prepare, without_failing_samples
from arena.league.terms.conditions import commit, resolve
from arena.league.terms.config import League, check_anchor, check_bot_count, load_league
from arena.league.terms.master_seed import describe

_HERE: AbstractContextManager[None] = nullcontext()
"""No workers on other machines."""


class RunRequest(Struct, frozen=True):
    """A league to play, and options; None stands for the value in league.yaml."""

    league: Path
    store: Path
    sandbox: str | None = None
    workers: int | None = None
    mixed_sandboxes: bool = False
    """Whether each worker on another machine takes the strongest sandbox that works there."""
    trust_bots: bool = False
    """Whether bots that did not come with the arena may run without isolation."""
    skip_missing_runtimes: bool = False
    """Whether bots that this machine lacks a program for are left out."""
    accept_changes: bool = False
    """Whether to go on if the league changed since its first game."""


class RunOutcome(Struct, frozen=True):
    """The result of a run."""

    conditions: Conditions
    finished: bool
    """False if the run was stopped."""
    stored: int
    """Fixtures in the store, also those that no longer count."""


@contextmanager
def open_run(
    request: RunRequest,
    listener: RunListener,
    remote: AbstractContextManager[RemoteEngine | None] = _HERE,
) -> Iterator["LeagueRun"]:
    """Check a league, store its conditions and make its bots and workers ready to play.

    It is played by the workers that `remote` opens, else by processes of this machine. Raises
    ArenaError for the first thing that is wrong, before bots are built if possible.
    """
    league, sandbox = _checked(request, listener)
    with remote as cluster, Store(request.store, create=True) as store:
        resolution = resolve(
            league,
            sandbox.name,
            store,
            accept=request.accept_changes,
            trusted=request.trust_bots,
        )
        known = [bot.name for bot in resolution.schedule.conditions.bots]
        check_anchor(league.ratings, known, league.lines["ratings.anchor"])
        stored = StoredLeague(store, resolution.schedule)
        # A finished league needs no bots: its report is all that there is to do.
        playing = league.bots if stored.progress.due() else ()
        asking = [
            bot.name
            for bot in playing
            if wanted_by(bot, bot.folder, allowed=league.packages) is not None
        ]
        if asking:  # it may take minutes
            listener.note(f"Python packages are installed for {', '.join(asking)}")
        with open_workshop(sandbox, packages=league.packages) as workshop:
            rules = next(iter(league.variants.values()))
            staged = prepare(workshop, playing, rules, league.limits)
            commit(resolution, store, listener.note)
            conditions = resolution.schedule.conditions
            listener.started(conditions)
            listener.note(describe(conditions.seed, league.seed, league.bots))
            if warning := sandbox.warning():
                listener.note(f"warning: {warning}")
            workers = request.workers or league.workers
            models = model_access(league.models, workshop.folder, store)
            engine: Engine = cluster or ProcessEngine(
                sandbox, workers, pin=league.pin, models=models
            )
            if cluster and staged:
                asked = request.sandbox or league.sandbox
                spec = RunSpec(
                    sandbox=asked if request.mixed_sandboxes else sandbox.name,
                    images=league.images,
                    paths=league.sandbox_paths,
                    trusted=request.trust_bots or all(bot.shipped for bot in league.bots),
                    freeze=league.limits.freeze,
                    pin=league.pin,
                    models=models,
                )
                cluster.distribute(spec, staged, listener.note)
            at_table = {resolution.names[bot.name]: bot for bot in staged}
            yield LeagueRun(stored, engine, at_table, listener)


class LeagueRun:
    """A league that is ready to be played, with its store open."""

    def __init__(
        self,
        league: StoredLeague,
        engine: Engine,
        bots: Mapping[str, StagedBot],
        listener: RunListener,
    ) -> None:
        self.league = league
        self._engine = engine
        self._bots = bots
        self._listener = listener

    def play(self) -> RunOutcome:
        """Play the fixtures that are not stored yet, until all are or the run is stopped."""
        conditions, listener = self.league.conditions, self._listener
        progress = self.league.progress
        scheduled = len(progress)
        stored = sum(map(self.league.schedule.belongs, progress.played))
        if stored:
            total = f"{'at most ' if conditions.until else ''}{scheduled}"
            listener.note(f"stored already: {stored} of {total} fixtures")
        finished = not progress.due()
        if not finished:
            with listener.progress(scheduled - stored) as on_result:
                finished = self.league.play(self._bots, self._engine, listener, on_result)
        # A quarantined fixture is due again in the next run: its division is not at its end.
        unfinished = {fixture.division for fixture in self.league.progress.due()}
        for verdict in self.league.progress.verdicts() if finished else ():
            if verdict.division not in unfinished:
                listener.verdict(verdict, conditions)
        if finished and (playoff := self.league.progress.playoff()):
            listener.playoff(playoff.verdict())
        return RunOutcome(conditions, finished, len(self.league.store.finished()))


def _checked(request: RunRequest, listener: RunListener) -> tuple[League, Sandbox]:
    """Read a league and choose its sandbox; raises ArenaError if it cannot be played there."""
    league = load_league(request.league)
    name = request.sandbox or league.sandbox
    sandbox = sandbox_of_run(name, league, request.store, listener)
    if request.skip_missing_runtimes and sandbox.uses_host_programs:
        missing = [bot for bot in league.bots if bot.missing_program]
        if missing:
            names = ", ".join(f"{bot.name} (needs {bot.missing_program})" for bot in missing)
            hints = sorted({how_to_get(bot.first_command, bot.folder) for bot in missing})
            listener.note(f"left out: {names}; to include them: {'; '.join(hints)}")
        left = tuple(bot for bot in league.bots if bot not in missing)
        rules = next(iter(league.variants.values()))
        starting = without_failing_samples(left, rules, sandbox, league.limits, listener.note)
        league = replace(league, bots=starting)
    check_bot_count(league)
    for model_name, model in league.models.items():
        read_key(model_name, model)
    if not request.store.exists():  # else it may be a bot that rests
        check_anchor(
            league.ratings, [bot.name for bot in league.bots], league.lines["ratings.anchor"]
        )
    check_trust(sandbox, league.bots, trusted=request.trust_bots)
    check_freezing(sandbox, league.limits)
    return league, sandbox


def sandbox_of_run(name: str, league: League, store: Path, listener: RunListener) -> Sandbox:
    """Return the sandbox of a name in which a league is played.

    "auto" stands for the one in force in the store, once anything was played: games in another
    would not count with the others. If that does not work here any more, it is the strongest. The
    listener is told of either. Raises ArenaError if the sandbox asked for, or every one, fails.
    """
    runtimes = runtimes_of(league.bots)
    asked = make_sandbox(name, runtimes, league.images, league.sandbox_paths)
    if name != AUTO or not store.exists():
        return asked
    with Store(store) as opened:
        conditions = opened.league
        if conditions is None or not opened.finished() or conditions.sandbox == asked.name:
            return asked
    kept = conditions.sandbox
    if lost := unavailable(kept, runtimes, league.images):
        began = f"the league began in the sandbox '{kept}', which does not work here"
        listener.note(f"{began}: {lost.in_words()}")
        return asked
    other = f"'{asked.name}' would be taken now: --sandbox {asked.name}"
    listener.note(f"the league goes on in the sandbox '{kept}', in which it began; {other}")
    return make_sandbox(kept, runtimes, league.images, league.sandbox_paths)
