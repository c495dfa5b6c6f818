"""Simulated leagues of bots whose strength is known, for the benches of the statistics.

A performance is the bot's skill plus normal noise with standard deviation beta, as in TrueSkill.
The schedule is the arena's. Part of the noise can belong to the seat's dice, which all fixtures of
a block share.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from arena.game.records import LUCK_UNIT, FixtureResult
from arena.league.schedule.block_design import blocks
from arena.ratings.maths.arrays import Floats
from arena.ratings.model.trueskill import BETA
from tests.support.results import result

Schedule = list[list[tuple[int, ...]]]
"""Blocks of tables, by bot."""
Twist = Callable[["Moment", Floats], Floats]
"""Changes the performances at a table, for bots that cheat or drift."""


class Moment(NamedTuple):
    """Where in a league a game is played."""

    table: Sequence[int]
    progress: float
    """From 0 in the first block to 1 in the last."""


class Shape(NamedTuple):
    """A league to be simulated."""

    bots: int
    players: int
    games: int
    """Games per fixture."""
    blocks: int = 1
    """How often the whole schedule is played."""
    shared: float = 0.0
    """The part of a performance's variance that is the seat's dice."""


def name(bot: int) -> str:
    """Name a bot so that names sort like numbers."""
    return f"bot{bot:02}"


def tables(shape: Shape) -> Schedule:
    """Return the blocks of tables."""
    count = shape.bots - 1
    return [
        [tuple(table) for table in block]
        for number in range(shape.blocks)
        for block in blocks(shape.bots, shape.players, count, f"bench/{number}")
    ]


def play(
    shape: Shape,
    skills: Floats,
    rng: np.random.Generator,
    twist: Twist | None = None,
    schedule: Schedule | None = None,
) -> list[FixtureResult]:
    """Play a league."""
    played: list[FixtureResult] = []
    plan = schedule or tables(shape)
    for block, fixtures in enumerate(plan):
        dice = rng.normal(size=(shape.games, shape.players)) * BETA * np.sqrt(shape.shared)
        for table in fixtures:
            own = rng.normal(size=dice.shape) * BETA * np.sqrt(1.0 - shape.shared)
            shown = skills[list(table)] + dice + own
            if twist:
                shown = twist(Moment(table, block / max(len(plan) - 1, 1)), shown)
            played.append(results(table, shown, block, len(played)))
    return played


LUCK_SPREAD = 0.4
"""The standard deviation of luck, in wins, as the bench of luck finds it."""


def play_with_luck(
    shape: Shape,
    skills: Floats,
    rng: np.random.Generator,
    share: float,
    schedule: Schedule | None = None,
) -> list[FixtureResult]:
    """Play a league at tables of two, of whose variance so much is luck that is known."""
    played: list[FixtureResult] = []
    for block, fixtures in enumerate(schedule or tables(shape)):
        for table in fixtures:
            luck = rng.normal(size=shape.games)
            own = rng.normal(size=(shape.games, 2)) * BETA * np.sqrt(1.0 - share)
            lucky = luck[:, None] * np.array([0.5, -0.5]) * BETA * np.sqrt(2.0 * share)
            one = results(table, skills[list(table)] + own + lucky, block, len(played))
            units = np.rint(luck * LUCK_SPREAD * LUCK_UNIT).astype(int)
            played.append(replace(one, luck=units.tolist()))
    return played


def results(table: Sequence[int], shown: Floats, block: int, fixture: int) -> FixtureResult:
    """Turn performances, one row per game, into results."""
    places = (shown[:, None, :] > shown[:, :, None]).sum(2) + 1
    bots = tuple(name(bot) for bot in table)
    return result(bots, [tuple(row) for row in places.tolist()], (), block, fixture)
