"""How even the blocks of tables are, after any number of them: `python -m benchmarks.designs`.

Prints, for every table size and number of bots, the worst case over all numbers of blocks up to
one pass or `--passes`, and over the seeds: how much more often the most frequent pair of bots met
than the rarest, and how far from the mean any pair was; the first for ordered neighbours; both
after the last block; after how many blocks the field is connected; and the CPU time. Seats are even
after every block by construction.
"""

import argparse
import time
from collections.abc import Iterable, Iterator
from itertools import combinations
from math import gcd

from arena.league.schedule.block_design import TableOfNumbers, blocks

BOTS = [*range(3, 65), 100, 200]


def spreads(
    design: Iterable[list[TableOfNumbers]], bots: int
) -> Iterator[tuple[int, int, float, bool]]:
    """Yield, after each block, the spread of pairs and of neighbours; how far the pair furthest
    from the mean is from it, in meetings; and if all are connected.

    A block holds the translates of its first table, so the differences of bots' numbers tell all.
    """
    pairs, neighbours, divisor = [0] * bots, [0] * bots, bots
    for block in design:
        table = block[0]
        for one, other in combinations(table, 2):
            pairs[other - one] += 1
            pairs[one - other] += 1
            divisor = gcd(divisor, other - one)
        for one, other in zip(table, (*table[1:], table[0]), strict=True):
            neighbours[other - one] += 1
        most, least, mean = max(pairs[1:]), min(pairs[1:]), sum(pairs) / (bots - 1)
        yield (
            most - least,
            max(neighbours[1:]) - min(neighbours[1:]),
            max(most - mean, mean - least),
            divisor == 1,
        )


def main() -> None:
    """Print a line for each design, and the worst of each table size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, nargs="+", default=BOTS)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 5, 6])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--passes", type=int, default=1, help="passes of BOTS-1 blocks")
    options = parser.parse_args()
    for players in options.players:
        lines = [
            _line(bots, players, options.seeds, options.passes * (bots - 1))
            for bots in options.bots
            if bots >= players
        ]
        worst = [max(values) for values in zip(*lines, strict=True)]
        print(f"{players} players, worst: {_text(worst)}", flush=True)


def _line(bots: int, players: int, seeds: int, count: int) -> list[float]:
    found: list[list[float]] = []
    for seed in range(seeds):
        began = time.process_time()
        design = blocks(bots, players, count, f"bench {seed}")
        seconds = time.process_time() - began
        after = list(spreads(design, bots))
        connected = 1 + [whole for *_, whole in after].index(True)
        pairs, neighbours, off = (max(one[at] for one in after) for at in (0, 1, 2))
        found.append([pairs, neighbours, off, after[-1][0], after[-1][1], connected, seconds])
    worst = [max(values) for values in zip(*found, strict=True)]
    print(f"{bots:3} bots, {players} players: {_text(worst)}", flush=True)
    return worst


def _text(values: list[float]) -> str:
    pairs, neighbours, off, last_pairs, last_neighbours, connected, seconds = values
    return (
        f"pairs {pairs:.0f} ({off:.1f} from the mean), neighbours {neighbours:.0f};"
        f" at the end {last_pairs:.0f}, {last_neighbours:.0f};"
        f" connected after {connected:.0f}; {seconds:.2f} s"
    )


if __name__ == "__main__":
    main()
