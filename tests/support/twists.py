"""Bots of simulated leagues that do not keep to the model of the ratings."""

from collections.abc import Iterable

import numpy as np
from msgspec.structs import replace

from arena.game.records import Cause, FixtureResult, GameResult
from arena.ratings.maths.arrays import Floats, as_floats
from tests.support.simulated_leagues import Moment, Twist, name

THROW, DRIFT, CIRCLE, NEIGHBOUR = 8.0, 4.0, 4.0, 4.0
"""Differences of skill, in mu: of a bot that loses on purpose, of one that improves from the first
block to the last, of bots that suit each other, and of bots after one that makes it hard."""
FAULTS = 0.2
"""The share of the games in which a bot faults."""


def circle(bots: int) -> Twist:
    """Let each bot play better against those that follow it in a circle, and worse against others.

    All are as strong against the whole field.
    """
    ahead = np.array([[(other - bot) % bots for other in range(bots)] for bot in range(bots)])
    suits = CIRCLE / 2 * np.sign(np.where(ahead == 0, 0, bots / 2 - ahead))

    def twist(moment: Moment, shown: Floats) -> Floats:
        seats = list(moment.table)
        return as_floats(shown + suits[np.ix_(seats, seats)].sum(1) / (len(seats) - 1))

    return twist


def neighbours(bots: int) -> Twist:
    """Let each bot make it harder for the one that acts after it, some more than others."""
    pressure = NEIGHBOUR * np.arange(bots) / bots

    def twist(moment: Moment, shown: Floats) -> Floats:
        return as_floats(shown - np.roll(pressure[list(moment.table)], 1))

    return twist


def with_faults(played: Iterable[FixtureResult], rng: np.random.Generator) -> list[FixtureResult]:
    """Let bot 0 fault in some of its games, and be last in them."""
    found = []
    for one in played:
        seats, games = one.fixture.seats, one.games
        if name(0) in seats:
            seat = seats.index(name(0))
            games = [faulty(game, seat) if rng.random() < FAULTS else game for game in games]
        found.append(replace(one, games=games))
    return found


def faulty(game: GameResult, seat: int) -> GameResult:
    """Let a seat fault in a game, and be last."""
    place = game.places[seat]
    places = [one - (one > place) for one in game.places]
    places[seat] = len(places)
    faults = [Cause.CRASH if at == seat else None for at in range(len(places))]
    return replace(game, places=tuple(places), faults=tuple(faults))


def thrown(moment: Moment, shown: Floats) -> Floats:
    """Let bot 0 lose at every table with bot 1."""
    if not {0, 1} <= set(moment.table):
        return shown
    return as_floats(shown - THROW * (np.array(moment.table) == 0))


def drifting(moment: Moment, shown: Floats) -> Floats:
    """Let bot 0 improve."""
    return as_floats(shown + DRIFT * moment.progress * (np.array(moment.table) == 0))
