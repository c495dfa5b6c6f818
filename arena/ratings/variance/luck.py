"""Luck of the dice taken out of ratings, at tables of two that share no dice.

Luck is 0 on average, however bots play (`arena.playstats.luck`): so wins less a multiple of it say
the same of skills, and scatter less (a control variate: Glynn and Szechtman, "Some new perspectives
on the method of control variates", 2002). The multiple is the slope, by which wins rise with luck.
It is that of even bots, and falls with the density of the difference of two performances: the more
certain a result is, the less of it is luck.

In a large field it is taken out game by game, without matrices of all pairs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.game.records import LUCK_UNIT
from arena.ratings.maths.arrays import Bots, Floats, as_floats, chunks, square
from arena.ratings.model.games import Games
from arena.ratings.model.head_to_head import Pairs, gap, gaps, probabilities, score, scores
from arena.ratings.model.posterior import Posterior

MIN_GAMES = 100
"""Luck stays in the ratings if a division has fewer games: the slope is too uncertain."""


@dataclass(frozen=True)
class Luck:
    """The luck of a division's games, and what it does to their results."""

    games: Games
    winners: NDArray[np.int32]
    """The luck of each game's winner, in thousandths of a win."""
    slope: float
    """Wins for each win of luck, if bots are even."""

    def by_pair(self) -> Floats:
        """Return how lucky each bot was against each other, in wins."""
        sums = _sums(self.games.order, self.winners, self.games.size) / LUCK_UNIT
        return as_floats(sums - sums.T)

    def of_bots(self) -> Floats:
        """Return the luck of each bot per game, in wins."""
        return as_floats(self.by_pair().sum(1) / self.games.played())

    def shift(self, skills: Posterior) -> Floats:
        """Return how far skills move without the luck of the games: one Newton step."""
        pull = self.slope * _gain(skills.mu) * self.by_pair()
        return as_floats(-skills.covariance @ pull.sum(1))

    def without(self, met: Pairs, mu: Floats) -> Pairs:
        """Return pairs with these skills, and with the wins that they have without luck."""
        lucky = self.slope * _closeness(mu) * self.by_pair()
        return Pairs(met.ahead - lucky, probabilities(mu), scores(mu))

    def residuals(self, skills: Posterior) -> Floats:
        """Return what each game and place says beyond what is expected, without luck."""
        residuals = skills.scores()
        per_luck = self.slope * _gain(skills.mu) / LUCK_UNIT
        moved = scores(skills.mu + self.shift(skills)) - scores(skills.mu)
        for chunk in chunks(len(residuals)):
            won, lost = self.games.order[chunk].T
            change = moved[won, lost] - per_luck[won, lost] * self.winners[chunk]
            residuals[chunk] += np.stack([change, -change], 1)
        return residuals


def measure(games: Games, mu: Floats) -> Luck | None:
    """Return the luck of games between bots of these skills; None if it stays in the ratings.

    It does if it is not known, if dice are shared, or with too few games. The slope is that of
    least squares, with each result weighted by how certain it is, given who plays.
    """
    luck = games.luck
    if luck is None or len(luck) < MIN_GAMES:
        return None
    explained = scores(mu) * _sums(games.order, luck, games.size)
    squared = _sums(games.order, luck.astype(np.int64) ** 2, games.size)
    squares = _gain(mu) * _closeness(mu) * squared
    if not squares.any():
        return None
    return Luck(games, luck, float(explained.sum() / squares.sum()) * LUCK_UNIT)


def without_luck(luck: Luck | None, skills: Posterior) -> Floats:
    """Return the skills without luck, if it is known."""
    return skills.mu if luck is None else skills.mu + luck.shift(skills)


def _sums(order: Bots, values: NDArray[np.integer], bots: int) -> Floats:
    """Return the sums of whole numbers, one of each game, by winner and loser."""
    cells = order[:, 0] * bots + order[:, 1]
    return as_floats(np.bincount(cells, values, bots * bots).reshape(bots, bots))


def _closeness(mu: Floats) -> Floats:
    """Return, for each pair, the share of the slope: 1 if the two are even."""
    return square(len(mu), lambda rows: np.exp(-(gaps(mu, rows) ** 2) / 2.0))


def _gain(mu: Floats) -> Floats:
    """Return, for each pair, how much a score changes with luck, for a slope of 1."""
    score = scores(mu)
    return as_floats((score + score.T) * _closeness(mu))


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
        pull = self._net(
            self.slope * _gain_by_game(self.games, skills.mu) * self.winners / LUCK_UNIT
        )
        return as_floats(-(skills.covariance @ pull))

    def residuals(self, skills: Posterior) -> Floats:
        """Return what each game and place says beyond what is expected, without luck."""
        moved = skills.mu + self.shift(skills)
        change = score(gap(moved, *self.games.order.T)) - score(gap(skills.mu, *self.games.order.T))
        change -= self.slope * _gain_by_game(self.games, skills.mu) * self.winners / LUCK_UNIT
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
    squares = float(
        (_gain_by_game(games, mu) * np.exp(-(apart**2) / 2.0) * as_floats(luck) ** 2).sum()
    )
    if not squares:
        return None
    return LargeLuck(games, luck, float((score(apart) * luck).sum()) / squares * LUCK_UNIT)


def _gain_by_game(games: Games, mu: Floats) -> Floats:
    """Return, for each game, how much its scores change with luck, for a slope of 1."""
    apart = gap(mu, *games.order.T)
    return as_floats((score(apart) + score(-apart)) * np.exp(-(apart**2) / 2.0))
