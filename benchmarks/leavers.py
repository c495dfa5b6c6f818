"""What it does to ratings that bots leave because of their results: `python -m benchmarks.leavers`.

All bots are equal. A field of 8 plays pass after pass at tables of two; after each, one bot is
replaced by a new one: the weakest by the ratings so far, or one drawn by lot. All games count, as
in a season of a ladder. Prints, for the bots of the last field and for those that left, how often
the 95 % interval of mu contains the truth, which is 0, and the mean of mu, each with its standard
error.
"""

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from arena.game.records import FixtureResult
from arena.league.schedule.block_design import blocks
from arena.ratings.leaderboard_rows import LeaderboardRow
from arena.ratings.maths.arrays import Floats
from arena.ratings.model.games import as_arrays
from arena.ratings.model.posterior import distinct, posterior
from tests.support.ratings import rated_board
from tests.support.simulated_leagues import Shape, name, play

FIELD, GAMES = 8, 10
"""Bots at a time, and games per fixture."""


class Group(NamedTuple):
    """Bots of one league: how many of their intervals are right, and their mean mu."""

    right: float
    mu: float


def main() -> None:
    """Print a line for each way to leave."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=60)
    parser.add_argument("--replaced", type=int, default=20)
    options = parser.parse_args()
    print("| who leaves | intervals right, last field | those that left | mu, last field | left |")
    print("|---|---|---|---|---|")
    for weakest in (True, False):
        groups = [season(weakest, options.replaced, seed) for seed in range(options.leagues)]
        stay, left = (np.array(group) for group in zip(*groups, strict=True))
        cells = [
            "the weakest" if weakest else "one by lot",
            *(f"{with_error(100 * one[:, 0], 1)} %" for one in (stay, left)),
            *(with_error(one[:, 1], 2) for one in (stay, left)),
        ]
        print(f"| {' | '.join(cells)} |", flush=True)


def season(weakest: bool, replaced: int, seed: int) -> tuple[Group, Group]:
    """Play a season; return the bots of the last field, and those that left."""
    rng, field = np.random.default_rng(seed), list(range(FIELD))
    shape, skills = Shape(FIELD, 2, GAMES), np.zeros(FIELD + replaced)
    played: list[FixtureResult] = []
    for new in range(FIELD, FIELD + replaced + 1):
        done = len(played) // FIELD
        design = blocks(FIELD, 2, FIELD - 1, f"bench/{seed}/{new}")
        plan = [[tuple(field[bot] for bot in table) for table in block] for block in design]
        played += shifted(play(shape, skills, rng, None, plan), done, len(played))
        if new < FIELD + replaced:
            field.remove(lowest(played, field) if weakest else int(rng.choice(field)))
            field.append(new)
    rows = rated_board("bench", 2, played).rows
    last = {name(bot) for bot in field}
    return (
        group([row for row in rows if row.bot in last]),
        group([row for row in rows if row.bot not in last]),
    )


def shifted(results: Sequence[FixtureResult], block: int, index: int) -> list[FixtureResult]:
    """Return fixtures as they come after so many blocks and fixtures."""
    return [
        replace(
            one,
            fixture=replace(
                one.fixture, block=one.fixture.block + block, index=one.fixture.index + index
            ),
        )
        for one in results
    ]


def lowest(played: Sequence[FixtureResult], field: Sequence[int]) -> int:
    """Return the bot of a field with the lowest mu."""
    games = as_arrays(played)
    mu = dict(zip(games.bots, posterior(distinct(games)).mu.tolist(), strict=True))
    return min(field, key=lambda bot: mu[name(bot)])


def group(rows: Sequence[LeaderboardRow]) -> Group:
    """Return how many intervals hold 0, and the mean of mu."""
    right = [(row.low or 0.0) <= 0.0 <= (row.high or 0.0) for row in rows]
    return Group(float(np.mean(right)), float(np.mean([row.mu for row in rows])))


def with_error(values: Floats, digits: int) -> str:
    """Return the mean and its standard error."""
    return f"{values.mean():.{digits}f} ± {values.std() / len(values) ** 0.5:.{digits}f}"


if __name__ == "__main__":
    main()
