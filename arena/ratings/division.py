"""The ratings of a division, which are read back if nothing that decides them changed."""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from arena.game.records import Division, FixtureResult, RatingsInfo
from arena.ratings.board.leaderboard import (
    RatedField,
    Solution,
    estimate,
    estimate_large,
    leaderboard,
    past_of,
    rate_large,
    solve,
    without_faults,
)
from arena.ratings.board.memory import Begin, Remember, decided_by, forget, pack, unpack, within
from arena.ratings.board.overall import Places
from arena.ratings.board.pair_matrix import Better, Duels, SparsePairs
from arena.ratings.board.ranks import large_ranks, rank_ranges
from arena.ratings.leaderboard_rows import Duel, Leaderboard
from arena.ratings.maths.arrays import as_ints
from arena.ratings.model.games import Games, as_arrays
from arena.ratings.model.posterior import MANY
from arena.ratings.suspicion import Findings, findings

if TYPE_CHECKING:
    from arena.io.job import Beside

_MANY_GAMES = 10_000
"""Games that are worth processes for their past, and to look for what is suspicious."""


class Rated(NamedTuple):
    """The ratings of a division, and its part in those of the league."""

    board: Leaderboard
    places: Places
    findings: Findings | None
    """None if nothing was tested."""


class _Kept(Struct, array_like=True, frozen=True):
    """The ratings of a division as plain data, without values of pairs.

    Those are kept before it as they are in memory: in JSON they would take many times as much.
    """

    board: Leaderboard
    findings: Findings | None


def rate_division(
    division: Division,
    played: Sequence[FixtureResult],
    options: RatingsInfo,
    remember: Remember,
    begin: Begin | None = None,
    beside: "Beside" = nullcontext,
    *,
    brief: bool = False,
) -> Rated:
    """Rate the games of a division, at least one, or remember their ratings.

    `begin`, `beside` and `brief` are as in `rate_results`.
    """
    games = as_arrays(played)
    return rate_arrays(division, games, options, remember, begin, beside, brief=brief)


def rate_arrays(
    division: Division,
    games: Games,
    options: RatingsInfo,
    remember: Remember = forget,
    begin: Begin | None = None,
    beside: "Beside" = nullcontext,
    *,
    brief: bool = False,
) -> Rated:
    """Rate the games of a division, as `rate_division` does."""
    remember = within(remember, division)

    def make() -> bytes:
        return _rated(division, games, options, None if brief else remember, begin, beside)

    data = remember("ratings", decided_by(games, division, options, brief), make)
    return _unpacked(games.bots, data)


def _rated(
    division: Division,
    games: Games,
    options: RatingsInfo,
    remember: Remember | None,
    begin: Begin | None,
    beside: "Beside",
) -> bytes:
    if games.size > MANY:
        return _pack_large(rate_large(division, games, options, remember))
    beside = beside if len(games.order) >= _MANY_GAMES else nullcontext
    with past_of(games, remember, begin, beside) as past:
        solution = solve(games, beside)
        test = partial(_findings, division, [solution], options.alpha if remember else 0.0)
        with beside(test) as suspicious:
            estimates = estimate(solution)
            board = replace(leaderboard(division, estimates, past(), options), duels={}, better={})
            vary, ahead = estimates.covariance, solution.pairs.ahead.astype(np.int32)
            columns = estimates.better, vary.place, vary.degrees_of_freedom, ahead
            del estimates, vary, solution  # what is suspicious needs a solution of its own
            kept = pack(_Kept(board, suspicious()))
    values = [np.ascontiguousarray(column).data for column in columns]
    return b"".join([*values, kept])


def _findings(division: Division, solved: list[Solution], alpha: float) -> Findings | None:
    """Test a division by its games without faults; None if there are none, or alpha is 0.

    Takes its solution off the list, to let it go: the matrices of two take much memory.
    """
    solution = solved.pop()
    faulted = solution.games.faulted.any(1)
    if alpha <= 0.0 or faulted.all():
        return None
    if faulted.any():
        clean = without_faults(solution)
        del solution
        solution = clean.solved()
    return findings(division, solution, alpha)


def _pack_large(rated: RatedField) -> bytes:
    """Return the ratings of a large field: how many pairs there are, their values, and the rest."""
    table, vary = rated.pairs, rated.estimates.covariance
    count = np.array([len(table.one)])
    pairs = table.one, table.other, table.better, table.ahead, table.games
    columns = count, vary.place, vary.degrees_of_freedom, *pairs
    values = [np.ascontiguousarray(column).data for column in columns]
    return b"".join([*values, pack(_Kept(rated.board, None))])


class _Arrays:
    """Arrays that stand one after another in some data."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def read(self, kind: type[np.generic], *shape: int) -> NDArray[Any]:
        values = np.frombuffer(self._data, kind, prod(shape), self.at).reshape(shape)
        self.at += values.nbytes
        return values


def _unpacked(bots: tuple[str, ...], data: bytes) -> Rated:
    arrays = _Arrays(data)
    if len(bots) > MANY:
        return _unpacked_large(bots, data, arrays)
    square = len(bots), len(bots)
    better, covariance = arrays.read(np.float64, *square), arrays.read(np.float64, *square)
    degrees_of_freedom, ahead = arrays.read(np.float64, len(bots)), arrays.read(np.int32, *square)
    unpacked = unpack(data[arrays.at :], _Kept)
    board = replace(unpacked.board, duels=Duels(bots, ahead), better=Better(bots, better))
    return Rated(board, Places(covariance, degrees_of_freedom), unpacked.findings)


def _unpacked_large(bots: tuple[str, ...], data: bytes, arrays: _Arrays) -> Rated:
    [count] = arrays.read(np.intp, 1).tolist()
    places = Places(arrays.read(np.float64, len(bots)), arrays.read(np.float64, len(bots)))
    one, other = arrays.read(np.intp, count), arrays.read(np.intp, count)
    better, ahead = arrays.read(np.float64, count), arrays.read(np.intp, count)
    games = arrays.read(np.intp, count)
    met = games > 0
    of_met = list(map(Duel, ahead[met].tolist(), games[met].tolist()))
    board = replace(
        unpack(data[arrays.at :], _Kept).board,
        duels=SparsePairs(bots, one[met], other[met], of_met.__getitem__),
        better=SparsePairs(bots, one, other, better.tolist().__getitem__),
    )
    return Rated(board, places, None)


def rank_all(results: Iterable[FixtureResult]) -> tuple[int, dict[str, tuple[int, int]]]:
    """Return how many blocks were played, and the range of each bot's rank, best mu first."""
    games = as_arrays(results)
    if games.size > MANY:
        large = estimate_large(games)
        nobody = as_ints([])
        mu, blocks = large.mu, large.covariance.blocks
        ranges, _ = large_ranks(large.field(games.bots), nobody, nobody)
    else:
        estimates = estimate(solve(games))
        mu, blocks = estimates.mu, estimates.covariance.blocks
        ranges = rank_ranges(estimates.better)
    order = sorted(range(games.size), key=lambda bot: (-mu[bot], games.bots[bot]))
    best, worst = ranges["best"].tolist(), ranges["worst"].tolist()
    return blocks, {games.bots[bot]: (best[bot], worst[bot]) for bot in order}
