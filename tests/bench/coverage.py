"""Coverage of the 95 % intervals: `python tests/bench/coverage.py`.

Simulates leagues of bots of known strength (TrueSkill's own model, skills drawn with a standard
deviation of 2 mu, the arena's schedule) and prints how often the intervals contain the truth: of mu
relative to the field, of the mean finishing place over the schedule, and of the rank. `shared` is
the part of a performance's variance that is the seat's dice, the same in all fixtures of a block.
For comparison it prints the coverage of a plain percentile bootstrap of whole blocks (`plain`),
which fits the skills again for each resample.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from arena.ratings.arrays import Floats
from arena.ratings.games import as_arrays
from arena.ratings.leaderboard import rate
from arena.ratings.posterior import distinct, posterior
from arena.ratings.t_distribution import normal_cdf
from arena.ratings.table import Leaderboard
from arena.ratings.trueskill import BETA
from arena.records import FixtureResult
from tests.bench.leagues import Schedule, Shape, name, play, tables

SHAPES = [
    Shape(bots, players, games, rounds, shared)
    for shared in (0.0, 0.3)
    for bots, players, games, rounds in [
        (8, 2, 10, 1),
        (8, 4, 5, 1),
        (8, 6, 4, 1),
        (5, 2, 20, 1),
        (5, 2, 10, 4),
        (12, 4, 3, 1),
        (7, 6, 4, 2),
    ]
]


def main() -> None:
    """Print a line for each shape of league."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=0, help="of the plain bootstrap; 0: none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shapes", type=int, nargs="*", default=range(len(SHAPES)))
    options = parser.parse_args()
    print("bots players games blocks shared |    mu  place   rank  plain | gain  error")
    for shape in (SHAPES[at] for at in options.shapes):
        print(line(shape, options.leagues, options.resamples, options.seed), flush=True)


def line(shape: Shape, leagues: int, resamples: int, seed: int) -> str:
    """Simulate leagues of one shape and return their line of the table."""
    rng = np.random.default_rng(seed)
    schedule = tables(shape)
    hits: Counter[str] = Counter()
    gains = []
    for _ in range(leagues):
        skills = rng.normal(size=shape.bots) * 2.0
        played = play(shape, skills, rng, schedule=schedule)
        board = rate("bench", shape.players, played).board
        hits.update(covering(board, skills, schedule))
        if resamples:
            hits.update(plain(played, skills, rng, resamples))
        gains += [board.dice_gain.ratio] if board.dice_gain else []
    shares = [hits[kind] / (leagues * shape.bots) for kind in ("mu", "place", "rank", "plain")]
    error = np.sqrt(0.95 * 0.05 / (leagues * shape.bots))
    percentages = "  ".join(f"{100 * share:5.1f}" for share in shares)
    gain = f"{np.mean(gains):4.2f}" if gains else "   -"
    return (
        f"{shape.bots:4} {shape.players:7} {shape.games:5} {len(schedule):6} {shape.shared:6.1f}"
        f" | {percentages} | {gain}  {100 * error:5.1f}"
    )


def covering(board: Leaderboard, skills: Floats, schedule: Schedule) -> Iterator[str]:
    """Yield the name of each interval that contains the truth, for each bot."""
    true = skills - skills.mean()
    rank = {name(bot): place for place, bot in enumerate(np.argsort(-true), 1)}
    places = true_places(skills, schedule)
    for row in board.rows:
        bot = int(row.bot.removeprefix("bot"))
        if row.low <= true[bot] <= row.high:
            yield "mu"
        if row.place_low <= places[bot] <= row.place_high:
            yield "place"
        if row.best <= rank[row.bot] <= row.worst:
            yield "rank"


def true_places(skills: Floats, schedule: Schedule) -> Floats:
    """Return each bot's expected mean place over a schedule."""
    places: dict[int, list[float]] = {bot: [] for bot in range(len(skills))}
    for block in schedule:
        for table in block:
            for bot in table:
                rivals = [skills[rival] for rival in table if rival != bot]
                gaps = (np.array(rivals) - skills[bot]) / (2**0.5 * BETA)
                places[bot].append(1 + float(normal_cdf(gaps).sum()))
    return np.array([np.mean(expected) for expected in places.values()])


def plain(
    played: Sequence[FixtureResult], skills: Floats, rng: np.random.Generator, resamples: int
) -> Iterator[str]:
    """Yield `plain` for each bot whose percentile interval contains the truth."""
    games = as_arrays(played)
    results = distinct(games)
    blocks, solved = int(games.block.max()) + 1, posterior(results)
    cells = np.bincount(games.block * results.size + results.of_game)
    counts = np.pad(cells, (0, blocks * results.size - len(cells))).reshape(blocks, -1)
    resampled = (counts[rng.integers(blocks, size=blocks)].sum(0) for _ in range(resamples))
    redone = [replace(results, count=count.astype(float)) for count in resampled]
    mu = np.array([posterior(one, solved.factors, 1e-3).mu for one in redone])
    low, high = np.quantile(mu - mu.mean(1)[:, None], [0.025, 0.975], axis=0)
    true = skills - skills.mean()
    yield from ["plain"] * int(((low <= true) & (true <= high)).sum())


if __name__ == "__main__":
    main()
