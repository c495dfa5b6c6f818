"""Who sits at the tables of a training: the policy that learns, earlier versions, sample bots."""

from collections.abc import Sequence

import numpy as np

from arena.lab.training.rivals import sample_bots
from arena.lab.training.selfplay import LEARNER, Act, Seats
from arena.lab.training.view import KINDS, Numbers

BOTS = (*sample_bots(1),)
"""The kinds of players, in their order, but the last: that is the policy itself."""
ALONE, EARLIER, COPIES, HARDEST = 0.2, 0.1, 0.15, 0.3
"""The shares of games with itself alone, and with one earlier version; of other seats that are its
own; of seats for two that the hardest rival there takes."""


def seating(earlier: Sequence[Act], random: np.random.Generator) -> Seats:
    """Return seats that the policy shares with earlier versions, or with bots drawn for each."""
    first = 1 + len(BOTS)
    past = range(first, first + len(earlier))
    bots = sample_bots(past.stop)

    def draw(games: int, players: int) -> Numbers:
        seats = random.integers(1, first, (games, players))
        if players == 2:  # where it has tables of its own
            seats[random.random((games, players)) < HARDEST] = 1 + BOTS.index("equilibrium")
        kind = random.random(games)
        version = random.integers(past.start, past.stop, (games, 1))
        seats = np.where((kind < ALONE + EARLIER)[:, None], version, seats)
        seats[random.random((games, players)) < COPIES] = LEARNER
        seats[kind < ALONE] = LEARNER
        seats[np.arange(games), random.integers(players, size=games)] = LEARNER
        return seats

    networks = dict(zip(past, earlier, strict=True))
    return Seats(dict(enumerate(bots.values(), 1)), networks, draw, kinds)


def kinds(players: Numbers, seats: int) -> Numbers:
    """Return the kinds of players that such seats have, at tables with a number of seats."""
    found = np.where((players == LEARNER) | (players > len(BOTS)), KINDS, players) - 1
    if seats > 2:  # `equilibrium` plays as `odds` there
        found[found == BOTS.index("equilibrium")] = BOTS.index("odds")
    return found
