"""Who sits where: blocks of tables that favour nobody.

A block has as many tables as there are bots, and in it every bot sits in every seat once. Over the
blocks, pairs and ordered neighbours (who acts right after whom, round the table) meet as equally
often as can be; the neighbour matters far more than the seat.
"""

import random
from collections.abc import Iterator
from math import exp

from arena.league.finite_field import FiniteField, prime_power

Table = tuple[int, ...]
"""Bots by number, seat 0 first."""

_STEPS = 40_000
"""Moves of the search; it ends earlier where everything is even."""
_HOT, _COLD = 2.0, 0.2
"""The temperatures that it cools from and to, in squared meetings."""
_NEIGHBOUR = 2
"""How much more an uneven number of neighbours weighs than one of pairs."""


def blocks(bots: int, players: int, count: int, seed: str) -> list[list[Table]]:
    """Return `count` blocks of tables for bots 0 .. bots-1; a function of its arguments alone.

    At two-player tables, and where the number of bots is a prime power, bots-1 blocks hold every
    ordered pair of bots in every ordered pair of seats equally often: exactly once.
    """
    draw = random.Random(seed)
    found: list[list[Table]] = []
    while len(found) < count:
        found += _round(bots, players, min(count - len(found), bots - 1), draw)
    return found


def _round(bots: int, players: int, count: int, draw: random.Random) -> list[list[Table]]:
    """Return up to bots-1 blocks by the construction that fits."""
    if players == 2:
        steps = draw.sample(range(1, bots), count)
        return [_translates((0, step), bots) for step in steps]
    if prime_power(bots):
        return list(_affine(bots, players, count, draw))
    return [_translates(base, bots) for base in search(bots, players, count, draw)]


def joining_blocks(bots: int, players: int, count: int, seed: str) -> list[list[Table]]:
    """Return `count` blocks in which bot number `bots`, a newcomer, meets all of 0 .. bots-1.

    A block has `bots` tables, and the newcomer sits at all of them, in the same seat; the others
    sit in each other seat once. Over the blocks it changes seats. Needs players-1 bots.
    """
    others: list[list[Table]] = [[(bot,) for bot in range(bots)]] * count
    if players > 2:
        others = blocks(bots, players - 1, count, seed)
    first = random.Random(seed).randrange(players)
    return [
        [_seated(table, bots, (first + number) % players) for table in block]
        for number, block in enumerate(others)
    ]


def _seated(others: Table, bot: int, seat: int) -> Table:
    return (*others[:seat], bot, *others[seat:])


def _translates(base: Table, bots: int) -> list[Table]:
    return [tuple([(place + step) % bots for place in base]) for step in range(bots)]


def _affine(bots: int, players: int, count: int, draw: random.Random) -> Iterator[list[Table]]:
    """Yield the images of one table under x -> ax + b over GF(q): a block for each a."""
    field = FiniteField(bots)
    points = draw.sample(range(bots), players)
    for a in draw.sample(range(1, bots), count):
        scaled = [field.multiply(a, point) for point in points]
        yield [tuple([field.add(place, b) for place in scaled]) for b in range(bots)]


def search(bots: int, players: int, count: int, draw: random.Random) -> list[Table]:
    """Return base tables whose translates meet as equally as a local search gets them.

    Two bots meet by the difference of their places alone, so it is enough to even out how often
    each difference occurs, between neighbours and between any two.
    """
    state = _Differences([draw.sample(range(bots), players) for _ in range(count)], bots)
    for step in range(_STEPS):
        if state.cost <= state.least:
            break
        heat = _HOT * (_COLD / _HOT) ** (step / _STEPS)
        table, seat = int(draw.random() * count), int(draw.random() * players)
        before, place = state.cost, int(draw.random() * bots)
        kept = state.move(table, seat, place)
        worse = state.cost - before
        if worse > 0 and draw.random() >= exp(-worse / heat):
            state.move(table, seat, kept)
    return [tuple(table) for table in state.tables]


class _Differences:
    """Base tables with how often each difference of places occurs in them.

    `cost` is the weighted sum of squares of the counts, `least` what it is where all are even. A
    difference and its opposite are one for a pair; half the circle is its own opposite, and its
    translates meet it twice.
    """

    def __init__(self, tables: list[list[int]], bots: int) -> None:
        self.tables = tables
        self.cost = 0
        self._bots = bots
        self._neighbours = [0] * bots
        self._pairs = [0] * bots
        seats = len(tables) * len(tables[0])
        self.least = _NEIGHBOUR * _even_squares(seats, bots - 1)
        self.least += _even_squares(seats * (len(tables[0]) - 1), bots - 1)
        for table in tables:
            self._count(table, 1)

    def move(self, table: int, seat: int, place: int) -> int:
        """Put another bot into a seat, in exchange where it sits at the table; returns who left."""
        seated = self.tables[table]
        self._count(seated, -1)
        left = seated[seat]
        if place in seated:
            seated[seated.index(place)] = left
        seated[seat] = place
        self._count(seated, 1)
        return left

    def _count(self, table: list[int], sign: int) -> None:
        """Add or take away a table's differences; (n ± 1)^2 = n^2 ± 2n + 1."""
        bots, neighbours, pairs = self._bots, self._neighbours, self._pairs
        cost, before = 0, table[-1]
        for seat, place in enumerate(table):
            step = (place - before) % bots
            cost += _NEIGHBOUR * (2 * sign * neighbours[step] + 1)
            neighbours[step] += sign
            before = place
            for other in table[seat + 1 :]:
                step = (other - place) % bots
                for way in (step, bots - step):
                    cost += 2 * sign * pairs[way] + 1
                    pairs[way] += sign
        self.cost += cost


def _even_squares(total: int, classes: int) -> int:
    """Return the least sum of squares of whole numbers that add up to `total`."""
    low, more = divmod(total, classes)
    return more * (low + 1) ** 2 + (classes - more) * low**2
