"""What twenty accounts of one person do to a ladder: `python -m benchmarks.accounts`.

Simulates leagues of honest bots (skills drawn with a standard deviation of 2 mu) to which one
person adds a bot of middling skill and, by other accounts, `helpers` copies of it that play worse
by a number of mu wherever they meet it, and as well as they can elsewhere. Prints, by the number of
helpers and by how much they hold back:

- how many places the bot gains beside the same league in which nobody holds back;
- the share of leagues in which suspicions name a helper with the bot, and the mean share of helpers
  that are named;
- the share of leagues in which they name the bot as one that loses too often to an honest one: its
  helpers let the ratings expect more of it than it can;
- the share of leagues in which they name a pair without the bot, wrongly.

Each figure has its standard error.
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
    print("places gained; leagues, helpers, the bot itself, and others named wrongly, in %")
    columns = ("places", "leagues", "helpers", "itself", "others")
    print("players helpers  mu |", *(f"{column:>13}" for column in columns))
    for players in (2, 4):
        for helpers in HELPERS:
            for less in HELD_BACK if helpers else (0.0,):
                rng = np.random.default_rng(options.seed)
                shape = Shape(HONEST + 1 + helpers, players, GAMES, options.blocks)
                rows = [_league(shape, helpers, less, rng) for _ in range(options.leagues)]
                figures = zip(np.mean(rows, axis=0), np.std(rows, axis=0), strict=True)
                cells = [f"{mean:6.1f} ± {sd / len(rows) ** 0.5:4.1f}" for mean, sd in figures]
                print(f"{players:7} {helpers:7} {less:3.0f} |", *cells, flush=True)


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
) -> tuple[float, float, float, float, float]:
    """Return the places gained, and the shares of the other columns in per cent."""
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
        cases = [case for case in ratings.suspicions if case.opponent]
    bot = name(0)
    helping = {name(number) for number in range(1, helpers + 1)}
    named = {case.bot for case in cases if case.bot in helping and case.opponent == bot}
    itself = any(case.bot == bot and case.opponent not in helping for case in cases)
    wrong = any(bot not in (case.bot, case.opponent) for case in cases)
    share = len(named) / max(1, helpers)
    return ranks[0] - ranks[1], 100.0 * bool(named), 100.0 * share, 100.0 * itself, 100.0 * wrong


if __name__ == "__main__":
    main()
