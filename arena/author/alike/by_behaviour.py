"""How often two bots decide alike in the same positions, whatever language they are written in.

The positions come from games of sample bots, drawn by a seed. Each bot is asked everything twice,
with two seeds. A bot that draws at random differs from itself, too, so two bots are compared across
the seeds, and their agreement is divided by that of each with itself (the geometric mean of the
two). That is the cosine between their mixed strategies: 1 for a copy, also for one that draws other
numbers, and for bots that do not draw just the share of positions in which they decide alike.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from functools import partial
from itertools import islice
from math import ceil, sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from arena.bots.manifest import SAMPLE, find_bots
from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.warm_pool import WarmPool
from arena.bots.workshop import Workshop
from arena.game.records import Fixture, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.rules.round import max_rounds
from arena.game.seeds import block_seed, fixture_seed
from arena.league.play.process_pool import map_ordered
from arena.league.table.decisions_by_build import Build, BuildDecision, ask
from arena.league.table.play_fixture import play_fixture
from arena.league.table.preparation import prepare

_PLAYERS = ("bluffer", "honest", "memory", "odds")
"""Sample bots that run wherever the arena does, and play neither alike nor badly."""
_SIZES = (2, 4, 2, 4)
"""Players at the tables, whose first seats the players take in turn."""
_PER_GAME = 8
"""Positions that a game has for a seat, at least, on average: 10 to 34 were counted."""
SEAT = 0
"""The seat whose positions are taken."""
LEAST = 100
"""Positions that both must have answered to be compared, if so many are asked."""
Answers = npt.NDArray[np.int32]
"""The decision of a bot in each position, as a number; negative where it did not answer."""
_NO_ANSWER = -1
_SAME = 0.97
"""Two bots decide as one another if they do so in this share of positions, where bots that were
written apart came to 0.94 at most (docs/guides/alike.md)."""


class Recorded(Struct, frozen=True):
    """A fixture of sample bots, and how many positions are taken from it, the first ones."""

    played: PlayedFixture
    most: int


def record(
    positions: int, seed: str, rules: Rules, workshop: Workshop, executor: Executor, workers: int
) -> list[Recorded]:
    """Play games with so many positions, at tables of two and four; the same ones of a seed."""
    bots = find_bots([(f"{SAMPLE}{name}", "positions") for name in _PLAYERS], Path.cwd())
    fixtures = _fixtures([bot.name for bot in bots], positions, seed, rules)
    staged = prepare(workshop, bots, rules, LimitsInfo())
    programs = {bot.name: bot.program for bot in staged}
    calls = [
        partial(_play, fixture, [programs[name] for name in fixture.seats], rules, workshop.sandbox)
        for fixture, _ in fixtures
    ]
    played = map_ordered(executor, calls, workers)
    return [Recorded(fixture, most) for fixture, (_, most) in zip(played, fixtures, strict=True)]


def _play(
    fixture: Fixture, at_table: Sequence[Program], rules: Rules, sandbox: Sandbox
) -> PlayedFixture:
    with Multiplexer(at_table, sandbox, LimitsInfo().complete(fixture.games)) as multiplexer:
        return play_fixture(fixture, rules, multiplexer)


def _fixtures(
    names: Sequence[str], positions: int, seed: str, rules: Rules
) -> list[tuple[Fixture, int]]:
    tables = [
        tuple(names[(first + seat) % len(names)] for seat in range(players))
        for first, players in enumerate(_SIZES)
    ]
    result = []
    for number, seats in enumerate(tables):
        most = positions // len(tables) + (number < positions % len(tables))
        fixture = Fixture(
            id=f"{number}",
            index=number,
            variant=rules.name,
            seats=seats,
            seed=fixture_seed(seed, f"{number}"),
            games=ceil(most / _PER_GAME),
            block=number,
            dice=block_seed(seed, f"{number}"),
            max_rounds=max_rounds(rules, len(seats)),
        )
        result.append((fixture, most))
    return result


class BotAnswers(NamedTuple):
    """The decisions of a bot in all positions."""

    first: Answers
    again: Answers
    """The decisions with another seed."""

    @property
    def answered(self) -> npt.NDArray[np.bool_]:
        """Tell for each position whether it decided something both times."""
        return (self.first >= 0) & (self.again >= 0)


class BehaviourShare(Struct, frozen=True):
    """How often two bots decide alike."""

    positions: int
    """The number of positions that both answered."""
    alike: float
    one_itself: float
    """The share in which the one decides alike when it is asked again; 1 if it draws nothing."""
    other_itself: float

    @property
    def most(self) -> float:
        """The share, relative to how often they agree with themselves; 1 at most."""
        ceiling = sqrt(self.one_itself * self.other_itself)
        return min(1.0, self.alike / ceiling) if ceiling else 0.0

    @property
    def is_same(self) -> bool:
        """Whether the one decides as the other does, but for a few positions and for chance.

        Bots that draw agree with themselves in few positions; two standard errors are allowed for.
        """
        ceiling = sqrt(self.one_itself * self.other_itself)
        error = sqrt(ceiling * (1 - ceiling) / self.positions)
        return self.alike >= _SAME * ceiling - 2 * error > 0


def ask_all(
    programs: Sequence[Program],
    recorded: Sequence[Recorded],
    rules: Rules,
    sandbox: Sandbox,
    executor: Executor,
    workers: int,
) -> Iterator[BotAnswers]:
    """Put all positions to each program, on the executor's workers; yields what each decided."""
    calls = (partial(_ask, program, recorded, rules, sandbox) for program in programs)
    for both in map_ordered(executor, calls, 2 * workers):
        yield BotAnswers(*np.array(both, dtype=np.int32).T)


def _ask(
    program: Program, recorded: Sequence[Recorded], rules: Rules, sandbox: Sandbox
) -> list[tuple[int, int]]:
    """Put the positions of all tables to a program, in as few processes as it lets."""
    pool = WarmPool()
    try:
        return [
            both for table in recorded for both in _ask_at(program, table, rules, sandbox, pool)
        ]
    finally:
        pool.end()


def _ask_at(
    program: Program, recorded: Recorded, rules: Rules, sandbox: Sandbox, pool: WarmPool
) -> Iterator[tuple[int, int]]:
    """Put the positions of one table to a program, with the seed of the table and another one."""
    played = recorded.played
    seed = played.fixture.seed
    builds = [Build(program, seed), Build(program, f"{seed}/again")]
    limits = LimitsInfo().complete(played.fixture.games)
    with closing(ask(played, rules, SEAT, builds, sandbox, limits, pool)) as positions:
        for position in islice(positions, recorded.most):
            first, again = position.decisions
            yield _number(first), _number(again)


def _number(decision: BuildDecision | None) -> int:
    if decision is None or decision.action == "fault":
        return _NO_ANSWER
    return 10 * decision.quantity + decision.face


def compare_behaviour(left: BotAnswers, right: BotAnswers) -> BehaviourShare | None:
    """Compare what two bots decided; None if there are too few positions that both answered."""
    answered = left.answered & right.answered
    positions = int(answered.sum())
    if positions < min(LEAST, answered.size) or not positions:
        return None

    def agree(mine: Answers, yours: Answers) -> float:
        return float(np.mean(mine[answered] == yours[answered]))

    return BehaviourShare(
        positions=positions,
        alike=(agree(left.first, right.again) + agree(left.again, right.first)) / 2,
        one_itself=agree(*left),
        other_itself=agree(*right),
    )
