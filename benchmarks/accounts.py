"""What twenty accounts of one person do to a ladder: `python -m benchmarks.accounts`.

Simulates leagues of honest bots (skills drawn with a standard deviation of 2 mu) to which one
person adds a bot of middling skill and, by other accounts, `helpers` copies of it that play worse
by a number of mu wherever they meet it, and as well as they can elsewhere. Prints, by the number of
helpers and by how much they hold back:

- how many places the bot gains beside the same league in which nobody holds back;
- the share of leagues in which suspicions name a helper with the bot, and the mean share of helpers
  that are named;
- the share of leagues in which an honest bot is named with another.
"""

import argparse

import numpy as np

from arena.game.records import Division, RatingsInfo
from arena.ratings.league_ratings import rate_results
from arena.ratings.maths.arrays import Floats, as_floats
from tests.support.simulated_leagues import Moment, Shape, Twist, name, play, tables

ALPHA = 0.01
"""The default of ladders."""
HONEST, GAMES = 20, 10
SPREAD = 2.0
HELPERS = (0, 1, 5, 20)
HELD_BACK = (1.0, 2.0, 4.0, 8.0)
"""How much worse the helpers play against the bot that they help, in mu."""


def main() -> None:
    """Print a line for each number of helpers, strength and size of table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=20)
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{HONEST} honest bots, alpha {ALPHA}, {options.blocks} rounds of the schedule")
    print("players helpers  mu | places gained  leagues named  helpers named  honest named")
    for players in (2, 4):
        for helpers in HELPERS:
            for less in HELD_BACK if helpers else (0.0,):
                rng = np.random.default_rng(options.seed)
                shape = Shape(HONEST + 1 + helpers, players, GAMES, options.blocks)
                rows = [_league(shape, helpers, less, rng) for _ in range(options.leagues)]
                gained, named, share, wrongly = np.mean(rows, axis=0)
                print(
                    f"{players:7} {helpers:7} {less:3.0f} | {gained:13.1f}  {100 * named:11.0f} %"
                    f"  {100 * share:11.0f} %  {100 * wrongly:10.0f} %",
                    flush=True,
                )


def holds_back(helpers: int, less: float) -> Twist:
    """Let bots 1 to `helpers` play worse where bot 0 sits."""

    def twist(moment: Moment, shown: Floats) -> Floats:
        table = np.array(moment.table)
        if 0 not in table:
            return shown
        return as_floats(shown - less * ((table > 0) & (table <= helpers)))

    return twist


def _league(
    shape: Shape, helpers: int, less: float, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    """Return places gained, whether a helper is named, which share is, whether an honest bot is."""
    skills = rng.normal(size=shape.bots) * SPREAD
    skills[: helpers + 1] = 0.0
    schedule = tables(shape)
    seed = int(rng.integers(1 << 32))
    ranks, cases = [], []
    for twist in (None, holds_back(helpers, less)):
        results = play(shape, skills, np.random.default_rng(seed), twist, schedule)
        division = Division("bench", shape.players)
        ratings = rate_results({division: results}, RatingsInfo(alpha=ALPHA))
        order = [row.bot for row in ratings.boards[0].rows]
        honest = {name(bot) for bot in range(helpers + 1, shape.bots)}
        ranks.append(len([bot for bot in order[: order.index(name(0))] if bot in honest]))
        cases = [case for case in ratings.suspicions if case.rival]
    mine = {name(bot) for bot in range(1, helpers + 1)}
    named = {case.bot for case in cases if case.bot in mine and case.rival == name(0)}
    wrongly = any(case.bot not in mine for case in cases)
    share = len(named) / helpers if helpers else 0.0
    return float(ranks[0] - ranks[1]), float(bool(named)), share, float(wrongly)


if __name__ == "__main__":
    main()
