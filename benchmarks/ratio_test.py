"""The tests of `arena compare --until` beside each other: `python -m benchmarks.ratio_test`.

Two versions play a field of simulated bots, as in `benchmarks/compare.py`. Prints

- what the sequential probability ratio test says of two equal versions, and of two that differ by
  the 5 points that it looks for: errors of 5 % each are what it promises, half of those of the
  first kind for either version;
- the games that it plays at true differences of 0 to 20 points, and those of the planned
  looks (`--test planned`) at equal errors: their budget is the one at which they find 5 points as
  often as the ratio test does.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.ratings.maths.arrays import Floats
from arena.ratings.two_versions import RatioOutcome, RatioTest, planned_looks, ratio_looks, tails
from benchmarks.compare import EQUAL, ERROR, Match, decide, differences

POINTS = 0.05
TEST = RatioTest(1.0 - ERROR, POINTS)
MOST = 6000
"""Pairs of tables, at most."""
FIELDS = {
    name: match
    for name, match in EQUAL.items()
    if name not in {"8 opponents, 4 blocks", "6, most far stronger or weaker"}
}
RACES = {"8 opponents": Match(8, 2, 0, 10), "3 opponents": Match(3, 2, 0, 10)}
TRUE = (0.0, 0.02, 0.05, 0.1, 0.2)
"""Differences, in shares of rivals beaten."""


class Race(NamedTuple):
    """What a test said of many pairs of versions, and the mean blocks that it played."""

    outcomes: Counter[RatioOutcome | None]
    blocks: float

    def share(self, *outcomes: RatioOutcome) -> float:
        """Return how often one of these outcomes came."""
        return sum(self.outcomes[outcome] for outcome in outcomes) / self.outcomes.total()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, count = np.random.default_rng(options.seed), options.matches
    print(
        "| field | games a table | equal versions: one called better | not decided"
        " | 5 points apart: called equivalent | the worse called better |\n"
        "|---|---|---|---|---|---|"
    )
    for name, match in FIELDS.items():
        equal, better = (by_ratio(played(match, true, count, rng), match) for true in (0.0, POINTS))
        undecided = equal.outcomes[None] / count
        shares = (
            equal.share(RatioOutcome.NEW, RatioOutcome.OLD),
            undecided,
            better.share(RatioOutcome.EQUIVALENT),
            better.share(RatioOutcome.OLD),
        )
        cells = " | ".join(f"{100 * share:.1f} %" for share in shares)
        print(f"| {name} | {match.games} | {cells} |", flush=True)
    print(
        "\n| opponents | true difference | ratio test: new, equivalent, old | its games"
        " | planned looks: new, old | their games | saved |\n|---|---|---|---|---|---|---|"
    )
    for name, match in RACES.items():
        for line in race(match, count, rng):
            print(f"| {name} | {line} |", flush=True)


def played(match: Match, true: float, count: int, rng: np.random.Generator) -> list[Floats]:
    """Return the differences of many pairs of versions whose shares differ by so much."""
    blocks = MOST // match.opponents
    better = _better(match, true)
    long = match._replace(blocks=blocks, better=better)
    return [-differences(long, rng) for _ in range(count)]


def _better(match: Match, true: float) -> float:
    """Return the skill, in mu, that beats so many more rivals: found by bisection on many games."""
    if not true:
        return 0.0
    low, high = 0.0, 20.0
    for _ in range(25):
        middle = (low + high) / 2
        probe = match._replace(blocks=4000, games=5, better=middle)
        shares = [-differences(probe, np.random.default_rng(seed)).mean() for seed in range(3)]
        low, high = (middle, high) if np.mean(shares) < true else (low, middle)
    return (low + high) / 2


def by_ratio(matches: Sequence[Floats], match: Match) -> Race:
    """Judge each by the probability ratio test."""
    outcomes, ends = Counter[RatioOutcome | None](), []
    looks = ratio_looks(MOST // match.opponents, match.opponents)
    for one in matches:
        outcome, end = None, looks[-1]
        for look in looks:
            if outcome := TEST.outcome(one[:look], 1 / match.games):
                end = look
                break
        outcomes[outcome] += 1
        ends.append(end)
    return Race(outcomes, float(np.mean(ends)))


def by_plan(matches: Sequence[Floats], match: Match, blocks: int) -> Race:
    """Judge each by the planned looks of a budget of blocks."""
    stack = -np.array([one[:blocks] for one in matches])
    plan = planned_looks(blocks, match.opponents)
    decided, ends = np.zeros(len(matches), int), np.full(len(matches), blocks)
    for look, tail in zip(plan, tails(plan, 1.0 - ERROR), strict=True):
        found = np.where(decided == 0, decide(stack[:, :look], match, tail), 0)
        decided += found
        ends[found != 0] = look
    names = {1: RatioOutcome.NEW, -1: RatioOutcome.OLD, 0: None}
    outcomes = Counter(names[value] for value in decided.tolist())
    return Race(outcomes, float(ends.mean()))


def race(match: Match, count: int, rng: np.random.Generator) -> list[str]:
    """Return a line for each true difference."""
    matches = {true: played(match, true, count, rng) for true in TRUE}
    ratio = {true: by_ratio(matches[true], match) for true in TRUE}
    power, low, high = ratio[POINTS].share(RatioOutcome.NEW), 2, MOST // match.opponents
    while low < high:
        middle = (low + high) // 2
        enough = by_plan(matches[POINTS], match, middle).share(RatioOutcome.NEW) >= power
        low, high = (low, middle) if enough else (middle + 1, high)
    lines = []
    for true in TRUE:
        plan, ours = by_plan(matches[true], match, low), ratio[true]
        games = [one.blocks * match.opponents * match.games for one in (ours, plan)]
        said = [
            f"{100 * ours.share(one):.0f}" for one in (RatioOutcome.NEW, RatioOutcome.EQUIVALENT)
        ]
        said.append(f"{100 * ours.share(RatioOutcome.OLD):.0f} %")
        theirs = (
            f"{100 * plan.share(RatioOutcome.NEW):.0f}, {100 * plan.share(RatioOutcome.OLD):.0f} %"
        )
        lines.append(
            f"{100 * true:g} points | {', '.join(said)} | {games[0]:,.0f} | {theirs}"
            f" | {games[1]:,.0f} | {1 - games[0] / games[1]:.0%}"
        )
    return lines


if __name__ == "__main__":
    main()
