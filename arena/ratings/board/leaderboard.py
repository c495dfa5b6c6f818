"""How a leaderboard is made: ratings, how sure they are, ranks and plain counts.

That of a large field is made without matrices of all pairs. It has no points of the past, no gain
of shared dice, and no shifts without one bot; which of two bots is better is told of those that
met, and of the best ones.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from arena.game.records import Division, RatingsInfo
from arena.io.job import Beside
from arena.ratings.board.memory import Work, stops
from arena.ratings.board.ranks import (
    Field,
    LargeStatement,
    Statement,
    apart,
    better_probabilities,
    joint_statement,
    large_statement,
    part_of,
)
from arena.ratings.board.trajectory import Past, point, point_of, usual_pass
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow, relative
from arena.ratings.maths.arrays import Floats, Ints, as_floats, as_ints, records, transitive
from arena.ratings.maths.connected import parts, reached
from arena.ratings.maths.intervals import UPPER, score_interval
from arena.ratings.maths.t_distribution import t_quantile
from arena.ratings.model.games import Games
from arena.ratings.model.head_to_head import Pairs, beats, elo, pairs
from arena.ratings.model.posterior import Factors, Posterior, Results, distinct, posterior
from arena.ratings.variance import block_variance
from arena.ratings.variance.block_variance import (
    Covariance,
    LargeCovariance,
    expected,
    large_covariance,
)
from arena.ratings.variance.luck import LargeLuck, Luck, measure, measure_large, without_luck
from arena.ratings.variance.sensitivity import shifts

_RARE = 1e-4
"""No bot is expected ahead of its rivals less often than this."""
_TINY = 1e-12
_NEARLY = 1e-5
"""How precise skills must be for suspicions, in mu."""


class Solution(NamedTuple):
    """Estimates of skill from the games of a division."""

    games: Games
    skills: Posterior
    pairs: Pairs


class Estimates(NamedTuple):
    """How good the bots of a division are, and how sure that is."""

    solution: Solution
    luck: Luck | None
    mu: Floats
    """Relative to the mean of the field, without luck if it is known."""
    covariance: Covariance
    better: Floats
    statement: Statement
    parts: Sequence[tuple[str, ...]]


def leaderboard(
    division: Division, estimates: Estimates, past: Past, options: RatingsInfo
) -> Leaderboard:
    """Return the leaderboard of a division, without the values of pairs."""
    games, skills, met = estimates.solution
    luck, covariance = estimates.luck, estimates.covariance
    passed = [past.passed[bot].mu if past.passed else 0.0 for bot in games.bots]
    return Leaderboard(
        variant=division.variant,
        players=division.players,
        rows=_rows(estimates, as_floats(passed), options),
        duels={},
        better={},
        sure={},
        blocks=covariance.blocks,
        method=covariance.method,
        dice_gain=block_variance.dice_gain(games, met),
        luck_slope=luck.slope if luck else None,
        anchor=options.anchor if options.anchor in games.bots else None,
        parts=estimates.parts,
        history=relative([*past.points, point(games, skills, luck)], options.anchor),
    )


def solve(games: Games, beside: Beside = nullcontext) -> Solution:
    """Return how good the bots are by the model alone; half of the work may be done `beside`."""
    skills = posterior(distinct(games), beside=beside)
    return Solution(games, skills, pairs(games, centred(skills.mu)))


def estimate(solution: Solution) -> Estimates:
    """Return how good the bots are, and how sure that is."""
    games, skills, met = solution
    luck = measure(games, skills.mu)
    mu = centred(without_luck(luck, skills))
    covariance = block_variance.covariance(games, skills, met, luck)
    df = covariance.degrees_of_freedom
    better = better_probabilities(mu, df, covariance.mu)
    field = parts(games.tables())
    separate = apart(games.bots, field)
    better[separate] = 0.5
    statement = joint_statement(better, mu, df, covariance.mu, separate)
    return Estimates(solution, luck, mu, covariance, better, statement, field)


class FaultlessGames(NamedTuple):
    """Games in which no bot faulted, to be solved by themselves.

    It holds no matrices of pairs, and no factors of other games: they can be let go before.
    """

    games: Games
    results: Results
    start: Factors
    """The skills to begin with: those of all games."""

    def solved(self) -> Solution:
        """Return what the games say of skills."""
        skills = posterior(self.results, self.start, _NEARLY)
        return Solution(self.games, skills, pairs(self.games, skills.mu))


def without_faults(solution: Solution) -> FaultlessGames:
    """Return the games in which no bot faulted; there must be one."""
    games, skills, _ = solution
    chosen = np.flatnonzero(np.logical_not(games.faulted.any(1)))
    faultless = games.only(chosen)
    results = distinct(faultless)
    start = skills.factors.only(skills.results.of_game[chosen[results.first]])
    return FaultlessGames(faultless, results, start)


def centred(mu: Floats) -> Floats:
    """Return skills relative to the mean of the field."""
    return as_floats(mu - mu.mean())


def _rows(estimates: Estimates, passed: Floats, options: RatingsInfo) -> list[LeaderboardRow]:
    solution, luck, mu, covariance = estimates[:4]
    games, met = solution.games, solution.pairs
    anchor = anchor_of(games, options)
    t = t_quantile(UPPER, covariance.degrees_of_freedom)
    pull = luck.without(met, mu) if luck else met
    half_width = t * _standard_errors(covariance.mu, anchor)
    above = _above(met.ahead)
    shown = relative_to(anchor, mu)
    columns = {
        **plain_columns(games, mu, passed, options),
        "sigma": covariance.sigma,
        "conservative": shown - 3 * covariance.sigma,
        "low": bounded(shown - half_width, above.sum(1), anchor),
        "high": bounded(shown + half_width, above.sum(0), anchor),
        **estimates.statement.columns,
        **places(
            games, met.expected_share, covariance.place.diagonal(), covariance.degrees_of_freedom
        ),
        "luck": luck.of_bots() if luck else np.full(games.size, None),
        **_sensitivity(games.bots, mu, pull, t * _standard_errors(covariance.mu, None)),
    }
    return in_order(columns)


def anchor_of(games: Games, options: RatingsInfo) -> int | None:
    """Return the number of the anchor, if it played."""
    return games.bots.index(options.anchor) if options.anchor in games.bots else None


def plain_columns(
    games: Games, mu: Floats, passed: Floats, options: RatingsInfo
) -> dict[str, NDArray[Any]]:
    """Return the columns of a leaderboard that follow from mu and from counts of games.

    Mu is relative to the mean of the field here; `passed` are those of the usual pass.
    """
    anchor = anchor_of(games, options)
    played = games.played()
    beats_average = beats(mu)
    wins = np.bincount(games.order[:, 0], minlength=games.size)
    return {
        "bot": np.array(games.bots, np.object_),
        "mu": relative_to(anchor, mu),
        "games": played,
        "wins": wins,
        "win_share": wins / played,
        "faults": np.bincount(games.order[games.faulted], minlength=games.size),
        "mu_sequential": relative_to(anchor, centred(passed)),
        "beats_average": beats_average,
        "elo": as_floats([elo(chance) for chance in beats_average.tolist()]),
        "provisional": played < options.provisional,
    }


def in_order(columns: Mapping[str, NDArray[Any]]) -> list[LeaderboardRow]:
    """Return the rows of a leaderboard: by rank, and of equal ranks the best mu first."""
    rows = sorted(
        records(columns), key=lambda row: (row["best"], row["worst"], -row["mu"], row["bot"])
    )
    return [LeaderboardRow(rank=rank, **row) for rank, row in enumerate(rows, 1)]


def _sensitivity(
    bots: Sequence[str], mu: Floats, met: Pairs, half_width: Floats
) -> dict[str, NDArray[Any]]:
    """Return how far each bot would move without one other, by the columns of a leaderboard."""
    if len(bots) < 3:
        nothing = np.full(len(bots), None)
        return {"shift": nothing, "shift_without": nothing, "sensitive": half_width < 0}
    moved = shifts(mu, met)
    without = np.abs(moved).argmax(1)
    shift = moved[np.arange(len(bots)), without]
    return {
        "shift": shift,
        "shift_without": np.array(bots, object)[without],
        "sensitive": np.abs(shift) > half_width,
    }


def relative_to(anchor: int | None, values: Floats) -> Floats:
    """Return values relative to the anchor's, if there is one."""
    return values if anchor is None else values - values[anchor]


def _above(ahead: Floats) -> NDArray[np.bool_]:
    """Tell, for each pair, whether the first was ahead of the second, or of who was, and so on.

    Otherwise nothing in the games says that it is not worse by any amount (Ford, "Solution of a
    ranking problem from binary comparisons", 1957).
    """
    return transitive((ahead > 0) | np.eye(len(ahead), dtype=np.bool_))


def bounded(ends: Floats, above: Ints, anchor: int | None) -> NDArray[np.object_]:
    """Return ends of intervals; None for a bot that was never above half of its rivals.

    `above` are the bots that each was above, itself among them.
    """
    unknown = 2 * (len(above) - above) >= len(above) - 1
    if anchor is not None:
        unknown[anchor] = False
    found = ends.astype(np.object_)
    found[unknown] = None
    return found


def places(
    games: Games, expected_share: Floats, variance: Floats, degrees_of_freedom: Floats
) -> dict[str, Floats]:
    """Return mean places and the ends of their 95 % intervals, by the columns of a leaderboard.

    A place is a share of rivals, so its interval is that of a share: near the ends it is longer on
    the side away from the end, and it never has no length.
    """
    by_place = np.array([np.bincount(row, minlength=games.size) for row in games.order.T])
    players = len(by_place)
    rivals, place = players - 1, np.arange(1, players + 1) @ by_place / by_place.sum(0)
    expected = np.clip(expected_share, _RARE, 1.0 - _RARE)
    trials = expected * (1.0 - expected) / (np.maximum(variance, _TINY) / rivals**2)
    quantile = t_quantile(UPPER, degrees_of_freedom)
    columns = ((players - place) / rivals).tolist(), trials.tolist(), quantile.tolist()
    low, high = zip(*map(score_interval, *columns), strict=True)
    return {
        "mean_place": place,
        "place_low": players - rivals * as_floats(high),
        "place_high": players - rivals * as_floats(low),
    }


def _standard_errors(covariance: Floats, anchor: int | None) -> Floats:
    """Return the standard errors of values, or of their differences from the anchor's."""
    variance = covariance.diagonal()
    if anchor is not None:
        variance = variance + variance[anchor] - 2 * covariance[anchor]
    return np.sqrt(np.maximum(variance, 0.0))


PAIRED = 300
"""How many of the best bots are compared in all pairs, as tables of a site show them."""


class PairTable(Struct, frozen=True):
    """Values of some ordered pairs of bots, in order."""

    one: Ints
    other: Ints
    better: Floats
    sure: Floats
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


def rate_large(division: Division, games: Games, options: RatingsInfo, work: Work) -> RatedField:
    """Rate the games of a large field."""
    estimates = estimate_large(games)
    at = [] if work.brief else stops(games, [len(games.order)])
    passed = usual_pass(games, at, work.remember)
    mus = as_floats([passed[bot].mu if passed else 0.0 for bot in games.bots])
    table = _large_pairs(games, estimates.mu)
    statement = large_statement(estimates.field(games.bots), table.one, table.other)
    table = replace(table, better=statement.better, sure=statement.sure)
    covariance, luck = estimates.covariance, estimates.luck
    board = Leaderboard(
        variant=division.variant,
        players=division.players,
        rows=_large_rows(games, estimates, mus, options, statement),
        duels={},
        better={},
        sure={},
        blocks=covariance.blocks,
        method=covariance.method,
        dice_gain=None,
        luck_slope=luck.slope if luck else None,
        anchor=options.anchor if options.anchor in games.bots else None,
        parts=estimates.parts,
        history=relative([point_of(games, estimates.mu, estimates.sigma)], options.anchor),
    )
    return RatedField(board, table, estimates)


def _large_rows(
    games: Games,
    estimates: LargeEstimates,
    passed: Floats,
    options: RatingsInfo,
    statement: LargeStatement,
) -> list[LeaderboardRow]:
    mu, sigma, luck, covariance, share, _ = estimates
    anchor, nothing = anchor_of(games, options), np.full(games.size, None)
    above, below = _reached(games)
    half_width = t_quantile(UPPER, covariance.degrees_of_freedom) * _errors(covariance, anchor)
    shown = relative_to(anchor, mu)
    columns = {
        **plain_columns(games, mu, passed, options),
        "sigma": sigma,
        "conservative": shown - 3 * sigma,
        "low": bounded(shown - half_width, above, anchor),
        "high": bounded(shown + half_width, below, anchor),
        **statement.columns,
        **places(games, share, covariance.place, covariance.degrees_of_freedom),
        "luck": luck.of_bots() if luck else nothing,
        "shift": nothing,
        "shift_without": nothing,
        "sensitive": np.zeros(games.size, np.bool_),
    }
    return in_order(columns)


def _errors(covariance: LargeCovariance, anchor: int | None) -> Floats:
    """Return the standard errors of mu, or of its differences from the anchor's."""
    variance = covariance.mu.variance
    if anchor is not None:
        with_anchor = covariance.mu.columns(as_ints([anchor]))[:, 0]
        variance = variance + variance[anchor] - 2.0 * with_anchor
    return as_floats(np.sqrt(np.maximum(variance, 0.0)))


def _large_pairs(games: Games, mu: Floats) -> PairTable:
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
    return PairTable(one, other, np.empty(0), np.empty(0), won, won + lost)


def _reached(games: Games) -> tuple[Ints, Ints]:
    """Return, for each bot, how many it is above, and how many are above it, as `_above` has it.

    Each bot counts as above itself.
    """
    pairs = [np.stack([games.order[:, i], games.order[:, j]], 1) for i, j in games.place_pairs()]
    pairs = np.unique(np.concatenate(pairs), axis=0).tolist()
    ahead: list[list[int]] = [[] for _ in games.bots]
    behind: list[list[int]] = [[] for _ in games.bots]
    for winner, loser in pairs:
        ahead[winner].append(loser)
        behind[loser].append(winner)
    return as_ints(reached(ahead, behind)), as_ints(reached(behind, ahead))
