"""The games of a league as arrays, by bots of normal skills, without a store."""

import numpy as np

from arena.game.records import Conditions
from arena.league.schedule.schedule import Schedule
from arena.ratings.model.games import Games
from arena.ratings.model.trueskill import BETA

SPREAD = 4.0
"""The standard deviation of skills, in mu."""


def generated(conditions: Conditions, seed: int = 1) -> Games:
    """Return the games of a league of one division, played as TrueSkill's model has it."""
    fixtures = Schedule(conditions).fixtures
    bots = tuple(sorted(bot.name for bot in conditions.bots))
    number = {bot: at for at, bot in enumerate(bots)}
    seats = np.array([[number[bot] for bot in one.seats] for one in fixtures], np.int32)
    games = np.array([one.games for one in fixtures])
    fixture = np.repeat(np.arange(len(fixtures)), games)
    rng = np.random.default_rng(seed)
    skills = rng.standard_normal(len(bots)) * SPREAD
    played = skills[seats[fixture]] + rng.standard_normal((len(fixture), seats.shape[1])) * BETA
    order = np.take_along_axis(seats[fixture], np.argsort(-played, 1), 1)
    return Games(
        bots=bots,
        order=order,
        block=np.array([one.block for one in fixtures])[fixture],
        fixture=fixture,
        game=np.arange(len(fixture)) - np.repeat(np.cumsum(games) - games, games),
        seats=seats,
        faulted=np.zeros(order.shape, np.bool_),
    )
