"""How soon a newcomer reaches its place among 100,000 bots: `python -m benchmarks.promotion`.

Bots' skills are normal, and known but for an error, as those of bots with a long record. Newcomers
of some strengths play seasons of some games, and are rated by TrueSkill's update after each game.
They meet opponents of the whole field; of their division, from which they move to the next one up
or down after a season if their rating is beyond it; or of the division that their rating says after
each season. A newcomer has reached its place when its rating is, and stays after each later season,
within half a mu of its skill: bots so far apart win 53 of 100 games.
"""

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.maths.arrays import Floats, Ints, as_floats, as_ints
from arena.ratings.model.posterior import inverse_mills_ratio
from arena.ratings.model.trueskill import BETA, SIGMA

QUANTILES = (0.1, 0.5, 0.9, 0.99, 0.999)
"""Of the field: the strengths of the newcomers."""
SPREAD = 4.0
"""The standard deviation of skills, in mu."""
NEAR = 0.5
"""In mu: what counts as a bot's place."""


class Field(NamedTuple):
    """The bots that are there, in the order of their ratings."""

    ratings: Floats
    skills: Floats
    error: float

    @classmethod
    def draw(cls, bots: int, error: float, rng: np.random.Generator) -> "Field":
        """Draw so many bots, whose ratings have that standard error."""
        skills = rng.standard_normal(bots) * SPREAD
        ratings = skills + rng.standard_normal(bots) * error
        order = np.argsort(ratings)
        return cls(ratings[order], skills[order], error)

    def place(self, ratings: Floats) -> Ints:
        """Return how many bots have lower ratings."""
        return as_ints(np.searchsorted(self.ratings, ratings))


Choose = Callable[[Floats, Ints], Ints]
"""Returns the first bot of the division of each newcomer for the next season, given their ratings
and the first bots of their present ones."""


def anywhere(mu: Floats, first: Ints) -> Ints:
    """Meet the whole field."""
    del mu
    return first


def climbing(field: Field, size: int) -> Choose:
    """Move to the next division up or down."""

    def choose(mu: Floats, first: Ints) -> Ints:
        place = field.place(mu)
        step = np.where(place >= first + size, size, np.where(place < first, -size, 0))
        return as_ints(np.clip(first + step, 0, len(field.ratings) - size))

    return choose


def jumping(field: Field, size: int) -> Choose:
    """Move to the division that the rating says."""

    def choose(mu: Floats, first: Ints) -> Ints:
        del first
        return as_ints(np.clip(field.place(mu) // size * size, 0, len(field.ratings) - size))

    return choose


class Newcomers(NamedTuple):
    """Bots without a record."""

    skills: Floats
    mu: Floats
    variance: Floats

    def season(self, field: Field, opponents: Ints, rng: np.random.Generator) -> "Newcomers":
        """Return them after a game with each of their opponents [newcomer, game]."""
        mu, variance = self.mu, self.variance
        for rivals in opponents.T:
            gap = (self.skills - field.skills[rivals]) / (np.sqrt(2.0) * BETA)
            sign = np.where(rng.standard_normal(len(mu)) < gap, 1.0, -1.0)
            total = variance + field.error**2 + 2.0 * BETA**2
            t = sign * (mu - field.ratings[rivals]) / np.sqrt(total)
            v = inverse_mills_ratio(t)
            mu = mu + sign * v * variance / np.sqrt(total)
            variance = variance * (1.0 - variance / total * v * (v + t))
        return self._replace(mu=as_floats(mu), variance=as_floats(variance))


class Way(NamedTuple):
    """How newcomers meet opponents."""

    name: str
    choose: Choose
    start: int
    size: int
    """Of a division."""


def reached(
    field: Field, way: Way, options: argparse.Namespace
) -> tuple[NDArray[np.float64], Floats]:
    """Return after how many games each newcomer has reached its place, or inf; [strength, bot]."""
    rng = np.random.default_rng(options.seed + 1)
    skills = np.repeat(np.quantile(field.skills, QUANTILES), options.newcomers)
    some = Newcomers(skills, np.zeros(len(skills)), np.full(len(skills), SIGMA**2))
    since, first = np.zeros(len(skills)), np.full(len(skills), way.start)
    for season in range(1, options.seasons + 1):
        drawn = rng.integers(0, way.size, (len(skills), options.games))
        some = some.season(field, first[:, None] + drawn, rng)
        since[np.abs(some.mu - skills) > NEAR] = season
        first = way.choose(some.mu, first)
    games = np.where(since < options.seasons, (since + 1) * options.games, np.inf)
    return games.reshape(len(QUANTILES), -1), np.sqrt(some.variance).reshape(len(QUANTILES), -1)


def main() -> None:
    """Print a line for each way to meet opponents."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("bots", 100_000), ("games", 20), ("seasons", 200), ("newcomers", 100)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 1000], help="of divisions")
    parser.add_argument("--error", type=float, default=0.4, help="of the field's ratings, in mu")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, began = np.random.default_rng(options.seed), time.process_time()
    field = Field.draw(options.bots, options.error, rng)
    ways = [Way("one field", anywhere, 0, options.bots)]
    for size in options.sizes:
        middle = options.bots // 2 // size * size
        ways += [
            Way(f"up from the last of {size:,}", climbing(field, size), 0, size),
            Way(f"up or down from the middle of {size:,}", climbing(field, size), middle, size),
            Way(f"by rating, divisions of {size:,}", jumping(field, size), middle, size),
        ]
    print(f"{'games to the place: median, 90 %':40}", *(f"{q:>15.1%}" for q in QUANTILES))
    for way in ways:
        games, error = reached(field, way, options)
        ends = zip(
            np.median(games, 1), np.quantile(games, 0.9, axis=1, method="higher"), strict=True
        )
        cells = [f"{middle:7,.0f} {late:7,.0f}" for middle, late in ends]
        print(f"{way.name:40}", *cells, f"  sigma {error.mean():.2f}", flush=True)
    print(f"{time.process_time() - began:.0f} s of CPU time")


if __name__ == "__main__":
    main()
