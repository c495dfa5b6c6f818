"""How sure the ratings are: a cluster-robust covariance, with units of games as clusters.

Units are what varies independently (`units.py`): whole blocks, or the games of one number in a
block. The estimates are linear in the units' scores, so what a bootstrap of units would draw can be
computed: the sum of the squares of each unit's contribution. A score is what a unit says beyond
what the ratings expected of it, so it does not matter that each block has other pairings; the part
of a block's variance that the ratings absorbed is put back (Bell and McCaffrey, 2002).
`docs/reference/statistics.md` has the papers, `benchmarks/results/ratings.md` the coverage.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from math import exp, inf, sqrt
from typing import NamedTuple

import numpy as np

from arena.ratings.leaderboard_rows import DiceGain
from arena.ratings.maths.arrays import Floats, Ints, as_floats, as_ints, chunks
from arena.ratings.maths.intervals import Z95
from arena.ratings.model.games import Games
from arena.ratings.model.head_to_head import Pairs
from arena.ratings.model.posterior import Posterior, relative_errors
from arena.ratings.variance.leverage import without_leverage
from arena.ratings.variance.luck import Luck
from arena.ratings.variance.units import Method, Units, units_of

_PRIOR_DF = 6.0
"""The most degrees of freedom that a bot's variance borrows from the field's."""
MIN_DF = 6.0
"""With fewer degrees of freedom over all bots, games count as independent."""
FEW_OPEN = 5.0
"""With fewer open results, counted by p (1 - p), their own scatter tells nothing of an error."""
_MIN_DICE_GAIN_DF = 50
TINY = 1e-300


@dataclass(frozen=True)
class Covariance:
    """How far estimates would vary from league to league."""

    mu: Floats
    """Covariance of the skills, relative to the mean of the field."""
    sigma: Floats
    """The model's own standard errors of the same, for which all games are independent."""
    place: Floats
    """Covariance of the mean finishing places."""
    degrees_of_freedom: Floats
    """Of each bot's variance; infinite if games count as independent."""
    method: Method
    blocks: int


class GameScores:
    """[game, place]: what a bot's place says beyond what was expected."""

    def __init__(self, games: Games, by_game: Floats) -> None:
        self._games = games
        self.by_game = by_game

    @classmethod
    def by_pairs(cls, games: Games, score: Floats) -> "GameScores":
        """Add up the scores of pairs: at a table the one behind loses what the other gets."""
        by_game = np.zeros(games.order.shape)
        for i, j in games.place_pairs():
            scores = score[games.order[:, i], games.order[:, j]]
            by_game[:, i] += scores
            by_game[:, j] -= scores
        return cls(games, by_game)

    def sums(self, cluster: Ints) -> Floats:
        """Return the scores of each cluster of games (block, unit or fixture) and bot."""
        n, clusters, order = self._games.size, int(cluster.max()) + 1, self._games.order
        cells = (cluster[chunk, None] * n + order[chunk] for chunk in chunks(len(order)))
        return self._sums(clusters * n, cells).reshape(clusters, n)

    def products(self) -> Floats:
        """Return the sum, over games, of the products of two bots' scores."""
        n, order = self._games.size, self._games.order
        total = np.zeros(n * n)
        for i, j in product(range(order.shape[1]), repeat=2):
            cells, products = order[:, i] * n + order[:, j], self.by_game[:, i] * self.by_game[:, j]
            total += np.bincount(cells, products, minlength=n * n)
        return total.reshape(n, n)

    def centre(self) -> None:
        """Take off the mean of each bot in each fixture: what is due to the table and seats."""
        seats, played = self._games.seats, np.bincount(self._games.fixture)
        sums = self._sums(seats.size, map(self._seat_cells, chunks(len(self.by_game))))
        for chunk in chunks(len(self.by_game)):
            games = played[self._games.fixture[chunk], None]
            self.by_game[chunk] -= sums[self._seat_cells(chunk)] / games

    def _seat_cells(self, chunk: slice) -> Ints:
        """Return, for each game of a chunk and place, the fixture's seat of that bot."""
        fixture, order = self._games.fixture[chunk], self._games.order[chunk]
        seat = (self._games.seats[fixture][:, None] == order[:, :, None]).argmax(2)
        return as_ints(fixture[:, None] * order.shape[1] + seat)

    def _sums(self, size: int, cells: Iterable[Ints]) -> Floats:
        """Return the scores of so many cells, which are given chunk by chunk."""
        total = np.zeros(size)
        for chunk, part in zip(chunks(len(self.by_game)), cells, strict=True):
            np.add.at(total, part.ravel(), self.by_game[chunk].ravel())
        return total


class Sandwich(NamedTuple):
    """Covariances of a linear estimate with games, or units of them, as clusters.

    They are computed when they are asked for: with many bots each takes megabytes.
    """

    products: Floats
    """The sums, over games, of the products of two bots' scores."""
    scores: Floats
    """[unit, bot]"""
    bread: Floats

    def by_game(self) -> Floats:
        """Return the covariance if all games were independent."""
        return as_floats(self.bread @ self.products @ self.bread.T)

    def by_unit(self) -> Floats:
        """Return the covariance if all units are."""
        units = self.scores @ self.bread.T
        return as_floats(units.T @ units)

    def moderated(self, own: Floats) -> Floats:
        """Mix each bot's own variance between units, with that share, with the field's."""
        pooled, mixed = self.by_game(), self.by_unit()
        ratio = np.diag(mixed) / np.maximum(np.diag(pooled), TINY)
        # The scores of a bot that loses every game say next to nothing, and have one sign.
        weights = np.where(own > 0, np.diag(self.products), 0.0) + TINY
        pooled *= float(np.average(ratio, weights=weights))
        weight, rest = np.sqrt(own), np.sqrt(1.0 - own)
        mixed *= np.outer(weight, weight)
        pooled *= np.outer(rest, rest)
        mixed += pooled
        return mixed


def covariance(games: Games, skills: Posterior, met: Pairs, luck: Luck | None = None) -> Covariance:
    """Return how far the estimates vary, those of mu without luck if it is taken out of them.

    With too few units the games count as independent, and the method says so. No standard error is
    below half of the model's: sharing dice was never seen to gain so much.
    """
    floor = _least_share(met)
    units = units_of(games)
    own, blocks = units.degrees_of_freedom, int(games.block.max()) + 1
    field = float(own.sum()) * (games.size - 1) / games.size
    skill, place = sandwiches(games, skills, met, luck, units)
    sigma, place_error = relative_errors(skills.covariance), _independent_place_errors(games, met)
    if field < MIN_DF:
        df = np.full(games.size, inf)
        of_mu = _at_least(skill.by_game(), sigma)
        of_place = _at_least(place.by_game(), place_error * floor)
        return Covariance(of_mu, sigma, of_place, df, "games", blocks)
    share, df = borrowed_share(own, field)
    of_mu = _at_least(skill.moderated(share), sigma * floor)
    of_place = _at_least(place.moderated(share), place_error * floor)
    return Covariance(of_mu, sigma, of_place, df, units.method, blocks)


def borrowed_share(own: Floats, field: float) -> tuple[Floats, Floats]:
    """Return the shares that bots' own variances have, and the degrees of freedom of the mixtures.

    `own` are those of each bot's own variance, `field` those of the field's.
    """
    borrowed = max(0.0, min(_PRIOR_DF, field - float(own.mean())))
    share = as_floats(own / np.maximum(own + borrowed, 1.0))
    # The field's variance has each bot's in it.
    return share, as_floats(1.0 / (share**2 / np.maximum(own, 1.0) + (1.0 - share**2) / field))


def _least_share(met: Pairs) -> Floats:
    """Return the share of the model's error below which no bot's is: 1 with few open results.

    A bot that nearly always loses wins too rarely to tell how much its results scatter.
    """
    open_results = (met.met * met.probability * met.probability.T).sum(1)
    return as_floats(np.sqrt(np.clip(FEW_OPEN / np.maximum(open_results, TINY), 0.25, 1.0)))


def sandwiches(
    games: Games, skills: Posterior, met: Pairs, luck: Luck | None, units: Units
) -> tuple[Sandwich, Sandwich]:
    """Return what the covariances of the skills and of the mean places are made from."""
    n = games.size
    skill = GameScores(games, luck.residuals(skills) if luck else skills.scores())
    of_skill, skill_by_unit = _sums(skill, units)
    del skill  # scores of a million games and matrices of 1,000 bots are held one at a time
    # Finishing behind one rival more than expected raises the mean place by 1 / games.
    place = GameScores.by_pairs(games, -(1.0 - met.probability))
    of_place, place_by_unit = _sums(place, units)
    del place
    by_unit = np.stack([skill_by_unit, place_by_unit], 1)
    if units.method == "blocks":
        by_unit = without_leverage(games, skills, by_unit)
    for_skill, for_place = by_unit.transpose(1, 0, 2)
    centred = (np.eye(n) - 1.0 / n) @ skills.covariance
    per_game = np.diag(1.0 / games.played())
    return Sandwich(of_skill, for_skill, centred), Sandwich(of_place, for_place, per_game)


def _sums(scores: GameScores, units: Units) -> tuple[Floats, Floats]:
    """Return the sums of the products of scores, and the scores of each unit and bot."""
    if units.method == "dice":
        scores.centre()
        scores.by_game *= units.inflation
    return scores.products(), scores.sums(units.of_game)


def _independent_place_errors(games: Games, met: Pairs) -> Floats:
    """Return the standard errors of the mean places, if all results were independent."""
    variance = (met.met * met.probability * met.probability.T).sum(1)
    return as_floats(np.sqrt(variance) / games.played())


def _at_least(covariance: Floats, error: Floats) -> Floats:
    """Raise variances to those of these standard errors, where they are below; in place."""
    covariance.flat[:: len(covariance) + 1] += np.maximum(error**2 - np.diag(covariance), 0.0)
    return covariance


def dice_gain(games: Games, met: Pairs) -> DiceGain | None:
    """Compare how results vary within fixtures with how their sums over shared dice vary.

    Games of one number have the same dice in all fixtures of a block. None if they are too few.
    """
    dice = np.unique(games.block * (games.game.max() + 1) + games.game, return_inverse=True)[1]
    df = (games.size - 1) * (int(dice.max()) - int(games.block.max()))
    scores = GameScores.by_pairs(games, 1.0 - met.probability)
    scores.centre()
    together = float((scores.sums(dice) ** 2).sum())
    alone = float(np.square(scores.by_game, out=scores.by_game).sum())
    if df < _MIN_DICE_GAIN_DF or together <= 0.0:
        return None
    factor = exp(Z95 * sqrt(2.0 / df))
    return DiceGain(alone / together, alone / together / factor, alone / together * factor)
