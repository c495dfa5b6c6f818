"""The result of comparing two versions of a bot: when to look at it, and what each look decides."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from arena.author.compare.behaviour import (
    NEW,
    OLD,
    VERSIONS,
    Behaviour,
    TableSample,
    in_field,
    version_seat,
)
from arena.bots.bot import Bot
from arena.bots.models.config import MICROS, Model, check_granted, read_key
from arena.game.records import (
    SERVER_FAILED,
    Conditions,
    Division,
    Fixture,
    FixtureResult,
    QuarantinedFixture,
)
from arena.io.errors import ArenaError
from arena.league.schedule.schedule import divisions
from arena.league.store.rows import PackedFixture, unpack_texts
from arena.ratings.maths.arrays import Floats
from arena.ratings.maths.intervals import TAIL
from arena.ratings.two_versions import (
    Grain,
    Paired,
    RatioOutcome,
    RatioTest,
    clear,
    paired,
    planned_looks,
    ratio_looks,
    tails,
)

EQUIVALENT = RatioOutcome.EQUIVALENT.value
"""The decision that neither version is better by the points of the test."""


class Until(Struct, frozen=True):
    """When a comparison stops before its blocks are over."""

    confidence: float
    test: Literal["ratio", "planned"] = "ratio"
    """A sequential probability ratio test, or planned looks with intervals that hold at once."""
    points: float = 5.0
    """The difference in rivals beaten that the ratio test looks for, in percentage points."""


class Look(Struct, frozen=True):
    """The share of rivals beaten after so many blocks, over all divisions."""

    blocks: int
    rivals_beaten: Paired
    """Under planned looks all intervals hold at once; else each is as at one look."""
    decision: str | None
    """OLD or NEW for the better one, EQUIVALENT, or None."""


class OneLook:
    """A look at the end, at 95 %."""

    def __init__(self, blocks: int) -> None:
        self.blocks: Sequence[int] = (blocks,)

    def look(self, number: int, old: Floats, new: Floats, grain: Grain) -> Look:
        """Judge the shares of rivals beaten, [block, opponent], at this look."""
        return _by_interval(self.blocks[number], paired(old, new, grain, TAIL))


class PlannedLooks:
    """A few looks, whose intervals hold at once."""

    def __init__(self, blocks: int, opponents: int, confidence: float) -> None:
        self.blocks: Sequence[int] = planned_looks(blocks, opponents)
        self._tails = tails(self.blocks, confidence)

    def look(self, number: int, old: Floats, new: Floats, grain: Grain) -> Look:
        """Judge the shares of rivals beaten, [block, opponent], at this look."""
        return _by_interval(self.blocks[number], paired(old, new, grain, self._tails[number]))


class RatioLooks:
    """A look after each block, judged by a sequential probability ratio test."""

    def __init__(self, blocks: int, opponents: int, games: int, until: Until) -> None:
        self.blocks: Sequence[int] = ratio_looks(blocks, opponents)
        self._test = RatioTest(until.confidence, until.points / 100)
        self._games = games

    def look(self, number: int, old: Floats, new: Floats, grain: Grain) -> Look:
        """Judge the shares of rivals beaten, [block, opponent], at this look."""
        outcome = self._test.outcome(new - old, 1 / self._games)
        return Look(
            self.blocks[number], paired(old, new, grain), outcome.value if outcome else None
        )


Looks = OneLook | PlannedLooks | RatioLooks


def looks_of(blocks: int, opponents: int, games: int, until: Until | None) -> Looks:
    """Return the looks at a comparison of so many blocks, at most; `games` are those at a table."""
    if until is None:
        return OneLook(blocks)
    if until.test == "planned":
        return PlannedLooks(blocks, opponents, until.confidence)
    return RatioLooks(blocks, opponents, games, until)


def _by_interval(blocks: int, share: Paired) -> Look:
    undecided = share.low <= 0 <= share.high
    return Look(blocks, share, None if undecided else sign(share))


def sign(share: Paired) -> str:
    """Return the version that beats more of its rivals."""
    return NEW if share.difference > 0 else OLD


class ModelUse(Struct, frozen=True):
    """The answers of models that a version got in all its games."""

    answers: int = 0
    tokens: int = 0
    """Tokens of prompts and answers together."""
    seconds: float = 0.0
    """From the requests to the answers, one by one."""
    money: float = 0.0
    """In the currency of the prices."""
    failed: int = 0
    """Requests that a server failed with, though it answered others."""
    estimated: bool = False
    """Whether tokens are an estimate, as a server counted none."""


def check_models(models: Mapping[str, Model], bots: Sequence[Bot]) -> None:
    """Refuse models without their keys, and bots that ask for others; raises ArenaError."""
    for name, model in models.items():
        read_key(name, model)
    for bot in bots:
        if bot.info.models and not models:
            hint = "name the league.yaml that has them: --models league.yaml"
            raise ArenaError("it asks language models, and there are none", str(bot.source), hint)
        check_granted(bot.info.models, models, str(bot.source))


def add_use(uses: dict[str, ModelUse], packed: PackedFixture, fixture: Fixture) -> None:
    """Add what the version at a table asked there."""
    version, seat = version_seat(fixture)
    use = uses.get(version, ModelUse())
    for exchange in unpack_texts(packed.stderr)["exchanges"]:
        if exchange.seat != seat:
            continue
        if exchange.refused:
            use = replace(use, failed=use.failed + (exchange.refused == SERVER_FAILED))
            continue
        use = replace(
            use,
            answers=use.answers + 1,
            tokens=use.tokens + exchange.tokens_in + exchange.tokens_out,
            seconds=use.seconds + exchange.milliseconds / 1000,
            money=use.money + exchange.micros / MICROS,
            estimated=use.estimated or exchange.estimated,
        )
    if use != ModelUse():
        uses[version] = use


class DivisionResult(Struct, frozen=True):
    """The result at tables of one size under one rule book, with intervals as at one look."""

    variant: str
    players: int
    games: int
    """The number of games of each version."""
    rivals_beaten: Paired
    mean_place: Paired
    win_share: Paired
    better: str | None
    """The version that is better here: OLD, NEW, or None. With 95 % confidence none of those in all
    divisions is wrong (Holm). None in a comparison that may stop early, which has one verdict."""


class OpponentResult(Struct, frozen=True):
    """The share of games in which a version finished ahead of one bot of the field."""

    bot: str
    games: int
    rivals_beaten: Paired
    """Its mean over all divisions, with an interval as at one look."""


class Comparison(Struct, frozen=True):
    """The result; games and faults are those of each version.

    The share of rivals beaten is how many of its rivals at a table a version finished ahead of. Its
    mean is over all divisions, and within each over all opponents, with equal weights.
    """

    conditions: Conditions
    """The bots are those of the field; the blocks are the most that were to be played."""
    until: Until | None
    """None stands for 95 % at one look."""
    looks: tuple[Look, ...]
    """The looks on the way; the last one is that at the end."""
    decision: str | None
    """The version that is better at that confidence, OLD or NEW; EQUIVALENT, or None."""
    games: int
    rivals_beaten: Paired
    better: float
    """The probability that the new version beats more of its rivals, under a flat prior."""
    divisions: tuple[DivisionResult, ...]
    opponents: tuple[OpponentResult, ...]
    faults: dict[str, int]
    models: dict[str, ModelUse] = {}
    """The requests of each version to language models, in all games that were played."""
    behaviour: Behaviour | None = None
    """None if it was not compared to its end."""


class ComparisonGames:
    """The fixtures of a comparison, and the results so far."""

    def __init__(
        self,
        conditions: Conditions,
        fixtures: Sequence[Fixture],
        until: Until | None,
    ) -> None:
        self.fixtures = fixtures
        self.sample = TableSample(conditions.seed, divisions(conditions))
        self.conditions, self._until = conditions, until
        self._played: set[str] = set()
        self._results = _Results(conditions)
        blocks, columns = conditions.blocks, len(conditions.bots) * len(self._results.divisions)
        self._plan = looks_of(blocks, columns, conditions.games, until)
        self._looks: list[Look] = []
        self._models: dict[str, ModelUse] = {}

    def due(self) -> list[Fixture]:
        """Return what to play before the next look: nothing after the last one."""
        if not (due := self._due_before_look()) and not self._ended:
            number = len(self._looks)
            old, new, grain = self._results.overall(self._plan.blocks[number])
            self._looks.append(self._plan.look(number, old, new, grain))
            due = self._due_before_look()
        return due

    @property
    def _ended(self) -> bool:
        decided = bool(self._looks and self._looks[-1].decision)
        return decided or len(self._looks) == len(self._plan.blocks)

    def _due_before_look(self) -> list[Fixture]:
        if self._ended:
            return []
        blocks = self._plan.blocks[len(self._looks)]
        return [
            fixture
            for fixture in self.fixtures
            if fixture.block < blocks and fixture.id not in self._played
        ]

    def keep(self, packed: Sequence[PackedFixture], results: Sequence[FixtureResult]) -> None:
        """Count fixtures that were played."""
        for fixture, result in zip(packed, results, strict=True):
            self.sample.add(fixture, result.fixture)
            self._results.add(result)
            add_use(self._models, fixture, result.fixture)
            self._played.add(result.fixture.id)

    def quarantine(self, quarantined: QuarantinedFixture) -> None:
        """End a comparison that cannot be completed: a table without its twin counts nothing."""
        fixture = quarantined.fixture
        raise ArenaError(
            f"{quarantined.deaths} workers died while they played one fixture",
            f"fixture {fixture.id}: {', '.join(fixture.seats)}",
            "free some memory and run again",
        )

    def comparison(self) -> Comparison:
        """Return the result after the last look."""
        results, last = self._results, self._looks[-1]
        by_division = results.by_division(last.blocks)
        if self._until:
            by_division = tuple(replace(division, better=None) for division in by_division)
        return Comparison(
            conditions=self.conditions,
            until=self._until,
            looks=tuple(self._looks),
            decision=last.decision,
            games=sum(division.games for division in by_division),
            rivals_beaten=last.rivals_beaten,
            better=last.rivals_beaten.above,
            divisions=by_division,
            opponents=results.by_opponent(last.blocks),
            faults=results.faults,
            models=self._models,
        )


class _Results:
    """The results of both versions in each division."""

    def __init__(self, conditions: Conditions) -> None:
        self.divisions = divisions(conditions)
        self.faults = dict.fromkeys(VERSIONS, 0)
        self._bots = {in_field(bot.name): number for number, bot in enumerate(conditions.bots)}
        self._names = [bot.name for bot in conditions.bots]
        self._games = conditions.games
        self._tallies = {
            (version, division): _Tally(division.players, conditions.blocks, len(self._bots))
            for version in VERSIONS
            for division in self.divisions
        }

    def add(self, result: FixtureResult) -> None:
        fixture = result.fixture
        version, seat = version_seat(fixture)
        rivals = {at: self._bots[name] for at, name in enumerate(fixture.seats) if at != seat}
        tally = self._tallies[version, fixture.division]
        for game in result.games:
            tally.add(fixture.block, seat, rivals, game.places)
            self.faults[version] += game.faults[seat] is not None

    def overall(self, blocks: int) -> tuple[Floats, Floats, Grain]:
        """Return the rivals beaten by both versions in these blocks, in all divisions."""
        old, new = self._shares(lambda tally: tally.beaten, self.divisions, blocks)
        rivals = max(division.players for division in self.divisions) - 1
        return old, new, Grain(old.size * self._games, 1.0 / rivals)

    def by_division(self, blocks: int) -> tuple[DivisionResult, ...]:
        """Return the result of each division."""
        games = blocks * len(self._bots) * self._games
        beaten = [
            paired(
                *self._shares(lambda tally: tally.beaten, [division], blocks),
                Grain(games, 1.0 / (division.players - 1)),
            )
            for division in self.divisions
        ]
        return tuple(
            DivisionResult(
                variant=division.variant,
                players=division.players,
                games=games,
                rivals_beaten=share,
                mean_place=paired(
                    *self._shares(lambda tally: tally.places, [division], blocks),
                    Grain(games, most=division.players - 1.0),
                ),
                win_share=paired(
                    *self._shares(lambda tally: tally.wins, [division], blocks), Grain(games)
                ),
                better=sign(share) if is_clear else None,
            )
            for division, share, is_clear in zip(self.divisions, beaten, clear(beaten), strict=True)
        )

    def by_opponent(self, blocks: int) -> tuple[OpponentResult, ...]:
        """Return the result against each bot of the field."""
        tables = blocks * sum(division.players - 1 for division in self.divisions)
        results = []
        for bot, name in enumerate(self._names):
            column = slice(bot, bot + 1)
            old, new = self._shares(lambda tally: tally.ahead, self.divisions, blocks, column)
            games = tables * self._games
            results.append(OpponentResult(name, games, paired(old, new, Grain(games))))
        return tuple(results)

    def _shares(
        self,
        figure: "Callable[[_Tally], Floats]",
        where: Sequence[Division],
        blocks: int,
        bots: slice = slice(None),
    ) -> tuple[Floats, Floats]:
        """Return a figure of both versions; every bot in every division has its own column."""
        old, new = (
            np.hstack(
                [figure(self._tallies[version, division])[:blocks, bots] for division in where]
            )
            for version in VERSIONS
        )
        return old / self._games, new / self._games


class _Tally:
    """The results of a version in one division: sums over the games at a table, [block, opponent].

    A table belongs to the bot that acts before the version: in a block that is every bot once. Only
    `ahead` is by rival: the share of its tables' games in which the version finished ahead of it.
    """

    def __init__(self, players: int, blocks: int, bots: int) -> None:
        self.beaten = np.zeros((blocks, bots))
        self.places = np.zeros((blocks, bots))
        self.wins = np.zeros((blocks, bots))
        self.ahead = np.zeros((blocks, bots))
        self._rivals = players - 1

    def add(self, block: int, seat: int, rivals: Mapping[int, int], places: Sequence[int]) -> None:
        """Add a game; `rivals` are the numbers of the bots by seat."""
        place, rival_count = places[seat], self._rivals
        at = block, rivals[(seat - 1) % len(places)]
        self.beaten[at] += (len(places) - place) / rival_count
        self.places[at] += place
        self.wins[at] += place == 1
        for other, bot in rivals.items():
            self.ahead[block, bot] += (places[other] > place) / rival_count
