"""The ratings of a division, taken from a cache if nothing that decides them changed."""

from collections.abc import Iterable
from contextlib import nullcontext
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple, replace
from numpy.typing import NDArray

from arena.game.records import Division, FixtureResult, RatingsInfo
from arena.ratings.board.leaderboard import (
    PairTable,
    Solution,
    estimate,
    estimate_large,
    leaderboard,
    rate_large,
    solve,
    without_faults,
)
from arena.ratings.board.memory import Work, decided_by, pack, unpack
from arena.ratings.board.overall import Places
from arena.ratings.board.pair_matrix import Duels, PairMatrix, SparsePairs
from arena.ratings.board.ranks import large_statement
from arena.ratings.board.trajectory import past_of
from arena.ratings.leaderboard_rows import Duel, Leaderboard
from arena.ratings.maths.arrays import Floats, as_ints
from arena.ratings.model.games import Games, as_arrays
from arena.ratings.model.posterior import MANY
from arena.ratings.suspicion import Findings, findings

_ALONE = Work()
_MANY_GAMES = 10_000
"""A division with fewer games is rated in this process alone."""


class Rated(NamedTuple):
    """The ratings of a division, and its part in those of the league."""

    board: Leaderboard
    places: Places
    findings: Findings | None
    """None if nothing was tested."""


class _Kept(Struct, array_like=True, frozen=True):
    """The ratings of a division as plain data, without values of pairs."""

    board: Leaderboard
    findings: Findings | None


class _PairMatrices(NamedTuple):
    """Values of all ordered pairs of bots."""

    better: Floats
    sure: Floats
    ahead: NDArray[np.int32]


class _Made(NamedTuple):
    """The ratings of a division; values of pairs are apart, which in JSON would take much room."""

    kept: _Kept
    places: Places
    pairs: _PairMatrices | PairTable
    """The table is that of a large field."""


def rate_division(
    division: Division, games: Games, options: RatingsInfo, work: Work = _ALONE
) -> Rated:
    """Rate the games of a division, at least one, or take their ratings from the cache."""
    work = work.within(division)
    make = partial(_make, division, games, options, work)
    if work.remember is None:
        return _rated(games.bots, make())
    key = decided_by(games, division, options, work.brief)
    data = work.remember("ratings", key, lambda: _packed(make()))
    return _rated(games.bots, _unpacked(len(games.bots), data))


def _make(division: Division, games: Games, options: RatingsInfo, work: Work) -> _Made:
    if games.size > MANY:
        rated = rate_large(division, games, options, work)
        covariance = rated.estimates.covariance
        places = Places(covariance.place, covariance.degrees_of_freedom)
        return _Made(_Kept(rated.board, None), places, rated.pairs)
    if len(games.order) < _MANY_GAMES:
        work = work._replace(beside=nullcontext)
    with past_of(games, work) as past:
        solution = solve(games, work.beside)
        alpha = 0.0 if work.brief else options.alpha
        with work.beside(partial(_findings, division, _Handed(solution), alpha)) as suspicious:
            estimates = estimate(solution)
            board = leaderboard(division, estimates, past(), options)
            places = Places(estimates.covariance.place, estimates.covariance.degrees_of_freedom)
            ahead = solution.pairs.ahead.astype(np.int32)
            pairs = _PairMatrices(estimates.better, estimates.statement.sure, ahead)
            del estimates, solution  # what is suspicious may need as much memory again
            return _Made(_Kept(board, suspicious()), places, pairs)


class _Handed:
    """A solution that whoever takes it holds alone: the matrices of two take much memory."""

    def __init__(self, solution: Solution) -> None:
        self._solutions = [solution]

    def take(self) -> Solution:
        return self._solutions.pop()


def _findings(division: Division, handed: _Handed, alpha: float) -> Findings | None:
    """Test a division; None if there is no game without faults, or alpha is 0."""
    solution = handed.take()
    faulted = solution.games.faulted.any(1)
    if alpha <= 0.0 or faulted.all():
        return None
    if faulted.any():
        faultless = without_faults(solution)
        del solution
        solution = faultless.solved()
    return findings(division, solution, alpha)


def _rated(bots: tuple[str, ...], made: _Made) -> Rated:
    """Return ratings with the values of their pairs."""
    board, pairs = made.kept.board, made.pairs
    if isinstance(pairs, _PairMatrices):
        board = replace(
            board,
            duels=Duels(bots, pairs.ahead),
            better=PairMatrix(bots, pairs.better),
            sure=PairMatrix(bots, pairs.sure),
        )
    else:
        met = pairs.games > 0
        duels = list(map(Duel, pairs.ahead[met].tolist(), pairs.games[met].tolist()))
        board = replace(
            board,
            duels=SparsePairs(bots, pairs.one[met], pairs.other[met], duels.__getitem__),
            better=SparsePairs(bots, pairs.one, pairs.other, pairs.better.tolist().__getitem__),
            sure=SparsePairs(bots, pairs.one, pairs.other, pairs.sure.tolist().__getitem__),
        )
    return Rated(board, made.places, made.kept.findings)


def _packed(made: _Made) -> bytes:
    """Return ratings as bytes: arrays as they are in memory, then the rest."""
    covariance, degrees_of_freedom = made.places
    pairs = made.pairs
    if isinstance(pairs, _PairMatrices):
        arrays = [pairs.better, pairs.sure, covariance, degrees_of_freedom, pairs.ahead]
    else:
        count = np.array([len(pairs.one)])
        arrays = [count, covariance, degrees_of_freedom, *astuple(pairs)]
    values = [np.ascontiguousarray(array).data for array in arrays]
    return b"".join([*values, pack(made.kept)])


def _unpacked(bots: int, data: bytes) -> _Made:
    """Return ratings that were packed."""
    arrays = _Arrays(data)
    pairs: _PairMatrices | PairTable
    if bots > MANY:
        [count] = arrays.read(np.intp, 1).tolist()
        places = Places(arrays.read(np.float64, bots), arrays.read(np.float64, bots))
        pairs = PairTable(
            one=arrays.read(np.intp, count),
            other=arrays.read(np.intp, count),
            better=arrays.read(np.float64, count),
            sure=arrays.read(np.float64, count),
            ahead=arrays.read(np.intp, count),
            games=arrays.read(np.intp, count),
        )
    else:
        better, sure = (arrays.read(np.float64, bots, bots) for _ in range(2))
        places = Places(arrays.read(np.float64, bots, bots), arrays.read(np.float64, bots))
        pairs = _PairMatrices(better, sure, arrays.read(np.int32, bots, bots))
    return _Made(unpack(data[arrays.at :], _Kept), places, pairs)


class _Arrays:
    """Arrays that stand one after another in some data."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0
        """Where the next one begins."""

    def read(self, kind: type[np.generic], *shape: int) -> NDArray[Any]:
        values = np.frombuffer(self._data, kind, prod(shape), self.at).reshape(shape)
        self.at += values.nbytes
        return values


def rank_all(results: Iterable[FixtureResult]) -> tuple[int, dict[str, tuple[int, int]]]:
    """Return how many blocks were played, and the range of each bot's rank, best mu first."""
    games = as_arrays(results)
    if games.size > MANY:
        large = estimate_large(games)
        nobody = as_ints([])
        mu, blocks = large.mu, large.covariance.blocks
        ranges = large_statement(large.field(games.bots), nobody, nobody).columns
    else:
        estimates = estimate(solve(games))
        mu, blocks = estimates.mu, estimates.covariance.blocks
        ranges = estimates.statement.columns
    order = sorted(range(games.size), key=lambda bot: (-mu[bot], games.bots[bot]))
    best, worst = ranges["best"].tolist(), ranges["worst"].tolist()
    return blocks, {games.bots[bot]: (best[bot], worst[bot]) for bot in order}
