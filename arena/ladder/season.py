"""One season of a ladder: the one module that knows how a field that changes is played.

Its store is that of an ordinary league. A version that enters plays from the next block on.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from msgspec.structs import replace

from arena.errors import ArenaError
from arena.ladder.config import Config
from arena.ladder.folder import make_private, write_durably
from arena.ladder.tables import Version
from arena.league.conditions import commit, resolve
from arena.league.config import League
from arena.league.play import LeagueRun
from arena.league.process_pool import ProcessEngine
from arena.league.runner import OnResult, RunListener
from arena.league.schedule import Schedule
from arena.match.replay import replay
from arena.records import FixtureResult
from arena.sandboxes.registry import check_freezing, make_sandbox
from arena.sandboxes.run_folder import run_folder
from arena.seeds import commitment
from arena.store.store import Store
from arena.submissions.bot import Bot, StagedBot, check_trust
from arena.submissions.manifest import load_bot
from arena.submissions.staging import stage

STORE = "league.sqlite"
_REPLAYED = 200
"""Games that are replayed before another version of the arena goes on."""
SEED_FILE = "seed"
"""The file with the master seed, which nobody else may read while the season is open."""


@contextmanager
def open_season(folder: Path, config: Config) -> Iterator["Season"]:
    """Open a season's store to play into it; raises ArenaError if the sandbox does not work."""
    league = replace(config.league, seed=_seed(folder))
    with ExitStack() as stack:
        runs = stack.enter_context(run_folder())
        store = stack.enter_context(Store(folder / STORE, create=True))
        yield Season(store, config, league, runs)


def commitment_of(folder: Path) -> str:
    """Return the SHA-256 of a season's master seed; a new season's seed is drawn."""
    return commitment(_seed(folder))


def reveal(folder: Path) -> tuple[str, str]:
    """Return the master seed of a season and the root of its store; "" if nothing was played."""
    store = folder / STORE
    if not store.exists():
        return _seed(folder), ""
    with Store(store) as stored:
        return _seed(folder), stored.root() if stored.league else ""


def _seed(folder: Path) -> str:
    make_private(folder)
    path = folder / SEED_FILE
    if not path.exists():
        write_durably(path, secrets.token_hex(32).encode())
    return path.read_text()


class Season:
    """The games of a season, and the versions that are ready to play."""

    def __init__(self, store: Store, config: Config, league: League, runs: Path) -> None:
        self._store = store
        self._config = config
        self._league = league
        self._runs = runs
        self._sandbox = make_sandbox(config.file.sandbox, (), league.images)
        check_freezing(self._sandbox, league.limits)
        self._ready: dict[str, tuple[Bot, StagedBot]] = {}
        self._played_out: tuple[str, ...] = ()
        """The field for which nothing is left to play."""
        self.games: Counter[str] = Counter()
        """Games of each version."""
        self.faulted: Counter[str] = Counter()
        """Of those, the games in which it faulted."""
        for result in store.results() if store.league else ():
            self._count(result)

    def enter(self, version: Version, archive: Path) -> None:
        """Make a version ready to play; raises ArenaError if it can no longer be started."""
        bot = load_bot(archive)
        bot = replace(bot, info=replace(bot.info, name=version.name, author=version.author))
        check_trust(self._sandbox, [bot], trusted=self._config.file.trust_bots)
        packages = self._league.packages
        self._ready[version.name] = bot, stage(bot, self._runs, self._sandbox, packages=packages)

    def is_ready(self, version: Version) -> bool:
        """Tell whether a version was made ready."""
        return version.name in self._ready

    def play(self, field: Sequence[Version], listener: RunListener) -> bool:
        """Play until everyone is told apart or the rounds are played; False if it was stopped."""
        names = tuple(sorted(version.name for version in field))
        if names == self._played_out or len(names) < max(self._league.players):
            return True
        league = replace(self._league, bots=tuple(self._ready[name][0] for name in names))
        schedule = self._begin(league)
        staged = [self._ready[name][1] for name in names]
        engine = ProcessEngine(self._sandbox, league.workers, pin=league.pin)
        counting = _Counting(listener, self._count)
        run = LeagueRun(self._store, schedule, engine, staged, counting)
        if run.play().finished:
            self._played_out = names
            return True
        return False

    def check_games(self) -> None:
        """Replay stored games; raises ArenaError if this arena plays one of them otherwise."""
        info = self._store.league
        positions = self._store.positions()
        if info is None or not positions:
            return
        step = max(1, len(positions) * info.games // _REPLAYED)
        for position in positions[::step]:
            [played] = self._store.played(position, position)
            rules = info.variants[played.fixture.variant]
            if any(replay(played.fixture, rules, game) != game for game in played.games):
                what = f"this arena plays fixture {played.fixture.id} otherwise"
                hint = "go on with the arena that began the season, or close it there"
                raise ArenaError(what, str(self._store.path), hint)

    def _begin(self, league: League) -> Schedule:
        # The seed stays secret while the season is open: newcomers need no new one.
        resolution = resolve(league, self._sandbox.name, self._store, accept=True, trusted=True)
        commit(resolution, self._store, lambda _: None)
        return resolution.schedule

    def _count(self, result: FixtureResult) -> None:
        for name in result.fixture.seats:
            self.games[name] += len(result.games)
        for game in result.games:
            self.faulted.update(result.fixture.seats[seat] for seat in game.faulted)


class _Counting(RunListener):
    """Counts what is played; whether to stop is up to another listener."""

    def __init__(self, listener: RunListener, count: Callable[[FixtureResult], None]) -> None:
        self._listener = listener
        self._count = count

    @contextmanager
    def progress(self, fixtures: int) -> Iterator[OnResult]:
        """Count each fixture that was played."""
        del fixtures
        yield lambda result: self._count(result) if result else None

    def stop_requested(self) -> bool:
        """Ask the other listener."""
        return self._listener.stop_requested()
