"""The leaderboard of a large field: as `leaderboard.py`, without matrices of all pairs.

It has no points of the past, no gain of shared dice, and no shifts without one bot. Which of two
bots is better is told of those that met, and of the best ones.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from arena.game.records import Division, RatingsInfo
from arena.ratings.board.large_ranks import Field, large_ranks
from arena.ratings.board.leaderboard import (
    anchor_of,
    bounded,
    centred,
    in_order,
    places,
    plain_columns,
    relative_to,
)
from arena.ratings.board.memory import Remember, stops
from arena.ratings.board.ranks import part_of
from arena.ratings.board.trajectory import point_of, usual_pass
from arena.ratings.history import relative
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow
from arena.ratings.maths.arrays import Floats, Ints, as_floats, as_ints
from arena.ratings.maths.connected import parts, reached
from arena.ratings.maths.intervals import UPPER
from arena.ratings.maths.t_distribution import t_quantile
from arena.ratings.model.factors import distinct
from arena.ratings.model.games import Games
from arena.ratings.model.posterior import posterior
from arena.ratings.variance.large_field import LargeCovariance, expected, large_covariance
from arena.ratings.variance.large_luck import LargeLuck, measure_large

PAIRED = 300
"""Of so many of the best bots all pairs are compared, as tables of a site show them."""


class PairTable(Struct, frozen=True):
    """Values of some ordered pairs of bots, in order."""

    one: Ints
    other: Ints
    better: Floats
    ahead: Ints
    games: Ints


class LargeEstimates(NamedTuple):
    """How good the bots of a large field are, and how sure that is."""

    mu: Floats
    sigma: Floats
    luck: LargeLuck | None
    covariance: LargeCovariance
    expected_share: Floats
    parts: Sequence[tuple[str, ...]]

    def field(self, bots: Sequence[str]) -> Field:
        """Return what ranks are made from."""
        of_mu = self.covariance.mu
        return Field(
            values=self.mu,
            degrees_of_freedom=self.covariance.degrees_of_freedom,
            variance=of_mu.variance,
            columns=of_mu.columns,
            part=part_of(bots, self.parts),
        )


class RatedField(NamedTuple):
    """A leaderboard without its pairs, these, and what it was made from."""

    board: Leaderboard
    pairs: PairTable
    estimates: LargeEstimates


def estimate_large(games: Games) -> LargeEstimates:
    """Return how good the bots of a large field are."""
    skills = posterior(distinct(games))
    luck = measure_large(games, skills.mu)
    mu = centred(skills.mu + luck.shift(skills) if luck else skills.mu)
    met = expected(games, centred(skills.mu))
    covariance = large_covariance(games, skills, luck, met)
    field = parts(games.tables())
    return LargeEstimates(mu, covariance.sigma, luck, covariance, met.share, field)


def rate_large(
    division: Division, games: Games, options: RatingsInfo, remember: Remember | None
) -> RatedField:
    """Rate the games of a large field; without `remember` there is no usual pass."""
    estimates = estimate_large(games)
    passed = usual_pass(games, stops(games, [len(games.order)]), remember) if remember else {}
    mus = as_floats([passed[bot].mu if passed else 0.0 for bot in games.bots])
    table = _pairs(games, estimates.mu)
    rows, better = _rows(games, estimates, mus, options, table)
    table = PairTable(table.one, table.other, better, table.ahead, table.games)
    covariance, luck = estimates.covariance, estimates.luck
    board = Leaderboard(
        variant=division.variant,
        players=division.players,
        rows=rows,
        duels={},
        better={},
        blocks=covariance.blocks,
        method=covariance.method,
        dice_gain=None,
        luck_slope=luck.slope if luck else None,
        anchor=options.anchor if options.anchor in games.bots else None,
        parts=estimates.parts,
        history=relative([point_of(games, estimates.mu, estimates.sigma)], options.anchor),
    )
    return RatedField(board, table, estimates)


def _rows(
    games: Games, estimates: LargeEstimates, passed: Floats, options: RatingsInfo, table: PairTable
) -> tuple[list[LeaderboardRow], Floats]:
    mu, sigma, luck, covariance, share, _ = estimates
    anchor, nothing = anchor_of(games, options), np.full(games.size, None)
    above, below = _reached(games)
    half_width = t_quantile(UPPER, covariance.degrees_of_freedom) * _errors(covariance, anchor)
    shown = relative_to(anchor, mu)
    ranks, better = large_ranks(estimates.field(games.bots), table.one, table.other)
    columns = {
        **plain_columns(games, mu, passed, options),
        "sigma": sigma,
        "conservative": shown - 3 * sigma,
        "low": bounded(shown - half_width, above, anchor),
        "high": bounded(shown + half_width, below, anchor),
        **ranks,
        **places(games, share, covariance.place, covariance.degrees_of_freedom),
        "luck": luck.of_bots() if luck else nothing,
        "shift": nothing,
        "shift_without": nothing,
        "sensitive": np.zeros(games.size, np.bool_),
    }
    return in_order(columns), better


def _errors(covariance: LargeCovariance, anchor: int | None) -> Floats:
    """Return the standard errors of mu, or of its differences from the anchor's."""
    variance = covariance.mu.variance
    if anchor is not None:
        with_anchor = covariance.mu.columns(as_ints([anchor]))[:, 0]
        variance = variance + variance[anchor] - 2.0 * with_anchor
    return as_floats(np.sqrt(np.maximum(variance, 0.0)))


def _pairs(games: Games, mu: Floats) -> PairTable:
    """Return the pairs that met, and those of the best bots, without what is known of them yet."""
    size = games.size
    ahead = np.concatenate(
        [as_ints(games.order[:, i]) * size + games.order[:, j] for i, j in games.place_pairs()]
    )
    behind = ahead % size * size + ahead // size
    best = np.argsort(-mu, kind="stable")[:PAIRED].tolist()
    pairs = np.array([*combinations(best, 2)], np.intp).reshape(-1, 2)
    of_best = np.concatenate([pairs @ [size, 1], pairs @ [1, size]])
    keys, first = np.unique(np.concatenate([ahead, behind, of_best]), return_inverse=True)
    won = np.bincount(first[: len(ahead)], minlength=len(keys))
    lost = np.bincount(first[len(ahead) : 2 * len(ahead)], minlength=len(keys))
    one, other = np.divmod(keys, size)
    return PairTable(one, other, np.empty(0), won, won + lost)


def _reached(games: Games) -> tuple[Ints, Ints]:
    """Return how many bots each was ahead of, or of who was, and so on; and how many were of it.

    Each bot counts as above itself (`leaderboard.py` says why it is asked).
    """
    pairs = [np.stack([games.order[:, i], games.order[:, j]], 1) for i, j in games.place_pairs()]
    pairs = np.unique(np.concatenate(pairs), axis=0).tolist()
    ahead: list[list[int]] = [[] for _ in games.bots]
    behind: list[list[int]] = [[] for _ in games.bots]
    for winner, loser in pairs:
        ahead[winner].append(loser)
        behind[loser].append(winner)
    return as_ints(reached(ahead, behind)), as_ints(reached(behind, ahead))
