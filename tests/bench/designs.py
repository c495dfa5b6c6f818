"""How even the blocks of tables are, and how fast they are made: `python tests/bench/designs.py`.

Prints, for every number of bots and every table size, the largest minus the smallest number of
times that a bot sits in a seat, that two bots meet, and that one bot acts right after another.
"""

import argparse
import time
from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import combinations, permutations, product

from arena.league.block_design import Table, blocks


def spread(counts: Counter[Hashable], possible: Iterable[Hashable]) -> int:
    """Return how much more often the most frequent occurs than the rarest."""
    occurrences = [counts[item] for item in possible]
    return max(occurrences) - min(occurrences)


def unevenness(tables: list[Table], bots: int, players: int) -> tuple[int, int, int]:
    """Return the spread of seats, of pairs and of ordered neighbours."""
    seats: Counter[Hashable] = Counter()
    pairs: Counter[Hashable] = Counter()
    neighbours: Counter[Hashable] = Counter()
    for table in tables:
        seats.update((bot, seat) for seat, bot in enumerate(table))
        pairs.update(combinations(sorted(table), 2))
        neighbours.update(zip(table, (*table[1:], table[0]), strict=True))
    return (
        spread(seats, product(range(bots), range(players))),
        spread(pairs, combinations(range(bots), 2)),
        spread(neighbours, permutations(range(bots), 2)),
    )


def main() -> None:
    """Print a line for each design and the worst of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, nargs=2, default=[5, 64], metavar=("FROM", "TO"))
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 5, 6])
    options = parser.parse_args()
    worst = [0.0] * 4
    for players in options.players:
        for bots in range(max(players, options.bots[0]), options.bots[1] + 1):
            began = time.perf_counter()
            designed = blocks(bots, players, bots - 1, "bench")
            seconds = time.perf_counter() - began
            seats, pairs, neighbours = unevenness([t for b in designed for t in b], bots, players)
            worst = list(map(max, worst, (seats, pairs, neighbours, seconds)))
            print(
                f"{bots:2} bots, {players} players: {seats} {pairs} {neighbours}  {seconds:.2f} s"
            )
    print(
        f"at most: seats {worst[0]:.0f}, pairs {worst[1]:.0f}, neighbours {worst[2]:.0f}; "
        f"{worst[3]:.2f} s"
    )


if __name__ == "__main__":
    main()
