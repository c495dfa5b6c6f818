"""One season of a ladder: the one module that knows how a field that changes is played.

Its store is that of an ordinary league. A version that enters plays from the next block on. If
another version of its bot plays already, the newcomer's joining tables are played twice, once with
each, on the same dice (`Change.twins`). All of them are fixtures of the league like any other.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.staging import BuildCache
from arena.bots.manifest import load_bot
from arena.bots.models.config import check_granted
from arena.bots.models.gateway import Access
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import check_freezing
from arena.bots.workshop import Workshop, check_trust, open_workshop
from arena.game.records import Division, Fixture, FixtureResult
from arena.game.seeds import commitment
from arena.io.errors import ArenaError
from arena.io.files import write_file
from arena.ladder.book.tables import DivisionProgress, Version
from arena.ladder.config import Config, sandbox_of
from arena.ladder.folder import Folder, make_private
from arena.league.changes import everyone, playing, version_of
from arena.league.cluster.entry import cluster_at
from arena.league.keeping.verify import check_stored
from arena.league.play.dispatcher import RunListener
from arena.league.play.process_pool import ProcessEngine
from arena.league.play.stored_league import StoredLeague, model_access
from arena.league.play.workers import Engine, RemoteEngine, RunSpec
from arena.league.schedule.progress import LeagueProgress
from arena.league.schedule.schedule import Schedule
from arena.league.store.failures import damaged_fixtures
from arena.league.store.store import Store
from arena.league.terms.conditions import conditions_of, this_machine
from arena.ratings.sequential import TableMeans
from arena.ratings.two_versions import Grain, Kind, Paired, pooled

_PAIRS = 2
"""How many pairs of tables a division needs, at least: fewer do not say how much they vary."""
STORE = "league.sqlite"
_REPLAYED = 200
"""Games that are replayed before another version of the arena goes on."""
SEED_FILE = "seed"
"""The file with the master seed, which nobody else may read while the season is open."""


class TwinResult(Struct, frozen=True):
    """How a newcomer did beside its predecessor."""

    games: int
    """Games of each of the two."""
    rivals_beaten: Paired
    """The share of its rivals at a table that each finished ahead of: the mean of all divisions."""


class Met(NamedTuple):
    """Two versions of a bot that have met."""

    new: str
    old: str
    result: TwinResult | None
    """None if they did not play on the same dice."""


def are_over(schedule: Schedule, progress: LeagueProgress, newcomer: str) -> bool:
    """Tell whether all joining tables of a newcomer are played, and their twins."""
    divisions = schedule.blocks
    if any(schedule.joining_left(division, newcomer) for division in divisions):
        return False
    pairs = (pair for division in divisions for pair in schedule.twin_tables(division, newcomer))
    return all(fixture.id in progress.played for pair in pairs for fixture in pair)


def compare_twins(schedule: Schedule, progress: LeagueProgress, newcomer: str) -> TwinResult | None:
    """Compare a newcomer with its predecessor by all twins that were played; None if too few were.

    Divisions have the same weight; one with a single pair of tables has none.
    """
    games, divisions = 0, []
    for division in schedule.blocks:
        tables = schedule.twin_tables(division, newcomer)
        beaten = list(_beaten(tables, progress.tables))
        if len(beaten) >= _PAIRS:
            played = sum(table.games for table, _ in tables)
            games += played
            new, old = np.array(beaten).T
            divisions.append(Kind(old, new, Grain(played, 1.0 / (division.players - 1))))
    return TwinResult(games, pooled(divisions)) if divisions else None


def _beaten(
    pairs: list[tuple[Fixture, Fixture]], tables: Mapping[str, TableMeans]
) -> Iterator[tuple[float, float]]:
    """Yield the shares of rivals beaten by the newcomer and by its predecessor."""
    for table, twin in pairs:
        seat = next(at for at, bot in enumerate(table.seats) if bot != twin.seats[at])
        players = len(table.seats)
        new, old = (tables[fixture.id].places[seat] for fixture in (table, twin))
        yield (players - new) / (players - 1), (players - old) / (players - 1)


class Workers:
    """The workers of a season, ready for the bots that play now."""

    def __init__(
        self,
        config: Config,
        cluster: RemoteEngine | None,
        sandbox: Sandbox,
        say: Callable[[str], None],
        models: Access,
    ) -> None:
        self.sandbox = sandbox
        """The sandbox in which all of them play."""
        self._config = config
        self._cluster = cluster
        self._say = say
        self._models = models
        self._offered: set[str] = set()
        """The digests of the bots that the cluster has."""

    def engine(self, bots: Collection[StagedBot]) -> Engine:
        """Return the workers; a cluster gets bots that it does not have.

        Raises ArenaError if no worker of the cluster can play them.
        """
        league = self._config.league
        if self._cluster is None:
            return ProcessEngine(self.sandbox, league.workers, pin=league.pin, models=self._models)
        digests = {bot.info.digest for bot in bots}
        if not digests <= self._offered:
            spec = RunSpec(
                sandbox=self.sandbox.name,
                images=league.images,
                paths=league.sandbox_paths,
                trusted=self._config.file.trust_bots,
                freeze=league.limits.freeze,
                pin=league.pin,
                models=self._models,
            )
            self._cluster.distribute(spec, list(bots), self._say)
            self._offered = digests
        return self._cluster


@contextmanager
def open_season(
    ladder: Folder, number: int, config: Config, say: Callable[[str], None]
) -> Iterator["Season"]:
    """Open a season's store to play into it.

    Raises ArenaError if the sandbox does not work, or the cluster that ladder.yaml names.
    """
    folder = ladder.season(number)
    with ExitStack() as stack:
        cluster = stack.enter_context(cluster_at(config.file.cluster))
        store = stack.enter_context(Store(folder / STORE, create=True))
        sandbox = sandbox_of(config)
        check_freezing(sandbox, config.league.limits)
        builds, packages = BuildCache(ladder.built), config.league.packages
        workshop = stack.enter_context(open_workshop(sandbox, packages=packages, builds=builds))
        models = model_access(config.league.models, workshop.folder, store)
        workers = Workers(config, cluster, sandbox, say, models)
        yield Season(store, config, _seed(folder), workshop, workers)


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


def predecessors(field: Collection[str]) -> dict[str, str]:
    """Return, for each version of a field that is not the only one of its bot, the one before."""
    older: dict[str, str] = {}
    newest: dict[str, str] = {}
    for name in sorted(field, key=version_of):
        bot, _ = version_of(name)
        if bot in newest:
            older[name] = newest[bot]
        newest[bot] = name
    return older


def _seed(folder: Path) -> str:
    make_private(folder)
    path = folder / SEED_FILE
    if not path.exists():
        write_file(path, secrets.token_hex(32).encode(), durable=True)
    return path.read_text()


class _Ready(NamedTuple):
    """A version that is ready to play."""

    bot: Bot
    staged: StagedBot


class Season:
    """The games of a season, and the versions that are ready to play."""

    def __init__(
        self, store: Store, config: Config, seed: str, workshop: Workshop, workers: Workers
    ) -> None:
        self._store = store
        self._config = config
        self._league = config.league
        self._seed = seed
        self._workshop = workshop
        self._workers = workers
        self._ready: dict[str, _Ready] = {}
        self._played = StoredLeague(store) if store.league else None
        """None before the first game."""
        self.asleep = False
        """Whether nothing is left to play for the field of now."""
        self.games: Counter[str] = Counter()
        """The games of each version."""
        self.faulted: Counter[str] = Counter()
        """The games of each version in which it faulted."""
        self._won: Counter[str] = Counter()
        for result in store.results() if store.league else ():
            self._count(result)

    @property
    def store(self) -> Store:
        """What was played, open for writing."""
        return self._store

    def divisions(self) -> list[DivisionProgress]:
        """Return how far each division is."""
        if not (played := self._played):
            return []
        under_way = {fixture.division for fixture in played.progress.due()}
        return [
            DivisionProgress(
                variant=division.variant,
                players=division.players,
                block=played.progress.begun(division),
                asleep=division not in under_way and not self._wants_more(division),
            )
            for division in played.schedule.blocks
        ]

    def strength(self, name: str) -> float:
        """Return the share of its games that a version won."""
        return self._won[name] / max(1, self.games[name])

    def may_show_dice(self, fixture: Fixture) -> bool:
        """Tell whether no table of a fixture's block is still to be played with its dice."""
        played = self._played
        return played is not None and played.progress.is_complete(fixture.division, fixture.block)

    def enter(self, version: Version, archive: Path) -> None:
        """Make a version ready to play; raises ArenaError if it can no longer be started."""
        bot = load_bot(archive)
        bot = replace(bot, info=replace(bot.info, name=version.name, author=version.author))
        check_granted(bot.info.models, self._league.models, str(archive))
        check_trust(self._workshop.sandbox, [bot], trusted=self._config.file.trust_bots)
        self._ready[version.name] = _Ready(bot, self._workshop.stage(bot))

    def humans(self, name: str) -> bool | None:
        """Tell whether a version plays against people, None if its bot.yaml does not say."""
        return self._ready[name].bot.humans

    def is_ready(self, version: Version) -> bool:
        """Tell whether a version was made ready."""
        return version.name in self._ready

    def play(self, field: Collection[str], struck: Collection[str], listener: RunListener) -> bool:
        """Play until everyone is told apart or the blocks are played; False if it was stopped.

        Both are names of versions. Whoever played before and is in neither rests. Of two versions
        of a bot the older one meets the newer one on the same dice, and plays nothing else.
        """
        newest = set(field).difference(predecessors(field).values())
        if not self._played and len(newest) >= max(self._league.players):
            bots = tuple(self._ready[name].bot for name in sorted(newest))
            league = replace(self._league, bots=bots)
            conditions = conditions_of(league, self._workers.sandbox.name, self._seed)
            conditions = replace(
                conditions, machine=this_machine(), endless=True, blocks=0, until=None
            )
            self._store.begin(conditions)
            self._played = StoredLeague(self._store)
        return self._go_on(field, struck, listener, endless=True)

    def end(self, field: Collection[str], struck: Collection[str], listener: RunListener) -> bool:
        """Play the blocks that were begun, and begin no more; False if it was stopped."""
        return self._go_on(field, struck, listener, endless=False)

    def put_off(self) -> set[str]:
        """Return the versions that ask language models at the tables that are left to play."""
        due = self._played.progress.due() if self._played else ()
        seated = {name for fixture in due for name in fixture.seats}
        return {name for name in seated if self._ready[name].bot.info.models}

    def compared(self, field: Collection[str]) -> Iterator[Met]:
        """Yield the versions that have met their predecessors, or cannot."""
        for new, old in predecessors(field).items():
            played = self._played
            if not played or played.schedule.twins.get(new) != old:
                yield Met(new, old, None)
            elif are_over(played.schedule, played.progress, new):
                yield Met(new, old, compare_twins(played.schedule, played.progress, new))

    def check_games(self, before: str) -> int:
        """Replay stored games, which other software played `before`; return how many.

        Raises ArenaError if this arena plays one of them otherwise, or draws another schedule.
        """
        if self._played is None:
            return 0
        conditions, drawn = self._played.conditions, self._played.schedule.drawn
        gone = self._store.without_logs()
        positions = [position for position in self._store.positions() if position not in gone]
        step = max(1, len(positions) * conditions.games // _REPLAYED)
        games = 0
        for stored in self._store.stored(positions[::step]):
            if any(stored.hash_mismatches()):
                raise damaged_fixtures([stored.id], self._store.path)
            checked = check_stored(self._store, drawn, stored)
            for finding in checked.findings:
                what = f"this arena plays {finding.where} otherwise: {finding.what}"
                hint = f"go on with {before or 'the arena that played it'}, or close it there"
                raise ArenaError(what, str(self._store.path), hint)
            games += checked.games
        return games

    def _go_on(
        self,
        field: Collection[str],
        struck: Collection[str],
        listener: RunListener,
        *,
        endless: bool,
    ) -> bool:
        """Play what is due for a field; False if it was stopped."""
        if not (played := self._played):
            return True
        staged = {name: self._ready[name].staged for name in field}
        if change := self._change(played, field, struck, endless=endless):
            played.change(**change)
            self.asleep = False
        elif self.asleep:
            return True

        engine = self._workers.engine(staged.values())
        self.asleep = played.play(staged, engine, listener, self._count, self._wants_more)
        return self.asleep

    def _change(
        self,
        played: StoredLeague,
        field: Collection[str],
        struck: Collection[str],
        *,
        endless: bool,
    ) -> dict[str, Any]:
        """Return what is different from what was played so far, as arguments of a change."""
        twins = predecessors(field)
        newest = set(field).difference(twins.values())
        out = set(struck)
        known = {bot.name for bot in everyone(played.conditions)}
        were_struck = {bot.name for bot in played.conditions.struck}
        before = {*playing(played.conditions)}
        names = {
            "joined": [self._ready[name].bot.info for name in sorted(newest - known)],
            "rested": sorted(before - newest - out),
            "struck": sorted(known & out - were_struck),
            "resumed": sorted(known & newest - before),
        }
        change: dict[str, Any] = {key: value for key, value in names.items() if value}
        if (all_twins := self._twins(played, twins)) != played.schedule.twins:
            change["twins"] = all_twins
        if played.conditions.endless and not endless:
            change["endless"] = False
        return change

    def _twins(self, played: StoredLeague, wanted: Mapping[str, str]) -> Mapping[str, str]:
        """Return who meets its predecessor: newcomers, while both play or until they have met."""
        known = {bot.name for bot in everyone(played.conditions)}
        now = played.schedule.twins
        met = [new for new in now if are_over(played.schedule, played.progress, new)]
        joined = {new: old for new, old in wanted.items() if new not in known and old in known}
        left = {new: old for new, old in now.items() if wanted.get(new) == old or new in met}
        # What is over changes nothing: it is dropped when something else changes.
        if left == now and not joined:
            return now
        return joined | {new: old for new, old in left.items() if wanted.get(new) == old}

    def _wants_more(self, division: Division) -> bool:
        """Tell whether a division needs another block for the field of now."""
        if not self._played:
            return False
        schedule = self._played.schedule
        progress = self._played.progress
        # Not those that are drawn: after a restart they may be more than were begun.
        begun = progress.begun(division)
        newcomers = schedule.newcomers(division)
        if any(schedule.joining_left(division, newcomer, begun) for newcomer in newcomers):
            return True
        blocks = begun - schedule.earlier_blocks[division]
        if blocks >= self._config.file.blocks:
            return False
        until = self._league.until
        return until is None or progress.undecided(division, until)

    def _count(self, result: FixtureResult | None) -> None:
        if result is None:
            return
        for name in result.fixture.seats:
            self.games[name] += len(result.games)
        for game in result.games:
            self.faulted.update(result.fixture.seats[seat] for seat in game.faulted)
            self._won[result.fixture.seats[game.places.index(1)]] += 1
