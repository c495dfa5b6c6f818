"""The ratings of a division, which are read back if nothing that decides them changed."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from arena.game.records import Division, FixtureResult, RatingsInfo
from arena.ratings.board.leaderboard import rate_games, without_faults
from arena.ratings.board.memory import Begin, Remember, decided_by, pack, unpack, within
from arena.ratings.board.overall import Places
from arena.ratings.board.pair_matrix import Better, Duels
from arena.ratings.leaderboard_rows import Leaderboard
from arena.ratings.model.games import Games, as_arrays
from arena.ratings.suspicion.suspicion import Findings, findings


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
    *,
    brief: bool = False,
) -> Rated:
    """Rate the games of a division, at least one, or remember their ratings.

    `begin` and `brief` are as in `rate_results`.
    """
    games = as_arrays(played)
    remember = within(remember, division)

    def make() -> bytes:
        return _rated(division, games, options, None if brief else remember, begin)

    data = remember("ratings", decided_by(games, division, options, brief), make)
    return _unpacked(games.bots, data)


def _rated(
    division: Division,
    games: Games,
    options: RatingsInfo,
    remember: Remember | None,
    begin: Begin | None,
) -> bytes:
    board, estimates = rate_games(division, games, options, remember, begin)
    board = replace(board, duels={}, better={})
    solution, vary = estimates.solution, estimates.covariance
    ahead = solution.pairs.ahead.astype(np.int32)
    columns = estimates.better, vary.place, vary.degrees_of_freedom, ahead
    del estimates, vary
    suspicious = None
    if remember and options.alpha > 0.0 and not games.faulted.any(1).all():
        if games.faulted.any():
            clean = without_faults(solution)
            del solution  # the matrices of two are not in memory at a time
            solution = clean.solved()
        suspicious = findings(division, solution, options.alpha)
    values = [np.ascontiguousarray(column).data for column in columns]
    return b"".join([*values, pack(_Kept(board, suspicious))])


def _unpacked(bots: tuple[str, ...], data: bytes) -> Rated:
    square, at = (len(bots), len(bots)), 0

    def array(kind: type[np.generic], *shape: int) -> NDArray[Any]:
        nonlocal at
        values = np.frombuffer(data, kind, prod(shape), at).reshape(shape)
        at += values.nbytes
        return values

    better, covariance = array(np.float64, *square), array(np.float64, *square)
    degrees_of_freedom, ahead = array(np.float64, len(bots)), array(np.int32, *square)
    unpacked = unpack(data[at:], _Kept)
    board = replace(unpacked.board, duels=Duels(bots, ahead), better=Better(bots, better))
    return Rated(board, Places(covariance, degrees_of_freedom), unpacked.findings)
