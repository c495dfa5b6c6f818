"""Games of a new version among sample bots, before it plays for anything: only its faults count."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import cycle, islice
from math import ceil
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from arena.author.check.budget import Budget, BudgetedMultiplexer, Charge
from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.cache import BuildCache
from arena.bots.manifest import find_bots
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sessions.warm_pool import TableDice, TablePool, WarmPool
from arena.bots.workshop import open_workshop, sandbox_for
from arena.game.records import Fixture, LimitsInfo
from arena.game.rules.books import Rules
from arena.game.rules.round_limit import max_rounds
from arena.game.seeds import fixture_seed
from arena.io.cores import share_processor
from arena.ladder.season.author_games import GameFault, faults_in
from arena.league.table.play_fixture import play_fixture

GAMES = 20
"""At least."""
_COMPANY = ("honest", "odds", "random", "bluffer")
"""Sample bots in Python, which every sandbox can run; with one of them twice at a table of six."""


class TrialTerms(Struct, frozen=True, kw_only=True):
    """The terms of a ladder under which versions are tried."""

    variants: dict[str, Rules]
    players: tuple[int, ...]
    limits: LimitsInfo
    sandbox: str
    images: dict[str, str]
    paths: tuple[str, ...] = ()
    trusted: bool
    packages: bool
    games: int
    """In a fixture."""
    builds: BuildCache | None = None
    """Where builds are looked for and kept; None builds the bots."""


class TrialFault(NamedTuple):
    """A fault of the version, and the place where it happened."""

    place: str
    fault: GameFault


def trial(terms: TrialTerms, bot: Bot, seed: str, budget: Budget) -> tuple[int, list[TrialFault]]:
    """Play the games of a trial; returns their number and the faults of the version.

    They are fixtures as those of a season, drawn from a seed as those are from its master seed, so
    that no bot behaves only while it is tried. Raises ArenaError if a bot cannot be made ready,
    BudgetSpentError if the version is awaited too long.
    """
    company = find_bots([(f"sample:{name}", "ladder") for name in _COMPANY], Path.cwd())
    sandbox = sandbox_for(
        [bot],
        terms.sandbox,
        trusted=terms.trusted,
        images=terms.images,
        paths=terms.paths,
        own=company,
    )
    tables = list(_tables(terms))
    share_processor()
    with (
        open_workshop(sandbox, packages=terms.packages, builds=terms.builds) as workshop,
        closing(_Room(terms, seed, sandbox, budget)) as room,
    ):
        staged = workshop.stage(bot)
        rivals = [workshop.stage(rival) for rival in company]
        faults = [fault for table in tables for fault in room.play(table, staged, rivals)]
    return len(tables) * terms.games, faults


class _TrialTable(NamedTuple):
    label: str
    players: int
    number: int

    @property
    def seat(self) -> int:
        """The seat of the version."""
        return self.number % self.players

    def __str__(self) -> str:
        return f"{self.label}, {self.players} players, seat {self.seat}"


def _tables(terms: TrialTerms) -> Iterator[_TrialTable]:
    """Yield one table of each division at least, and tables for so many games."""
    divisions = [(label, players) for label in terms.variants for players in terms.players]
    fixtures = max(len(divisions), ceil(GAMES / terms.games))
    for number, (label, players) in enumerate(islice(cycle(divisions), fixtures)):
        yield _TrialTable(label, players, number)


class _Room:
    """Plays fixtures as a worker does, whose bots may serve at several tables."""

    def __init__(self, terms: TrialTerms, seed: str, sandbox: Sandbox, budget: Budget) -> None:
        self._terms, self._seed, self._sandbox, self._budget = terms, seed, sandbox, budget
        self._pool = WarmPool()

    def close(self) -> None:
        """End the bots that wait for another table."""
        self._pool.end()

    def play(
        self, table: _TrialTable, bot: StagedBot, rivals: Sequence[StagedBot]
    ) -> Iterator[TrialFault]:
        """Play a fixture; yields the faults of the version."""
        bots = [rivals[(table.number + seat) % len(rivals)] for seat in range(table.players)]
        bots[table.seat] = bot
        rules = self._terms.variants[table.label]
        names = tuple(f"{bot.name}-{seat}" for seat, bot in enumerate(bots))
        rounds = max_rounds(rules, table.players)
        seed, games = fixture_seed(self._seed, str(table.number)), self._terms.games
        fixture = Fixture(seed, table.number, table.label, names, seed, games, max_rounds=rounds)
        with BudgetedMultiplexer(
            [bot.program for bot in bots],
            self._sandbox,
            self._terms.limits.complete(fixture.games),
            pool=TablePool(self._pool, TableDice(fixture.dice_key)),
            charge=Charge(self._budget, {table.seat}),
        ) as multiplexer:
            played = play_fixture(fixture, rules, multiplexer)
        for game in played.games:
            place = f"{table}, game {game.game + 1}"
            for fault in faults_in(played, rules, game, table.seat):
                yield TrialFault(place, fault)
