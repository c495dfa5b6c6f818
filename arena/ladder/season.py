"""One season of a ladder: the one module that knows how a field that changes is played.

Its store is that of an ordinary league. A version that enters plays from the next block on.
"""

import secrets
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from arena.changes import everyone, playing
from arena.errors import ArenaError
from arena.ladder.config import Config
from arena.ladder.folder import make_private, write_durably
from arena.ladder.tables import Version
from arena.league.conditions import conditions_of
from arena.league.host import this_machine
from arena.league.process_pool import ProcessEngine
from arena.league.runner import RunListener
from arena.league.stored_league import StoredLeague
from arena.match.replay import replay
from arena.records import Division, FixtureResult, LeagueInfo
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
    with ExitStack() as stack:
        runs = stack.enter_context(run_folder())
        store = stack.enter_context(Store(folder / STORE, create=True))
        yield Season(store, config, _seed(folder), runs)


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

    def __init__(self, store: Store, config: Config, seed: str, runs: Path) -> None:
        self._store = store
        self._config = config
        self._league = config.league
        self._seed = seed
        self._runs = runs
        self._sandbox = make_sandbox(config.file.sandbox, (), self._league.images)
        check_freezing(self._sandbox, self._league.limits)
        self._ready: dict[str, tuple[Bot, StagedBot]] = {}
        self._played = StoredLeague(store) if store.league else None
        """None before the first game."""
        self._asleep = False
        """Whether nothing is left to play for the field of now."""
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

    def play(self, field: Collection[str], struck: Collection[str], listener: RunListener) -> bool:
        """Play until everyone is told apart or the rounds are played; False if it was stopped.

        Both are names of versions. Whoever played before and is in neither rests.
        """
        if not self._played and len(field) >= max(self._league.players):
            self._played = self._begin(field)
        return self._go_on(field, struck, listener)

    def end(self, field: Collection[str], struck: Collection[str], listener: RunListener) -> bool:
        """Play the blocks that were begun, and begin no more; False if it was stopped."""
        return self._go_on(field, struck, listener, endless=False)

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

    def _begin(self, field: Collection[str]) -> StoredLeague:
        bots = tuple(self._ready[name][0] for name in sorted(field))
        league = replace(self._league, bots=bots)
        info = conditions_of(league, self._sandbox.name, self._seed)
        info = replace(info, machine=this_machine(), endless=True, rounds=0, until=None)
        self._store.begin(info)
        return StoredLeague(self._store)

    def _go_on(
        self,
        field: Collection[str],
        struck: Collection[str],
        listener: RunListener,
        *,
        endless: bool = True,
    ) -> bool:
        if not (played := self._played):
            return True
        change = self._difference(played.conditions, set(field), set(struck))
        if played.conditions.endless and not endless:
            change["endless"] = False
        if change:
            played.change(**change)
        elif self._asleep:
            return True

        def count(result: FixtureResult | None) -> None:
            if result:
                self._count(result)

        staged = {name: self._ready[name][1] for name in field}
        engine = ProcessEngine(self._sandbox, self._league.workers, pin=self._league.pin)
        self._asleep = played.play(staged, engine, listener, count, self._wants_more)
        return self._asleep

    def _difference(
        self, conditions: LeagueInfo, field: set[str], struck: set[str]
    ) -> dict[str, Any]:
        """Return what is different in the field, as arguments of a change."""
        known = {bot.name for bot in everyone(conditions)}
        were_struck = {bot.name for bot in conditions.struck}
        before = {*playing(conditions)}
        change = {
            "joined": [self._ready[name][0].info for name in sorted(field - known)],
            "rested": sorted(before - field - struck),
            "struck": sorted(known & struck - were_struck),
            "resumed": sorted(known & field - before),
        }
        return {key: value for key, value in change.items() if value}

    def _wants_more(self, division: Division) -> bool:
        """Tell whether a division needs another block for the field of now."""
        if not self._played:
            return False
        schedule, until = self._played.schedule, self._league.until
        rounds = len(schedule.blocks[division]) - schedule.earlier_blocks[division]
        if rounds >= self._config.file.rounds:
            return False
        return until is None or not self._played.progress.separated(division, until)

    def _count(self, result: FixtureResult) -> None:
        for name in result.fixture.seats:
            self.games[name] += len(result.games)
        for game in result.games:
            self.faulted.update(result.fixture.seats[seat] for seat in game.faulted)
