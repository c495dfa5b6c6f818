"""How fast games are rated: `python -m benchmarks.rating`.

Rates simulated games of 20 bots at tables of 2, 4 and 6 with the `trueskill` package and with the
arena's own message passing, and prints games per second of CPU time, and the CPU time of a whole
leaderboard: ratings, intervals, probabilities of being better, and suspicions.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import trueskill

from arena.game.records import Division, FixtureResult
from arena.ratings.league_ratings import rate_results
from arena.ratings.model.games import as_arrays
from arena.ratings.model.trueskill import rate_all
from tests.support.simulated_leagues import Shape, play

BOTS = 20


def by_package(orders: Sequence[Sequence[str]]) -> None:
    """Rate games with the package."""
    env = trueskill.TrueSkill(tau=0.0, draw_probability=0.0)
    skill: dict[str, trueskill.Rating] = {}
    for order in orders:
        groups = [(skill.get(bot) or env.create_rating(),) for bot in order]
        rated = env.rate(groups)
        skill.update({bot: rating for bot, (rating,) in zip(order, rated, strict=True)})


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time that a call takes, in seconds."""
    began = time.process_time()
    work()
    return time.process_time() - began


def games(players: int, count: int) -> list[FixtureResult]:
    """Simulate at least so many games."""
    per_fixture = -(-count // (BOTS * (BOTS - 1)))
    rng = np.random.default_rng(1)
    return play(Shape(BOTS, players, per_fixture), rng.normal(size=BOTS) * 3.0, rng)


def main() -> None:
    """Print a line for each table size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--package-games", type=int, default=2_000)
    options = parser.parse_args()
    for players in (2, 4, 6):
        results = games(players, options.games)
        orders = list(as_arrays(results).orders())
        few = orders[: options.package_games]
        package = len(few) / cpu_seconds(partial(by_package, few))
        flat = len(orders) / cpu_seconds(partial(rate_all, orders))
        whole = cpu_seconds(partial(rate_results, {Division("bench", players): results}))
        print(
            f"{players} players: package {package:,.0f} games/s, flat {flat:,.0f} games/s "
            f"({flat / package:.0f} times); a leaderboard of {len(orders):,} games {whole:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
