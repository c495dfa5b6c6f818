"""How often `until: separated` is wrong, and how soon it stops: `python -m benchmarks.sequential`.

Fields of simulated bots play block after block of the arena's own designs. A game is a race of
exponential clocks, so that equal bots are truly tied. After every block the league's own rule
looks at the leaderboard. If two bots are tied, stopping at all is an error; if none are, stopping
in another order than the true one is.
"""

import argparse
import random
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from arena.league.schedule.block_design import blocks
from arena.ratings.sequential import Block, TableMeans, adjusted_means, ranking, separated


class Field(NamedTuple):
    """A field of bots with their strengths: a bot wins in proportion to its own."""

    name: str
    strengths: Sequence[float]
    players: int
    games: int


class Outcome(NamedTuple):
    """The result of one league: the blocks it played, and whether it stopped before its budget."""

    played: int
    stopped: bool
    wrong: bool


FIELDS = (
    Field("2 equal, 1 game a fixture", [1, 1], 2, 1),
    Field("2 equal, 10 games", [1, 1], 2, 10),
    Field("3 equal", [1] * 3, 2, 5),
    Field("4 equal", [1] * 4, 2, 5),
    Field("4, two neighbours tied", [27, 9, 9, 3], 2, 10),
    Field("5, three tied among distinct", [27, 3, 3, 3, 1 / 3], 2, 10),
    Field("6, two pairs tied", [81, 81, 9, 9, 1, 1 / 9], 2, 10),
    Field("5 at 4 seats, two tied", [81, 27, 9, 9, 3], 4, 2),
    Field("6 at 6 seats, two tied", [81, 27, 9, 9, 3, 1], 6, 2),
    Field("2 at 55 %", [1.22, 1], 2, 10),
    Field("4 distinct, each 60 % of the next", [1.5**n for n in range(4)], 2, 10),
    Field("8 distinct, each 60 % of the next", [1.5**n for n in range(8)], 2, 10),
    Field("8 distinct at 4 seats", [1.5**n for n in range(8)], 4, 5),
)


def results(field: Field, budget: int, draw: random.Random) -> list[Block]:
    """Play blocks of a field; a bot's name is its number."""
    bots, played = len(field.strengths), list[Block]()
    while len(played) < budget:
        names = draw.sample(range(bots), bots)
        for block in blocks(bots, field.players, bots - 1, str(draw.random())):
            played.append([table(field, [names[n] for n in seats], draw) for seats in block])
    return played[:budget]


def table(field: Field, seats: Sequence[int], draw: random.Random) -> TableMeans:
    """Play the games of a fixture."""
    places = dict.fromkeys(seats, 0)
    for _ in range(field.games):
        race = sorted((draw.expovariate(field.strengths[bot]), bot) for bot in seats)
        for place, (_, bot) in enumerate(race, 1):
            places[bot] += place
    means = [total / field.games for total in places.values()]
    return TableMeans(tuple(map(str, seats)), tuple(means))


def league(field: Field, budget: int, confidence: float, draw: random.Random) -> Outcome:
    """Play a league until it stops."""
    bots = len(field.strengths)
    played = results(field, budget, draw)
    for count in range(1, budget + 1):
        if separated(played[:count], bots, confidence):
            order = [field.strengths[int(bot)] for bot in ranking(adjusted_means(played[:count]))]
            wrong = any(ahead <= behind for ahead, behind in pairwise(order))
            return Outcome(count, stopped=True, wrong=wrong)
    return Outcome(budget, stopped=False, wrong=False)


def main() -> None:
    """Print a line for each field."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=500)
    parser.add_argument("--blocks", type=int, default=60)
    parser.add_argument("--confidence", type=float, default=0.95)
    options = parser.parse_args()
    print("| field | wrong | stopped | blocks played |\n|---|---|---|---|")
    for field in FIELDS:
        draw = random.Random(field.name)
        leagues = [
            league(field, options.blocks, options.confidence, draw) for _ in range(options.leagues)
        ]
        wrong, stopped, played = (
            sum(one.wrong for one in leagues) / len(leagues),
            sum(one.stopped for one in leagues) / len(leagues),
            sum(one.played for one in leagues) / len(leagues),
        )
        print(f"| {field.name} | {wrong:.1%} | {stopped:.0%} | {played:.0f} |", flush=True)


if __name__ == "__main__":
    main()
