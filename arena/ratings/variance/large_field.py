"""How sure the ratings of a large field are: as `block_variance.py`, without matrices of all pairs.

The units are blocks, of which neighbours are joined if there are many.
"""

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from arena.ratings.maths.arrays import Floats, Ints, as_floats, as_ints, chunks
from arena.ratings.maths.sparse_inverse import SparseInverse
from arena.ratings.maths.sparse_matrix import SparseMatrix
from arena.ratings.maths.t_distribution import normal_cdf
from arena.ratings.model.games import Games
from arena.ratings.model.head_to_head import gap
from arena.ratings.model.posterior import Posterior, relative_errors
from arena.ratings.variance.block_variance import (
    FEW_OPEN,
    MIN_DF,
    TINY,
    GameScores,
    borrowed_share,
)
from arena.ratings.variance.large_luck import LargeLuck
from arena.ratings.variance.leverage import without_leverage
from arena.ratings.variance.units import Method

_MOST_UNITS = 250
_AT_ONCE = 128
"""Columns of a covariance that are in memory at a time."""


class Expected(NamedTuple):
    """What the skills say of the games of each bot."""

    share: Floats
    """The share of its rivals that it was expected to finish ahead of."""
    open_results: Floats
    """The sum of p (1 - p) over its games and rivals."""
    place_scores: Floats
    """[game, place]: how much further behind the bot finished than expected."""


def expected(games: Games, mu: Floats) -> Expected:
    """Compare the games with what bots of these skills are expected to do."""
    ahead, open_results = np.zeros((2, games.size))
    place_scores, met = np.zeros(games.order.shape), np.zeros(games.size)
    for i, j in games.place_pairs():
        better, worse = games.order[:, i], games.order[:, j]
        probability = normal_cdf(gap(mu, better, worse))
        place_scores[:, i] -= 1.0 - probability
        place_scores[:, j] += 1.0 - probability
        for bot, chance in ((better, probability), (worse, 1.0 - probability)):
            ahead += np.bincount(bot, chance, games.size)
            open_results += np.bincount(bot, chance * (1.0 - chance), games.size)
            met += np.bincount(bot, minlength=games.size)
    return Expected(ahead / met, open_results, place_scores)


@dataclass(frozen=True)
class Mixed:
    """A covariance between units and one between games, in the shares that each bot has of them."""

    variance: Floats
    by_unit: Floats
    """[unit, bot]: its products are the covariance between units."""
    of_units: Floats
    """The root of each bot's share of that."""
    of_games: Floats
    """The root of its share of the covariance between games."""
    bread: "Bread"

    def columns(self, chosen: Ints) -> Floats:
        """Return columns of the covariance."""
        columns = self.bread.columns(chosen)
        columns *= self.of_games[:, None] * self.of_games[chosen]
        units = self.by_unit.T @ self.by_unit[:, chosen]
        columns += units * self.of_units[:, None] * self.of_units[chosen]
        columns[chosen, np.arange(len(chosen))] = self.variance[chosen]
        return columns


@dataclass(frozen=True)
class LargeCovariance:
    """How far the estimates of a large field would vary from league to league."""

    mu: Mixed
    """Of the skills, relative to the mean of the field."""
    sigma: Floats
    """The model's own standard errors of the same."""
    place: Floats
    """The variances of the mean finishing places."""
    degrees_of_freedom: Floats
    method: Method
    blocks: int


class _Estimate(NamedTuple):
    """What the variances of an estimate are made from."""

    game_variance: Floats
    """The variances if all games were independent."""
    by_unit: Floats
    """[unit, bot]: what each unit contributes; nothing where games are the units."""
    information: Floats
    """The sums of the squares of each bot's scores."""
    least: Floats
    """Its standard errors if all results were independent."""


def large_covariance(
    games: Games, skills: Posterior, luck: LargeLuck | None, met: Expected
) -> LargeCovariance:
    """Return how far the estimates vary, those of mu without luck if it is taken out of them."""
    unit, blocks = _units(games), int(games.block.max()) + 1
    own = as_floats(_played_in(games, unit) - 1.0)
    field = float(own.sum()) * (games.size - 1) / games.size
    by_units = unit if field >= MIN_DF else None
    skill, place, bread = _estimates(games, skills, luck, met, by_units)
    floor = np.sqrt(np.clip(FEW_OPEN / np.maximum(met.open_results, TINY), 0.25, 1.0))
    share, df, of_mu = np.zeros(games.size), np.full(games.size, inf), np.ones(games.size)
    if by_units is not None:
        (share, df), of_mu = borrowed_share(own, field), floor
    variance, ratio = _mixed(skill, share, of_mu)
    mu = Mixed(variance, skill.by_unit, np.sqrt(share), np.sqrt((1.0 - share) * ratio), bread)
    place_variance, _ = _mixed(place, share, floor)
    return LargeCovariance(
        mu=mu,
        sigma=skill.least,
        place=place_variance,
        degrees_of_freedom=df,
        method="games" if by_units is None else "blocks",
        blocks=blocks,
    )


def _units(games: Games) -> Ints:
    blocks = int(games.block.max()) + 1
    return as_ints(games.block * _MOST_UNITS // blocks if blocks > _MOST_UNITS else games.block)


def _played_in(games: Games, unit: Ints) -> Ints:
    """Return in how many units each bot played."""
    cells = np.unique(unit[:, None] * games.size + games.order)
    return as_ints(np.bincount(cells % games.size, minlength=games.size))


def _estimates(
    games: Games, skills: Posterior, luck: LargeLuck | None, met: Expected, unit: Ints | None
) -> tuple[_Estimate, _Estimate, "Bread"]:
    """Return what is known of the skills and of the mean places."""
    inverse, per_game = skills.covariance, 1.0 / games.played()
    scores = luck.residuals(skills) if luck else skills.scores()
    of_place = _products(games, met.place_scores).diagonal()
    bread = Bread(inverse, inverse.mean(1), _products(games, scores))
    skill_by_unit, place_by_unit = np.zeros((2, 1, games.size))
    if unit is not None:
        both = [GameScores(games, part).sums(unit) for part in (scores, met.place_scores)]
        by_unit = without_leverage(games, skills, np.stack(both, 1))
        skill_by_unit = _centred(inverse @ by_unit[:, 0].T).T
        place_by_unit = by_unit[:, 1] * per_game
    error, least = relative_errors(inverse), as_floats(np.sqrt(met.open_results) * per_game)
    return (
        _Estimate(bread.diagonal(), skill_by_unit, bread.products.diagonal(), error),
        _Estimate(of_place * per_game**2, place_by_unit, of_place, least),
        bread,
    )


class Bread(NamedTuple):
    """The covariance of skills relative to the mean of the field, between games."""

    inverse: SparseInverse
    mean: Floats
    """Of the inverse's rows."""
    products: SparseMatrix

    def columns(self, chosen: Ints) -> Floats:
        """Return columns of it."""
        return _centred(self.inverse @ (self.products @ self._rows(chosen)))

    def diagonal(self) -> Floats:
        """Return the variances."""
        variance = np.empty(self.products.size)
        for chunk in chunks(len(variance), _AT_ONCE):
            rows = self._rows(np.arange(chunk.start, chunk.stop))
            variance[chunk] = (rows * (self.products @ rows)).sum(0)
        return variance

    def _rows(self, chosen: Ints) -> Floats:
        """Return, by columns, how these skills depend on the scores."""
        return self.inverse.columns(chosen) - self.mean[:, None]


def _centred(columns: Floats) -> Floats:
    return as_floats(columns - columns.mean(0))


def _products(games: Games, scores: Floats) -> SparseMatrix:
    """Return the sums, over games, of the products of two bots' scores."""
    players = range(games.order.shape[1])
    pairs = [(i, j) for i in players for j in players if i <= j]
    one, other = (
        np.concatenate([as_ints(games.order[:, pair[at]]) for pair in pairs]) for at in (0, 1)
    )
    values = np.concatenate([scores[:, i] * scores[:, j] for i, j in pairs])
    return SparseMatrix(games.size, one, other, values)


def _mixed(estimate: _Estimate, share: Floats, floor: Floats) -> tuple[Floats, float]:
    """Mix each bot's own variance between units, with that share, with the field's.

    The latter is the variance between games times a ratio, which is returned, too.
    """
    between_units, between_games = (estimate.by_unit**2).sum(0), estimate.game_variance
    ratio = 1.0
    if share.any():
        weights = np.where(share > 0, estimate.information, 0.0) + TINY
        ratios = between_units / np.maximum(between_games, TINY)
        ratio = float(np.average(ratios, weights=weights))
    variance = share * between_units + (1.0 - share) * ratio * between_games
    return np.maximum(variance, (estimate.least * floor) ** 2), ratio
