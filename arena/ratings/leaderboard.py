"""How a leaderboard is made: ratings, how sure they are, and plain counts."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from arena.ratings import block_variance as blocks
from arena.ratings import thurstone
from arena.ratings.arrays import Floats, Ints, as_floats, lines
from arena.ratings.block_variance import Covariance
from arena.ratings.games import Games, as_arrays
from arena.ratings.history import relative, snapshots
from arena.ratings.ranks import chances, rank_ranges
from arena.ratings.t_distribution import t_quantile
from arena.ratings.table import Duel, Leaderboard, PlayedGames, Row
from arena.ratings.thurstone import Fit
from arena.records import GameResult, RatingsInfo

CONFIDENT = 0.975
"""An interval of 95 % leaves out as much at either end."""


class Rated(NamedTuple):
    """A leaderboard with what it was made from."""

    board: Leaderboard
    games: Games
    fit: Fit
    spread: Covariance


class _Estimates(NamedTuple):
    """What is estimated of the bots, in the order of their names."""

    mu: Floats
    """TrueSkill's, about the mean of the field."""
    sigma: Floats
    batch: Floats
    """The order-free fit's figure for mu."""
    better: Floats
    """[i, j]: the probability that i is better than j."""
    spread: Covariance


class _Tally(NamedTuple):
    """Plain counts of games, for each bot."""

    players: int
    games: Ints
    wins: Ints
    places: Ints
    """The sum of its finishing places."""
    faults: Ints


def rate(
    variant: str,
    players: int,
    results: Iterable[PlayedGames[GameResult]],
    options: RatingsInfo | None = None,
) -> Rated:
    """Rate at least one game of one variant and table size, given in any order."""
    options = options or RatingsInfo()
    games = as_arrays(results)
    course = snapshots(games.orders())
    skill = course[-1].skill
    found = thurstone.fit(thurstone.count_ahead(games))
    mean = sum(rating.mu for rating in skill.values()) / len(skill)
    mu = as_floats([skill[bot].mu - mean for bot in games.bots])
    sigma = as_floats([skill[bot].sigma for bot in games.bots])
    spread = blocks.covariance(games, found, mu, sigma)
    better = chances(mu, spread.freedom, spread.gaps)
    board = Leaderboard(
        variant=variant,
        players=players,
        rows=_rows(
            games.bots,
            _Estimates(mu, sigma, found.mu, better, spread),
            _count(games),
            options,
        ),
        duels=_duels(games.bots, found.ahead),
        better=_by_pair(games.bots, better),
        blocks=spread.blocks,
        method=spread.method,
        dice_gain=blocks.dice_gain(games, found),
        anchor=options.anchor if options.anchor in games.bots else None,
        history=relative(course, options.anchor),
    )
    return Rated(board, games, found, spread)


def _rows(
    bots: Sequence[str], estimates: _Estimates, tally: _Tally, options: RatingsInfo
) -> list[Row]:
    """Return the lines of a leaderboard, best mu first."""
    anchor = bots.index(options.anchor) if options.anchor in bots else None
    spread, mu = estimates.spread, _against(estimates.mu, anchor)
    t = t_quantile(CONFIDENT, spread.freedom)
    half, place = t * _errors(spread.mu, anchor), tally.places / tally.games
    place_half = t * _errors(spread.place, None)
    best, worst = rank_ranges(estimates.better)
    columns = {
        "mu": mu,
        "sigma": estimates.sigma,
        "low": mu - half,
        "high": mu + half,
        "best": best,
        "worst": worst,
        "games": tally.games,
        "wins": tally.wins,
        "mean_place": place,
        "place_low": np.maximum(place - place_half, 1.0),
        "place_high": np.minimum(place + place_half, tally.players),
        "faults": tally.faults,
        "batch_mu": _against(estimates.batch, anchor),
        "provisional": tally.games < options.provisional,
    }
    rows = [Row(bot, **line) for bot, line in zip(bots, lines(columns), strict=True)]
    return sorted(rows, key=lambda row: (-row.mu, row.bot))


def _against(values: Floats, anchor: int | None) -> Floats:
    return values if anchor is None else values - values[anchor]


def _errors(covariance: Floats, anchor: int | None) -> Floats:
    """Return the standard errors of values, or of their differences from the anchor's."""
    variance = covariance.diagonal()
    if anchor is not None:
        variance = variance + variance[anchor] - 2 * covariance[anchor]
    return np.sqrt(np.maximum(variance, 0.0))


def _count(games: Games) -> _Tally:
    players = games.order.shape[1]
    by_place = np.array([np.bincount(row, minlength=games.size) for row in games.order.T])
    return _Tally(
        players=players,
        games=by_place.sum(0),
        wins=by_place[0],
        places=np.arange(1, players + 1) @ by_place,
        faults=np.bincount(games.faulted, minlength=games.size),
    )


def _duels(bots: Sequence[str], ahead: Floats) -> dict[tuple[str, str], Duel]:
    won, met = ahead.astype(int).tolist(), (ahead + ahead.T).astype(int).tolist()
    return {
        (bot, rival): Duel(won[i][j], met[i][j])
        for i, bot in enumerate(bots)
        for j, rival in enumerate(bots)
        if met[i][j]
    }


def _by_pair(bots: Sequence[str], values: Floats) -> dict[tuple[str, str], float]:
    """Return what a matrix holds for each ordered pair of two."""
    return {
        (bot, rival): value
        for bot, row in zip(bots, values.tolist(), strict=True)
        for rival, value in zip(bots, row, strict=True)
        if bot != rival
    }
