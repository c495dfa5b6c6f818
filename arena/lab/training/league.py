"""Leagues of frozen policies in arrays: no processes, the same scores as a real league's."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from arena.lab.training.games import Games
from arena.lab.training.policy import Policy, draw
from arena.lab.training.rivals import Memory, Rival, sample_bots
from arena.lab.training.selfplay import as_actions, some
from arena.lab.training.view import Floats, Numbers, Positions, view


class Score(NamedTuple):
    """How a policy did: the mean share of its rivals that it finished ahead of."""

    share: float
    error: float
    """Half of the 95 % interval."""
    games: int


def frozen(policy: Policy) -> Rival:
    """Return a policy as one that plays at tables."""

    def play(at: Positions, games: Games, rows: Numbers) -> Numbers:
        seen = view(at)
        chances = policy.chances(seen.numbers, seen.legal)
        return as_actions(seen, draw(chances, games.random.random(len(rows))))

    return play


def league(
    players: Mapping[str, Rival], table: Games, least: int, always: str = ""
) -> dict[str, Score]:
    """Play until `least` games ended at a table with seats drawn anew for each, none twice.

    `always` is in each game. Games that run longest count as well: every seat of the table ends as
    many games as all others.
    """
    rivals = list(players.values())
    points: list[list[float]] = [[] for _ in rivals]
    first = [*players].index(always) if always else -1
    table.players[:] = _seats(table, len(table.rows), len(rivals), first)
    quota = np.full(len(table.rows), -(-least // len(table.rows)))
    while quota.any():
        actions = _actions(rivals, table)
        before = table.players.copy()
        shown, over = table.step(actions)
        for rival in rivals:
            if isinstance(rival, Memory):
                rival.learn(before[shown.games], shown)
        game, seat = np.nonzero((shown.places > 0) & (quota[shown.games] > 0)[:, None])
        count = table.players.shape[1]
        for kind, place in zip(
            before[shown.games[game], seat], shown.places[game, seat], strict=True
        ):
            points[kind].append((count - place) / (count - 1))
        ended = np.flatnonzero(over)
        quota[ended] = np.maximum(quota[ended] - 1, 0)
        table.players[ended] = _seats(table, len(ended), len(rivals), first)
    return {name: _score(found) for name, found in zip(players, points, strict=True)}


def duel(policy: Policy, rival: str, games: int, seed: int, variant: str = "bga") -> Score:
    """Return the share of games for two that a policy wins against a sample bot."""
    players = {"policy": frozen(policy), rival: sample_bots(2)[rival]}
    return league(players, Games(min(games, 512), variant, 2, seed=seed), games)["policy"]


def _seats(table: Games, games: int, rivals: int, always: int) -> Numbers:
    """Draw different players for the seats of some games."""
    lots = table.random.random((games, rivals))
    if always >= 0:
        lots[:, always] = -1
    drawn = lots.argsort(1)[:, : table.players.shape[1]]
    return table.random.permuted(drawn, axis=1)


def _actions(rivals: Sequence[Rival], table: Games) -> Numbers:
    at = table.positions(table.rows)
    actions = np.zeros(len(table.rows), np.int64)
    kinds = table.players[table.rows, table.env.seat]
    for kind in np.unique(kinds):
        rows = np.flatnonzero(kinds == kind)
        actions[rows] = rivals[kind](some(at, rows), table, rows)
    return actions


def _score(points: Sequence[float]) -> Score:
    found: Floats = np.array(points or [0.5], np.float32)
    error = 1.96 * float(found.std()) / len(found) ** 0.5
    return Score(float(found.mean()), error, len(points))
