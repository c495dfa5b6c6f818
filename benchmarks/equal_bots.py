"""Ranges of ranks of equal bots: `python -m benchmarks.equal_bots`.

All bots are equal, so a range that leaves out any rank is wrong. Prints, for short and longer
leagues, the share of bots with such a range, and the share of leagues in which some bot has such a
range: at most 5 %.
"""

import argparse
from typing import NamedTuple

import numpy as np

from arena.league.schedule.block_design import blocks
from tests.support.ratings import rated_board
from tests.support.simulated_leagues import Shape, play


class League(NamedTuple):
    """A league to be simulated."""

    bots: int
    players: int
    blocks: int
    games: int
    """Per fixture."""


LEAGUES = [
    League(6, 2, 5, 1),
    League(8, 2, 7, 1),
    League(20, 2, 8, 1),
    League(40, 2, 15, 1),
    League(8, 4, 3, 1),
    League(12, 3, 3, 1),
    League(30, 2, 29, 1),
    League(60, 2, 20, 1),
]


def main() -> None:
    """Print a line for each kind of league."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| bots | players | games per bot | bots | leagues |")
    print("|---|---|---|---|---|")
    for league in LEAGUES:
        print(_line(league, options.leagues, np.random.default_rng(options.seed)), flush=True)


def _line(league: League, count: int, rng: np.random.Generator) -> str:
    bots, players = league.bots, league.players
    shape = Shape(bots, players, league.games)
    ranges = wrong = 0
    for number in range(count):
        schedule = blocks(bots, players, league.blocks, f"bench/{number}")
        rows = rated_board("bga", players, play(shape, np.zeros(bots), rng, schedule=schedule)).rows
        short = sum((row.best, row.worst) != (1, bots) for row in rows)
        ranges += short
        wrong += short > 0
    per_bot = league.blocks * players * league.games
    shares = [ranges / bots, float(wrong)]
    cells = [bots, players, per_bot, *(f"{100 * one / count:.1f}" for one in shares)]
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
