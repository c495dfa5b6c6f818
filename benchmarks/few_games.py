"""What leaderboards of a few games say of equal bots: `python -m benchmarks.few_games`.

All bots are equal, so each pair that is told apart, and each bot that may not be first, is wrong.
Prints, by bots, blocks and games of a fixture,

- what the intervals mostly take to vary independently;
- in how many leagues some pair is told apart, and in how many some bot may not be first;
- how often the intervals of mu and of mean places contain the true value.

Each is given twice where games are the unit: by the normal distribution, as it was before, and by
Student's t, as it is. `--players` chooses another table size.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from arena.league.schedule.block_design import blocks
from arena.ratings.board import leaderboard
from arena.ratings.board.leaderboard import Estimates
from arena.ratings.board.ranks import better_probabilities, joint_statement
from arena.ratings.maths.arrays import Floats
from arena.ratings.maths.intervals import UPPER
from arena.ratings.maths.t_distribution import t_quantile
from arena.ratings.model.games import as_arrays
from tests.support.simulated_leagues import Shape, play

BOTS, BLOCKS, GAMES = (3, 4, 6, 8), (1, 2, 3, 7), (2, 4, 10, 40)


class Verdict(NamedTuple):
    """What a leaderboard of equal bots says."""

    wrong_pair: float
    wrong_first: float
    mu: float
    """The share of intervals that contain the true value."""
    place: float


class League(NamedTuple):
    """A league, rated in two ways."""

    unit: str
    before: Verdict
    now: Verdict


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=1000)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--bots", type=int, nargs="*", default=BOTS)
    parser.add_argument("--blocks", type=int, nargs="*", default=BLOCKS)
    parser.add_argument("--games", type=int, nargs="*", default=GAMES)
    options = parser.parse_args()
    print(
        "| bots | blocks | games a fixture | unit | wrong pairs | wrong first | mu | mean place |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for bots, count, games in product(options.bots, options.blocks, options.games):
        shape = Shape(bots, options.players, games)
        played = [league(shape, count, seed) for seed in range(options.leagues)]
        unit, _ = Counter(one.unit for one in played).most_common(1)[0]
        print(f"| {bots} | {count} | {games} | {unit} | {' | '.join(cells(played))} |", flush=True)


def league(shape: Shape, count: int, seed: int) -> League:
    """Play and rate a league of so many blocks."""
    design = blocks(shape.bots, shape.players, count, f"bench/{seed}")
    schedule = [[tuple(table) for table in block] for block in design]
    rng = np.random.default_rng(seed)
    games = as_arrays(play(shape, np.zeros(shape.bots), rng, None, schedule))
    estimates = leaderboard.estimate(leaderboard.solve(games))
    now = verdict(estimates, estimates.covariance.degrees_of_freedom)
    by_games = estimates.covariance.method == "games"
    before = verdict(estimates, np.full(shape.bots, inf)) if by_games else now
    return League(estimates.covariance.method, before, now)


def verdict(estimates: Estimates, df: Floats) -> Verdict:
    """Return what the estimates say with so many degrees of freedom."""
    games, _, met = estimates.solution
    mu, covariance = estimates.mu, estimates.covariance
    nothing = np.zeros((games.size, games.size), np.bool_)
    better = better_probabilities(mu, df, covariance.mu)
    columns = joint_statement(better, mu, df, covariance.mu, nothing).columns
    half_width = t_quantile(UPPER, df) * np.sqrt(covariance.mu.diagonal())
    place = leaderboard.places(games, met.expected_share, covariance.place.diagonal(), df)
    middle = (games.order.shape[1] + 1) / 2
    inside = (place["place_low"] <= middle) & (middle <= place["place_high"])
    return Verdict(
        wrong_pair=float((columns["best"] > 1).any()),
        wrong_first=float(not columns["may_be_first"].all()),
        mu=float((np.abs(mu) <= half_width).mean()),
        place=float(inside.mean()),
    )


def cells(played: list[League]) -> Iterator[str]:
    """Yield both figures of each kind, in per cent, or one if they are equal."""
    before, now = (
        100.0 * np.array(ways).mean(0)
        for ways in ([one.before for one in played], [one.now for one in played])
    )
    for at, (old, new) in enumerate(zip(before.tolist(), now.tolist(), strict=True)):
        error = sqrt(new * (100.0 - new) / len(played))
        shown = f"{new:.1f} ± {error:.1f}" if at < 2 else f"{new:.1f}"
        yield shown if old == new else f"{old:.1f} / {shown}"


if __name__ == "__main__":
    main()
