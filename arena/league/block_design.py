"""Block designs: who sits where, so that no bot is favoured.

In a block every bot sits in every seat once. Over the blocks, pairs and ordered neighbours (who
acts right after whom) meet as evenly as possible; the neighbour matters far more than the seat.
"""

import random
from collections.abc import Iterator
from math import exp

from arena.league.finite_field import FiniteField, prime_power

Table = tuple[int, ...]
"""Bots by number, seat 0 first."""

_STEPS = 40_000
"""Moves of the search at most; it ends when everything is even."""
_HOT, _COLD = 2.0, 0.2
"""The first and the last temperature of the annealing, in squared meetings."""
_NEIGHBOUR_WEIGHT = 2
"""How much more uneven neighbours cost than uneven pairs."""


def blocks(bots: int, players: int, count: int, seed: str) -> list[list[Table]]:
    """Return `count` blocks of tables for bots 0 .. bots-1; a function of the arguments alone.

    At tables for two, and if the number of bots is a prime power, bots-1 blocks hold every ordered
    pair of bots in every ordered pair of seats exactly once.
    """
    draw = random.Random(seed)
    design: list[list[Table]] = []
    while len(design) < count:
        design += _pass(bots, players, min(count - len(design), bots - 1), draw)
    return design


def _pass(bots: int, players: int, count: int, draw: random.Random) -> list[list[Table]]:
    """Return up to bots-1 blocks, by the best construction for these numbers."""
    if players == 2:
        steps = draw.sample(range(1, bots), count)
        return [_translates((0, step), bots) for step in steps]
    if prime_power(bots):
        return list(_affine(bots, players, count, draw))
    return [_translates(base, bots) for base in search(bots, players, count, draw)]


def joining_blocks(bots: int, players: int, count: int, seed: str) -> list[list[Table]]:
    """Return `count` blocks in which bot number `bots`, a newcomer, meets all of 0 .. bots-1.

    A block has `bots` tables, and the newcomer has the same seat at all of them; the others have
    each other seat once. It changes seats from block to block. Needs players-1 bots.
    """
    others: list[list[Table]] = [[(bot,) for bot in range(bots)]] * count
    if players > 2:
        others = blocks(bots, players - 1, count, seed)
    first = random.Random(seed).randrange(players)
    joined: list[list[Table]] = []
    for number, block in enumerate(others, first):
        seat = number % players
        joined.append([(*table[:seat], bots, *table[seat:]) for table in block])
    return joined


def _translates(base: Table, bots: int) -> list[Table]:
    return [tuple([(bot + step) % bots for bot in base]) for step in range(bots)]


def _affine(bots: int, players: int, count: int, draw: random.Random) -> Iterator[list[Table]]:
    """Yield the images of one table under x -> ax + b over GF(q): a block for each a."""
    field = FiniteField(bots)
    points = draw.sample(range(bots), players)
    for a in draw.sample(range(1, bots), count):
        scaled = [field.multiply(a, point) for point in points]
        yield [tuple([field.add(point, b) for point in scaled]) for b in range(bots)]


def search(bots: int, players: int, count: int, draw: random.Random) -> list[Table]:
    """Return base tables whose translates meet as evenly as simulated annealing gets them.

    How often two bots meet depends only on the difference of their numbers, so it is enough to even
    out how often each difference occurs, between neighbours and between any two.
    """
    state = _Differences([draw.sample(range(bots), players) for _ in range(count)], bots)
    for step in range(_STEPS):
        if state.cost <= state.least:
            break
        temperature = _HOT * (_COLD / _HOT) ** (step / _STEPS)
        table, seat = int(draw.random() * count), int(draw.random() * players)
        cost, bot = state.cost, int(draw.random() * bots)
        replaced = state.move(table, seat, bot)
        worse = state.cost - cost
        if worse > 0 and draw.random() >= exp(-worse / temperature):
            state.move(table, seat, replaced)
    return [tuple(table) for table in state.tables]


class _Differences:
    """Base tables, and how often each difference of bots' numbers occurs in them.

    `cost` is the weighted sum of the squared counts, `least` its value if all are even. For pairs,
    a difference counts together with its opposite; half of the number of bots is its own opposite,
    and counts twice.
    """

    def __init__(self, tables: list[list[int]], bots: int) -> None:
        self.tables = tables
        self.cost = 0
        self._bots = bots
        self._neighbours = [0] * bots
        self._pairs = [0] * bots
        seats = len(tables) * len(tables[0])
        self.least = _NEIGHBOUR_WEIGHT * _even_squares(seats, bots - 1)
        self.least += _even_squares(seats * (len(tables[0]) - 1), bots - 1)
        for table in tables:
            self._count(table, 1)

    def move(self, table: int, seat: int, bot: int) -> int:
        """Put a bot into a seat, by an exchange if it sits at the table; returns who sat there."""
        seated = self.tables[table]
        self._count(seated, -1)
        replaced = seated[seat]
        if bot in seated:
            seated[seated.index(bot)] = replaced
        seated[seat] = bot
        self._count(seated, 1)
        return replaced

    def _count(self, table: list[int], sign: int) -> None:
        """Add or remove a table's differences; (n ± 1)^2 = n^2 ± 2n + 1."""
        bots, neighbours, pairs = self._bots, self._neighbours, self._pairs
        cost, before = 0, table[-1]
        for seat, bot in enumerate(table):
            step = (bot - before) % bots
            cost += _NEIGHBOUR_WEIGHT * (2 * sign * neighbours[step] + 1)
            neighbours[step] += sign
            before = bot
            for other in table[seat + 1 :]:
                step = (other - bot) % bots
                for difference in (step, bots - step):
                    cost += 2 * sign * pairs[difference] + 1
                    pairs[difference] += sign
        self.cost += cost


def _even_squares(total: int, classes: int) -> int:
    """Return the least sum of squares of `classes` whole numbers that add up to `total`."""
    low, more = divmod(total, classes)
    return more * (low + 1) ** 2 + (classes - more) * low**2
