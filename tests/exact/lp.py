"""The value of a game by one linear program in sequence form (Koller, Megiddo, von Stengel).

A realization plan gives each of a seat's sequences a weight: the probability of all its actions,
as far as the seat decides. The weights of the actions of an information set sum to the weight of
the sequence before it (to 1 if that is empty): E x = e for the opener, F y = f for the other seat.
The opener wins with probability x'Ay. Against a plan x the other seat's best response leaves the
opener max f'v, where F'v <= A'x: v has a value for each information set of the other seat.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, hstack

from tests.exact.game import START, Game, Sequence, before, edges, info_sets, wins


class Solved(NamedTuple):
    """A float solution: the opener's probability to win, and an optimal plan of each seat."""

    value: float
    plans: tuple[dict[Sequence, float], dict[Sequence, float]]


def solve(game: Game) -> Solved:
    """Maximise the opener's probability to win against a best response: over x and v at once.

    The multipliers of F'v <= A'x are the other seat's plan. Raises ArithmeticError if the
    solver finds no solution.
    """
    says = (sequences(game, 0), sequences(game, 1))
    flow = (flow_matrix(game, 0, says[0]), flow_matrix(game, 1, says[1]))
    starts = (initial_info_sets(game, 0), initial_info_sets(game, 1))
    won = ((says[1][theirs], says[0][mine], -float(p)) for mine, theirs, p in wins(game))
    solution = linprog(
        np.concatenate([np.zeros(len(says[0])), -starts[1]]),
        A_ub=hstack([matrix(won, len(says[1]), len(says[0])), flow[1].T]),
        b_ub=np.zeros(len(says[1])),
        A_eq=hstack([flow[0], coo_array((len(starts[0]), len(starts[1])))]),
        b_eq=starts[0],
        bounds=[(0, None)] * len(says[0]) + [(None, None)] * len(starts[1]),
        method="highs-ds",
    )
    if solution.status:
        raise ArithmeticError(solution.message)
    mine = {said: float(solution.x[at]) for said, at in says[0].items()}
    theirs = {said: float(-solution.ineqlin.marginals[at]) for said, at in says[1].items()}
    return Solved(float(-solution.fun), (mine, theirs))


def sequences(game: Game, seat: int) -> dict[Sequence, int]:
    """Number the sequences of a seat."""
    said = [(edge, kind) for node, kind in info_sets(game, seat) for edge in edges(game, node)]
    return {sequence: at for at, sequence in enumerate(said)}


def initial_info_sets(game: Game, seat: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the vector e (or f): 1 for the information sets of a seat's first action."""
    return np.array([float(before(game, node) == START) for node, _ in info_sets(game, seat)])


def flow_matrix(game: Game, seat: int, says: dict[Sequence, int]) -> coo_array:
    """Return the matrix E (or F): the actions of a set minus the sequence before it."""
    cells = []
    for row, (node, kind) in enumerate(info_sets(game, seat)):
        cells += [(row, says[edge, kind], 1.0) for edge in edges(game, node)]
        if before(game, node) != START:
            cells.append((row, says[before(game, node), kind], -1.0))
    return matrix(cells, len(info_sets(game, seat)), len(says))


def matrix(cells: Iterable[tuple[int, int, float]], height: int, width: int) -> coo_array:
    """Build a sparse matrix from (row, column, value)."""
    rows, columns, values = zip(*cells, strict=True)
    return coo_array((values, (rows, columns)), shape=(height, width))
