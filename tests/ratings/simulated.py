"""Leagues played by known bots, small enough for tests."""

from collections.abc import Collection

import numpy as np
from msgspec.structs import replace

from arena.game.records import FixtureResult
from tests.support.results import result
from tests.support.simulated_leagues import Shape, Twist, play

SKILLS = np.array([3.0, 2.0, 1.5, 0.0, 0.0, -1.0, -2.0, -3.5])


def league(shape: Shape, seed: int = 1, twist: Twist | None = None) -> list[FixtureResult]:
    """Play a league of bots bot00, bot01, ... of falling strength."""
    return play(shape, SKILLS[: shape.bots], np.random.default_rng(seed), twist)


def game(
    bots: tuple[str, ...],
    places: tuple[int, ...],
    faulted: Collection[int] = (),
    block: int = 0,
    fixture: int = 0,
    number: int = 0,
) -> FixtureResult:
    """Return the results of a fixture of one game."""
    return result(bots, [places], faulted, block, fixture, number)


def decided(played: FixtureResult, places: tuple[int, ...]) -> FixtureResult:
    """Let every game of a fixture end like that."""
    return replace(played, games=[replace(one, places=places) for one in played.games])
