"""How well the ratings of divisions join through bots that moved: `python -m benchmarks.joining`.

100,000 bots of normal skills begin in divisions by ratings with an error, as those of bots with a
record. In a season each plays some games with bots of its division, drawn anew for each game; then
bots move. All games so far are rated together, as the mode of the posterior of TrueSkill's model
for two players: each skill has the same prior. Ratings say where a bot stands in its division, and
how far the divisions are apart if enough bots have played in two of them. Printed is what ratings
make of the distance between the mean skills of the first and the last division (100 %: all of it),
the error of the divisions' mean ratings beyond that scale, that of bots within their division, and
the share of pairs of bots, drawn from the whole field, whose order is right.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from arena.ratings.maths.arrays import Floats, Ints, as_floats, as_ints
from arena.ratings.model.posterior import inverse_mills_ratio
from arena.ratings.model.trueskill import BETA, SIGMA
from benchmarks.promotion import SPREAD

NOISE = np.sqrt(2.0) * BETA
"""The standard deviation of the difference of two performances."""
LOOKS = (1, 2, 5, 10)
"""The seasons after which the ratings are judged."""


class Round(NamedTuple):
    """A game of each bot."""

    rival: Ints
    """Of each bot."""
    sign: Floats
    """1 for the bots that won, -1 for the others."""


def drawn(order: Ints, size: int, rng: np.random.Generator) -> Ints:
    """Return pairs of bots of the same division; divisions follow each other in `order`."""
    return as_ints(rng.permuted(order.reshape(-1, size), axis=1).reshape(-1, 2))


def across(order: Ints, size: int, rng: np.random.Generator) -> Ints:
    """Return pairs of bots; each division is one half of a division and one of the next one."""
    half = size // 2
    ends = np.concatenate([order[:half], order[-half:]])
    return as_ints(np.concatenate([drawn(ends, half, rng), drawn(order[half:-half], size, rng)]))


def played(pairs: Ints, skills: Floats, rng: np.random.Generator) -> Round:
    """Play a game of each pair."""
    one, other = pairs.T
    rival, sign = np.empty(len(skills), np.int64), np.empty(len(skills))
    rival[one], rival[other] = other, one
    gap = (skills[one] - skills[other]) / NOISE
    sign[one] = np.where(rng.standard_normal(len(one)) < gap, 1.0, -1.0)
    sign[other] = -sign[one]
    return Round(rival, sign)


def rated(rounds: Sequence[Round], start: Floats) -> Floats:
    """Return the mode of the posterior, by Newton's method."""
    mu = start
    while True:
        gradient, weights = -mu / SIGMA**2, []
        for rival, sign in rounds:
            t = sign * (mu - mu[rival]) / NOISE
            v = inverse_mills_ratio(t)
            gradient = gradient + sign * v / NOISE
            weights.append(as_floats(v * (v + t) / NOISE**2))
        step = solved(rounds, weights, gradient)
        mu = as_floats(mu + step)
        if np.abs(step).max() < 1e-3:
            return mu


def solved(rounds: Sequence[Round], weights: Sequence[Floats], right: Floats) -> Floats:
    """Solve for the precision of the posterior by conjugate gradients."""
    diagonal = 1.0 / SIGMA**2 + sum(weights)

    def times(x: Floats) -> Floats:
        links = sum(w * x[one.rival] for w, one in zip(weights, rounds, strict=True))
        return as_floats(diagonal * x - links)

    x, left = np.zeros_like(right), right
    direction = scaled = left / diagonal
    enough = 1e-10 * (left @ scaled)
    while (before := left @ scaled) > enough:
        image = times(direction)
        length = before / (direction @ image)
        x, left = x + length * direction, left - length * image
        scaled = left / diagonal
        direction = scaled + (left @ scaled) / before * direction
    return as_floats(x)


Move = Callable[[Ints, Floats], Ints]
"""Returns the order of the bots for the next season, given the present one and their ratings."""


def by_rating(order: Ints, mu: Floats) -> Ints:
    """Place all bots by their ratings."""
    del order
    return as_ints(np.argsort(mu))


def some(number: int, size: int) -> Move:
    """Have the first bots of each division and the last ones of the next one change places."""

    def move(order: Ints, mu: Floats) -> Ints:
        rows = order.reshape(-1, size)
        rows = np.take_along_axis(rows, np.argsort(mu[rows], 1), 1)
        up, down = rows[:-1, -number:].copy(), rows[1:, :number].copy()
        rows[:-1, -number:], rows[1:, :number] = down, up
        return as_ints(rows.ravel())

    return move


class Way(NamedTuple):
    """How bots meet, and move."""

    name: str
    move: Move
    size: int
    """Of a division."""
    across: int = 0
    """Games of a season in which divisions are drawn half a division further up."""
    whole: int = 0
    """The first seasons, which all play in one field."""


def first(skills: Floats, error: float, seed: int) -> Ints:
    """Return the order of the divisions before the first season."""
    rng = np.random.default_rng(seed)
    return as_ints(np.argsort(skills + rng.standard_normal(len(skills)) * error))


def seasons(way: Way, order: Ints, skills: Floats, options: argparse.Namespace) -> Iterator[Floats]:
    """Yield the ratings after each season."""
    rng = np.random.default_rng(options.seed + 1)
    rounds, mu = list[Round](), np.zeros(len(skills))
    for season in range(options.seasons):
        size = len(order) if season < way.whole else way.size
        for game in range(options.games):
            draw = across if game < way.across else drawn
            rounds.append(played(draw(order, size, rng), skills, rng))
        mu = rated(rounds, mu)
        yield mu
        order = way.move(order, mu)


def judged(mu: Floats, skills: Floats, groups: Ints, rng: np.random.Generator) -> str:
    """Return what ratings are worth; `groups` are the bots of each division at the start."""
    means, true = mu[groups].mean(1), skills[groups].mean(1)
    scale = np.cov(means, true)[0, 1] / true.var(ddof=1)
    apart = (means - means.mean() - scale * (true - true.mean())).std()
    inside = ((mu[groups] - means[:, None]) - (skills[groups] - true[:, None])).std()
    one, other = rng.integers(0, len(mu), (2, 100_000))
    right = ((mu[one] > mu[other]) == (skills[one] > skills[other])).mean()
    return f"{scale:8.1%} {apart:8.2f} {inside:8.2f} {right:8.1%}"


def main() -> None:
    """Print lines for each way to meet and move."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("bots", 100_000), ("games", 20), ("seasons", 10), ("size", 1000)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--error", type=float, default=0.4, help="of ratings at the start, in mu")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    size, began = options.size, time.process_time()
    skills = np.random.default_rng(options.seed).standard_normal(options.bots) * SPREAD
    order = first(skills, options.error, options.seed)
    ways = [
        Way("one field", by_rating, options.bots),
        Way("by rating", by_rating, size),
        Way("a tenth up, a tenth down", some(size // 10, size), size),
        Way("one up, one down", some(1, size), size),
        Way("the same, a game of each season across", some(1, size), size, across=1),
        Way("a season in one field, then one up, one down", some(1, size), size, whole=1),
    ]
    print(f"{'':44} seasons    scale    apart   inside    order")
    for way in ways:
        for number, mu in enumerate(seasons(way, order, skills, options), 1):
            if number in LOOKS:
                rng = np.random.default_rng(options.seed)
                found = judged(mu, skills, order.reshape(-1, size), rng)
                print(f"{way.name:44} {number:7} {found}", flush=True)
    print(f"{time.process_time() - began:.0f} s of CPU time")


if __name__ == "__main__":
    main()
