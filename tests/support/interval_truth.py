"""What intervals of simulated leagues should contain, and which of them do."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from arena.ratings.leaderboard_rows import Leaderboard
from arena.ratings.maths.arrays import Floats, as_floats
from arena.ratings.maths.t_distribution import normal_cdf
from arena.ratings.model.trueskill import BETA
from tests.support.simulated_leagues import Schedule, name


class Truth(NamedTuple):
    """What intervals should contain."""

    mu: Floats
    """Relative to the mean of the field."""
    places: Floats
    """Mean places over the schedule."""


def by_formula(skills: Floats, schedule: Schedule) -> Truth:
    """Return the truth of bots that keep to the model."""
    return Truth(as_floats(skills - skills.mean()), true_places(skills, schedule))


def covering(board: Leaderboard, truth: Truth) -> Iterator[tuple[str, str]]:
    """Yield the name of each interval that contains the truth, and its bot."""
    true, places = truth
    rank = {name(bot): place for place, bot in enumerate(np.argsort(-true), 1)}
    for row in board.rows:
        bot = int(row.bot.removeprefix("bot"))
        above = row.low is None or row.low <= true[bot]
        if above and (row.high is None or true[bot] <= row.high):
            yield "mu", row.bot
        if row.place_low <= places[bot] <= row.place_high:
            yield "place", row.bot
        if row.best <= rank[row.bot] <= row.worst:
            yield "rank", row.bot


def true_places(skills: Floats, schedule: Schedule) -> Floats:
    """Return each bot's expected mean place over a schedule."""
    places: dict[int, list[float]] = {bot: [] for bot in range(len(skills))}
    for block in schedule:
        for table in block:
            for bot in table:
                rivals = [skills[rival] for rival in table if rival != bot]
                gaps = (np.array(rivals) - skills[bot]) / (2**0.5 * BETA)
                places[bot].append(1 + float(normal_cdf(gaps).sum()))
    return np.array([np.mean(expected) for expected in places.values()])
