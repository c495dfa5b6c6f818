"""Block designs: the seats at each table, so that no bot is favoured after few blocks either.

In a block every bot sits in every seat once. After any number of blocks, pairs and ordered
neighbours (who acts right after whom) have met as evenly as possible, and the field is connected as
soon as it can be. The neighbour matters far more than the seat.

A block consists of the translates of one base table modulo the number of bots (a cyclic design:
John and Williams, "Cyclic and Computer Generated Designs", 1995). So how often two bots meet
depends only on the difference of their numbers, and it is enough to even out how often each
difference occurs, between neighbours and between any two.

Two bots of one author are kept apart by exchanges between the tables of a block. Exchanged bots sit
in the same seat as before, at another table: so each bot sits in each seat as often as it did.
"""

import random
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from math import cos, inf, tau

TableOfNumbers = tuple[int, ...]
"""Bots by number, seat 0 first."""

_MAX_SPREAD = 2
"""How much more often the most frequent pair may have met than the rarest, if it can be helped."""
_TRIES, _MAX_TRIES = 6, 60
"""Base tables tried for a block: at least, and while pairs are less even or bots not connected."""
_SHORTLIST = 4
"""Bots whose cost in a seat is computed exactly."""
_GROWTH = 4
"""How many times as much a meeting costs as the meeting before it."""
_TINY = 1e-9
_MAX_EXCESS = 16
"""Meetings more than the rarest pair's that still raise the cost."""


def blocks(bots: int, players: int, count: int, seed: str) -> list[list[TableOfNumbers]]:
    """Return the first `count` blocks of a design."""
    design = Design(bots, players, seed)
    return [design.block(number) for number in range(count)]


class Design:
    """Blocks of tables for bots 0 .. bots-1, without end; a function of the arguments alone.

    At tables for two, every bots-1 blocks hold every ordered pair of bots once.
    """

    def __init__(self, bots: int, players: int, seed: str) -> None:
        self._bots = bots
        self._bases = _base_tables(bots, players, random.Random(seed))
        self._found: list[TableOfNumbers] = []

    def block(self, number: int) -> list[TableOfNumbers]:
        """Return a block by its number, from 0; it is found when it is first asked for."""
        while len(self._found) <= number:
            self._found.append(next(self._bases))
        return _translates(self._found[number], self._bots)


def joining_blocks(bots: int, players: int, count: int, seed: str) -> list[list[TableOfNumbers]]:
    """Return `count` blocks in which bot number `bots`, a newcomer, meets all of 0 .. bots-1.

    The newcomer changes seats from block to block (`joining_block`). Needs players-1 bots.
    """
    others: list[list[TableOfNumbers]] = [[(bot,) for bot in range(bots)]] * count
    if players > 2:
        others = blocks(bots, players - 1, count, seed)
    first = random.Random(seed).randrange(players)
    return [joining_block(block, number % players) for number, block in enumerate(others, first)]


def joining_block(others: Sequence[TableOfNumbers], seat: int) -> list[TableOfNumbers]:
    """Return a block of bots 0 .. n-1 with a seat more at each table, for bot number n.

    The newcomer has the same seat at all of them; the others have each other seat once.
    """
    return [(*table[:seat], len(others), *table[seat:]) for table in others]


def _translates(base: Sequence[int], bots: int) -> list[TableOfNumbers]:
    return [tuple([(bot + step) % bots for bot in base]) for step in range(bots)]


def _base_tables(bots: int, players: int, draw: random.Random) -> Iterator[TableOfNumbers]:
    """Yield base tables without end, each the best of several to follow those before it."""
    meetings = _Meetings(bots, players)
    while True:
        tries = []
        for count in range(1, _MAX_TRIES + 1):
            table = _improve((0, *draw.sample(range(1, bots), players - 1)), meetings, draw)
            tries.append((meetings.cost(table), meetings.uncertainty(table), table))
            if count >= _TRIES and meetings.allow(min(tries)[2]):
                break
        base = min(tries)[2]
        meetings.add(base)
        yield base


def _improve(table: TableOfNumbers, meetings: "_Meetings", draw: random.Random) -> TableOfNumbers:
    """Replace and exchange bots, seat by seat, until that makes a table no cheaper."""
    cost = meetings.cost(table)
    seat = unchanged = 0
    while unchanged < len(table) - 1:
        seat = seat % (len(table) - 1) + 1
        unchanged += 1
        first = int(draw.random() * meetings.bots)
        for bot in meetings.shortlist(table, seat, first):
            other = _seated(table, seat, bot)
            if (other_cost := meetings.cost(other)) < cost:
                table = other
                cost = other_cost
                unchanged = 0
    return table


def _seated(table: TableOfNumbers, seat: int, bot: int) -> TableOfNumbers:
    """Return a table with a bot in a seat, by an exchange if it sits at the table already."""
    seated = list(table)
    if bot in table:
        seated[table.index(bot)] = table[seat]
    seated[seat] = bot
    return tuple(seated)


class _Meetings:
    """How often each difference of bots' numbers has occurred, and what more meetings cost.

    `cost` grows so fast with the number of meetings that a frequent pair meets again only if there
    is no other way. A difference of half the number of bots is its own opposite: such bots meet
    twice in a block.
    """

    def __init__(self, bots: int, players: int) -> None:
        self.bots = bots
        # At a table for two, everyone is everyone's neighbour: the order of the seats remains.
        self._ring = players > 2
        self._pairs = [0] * bots
        self._neighbours = [0] * bots
        self._waves = [1.0 - cos(tau * step / bots) for step in range(bots)]
        self._information = [0.0] * (bots // 2)
        self._set_prices()

    def add(self, table: TableOfNumbers) -> None:
        """Count the meetings at a table and its translates."""
        self._information = self._information_with(table)
        for step in _pair_steps(table):
            self._pairs[step] += 1
            self._pairs[-step] += 1
        for step in self._neighbour_steps(table):
            self._neighbours[step] += 1
        self._set_prices()

    def _set_prices(self) -> None:
        """Set what one more meeting costs: 2, 8, 32 ... above the rarest; opposites share it."""
        self._neighbour_prices = _prices(self._neighbours)
        self._pair_prices = _prices(self._pairs)
        half = self.bots // 2
        if self.bots % 2 == 0 and self._pair_prices[half] > 2:
            self._pair_prices[half] = self._pair_prices[half] * (1 + _GROWTH) // 2

    def cost(self, table: TableOfNumbers) -> int:
        """Return the cost of the meetings at a table and its translates."""
        pairs, neighbours = self._pair_prices.copy(), self._neighbour_prices.copy()
        return _pay_pairs(pairs, table) + _pay(neighbours, self._neighbour_steps(table))

    def shortlist(self, table: TableOfNumbers, seat: int, first: int) -> list[int]:
        """Return the bots that may be cheapest in a seat; of equal ones those from `first` on."""
        path = [*table[seat + 1 :], *table[:seat]]
        pairs, neighbours = self._pair_prices.copy(), self._neighbour_prices.copy()
        _pay_pairs(pairs, path)
        _pay(neighbours, [after - bot for bot, after in pairwise(path)])
        columns = [_seen_from(pairs, other) for other in path]
        columns.append(_seen_from(neighbours, path[-1]))
        if self._ring:
            columns.append(_seen_from(neighbours[:1] + neighbours[:0:-1], path[0]))
        costs = list(map(sum, zip(*columns, strict=True)))
        bots = [bot for bot in [*range(first, self.bots), *range(first)] if bot not in path]
        return [*sorted(bots, key=costs.__getitem__)[:_SHORTLIST], *set(path) - {0}]

    def uncertainty(self, table: TableOfNumbers) -> float:
        """Return the mean variance of a difference of two bots' strengths, in some unit.

        It is infinite as long as the field is not connected. Once all pairs have met, it is all the
        same, and 0.
        """
        if min(self._pairs[1:]):
            return 0.0
        information = self._information_with(table)
        if min(information) < _TINY:
            return inf
        # Rounded, so that it is the same on every machine.
        return round(sum(1.0 / eigenvalue for eigenvalue in information), 6)

    def allow(self, table: TableOfNumbers) -> bool:
        """Return whether after a table the field is connected, and pairs are even enough."""
        pairs = self._pairs.copy()
        for step in _pair_steps(table):
            pairs[step] += 1
            pairs[-step] += 1
        even = max(pairs[1:]) - min(pairs[1:]) <= _MAX_SPREAD
        return even and self.uncertainty(table) < inf

    def _information_with(self, table: TableOfNumbers) -> list[float]:
        """Return the information, after a table, on each wave of strengths over bots' numbers.

        These are the eigenvalues of the Laplace matrix of the meetings.
        """
        steps = _pair_steps(table)
        waves = self._waves
        bots = self.bots
        return [
            known + sum([waves[wave * step % bots] for step in steps])
            for wave, known in enumerate(self._information, 1)
        ]

    def _neighbour_steps(self, table: TableOfNumbers) -> list[int]:
        steps = [after - bot for bot, after in pairwise(table)]
        return [*steps, table[0] - table[-1]] if self._ring else steps


def _seen_from(prices: Sequence[int], other: int) -> Sequence[int]:
    """Return what a meeting with another bot costs each bot, given the prices of differences."""
    return [*prices[len(prices) - other :], *prices[: len(prices) - other]]


def _pair_steps(table: Sequence[int]) -> list[int]:
    """Return the differences of bots at a table; a negative one is an index, too."""
    return [other - bot for bot, other in combinations(table, 2)]


def _prices(counts: Sequence[int]) -> list[int]:
    least = min(counts[1:])
    return [2 * _GROWTH ** min(count - least, _MAX_EXCESS) for count in [least, *counts[1:]]]


def _pay(prices: list[int], steps: Iterable[int]) -> int:
    """Return the cost of meetings, one after another; raises the prices."""
    total = 0
    for step in steps:
        total += prices[step]
        prices[step] *= _GROWTH
    return total


def _pay_pairs(prices: list[int], table: Sequence[int]) -> int:
    total = 0
    for step in _pair_steps(table):
        total += prices[step]
        prices[step] *= _GROWTH
        prices[-step] *= _GROWTH
    return total


Seats = tuple[str, ...]
"""Bot names, seat 0 first."""
Owners = Mapping[str, Hashable]
"""The owner of each bot."""
_ORDERS = 8
"""Orders of the exchanges that are tried while some bots are not kept apart."""


def kept_apart(block: Sequence[Seats], owners: Owners, seed: str) -> list[Seats]:
    """Return a block without two bots of one owner at a table, a function of the arguments alone.

    That is impossible if an owner has more bots than there are tables: then a few tries find an
    order in which few of them meet.
    """
    best = list(block)
    draw = random.Random(seed)
    least = _meetings(best, owners)
    # An owner's bots beyond one for each table must meet.
    seats = Counter(owners[bot] for table in block for bot in table)
    unavoidable = sum(max(0, count - len(block)) for count in seats.values())
    for _ in range(_ORDERS):
        if least == unavoidable:
            break
        tables = _exchanged(block, owners, draw)
        if (meetings := _meetings(tables, owners)) < least:
            best, least = tables, meetings
    return best


def _meetings(block: Sequence[Seats], owners: Owners) -> int:
    return sum(len(table) - len({owners[bot] for bot in table}) for table in block)


def _exchanged(block: Sequence[Seats], owners: Owners, draw: random.Random) -> list[Seats]:
    """Fill the tables seat by seat with the bots that were to sit in that seat."""
    present: list[set[Hashable]] = [set() for _ in block]
    seats = list[list[str]]()
    for bots in zip(*block, strict=True):
        seats.append(_assigned(bots, owners, present, draw))
        for table, bot in zip(present, seats[-1], strict=True):
            table.add(owners[bot])
    return list(zip(*seats, strict=True))


def _assigned(
    bots: Sequence[str], owners: Owners, present: Sequence[set[Hashable]], draw: random.Random
) -> list[str]:
    """Return one bot for each table, its own if it can stay there."""
    tables = range(len(bots))
    allowed = [[owners[bot] not in table for table in present] for bot in bots]
    at = {bot: bot for bot in tables if allowed[bot][bot]}
    moving = [bot for bot in tables if bot not in at]
    left = [bot for bot in moving if not _place(bot, allowed, at, draw.sample(tables, len(bots)))]
    free = set(tables).difference(at)
    for bot in sorted(left, key=lambda bot: bot not in free):
        at[bot if bot in free else min(free)] = bot
        free.difference_update(at)
    return [bots[at[table]] for table in tables]


def _place(
    bot: int, allowed: Sequence[Sequence[bool]], at: dict[int, int], order: Sequence[int]
) -> bool:
    """Find a table for a bot by moving as few others as possible; returns whether there is one.

    This is a shortest augmenting path, by breadth-first search.
    """
    queue = deque[tuple[int, int | None]]([(bot, None)])
    reached: dict[int, tuple[int, int | None]] = {}
    while queue:
        mover, source = queue.popleft()
        for table in order:
            if table in reached or not allowed[mover][table]:
                continue
            reached[table] = mover, source
            if table in at:
                queue.append((at[table], table))
                continue
            step: int | None = table
            while step is not None:
                at[step], step = reached[step]
            return True
    return False
