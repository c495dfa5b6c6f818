"""What luck says of results at tables of two, and what it costs: `python -m benchmarks.luck`.

Sample bots that are written in Python play in this process (`benchmarks/shared/players.py`), and
two that are skewed. Prints

- R², given who plays: the share of the variance of the sample bots' results that luck explains;
- the slope: by how much of a win their results differ for each win of luck;
- the mean luck of each bot, which must be 0 whatever it does, and its standard error;
- the CPU time of luck per game, and that of the walk over the game's events, in games of `odds`.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from arena.game.records import GameRecord
from arena.game.rules.books import VARIANTS, Rules
from arena.game.rules.round import first_standing
from arena.game.walk import walk
from arena.playstats.luck import round_luck, win_chance
from arena.ratings.maths.arrays import Floats, as_floats
from benchmarks.shared.players import NAMES, PROGRAMS, play

REPEATS = 20
"""How often games are walked to time it."""


class Pair(NamedTuple):
    """Games of an ordered pair: whether seat 0 won, and its luck, game by game."""

    won: Floats
    luck: Floats

    def centred(self) -> Floats:
        """Return the results less their mean: what is left is not about who plays."""
        return as_floats(self.won - self.won.mean())


Played = dict[tuple[str, str], Pair]


def measure(records: Sequence[GameRecord], rules: Rules) -> Pair:
    """Return the results of seat 0 and its luck."""
    won = [record.places[0] == 1 for record in records]
    luck = [sum(map(round_luck, walk(record, rules))) for record in records]
    return Pair(as_floats(won), as_floats(luck))


def slope_of(pairs: Sequence[Pair]) -> float:
    """Return by how much results grow with luck, given who plays."""
    both = sum(float(pair.centred() @ pair.luck) for pair in pairs)
    return both / sum(float(pair.luck @ pair.luck) for pair in pairs)


def line(name: str, pairs: Sequence[Pair]) -> str:
    """Return a line of the table of rule books."""
    results = np.concatenate([pair.centred() for pair in pairs])
    luck = np.concatenate([pair.luck for pair in pairs])
    square = float(np.corrcoef(results, luck)[0, 1]) ** 2
    values = f"{square:.2f} | {slope_of(pairs):.2f} | {luck.std():.2f}"
    return f"| {name} | {len(luck):,} | {values} |"


def lucks_by_bot(played: Played) -> Iterator[tuple[str, Floats]]:
    """Yield the luck of each bot, game by game, in games against others."""
    for (first, second), pair in played.items():
        if first != second:
            yield first, pair.luck
            yield second, -pair.luck


def time_of(records: Sequence[GameRecord], rules: Rules, what: Callable[[Any], object]) -> float:
    """Return the least CPU time per game, in microseconds, of doing this with each round."""
    seconds = []
    for _ in range(REPEATS):
        began = time.process_time()
        for record in records:
            for played in walk(record, rules):
                what(played)
        seconds.append(time.process_time() - began)
    return min(seconds) / len(records) * 1e6


def main() -> None:
    """Print a line for each rule book, one for each bot, and one for times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=500, help="per ordered pair and rule book")
    options = parser.parse_args()
    began = time.process_time()
    win_chance(first_standing(VARIANTS["bga"], 2, 0))
    start = time.process_time() - began
    lucks: list[tuple[str, Floats]] = []
    print("| rules | games | R² | slope | sd of luck |\n|---|---|---|---|---|")
    for rules in VARIANTS.values():
        played: Played = {}
        for first, second in product(NAMES, repeat=2):
            seed = f"{rules.name}/{first}/{second}"
            records = list(play(rules, (first, second), seed, options.games))
            played[first, second] = measure(records, rules)
        pairs = [pair for names, pair in played.items() if set(names) <= set(PROGRAMS)]
        print(line(rules.name, pairs), flush=True)
        lucks += lucks_by_bot(played)
    print("\n| bot | games | mean luck | standard error |\n|---|---|---|---|")
    for name in NAMES:
        luck = np.concatenate([found for bot, found in lucks if bot == name])
        print(
            f"| {name} | {len(luck):,} | {luck.mean():+.4f} | {luck.std() / len(luck) ** 0.5:.4f} |"
        )
    rules = VARIANTS["bga"]
    records = list(play(rules, ("odds", "odds"), "time", options.games))
    walked, counted = (time_of(records, rules, what) for what in (bool, round_luck))
    print(f"\n{start:.2f} s at the start; {counted - walked:.0f} µs per game, walk {walked:.0f} µs")


if __name__ == "__main__":
    main()
