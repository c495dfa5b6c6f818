"""The ratings of a division, which are read back if nothing that decides them changed."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from arena.ratings.by_pair import Better, Duels
from arena.ratings.games import Games, as_arrays
from arena.ratings.leaderboard import rate_games, without_faults
from arena.ratings.memory import Remember, decided_by, pack, unpack, within
from arena.ratings.overall import Places
from arena.ratings.suspicion import Findings, findings
from arena.ratings.table import Leaderboard
from arena.records import Division, FixtureResult, RatingsInfo


class Rated(NamedTuple):
    """What a report says of a division, by itself and together with others."""

    board: Leaderboard
    places: Places
    findings: Findings | None
    """None if nothing was tested."""


class _Kept(Struct, array_like=True, frozen=True):
    """The same as plain data: matrices of bots sorted by name are bytes."""

    board: Leaderboard
    """Without values of pairs."""
    ahead: bytes
    better: bytes
    covariance: bytes
    degrees_of_freedom: bytes
    findings: Findings | None


def rate_division(
    division: Division, played: Sequence[FixtureResult], options: RatingsInfo, remember: Remember
) -> Rated:
    """Rate the games of a division, at least one, or remember their ratings."""
    games = as_arrays(played)
    remember = within(remember, division)

    def make() -> bytes:
        return _rated(division, games, options, remember)

    data = remember("ratings", decided_by(games, division, options), make)
    return _unpacked(games.bots, unpack(data, _Kept))


def _rated(division: Division, games: Games, options: RatingsInfo, remember: Remember) -> bytes:
    board, found = rate_games(division, games, options, remember)
    solution = found.solution
    kept = _Kept(
        board=replace(board, duels={}, better={}),
        ahead=solution.pairs.ahead.astype(np.intp).tobytes(),
        better=found.better.tobytes(),
        covariance=found.covariance.place.tobytes(),
        degrees_of_freedom=found.covariance.degrees_of_freedom.tobytes(),
        findings=None,
    )
    del board, found
    if options.alpha > 0.0 and not games.faulted.any(1).all():
        if games.faulted.any():
            solution = without_faults(solution)
        kept = replace(kept, findings=findings(division, solution, options.alpha))
    return pack(kept)


def _unpacked(bots: tuple[str, ...], kept: _Kept) -> Rated:
    square = len(bots), len(bots)
    ahead = np.frombuffer(kept.ahead, np.intp).reshape(square)
    better = np.frombuffer(kept.better).reshape(square)
    board = replace(kept.board, duels=Duels(bots, ahead), better=Better(bots, better))
    covariance = np.frombuffer(kept.covariance).reshape(square)
    return Rated(board, Places(covariance, np.frombuffer(kept.degrees_of_freedom)), kept.findings)
