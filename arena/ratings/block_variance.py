"""How sure the ratings are: the block bootstrap, worked out instead of drawn.

Games of one block share dice, so whole blocks are what varies independently. Resampling n blocks
with replacement gives an estimate that is linear in its blocks a variance that can be written down:
the sum of the squares of what each block contributes. A contribution is what the block says beyond
what the fit expected of it (its score), so it does not matter that each block has other pairings;
what the fit took out of a block's score by having seen it is put back (Bell and McCaffrey, 2002).
`docs/ratings.md` has the papers and the measured coverage.
"""

from copy import copy
from dataclasses import dataclass
from math import exp, inf, sqrt
from typing import Literal

import numpy as np

from arena.ratings.arrays import Floats, Ints, as_floats
from arena.ratings.findings import DiceGain
from arena.ratings.games import Games
from arena.ratings.thurstone import Fit

_BORROWED = 6.0
"""Degrees of freedom at most that a bot's variance borrows from the rest of the field."""
_FEW = 6.0
"""With fewer degrees of freedom over all bots, blocks say too little to go by."""
_FEW_FOR_GAIN = 50
_LEAST_LEFT = 0.05
"""At least this share of a block's variance counts as left by the fit."""
_MANY = 200
_TINY = 1e-300

Method = Literal["blocks", "games"]


@dataclass(frozen=True)
class Covariance:
    """How far estimates would vary from league to league."""

    mu: Floats
    """Covariance of the skills, relative to the mean of the field."""
    gaps: Floats
    """The same for comparing bots: without what only stretches all differences alike."""
    place: Floats
    """Covariance of the mean finishing places."""
    freedom: Floats
    """Degrees of freedom of each bot's variance; infinite where games were taken as independent."""
    method: Method
    blocks: int


class Scores:
    """What the games say of the bots beyond what was expected."""

    def __init__(self, games: Games, pull: Floats) -> None:
        self._games = games
        self.by_game = np.zeros(games.order.shape)
        players = games.order.shape[1]
        for i in range(players):
            for j in range(i + 1, players):
                pulls = pull[games.order[:, i], games.order[:, j]]
                self.by_game[:, i] += pulls
                self.by_game[:, j] -= pulls

    def sums(self, unit: Ints) -> Floats:
        """Return the scores of each unit (block or fixture) and bot."""
        n, units = self._games.size, int(unit.max()) + 1
        spots = unit[:, None] * n + self._games.order
        found = np.bincount(spots.ravel(), self.by_game.ravel(), minlength=units * n)
        return as_floats(found.reshape(units, n))

    def products(self) -> Floats:
        """Return the sum, over games, of the products of two bots' scores."""
        n, order = self._games.size, self._games.order
        spots = (order[:, :, None] * n + order[:, None, :]).ravel()
        products = (self.by_game[:, :, None] * self.by_game[:, None, :]).ravel()
        return as_floats(np.bincount(spots, products, minlength=n * n).reshape(n, n))

    def within_fixtures(self) -> "Scores":
        """Return the scores about the mean of each fixture: free of who sat where at what table."""
        unit, found = self._games.fixture, copy(self)
        size = np.bincount(unit)[unit][:, None]
        found.by_game = self.by_game - self.sums(unit)[unit[:, None], self._games.order] / size
        return found


class _Variances:
    """Covariances of a linear estimate, by what is taken to vary independently."""

    def __init__(self, games: Games, pull: Floats, towards: Floats, undo: Floats) -> None:
        scores = Scores(games, pull)
        blocks = np.einsum("bij,bj->bi", undo, scores.sums(games.block)) @ towards.T
        self.by_game = towards @ scores.products() @ towards.T
        self.by_block = blocks.T @ blocks

    def moderated(self, share: Floats) -> Floats:
        """Mix a bot's own variance between blocks, which gets that share, with the field's."""
        ratio = np.diag(self.by_block) / np.maximum(np.diag(self.by_game), _TINY)
        pooled = float(ratio[share > 0].mean()) * self.by_game
        mine, others = np.sqrt(share), np.sqrt(1.0 - share)
        both = np.outer(mine, mine) * self.by_block + np.outer(others, others) * pooled
        return as_floats(both)


def freedom_of(games: Games) -> tuple[Floats, float]:
    """Return each bot's own degrees of freedom (its blocks less one), and those of the field."""
    n, blocks = games.size, int(games.block.max()) + 1
    spots = (games.block[:, None] * n + games.order).ravel()
    played = np.bincount(spots, minlength=blocks * n).reshape(blocks, n) > 0
    own = as_floats(played.sum(0) - 1.0)
    return own, float(own.sum()) * (n - 1) / n


def covariance(games: Games, found: Fit, mu: Floats, sigma: Floats) -> Covariance:
    """Return how far the estimates vary; `mu` and `sigma` are TrueSkill's.

    With too few blocks the games are taken as independent, and the method says so. No error is
    below half of what the model makes it: sharing dice was never seen to gain so much.
    """
    own, field = freedom_of(games)
    blocks = int(games.block.max()) + 1
    skill, place = _estimates(games, found)
    places, half = _place_errors(games, found) / 2, sigma / 2
    # What the order of games did to TrueSkill is part of its error.
    strayed = mu - found.mu
    bent = strayed - found.mu * float(strayed @ found.mu) / max(float(found.mu @ found.mu), _TINY)
    order, bend = np.outer(strayed, strayed), np.outer(bent, bent)
    if field < _FEW:
        free = np.full(games.size, inf)
        alone = _floored(skill.by_game, sigma)
        alone_place = _floored(place.by_game, places)
        return Covariance(alone + order, alone + bend, alone_place, free, "games", blocks)
    borrowed = max(0.0, min(_BORROWED, field - float(own.mean())))
    share = own / np.maximum(own + borrowed, 1.0)
    free = _freedom(own, field, share)
    mixed = _floored(skill.moderated(share), half)
    mixed_place = _floored(place.moderated(share), places)
    return Covariance(mixed + order, mixed + bend, mixed_place, free, "blocks", blocks)


def _freedom(own: Floats, field: float, share: Floats) -> Floats:
    """Return the degrees of freedom of the mixture; the field's variance has each bot's in it."""
    return as_floats(1.0 / (share**2 / np.maximum(own, 1.0) + (1.0 - share**2) / field))


def _estimates(games: Games, found: Fit) -> tuple[_Variances, _Variances]:
    n = games.size
    undo = _corrections(games, found)
    centred = (np.eye(n) - 1.0 / n) @ found.inverse
    # Who finishes behind one rival more than expected has a mean place higher by 1 / games.
    surprise = -(1.0 - found.chance)
    per_game = np.diag(1.0 / np.bincount(games.order.ravel(), minlength=n))
    skill = _Variances(games, found.pull, centred, undo)
    return skill, _Variances(games, surprise, per_game, undo)


def _place_errors(games: Games, found: Fit) -> Floats:
    """Return the standard errors of the mean places, if all results were independent."""
    variance = ((found.ahead + found.ahead.T) * found.chance * found.chance.T).sum(1)
    return as_floats(np.sqrt(variance) / np.bincount(games.order.ravel(), minlength=games.size))


def _corrections(games: Games, found: Fit) -> Floats:
    """Return, for each block, what undoes the fit's having been drawn to it.

    With M the block's part of the information, its score lost a share M of its variance: so it is
    multiplied by (1 - M) to the power of -1/2. Among many blocks all parts are small and alike.
    """
    blocks = int(games.block.max()) + 1
    if blocks > _MANY:
        alike = np.eye(games.size) * sqrt(blocks / (blocks - 1.0))
        return np.broadcast_to(alike, (blocks, *alike.shape))
    root = np.linalg.cholesky(np.linalg.inv(found.inverse))
    back = np.linalg.inv(root)
    met = _met_by_block(games)
    weight = met * (found.pull * found.pull.T)
    information = weight.sum(2)[:, :, None] * np.eye(len(back)) - weight
    values, vectors = np.linalg.eigh(back @ information @ back.T)
    factors = 1.0 / np.sqrt(np.maximum(1.0 - values, _LEAST_LEFT))
    turned = (vectors * factors[:, None, :]) @ vectors.transpose(0, 2, 1)
    return as_floats(root @ turned @ back)


def _met_by_block(games: Games) -> Floats:
    """Return, for each block and pair, the games in which they met."""
    n, (_, players) = games.size, games.order.shape
    blocks = int(games.block.max()) + 1
    found = np.zeros(blocks * n * n)
    base = games.block * n * n
    for i in range(players):
        for j in range(i + 1, players):
            spots = base + games.order[:, i] * n + games.order[:, j]
            found += np.bincount(spots, minlength=len(found))
    met = found.reshape(blocks, n, n)
    return met + met.transpose(0, 2, 1)


def _floored(covariance: Floats, least: Floats) -> Floats:
    lacking = np.maximum(least**2 - np.diag(covariance), 0.0)
    return as_floats(covariance + np.diag(lacking))


def dice_gain(games: Games, found: Fit) -> DiceGain | None:
    """Compare how results vary within fixtures with how their sums over shared dice vary.

    Games of one number have the same dice in all fixtures of a block. None where there are too few
    of them to tell.
    """
    shared = np.unique(games.block * (games.game.max() + 1) + games.game, return_inverse=True)[1]
    weight = (games.size - 1) * (int(shared.max()) - int(games.block.max()))
    scores = Scores(games, 1.0 - found.chance).within_fixtures()
    alone, together = float((scores.by_game**2).sum()), float((scores.sums(shared) ** 2).sum())
    if weight < _FEW_FOR_GAIN or together <= 0.0:
        return None
    factor = exp(1.96 * sqrt(2.0 / weight))
    return DiceGain(alone / together, alone / together / factor, alone / together * factor)
