"""The value of a game by one linear program in sequence form (Koller, Megiddo, von Stengel)."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from tests.exact.game import START, Edge, Game, winners

Plan = dict[tuple[Edge, int], float]
"""How often a seat with hands of one kind says all that leads to an edge, as far as it decides."""


class Solved(NamedTuple):
    """A float solution: the opener's chance to win, and how each seat plays for it."""

    value: float
    plans: tuple[Plan, Plan]


class Matrix:
    """A sparse matrix that is filled entry by entry."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.values: list[float] = []

    def add(self, row: int, column: int, value: float) -> None:
        self.rows.append(row)
        self.columns.append(column)
        self.values.append(value)

    def sized(self, rows: int, columns: int) -> coo_array:
        return coo_array((self.values, (self.rows, self.columns)), shape=(rows, columns))


def solve(game: Game) -> Solved:
    """Maximise the opener's chance to win against a best response.

    Variables: the opener's plan, then one value for each thing the other seat may know. The
    multipliers of the constraints are the other seat's plan.
    """
    spots = [_spots(game, seat) for seat in (0, 1)]
    says = [_sequences(game, seat) for seat in (0, 1)]
    first_value = len(says[0])
    value_of = {spot: first_value + at for at, spot in enumerate(spots[1])}
    width = first_value + len(spots[1])
    equal, right = _plan_rows(game, spots[0], says[0])
    below = _response_rows(game, says, value_of)
    gain = np.zeros(width)
    for (node, kind), at in value_of.items():
        if game.before(node) == START:
            gain[at] = -1.0
    found = linprog(
        gain,
        A_ub=below.sized(len(says[1]), width),
        b_ub=np.zeros(len(says[1])),
        A_eq=equal.sized(len(right), width),
        b_eq=right,
        bounds=[(0, None)] * first_value + [(None, None)] * len(spots[1]),
        method="highs",
    )
    if found.status:
        raise ArithmeticError(found.message)
    mine = {said: float(found.x[at]) for said, at in says[0].items()}
    other = {said: float(-found.ineqlin.marginals[at]) for said, at in says[1].items()}
    return Solved(float(-found.fun), (mine, other))


def _spots(game: Game, seat: int) -> list[tuple[int, int]]:
    """List what a seat may know when it acts: the node and the kind of its own hand."""
    return [
        (at, kind)
        for at, node in enumerate(game.tree.nodes)
        if node.mine == seat
        for kind in range(len(game.kinds[seat]))
    ]


def _sequences(game: Game, seat: int) -> dict[tuple[Edge, int], int]:
    said = [(edge, kind) for node, kind in _spots(game, seat) for edge in game.edges(node)]
    return {key: at for at, key in enumerate(said)}


def _plan_rows(
    game: Game, spots: list[tuple[int, int]], says: dict[tuple[Edge, int], int]
) -> tuple[Matrix, list[float]]:
    """What is said at a spot sums to how often the seat's own words lead there."""
    rows, right = Matrix(), []
    for row, (node, kind) in enumerate(spots):
        for edge in game.edges(node):
            rows.add(row, says[edge, kind], 1.0)
        before = game.before(node)
        if before != START:
            rows.add(row, says[before, kind], -1.0)
        right.append(float(before == START))
    return rows, right


def _response_rows(
    game: Game, says: list[dict[tuple[Edge, int], int]], value_of: dict[tuple[int, int], int]
) -> Matrix:
    """A spot's value is at most what each word brings: doubts settled, and the spots after it."""
    rows = Matrix()
    for (node, kind), value in value_of.items():
        for edge in game.edges(node):
            rows.add(says[1][edge, kind], value, 1.0)
        if (before := game.before(node)) != START:
            rows.add(says[1][before, kind], value, -1.0)
    for edges, kinds, chance in _wins(game):
        rows.add(
            says[1][edges[1], kinds[1]], says[0][edges[0], kinds[0]], -chance
        )
    return rows


def _wins(game: Game) -> Iterator[tuple[tuple[Edge, Edge], tuple[int, int], float]]:
    """Say every doubt and deal that the opener wins: both last words, both kinds, the chance."""
    known: dict[object, list[tuple[tuple[int, int], float]]] = {}
    for at, node in enumerate(game.tree.nodes):
        if node.bid is None:
            continue
        key = node.bid, node.mine
        if key not in known:
            table = winners(game, node.bid, node.mine)
            known[key] = [
                ((a, b), float(mine.weight * other.weight))
                for a, mine in enumerate(game.kinds[0])
                for b, other in enumerate(game.kinds[1])
                if table[a][b]
            ]
        edges = (2 * at, 2 * at + 1) if node.mine else (2 * at + 1, 2 * at)
        for kinds, chance in known[key]:
            yield edges, kinds, chance
