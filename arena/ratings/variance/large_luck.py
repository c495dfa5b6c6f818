"""Luck taken out of the ratings of a large field: as `luck.py`, game by game."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.game.records import LUCK_UNIT
from arena.ratings.maths.arrays import Floats, as_floats
from arena.ratings.model.games import Games
from arena.ratings.model.head_to_head import gap, score
from arena.ratings.model.posterior import Posterior
from arena.ratings.variance.luck import MIN_GAMES


@dataclass(frozen=True)
class LargeLuck:
    """The luck of a division's games, and what it does to their results."""

    games: Games
    winners: NDArray[np.int32]
    """The luck of each game's winner, in thousandths of a win."""
    slope: float
    """Wins for each win of luck, if bots are even."""

    def of_bots(self) -> Floats:
        """Return the luck of each bot per game, in wins."""
        return self._net(self.winners / LUCK_UNIT) / self.games.played()

    def shift(self, skills: Posterior) -> Floats:
        """Return how far skills move without the luck of the games: one Newton step."""
        pull = self._net(self.slope * _gain(self.games, skills.mu) * self.winners / LUCK_UNIT)
        return as_floats(-(skills.covariance @ pull))

    def residuals(self, skills: Posterior) -> Floats:
        """Return what each game and place says beyond what is expected, without luck."""
        moved = skills.mu + self.shift(skills)
        change = score(gap(moved, *self.games.order.T)) - score(gap(skills.mu, *self.games.order.T))
        change -= self.slope * _gain(self.games, skills.mu) * self.winners / LUCK_UNIT
        return as_floats(skills.scores() + np.stack([change, -change], 1))

    def _net(self, of_winners: Floats) -> Floats:
        """Return what each bot gets if in each game the loser loses what the winner gets."""
        won, lost = self.games.order.T
        size = self.games.size
        gained = np.bincount(won, of_winners, size)
        return as_floats(gained - np.bincount(lost, of_winners, size))


def measure_large(games: Games, mu: Floats) -> LargeLuck | None:
    """Return the luck of games between bots of these skills, as `measure` does."""
    luck = games.luck
    if luck is None or len(luck) < MIN_GAMES:
        return None
    apart = gap(mu, *games.order.T)
    squares = float((_gain(games, mu) * np.exp(-(apart**2) / 2.0) * as_floats(luck) ** 2).sum())
    if not squares:
        return None
    return LargeLuck(games, luck, float((score(apart) * luck).sum()) / squares * LUCK_UNIT)


def _gain(games: Games, mu: Floats) -> Floats:
    """Return, for each game, how much its scores change with luck, for a slope of 1."""
    apart = gap(mu, *games.order.T)
    return as_floats((score(apart) + score(-apart)) * np.exp(-(apart**2) / 2.0))
