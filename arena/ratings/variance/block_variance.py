"""How sure the ratings are: a cluster-robust covariance, with units of games as clusters.

Units are what varies independently: whole blocks, or the games of one number in a block. Games of
one number have the same dice in all fixtures of a block; games of other numbers have dice of their
own. Blocks also differ in who meets whom, which is no chance where whole passes are played: so
there each table's own mean is taken off, and the games of one number are a unit (a cluster: Liang
and Zeger, "Longitudinal data analysis using generalized linear models", 1986).

The estimates are linear in the units' scores, so what a bootstrap of units would draw can be
computed: the sum of the squares of each unit's contribution. A score is what a unit says beyond
what the ratings expected of it, so it does not matter that each block has other pairings; the part
of a block's variance that the ratings absorbed is put back (Bell and McCaffrey, 2002).
`docs/reference/statistics.md` has the papers, `benchmarks/results/ratings.md` the coverage.

For a large field there are no matrices of all pairs. Its units are blocks, of which neighbours are
joined if there are many.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from math import exp, sqrt
from typing import Literal, NamedTuple

import numpy as np

from arena.ratings.leaderboard_rows import DiceGain
from arena.ratings.maths.arrays import Floats, Ints, as_floats, as_ints, chunks
from arena.ratings.maths.intervals import Z95
from arena.ratings.maths.sparse import SparseInverse, SparseMatrix
from arena.ratings.maths.t_distribution import normal_cdf
from arena.ratings.model.games import Games
from arena.ratings.model.head_to_head import Pairs, gap
from arena.ratings.model.posterior import Posterior, relative_errors
from arena.ratings.variance.leverage import without_leverage
from arena.ratings.variance.luck import LargeLuck, Luck

_CLEARLY = 1.645
"""Standard errors above 1 of a ratio that chance exceeds in one of twenty leagues."""

Method = Literal["blocks", "dice", "games"]
"""What intervals take to vary independently: `dice` are the games of one number in a block, and
`games` are all games, if there are too few units."""


class Units(NamedTuple):
    """The units of a division."""

    method: Method
    of_game: Ints
    """The unit of each game, numbered from 0."""
    degrees_of_freedom: Floats
    """The degrees of freedom of each bot's variance."""
    inflation: float
    """What the scores of games, less the mean of their fixture, are multiplied by, for what that
    mean absorbed of them."""


def units_of(games: Games) -> Units:
    """Return the units of a division."""
    blocks = (games.by_block() > 0).sum(0)
    number = _games_of_whole_passes(games)
    if number < 2 or _fixtures_differ(games, number):
        return Units("blocks", games.block, as_floats(blocks - 1.0), 1.0)
    unit = games.block * number + games.game
    return Units("dice", unit, as_floats(blocks * (number - 1.0)), sqrt(number / (number - 1.0)))


def _games_of_whole_passes(games: Games) -> int:
    """Return how many games each fixture has if all are of whole passes at tables of two; or 0."""
    n, number = games.size, int(games.game.max()) + 1
    if games.seats.shape[1] != 2 or (np.bincount(games.fixture) != number).any():
        return 0
    first, second = games.seats.T
    met = np.bincount(first * n + second, minlength=n * n).reshape(n, n)
    passes = met[0, 1]
    return number if passes and (met == passes * (1 - np.eye(n))).all() else 0


def _fixtures_differ(games: Games, number: int) -> bool:
    """Tell whether fixtures of the same two bots differ by more than their games explain.

    They do if bots learn within a fixture, by chance more or less: the games of one fixture are
    then alike. What the first seat gives on average is taken off.
    """
    first, second = games.seats.T
    pair = np.minimum(first, second) * games.size + np.maximum(first, second)
    pair = np.unique(pair, return_inverse=True)[1]
    fixtures, met = len(pair), np.bincount(pair)
    freedom = fixtures - len(met) - 1
    if freedom < 1:
        return False
    won = games.order[:, 0] == first[games.fixture]
    share = np.bincount(games.fixture, won) / number
    within = number * float((share * (1.0 - share)).sum()) / (fixtures * (number - 1))
    gain = share - share.mean()
    of_lower = np.where(first < second, gain, -gain)
    apart = of_lower - (np.bincount(pair, of_lower) / met)[pair]
    between = number * float((apart**2).sum()) / freedom
    return between > within * (1.0 + _CLEARLY * sqrt(2.0 / freedom))


_PRIOR_DF = 6.0
"""The most degrees of freedom that a bot's variance borrows from the field's."""
MIN_DF = 6.0
"""Games count as independent if all bots together have fewer degrees of freedom."""
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
    """The degrees of freedom of each bot's variance."""
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
        n, order = self._games.size, self._games.order
        clusters = int(cluster.max()) + 1
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
    """[unit, bot]: the sums over the games of each unit."""
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
        df = np.full(games.size, _residual_df(games))
        of_mu = _at_least(skill.by_game(), sigma)
        of_place = _at_least(place.by_game(), place_error * floor)
        return Covariance(of_mu, sigma, of_place, df, "games", blocks)
    share, df = borrowed_share(own, field)
    of_mu = _at_least(skill.moderated(share), sigma * floor)
    of_place = _at_least(place.moderated(share), place_error * floor)
    return Covariance(of_mu, sigma, of_place, df, units.method, blocks)


_LEAST_DF = 3.0
"""If games hardly outnumber bots nothing is told apart; fewer would make intervals endless."""


def _residual_df(games: Games) -> float:
    """Return the degrees of freedom that games leave if each is independent.

    The skills take one for each bot but one. By the normal distribution, four equal bots with four
    games each were told apart in 16 % of leagues (`benchmarks/few_games.py`).
    """
    return max(_LEAST_DF, len(games.order) - games.size + 1.0)


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


_MOST_UNITS = 250
"""Units of a large field at most: neighbouring blocks are joined if there are more."""
_AT_ONCE = 128
"""Columns of a covariance that are in memory at a time."""


class Expected(NamedTuple):
    """The results that the skills predict for the games of each bot."""

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
    """The covariance of the skills, relative to the mean of the field."""
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
    blocks = int(games.block.max()) + 1
    unit = as_ints(games.block * _MOST_UNITS // blocks if blocks > _MOST_UNITS else games.block)
    units_and_bots = np.unique(unit[:, None] * games.size + games.order)
    own = as_floats(np.bincount(units_and_bots % games.size, minlength=games.size) - 1.0)
    field = float(own.sum()) * (games.size - 1) / games.size
    by_units = unit if field >= MIN_DF else None
    skill, place, bread = _estimates(games, skills, luck, met, by_units)
    floor = np.sqrt(np.clip(FEW_OPEN / np.maximum(met.open_results, TINY), 0.25, 1.0))
    share = np.zeros(games.size)
    df = np.full(games.size, _residual_df(games))
    of_mu = np.ones(games.size)
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
    """The mean of each row of the inverse."""
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
