"""How close ratings are to the exact posterior of their model: `python -m benchmarks.posterior`.

Simulates small leagues and prints, in standard deviations of the exact posterior and for the bot
that is worst: how far the mean is off by the arena's solution and by TrueSkill's usual pass, and
how far the usual pass moves if the games are shuffled; last, the mean ratio of the standard
deviations.

The exact posterior is found by importance sampling from a distribution around the solution. The
probability of a finishing order is integrated numerically, place by place from the last.
"""

import argparse
from math import pi, sqrt
from typing import NamedTuple

import numpy as np

from arena.ratings.maths.arrays import Floats
from arena.ratings.model.games import Games, as_arrays
from arena.ratings.model.posterior import Posterior, distinct, posterior, relative_errors
from arena.ratings.model.trueskill import BETA, SIGMA, rate_all
from tests.support.simulated_leagues import Shape, play

FREEDOM = 8
"""Degrees of freedom of the distribution that samples are drawn from: its tails are heavier."""
GRID = np.linspace(-9.0, 9.0, 181)
"""Performances over which is integrated, in beta about the mean of the skills at a table."""


class Field(NamedTuple):
    """A league to simulate."""

    label: str
    shape: Shape
    spread: float
    """The standard deviation of the skills."""


FIELDS = [
    Field("ordinary", Shape(6, 2, 4), 3.0),
    Field("ordinary", Shape(5, 3, 3), 3.0),
    Field("ordinary", Shape(6, 4, 2), 3.0),
    Field("ordinary", Shape(7, 6, 2), 3.0),
    Field("equal bots", Shape(8, 2, 1), 0.0),
    Field("few games", Shape(4, 2, 1), 3.0),
    Field("many games", Shape(6, 2, 20), 3.0),
    Field("wide", Shape(5, 2, 3), 12.0),
]


def main() -> None:
    """Print a line for each field."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| field | bots | players | games | mu off | usual pass off | it moves | sigma ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for field in FIELDS:
        print(line(field, options.samples, np.random.default_rng(options.seed)), flush=True)


def line(field: Field, samples: int, rng: np.random.Generator) -> str:
    """Simulate a field and return its line of the table."""
    shape = field.shape
    games = as_arrays(play(shape, rng.normal(size=shape.bots) * field.spread, rng))
    solution = posterior(distinct(games))
    mean, error = exact(games, solution, samples, rng)
    usual = np.array([sequential(games, rng) for _ in range(20)])
    columns = [
        np.abs(_centred(solution.mu) - mean) / error,
        np.abs(sequential(games) - mean) / error,
        usual.std(0) / error,
    ]
    largest = " | ".join(f"{column.max():.2f}" for column in columns)
    ratio = np.mean(relative_errors(solution.covariance) / error)
    count = len(games.order)
    return f"| {field.label} | {shape.bots} | {shape.players} | {count} | {largest} | {ratio:.2f} |"


def exact(
    games: Games, solution: Posterior, samples: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return the means of the skills relative to the field, and their standard deviations."""
    n = games.size
    root = np.linalg.cholesky(solution.covariance)
    normal = rng.normal(size=(samples, n))
    scale = np.sqrt(FREEDOM / rng.chisquare(FREEDOM, samples))
    skills = solution.mu + scale[:, None] * (normal @ root.T)
    squared = (normal**2).sum(1) * scale**2
    log_proposal = -(FREEDOM + n) / 2 * np.log1p(squared / FREEDOM)
    log_weight = log_posterior(games, skills) - log_proposal
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    relative = skills - skills.mean(1)[:, None]
    mean = weight @ relative
    return mean, np.sqrt(weight @ (relative - mean) ** 2)


def log_posterior(games: Games, skills: Floats) -> Floats:
    """Return the logarithm of the posterior density of each row of skills, but for a constant."""
    total: Floats = -(skills**2).sum(1) / (2 * SIGMA**2)
    orders, counts = np.unique(games.order, axis=0, return_counts=True)
    for order, count in zip(orders, counts, strict=True):
        total += count * np.log(order_probability(skills[:, order]))
    return total


def order_probability(skills: Floats) -> Floats:
    """Return the probability that the players of each row finish in the order of its columns."""
    step = GRID[1] - GRID[0]
    places = (skills - skills.mean(1)[:, None]) / BETA
    behind = np.ones((len(skills), len(GRID)))
    for place in reversed(range(skills.shape[1])):
        density = np.exp(-0.5 * (GRID - places[:, place, None]) ** 2) / sqrt(2 * pi) * behind
        # That this player and all behind perform in order, and this one below each grid point.
        below = np.cumsum(density, 1) - density / 2
        behind = below * step
    return behind[:, -1]


def sequential(games: Games, rng: np.random.Generator | None = None) -> Floats:
    """Return the result of the usual pass, of shuffled games if there is a source of randomness."""
    orders = list(games.orders())
    if rng:
        orders = [orders[at] for at in rng.permutation(len(orders))]
    ratings = rate_all(orders)
    return _centred(np.array([ratings[bot].mu for bot in games.bots]))


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean(), np.float64)


if __name__ == "__main__":
    main()
