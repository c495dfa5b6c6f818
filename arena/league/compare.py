"""Two versions of a bot against the same field: the same tables, the same seats, the same dice."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct

from arena import __version__
from arena.errors import ArenaError
from arena.league.block_design import joining_blocks
from arena.league.host import core_count
from arena.league.master_seed import choose, describe
from arena.league.process_pool import ProcessEngine
from arena.league.runner import RunListener, play_due
from arena.match.preparation import prepared
from arena.perudo.round_limit import ROUNDS_PER_DIE, max_rounds
from arena.perudo.rules import variant
from arena.ratings.arrays import Floats
from arena.ratings.group_sequential import planned_looks, tails
from arena.ratings.intervals import TAIL
from arena.ratings.paired import Paired, paired
from arena.records import Fixture, FixtureResult, LeagueInfo, LimitsInfo, QuarantinedFixture
from arena.sandboxes.registry import AUTO, make_sandbox
from arena.seeds import block_seed, commitment, fixture_seed
from arena.store.rows import PackedFixture
from arena.submissions.bot import Bot, check_trust, runtimes_of
from arena.submissions.manifest import bot_sources, find_bots, load_bot

OLD, NEW = "old", "new"
"""What the two versions are called at their tables."""


class CompareRequest(Struct, frozen=True):
    """Which versions to compare, and how; relative patterns start at the working directory."""

    old: str
    """A bot's folder or archive, or `sample:NAME`."""
    new: str
    field: tuple[str, ...] = ()
    """Patterns of the bots that both play; without any, the sample bots that run here."""
    rounds: int = 20
    """With `until`, at most."""
    until: float | None = None
    """Stop as soon as either version is better at this confidence."""
    games: int = 10
    """Games per fixture."""
    players: int = 2
    variant: str = "bga"
    seed: str | None = None
    """The one that a comparison printed plays the same games; None draws one."""
    workers: int | None = None
    """None stands for one per core."""
    sandbox: str | None = None
    limits: LimitsInfo = LimitsInfo()
    trust_bots: bool = False
    packages: bool = False
    """Whether the Python packages that bots ask for are installed."""


class Look(Struct, frozen=True):
    """The mean places after so many rounds."""

    rounds: int
    mean_place: Paired

    @property
    def better(self) -> str | None:
        """The version that is better at the interval's confidence: OLD, NEW, or None."""
        if self.mean_place.low <= 0 <= self.mean_place.high:
            return None
        return NEW if self.mean_place.high < 0 else OLD


class Comparison(Struct, frozen=True):
    """The result; games and faults are those of each version."""

    conditions: LeagueInfo
    """The bots are those of the field; the rounds are the most that were to be played."""
    until: float | None
    """The confidence of the intervals of all looks together; None stands for 95 % at one look."""
    looks: tuple[Look, ...]
    """What was seen on the way, and last at the end."""
    decision: str | None
    """The version that is better at that confidence: OLD, NEW, or None."""
    games: int
    mean_place: Paired
    win_share: Paired
    better: float
    """The probability that the new version has the better mean place, under a flat prior."""
    faults: dict[str, int]


def compare(request: CompareRequest, listener: RunListener | None = None) -> Comparison | None:
    """Play both versions against the field; returns None if that was stopped before its end.

    Raises ArenaError if a bot is not found or does not start, or the sandbox does not work.
    """
    listener = listener or RunListener()
    versions = [_version(request.old, "OLD"), _version(request.new, "NEW")]
    field = _field(request.field, request.players)
    bots = [*versions, *field]
    sandbox = make_sandbox(request.sandbox or AUTO, runtimes_of(bots))
    check_trust(sandbox, bots, trusted=request.trust_bots)
    seed = choose(request.seed, bots, trusted=request.trust_bots)
    conditions = _conditions(request, field, sandbox.name, seed)
    listener.started(conditions)
    listener.note(describe(seed, request.seed, bots))
    games = _Games(conditions, request.until)
    [rules] = conditions.variants.values()
    names = [OLD, NEW, *(in_field(bot.name) for bot in field)]
    with prepared(bots, rules, conditions.limits, sandbox, packages=request.packages) as staged:
        engine = ProcessEngine(sandbox, request.workers or core_count())
        at_table = dict(zip(names, staged, strict=True))
        with listener.progress(len(games.fixtures)) as on_result:
            finished = play_due(conditions, at_table, engine, games, listener, on_result)
    return games.comparison() if finished else None


def in_field(name: str) -> str:
    """Return what a bot of the field is called at a table: no name is OLD or NEW."""
    return f"field/{name}"


def comparison_fixtures(conditions: LeagueInfo) -> list[Fixture]:
    """Return the fixtures of both versions against the field, pair after pair.

    A pair shares dice, seats and the seeds of the bots, so two equal versions play equal games; no
    two pairs share dice. In each round a version meets every bot of the field equally often.
    """
    [(variant, rules)], [players] = conditions.variants.items(), conditions.players
    limit = max_rounds(rules, players)
    names = [in_field(bot.name) for bot in conditions.bots]
    seed, rounds = conditions.seed, conditions.rounds
    fixtures: list[Fixture] = []
    for block, tables in enumerate(joining_blocks(len(names), players, rounds, seed)):
        for table in tables:
            pair = f"{len(fixtures)}"
            bots_seed, dice = fixture_seed(seed, pair), block_seed(seed, pair)
            for version in (OLD, NEW):
                seats = tuple([*names, version][bot] for bot in table)
                place = f"{version}/{pair}", len(fixtures), variant, seats
                games = conditions.games, block, dice, limit
                fixtures.append(Fixture(*place, bots_seed, *games))
    return fixtures


def _version(pattern: str, which: str) -> Bot:
    sources = bot_sources(pattern, Path.cwd(), which)
    if len(sources) > 1:
        raise ArenaError(f"'{pattern}' names {len(sources)} bots", which, "name one")
    return load_bot(sources[0])


def _field(patterns: Sequence[str], players: int) -> tuple[Bot, ...]:
    bots = find_bots([(pattern, "--field") for pattern in patterns or ("sample:*",)], Path.cwd())
    if not patterns:
        bots = tuple(bot for bot in bots if not bot.missing_program)
    if len(bots) < players - 1:
        what = f"{len(bots)} bots in the field are too few for tables of {players}"
        raise ArenaError(what, "--field", "name more, or fewer --players")
    return bots


def _conditions(
    request: CompareRequest, field: Sequence[Bot], sandbox: str, seed: str
) -> LeagueInfo:
    return LeagueInfo(
        name=f"{request.old} and {request.new}",
        variants={request.variant: variant(request.variant, {})},
        bots=tuple(bot.info for bot in field),
        players=(request.players,),
        games=request.games,
        rounds=request.rounds,
        limits=request.limits.complete(request.games),
        sandbox=sandbox,
        seed=seed,
        commitment=commitment(seed),
        arena_version=__version__,
        rounds_per_die=ROUNDS_PER_DIE,
    )


class _Games:
    """The fixtures of a comparison, and the results so far."""

    def __init__(self, conditions: LeagueInfo, until: float | None) -> None:
        self.fixtures = comparison_fixtures(conditions)
        self._conditions, self._until = conditions, until
        self._played: set[str] = set()
        self._opponents = [in_field(bot.name) for bot in conditions.bots]
        rounds, opponents = conditions.rounds, len(self._opponents)
        self._totals = {version: _Totals(rounds, opponents) for version in (OLD, NEW)}
        self._planned = planned_looks(rounds, opponents) if until else (rounds,)
        self._tails = tails(self._planned, until) if until else [TAIL]
        self._looks: list[Look] = []

    def due(self) -> list[Fixture]:
        """Return what to play before the next look: nothing after the last one."""
        if not (due := self._due_before_look()) and not self._ended:
            self._looks.append(self._look())
            due = self._due_before_look()
        return due

    @property
    def _ended(self) -> bool:
        decided = bool(self._looks and self._looks[-1].better)
        return decided or len(self._looks) == len(self._planned)

    def _due_before_look(self) -> list[Fixture]:
        if self._ended:
            return []
        rounds = self._planned[len(self._looks)]
        return [one for one in self.fixtures if one.block < rounds and one.id not in self._played]

    def _look(self) -> Look:
        number = len(self._looks)
        rounds, tail = self._planned[number], self._tails[number]
        old, new = (self._totals[version].places[:rounds] for version in (OLD, NEW))
        games = self._conditions.games
        return Look(rounds, paired(old / games, new / games, tail))

    def keep(self, _: PackedFixture, result: FixtureResult) -> None:
        fixture = result.fixture
        version = NEW if NEW in fixture.seats else OLD
        seat = fixture.seats.index(version)
        at = fixture.block, self._opponents.index(fixture.seats[seat - 1])
        totals = self._totals[version]
        for game in result.games:
            totals.places[at] += game.places[seat]
            totals.wins[at] += game.places[seat] == 1
            totals.faults += game.faults[seat] is not None
        self._played.add(fixture.id)

    def quarantine(self, one: QuarantinedFixture) -> None:
        """End a comparison that cannot be completed: a table without its twin counts nothing."""
        raise ArenaError(
            f"{one.deaths} workers died while they played one fixture",
            f"fixture {one.fixture.id}: {', '.join(one.fixture.seats)}",
            "free some memory and run again",
        )

    def comparison(self) -> Comparison:
        last, games = self._looks[-1], self._conditions.games
        old, new = (self._totals[version].wins[: last.rounds] / games for version in (OLD, NEW))
        return Comparison(
            conditions=self._conditions,
            until=self._until,
            looks=tuple(self._looks),
            decision=last.better,
            games=old.size * games,
            mean_place=last.mean_place,
            win_share=paired(old, new, self._tails[len(self._looks) - 1]),
            better=1 - last.mean_place.above,
            faults={version: totals.faults for version, totals in self._totals.items()},
        )


class _Totals:
    """What a version did; each table belongs to the bot that acts before the version.

    In a round that is every bot of the field once.
    """

    def __init__(self, rounds: int, opponents: int) -> None:
        self.places: Floats = np.zeros((rounds, opponents))
        self.wins: Floats = np.zeros((rounds, opponents))
        self.faults = 0
