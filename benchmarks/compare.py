"""Decisions of `arena compare` by intervals: `python -m benchmarks.compare`.

Two versions play a field of simulated bots (TrueSkill's model, skills drawn with a standard
deviation of 2 mu; 30 % of a performance's variance are the dice, which the two tables of a pair
share). Prints

- how often two equal versions are told apart, at one look at the end and with `--until 0.95 --test
  planned`; in the last fields each version suits other opponents, or most results are certain;
- the power at one look if as many games are played in more blocks;
- how often two equal versions are told apart over several divisions, whose mean decides;
- after few games: how often an interval of Student's t alone, as it was before, has no width; and
  how often the interval of each way holds the true difference. Some versions differ in few games,
  as if a crash was mended.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import inf
from typing import NamedTuple

import numpy as np

from arena.league.schedule.block_design import joining_blocks
from arena.ratings.maths.arrays import Floats, Ints, as_floats
from arena.ratings.maths.intervals import TAIL
from arena.ratings.maths.t_distribution import t_quantile
from arena.ratings.model.trueskill import BETA
from arena.ratings.two_versions import Grain, estimate, paired, planned_looks, tails

SHARED = 0.3
ERROR = 0.05


class Match(NamedTuple):
    """A comparison to be simulated."""

    opponents: int
    players: int
    blocks: int
    games: int
    better: float = 0.0
    """The new version's skill less the old one's, in mu."""
    suits: float = 0.0
    """The standard deviation of how much better it is against half of the opponents, and worse
    against the other half."""
    spread: float = 2.0
    """The standard deviation of the opponents' skills."""


EQUAL = {
    "8 opponents": Match(8, 2, 20, 10),
    "8 opponents, 1 game a table": Match(8, 2, 20, 1),
    "8 opponents, 4 blocks": Match(8, 2, 4, 10),
    "1 opponent": Match(1, 2, 20, 10),
    "1 opponent, 1 game a table": Match(1, 2, 40, 1),
    "20 opponents": Match(20, 2, 10, 5),
    "8 opponents at 4 seats": Match(8, 4, 20, 5),
    "5 opponents at 6 seats": Match(5, 6, 20, 5),
    "8 that suit each version differently": Match(8, 2, 20, 10, suits=2.0, spread=0.0),
    "6, most far stronger or weaker": Match(6, 2, 8, 5, spread=16.0),
}
POOLED = {
    "8 opponents at 2 and 4 seats": [Match(8, seats, 20, 5) for seats in (2, 4)],
    "5 opponents at 2, 4 and 6 seats": [Match(5, seats, 8, 5) for seats in (2, 4, 6)],
    "1 opponent in 4 variants": [Match(1, 2, 20, 10)] * 4,
}
FEW = ((2, 10), (4, 2), (20, 1), (40, 1))
"""Blocks, and games of a table."""
CHANGED = {
    "equal, many games differ": (0.25, 0.25),
    "equal, few games differ": (0.03, 0.03),
    "one game of twenty is won now": (0.05, 0.0),
}
"""The shares of games that the new version wins and the old one loses, and the other way round."""
POWER = (Match(9, 2, 4, 10, 1.0), Match(9, 2, 8, 5, 1.0), Match(9, 2, 20, 2, 1.0))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, count = np.random.default_rng(options.seed), options.matches
    print("| equal versions | blocks | games a table | one look | planned looks |")
    print("|---|---|---|---|---|")
    for name, match in EQUAL.items():
        found = decisions([match], count, rng)
        print(f"| {name} | {match.blocks} | {match.games} | {told_apart(found)} |", flush=True)
    print("\n| blocks | games a table | power at one look |\n|---|---|---|")
    for match in POWER:
        once = decisions([match], count, rng)[0]
        print(f"| {match.blocks} | {match.games} | {once[1] / count:.0%} |", flush=True)
    print("\n| several divisions | blocks | games a table | one look | planned looks |")
    print("|---|---|---|---|---|")
    rng = np.random.default_rng([options.seed, 1])
    for name, matches in POOLED.items():
        [blocks], [games] = ({one[place] for one in matches} for place in (2, 3))
        found = decisions(matches, count, rng)
        print(f"| {name} | {blocks} | {games} | {told_apart(found)} |", flush=True)
    print(
        "\n| few games against one opponent | blocks | games a table | no width, before"
        " | right, before | right | apart, before | apart |\n|---|---|---|---|---|---|---|---|"
    )
    rng = np.random.default_rng([options.seed, 2])
    for blocks, games in FEW:
        for name, (gained, lost) in CHANGED.items():
            cells = " | ".join(intervals(blocks, games, gained, lost, count, rng))
            print(f"| {name} | {blocks} | {games} | {cells} |", flush=True)


def intervals(
    blocks: int, games: int, gained: float, lost: float, count: int, rng: np.random.Generator
) -> Iterator[str]:
    """Yield how often intervals have no width, hold the truth, and tell the versions apart."""
    still, true, found = np.zeros((blocks, 1)), gained - lost, []
    for _ in range(count):
        drawn = rng.random((blocks, 1, games))
        new = as_floats((drawn < gained).mean(2) - (drawn > 1.0 - lost).mean(2))
        ways = [paired(still, new, Grain(all_games)) for all_games in (inf, blocks * games)]
        found.append([(one.low, one.high) for one in ways])
    low, high = np.array(found).transpose(2, 1, 0)
    right, apart = ((low <= true) & (true <= high)).mean(1), ((low > 0) | (high < 0)).mean(1)
    for share in ((low == high)[0].mean(), *right, *apart):
        yield f"{100 * share:.1f} %"


class Decisions(NamedTuple):
    """How often each decision was taken (1: new, -1: old, 0: none), and the mean blocks."""

    once: Counter[int]
    until: Counter[int]
    blocks: float


def told_apart(found: Decisions) -> str:
    """Return how often versions were told apart, at one look and at all."""
    counts = found.once, found.until
    return " | ".join(f"{100 * (1 - one[0] / one.total()):.1f} %" for one in counts)


def decisions(divisions: Sequence[Match], count: int, rng: np.random.Generator) -> Decisions:
    """Compare versions again and again, at one look and at all; the blocks are the same in all."""
    most, largest = divisions[0].blocks, max(divisions, key=lambda one: one.players)
    played = np.array(
        [np.hstack([differences(one, rng) for one in divisions]) for _ in range(count)]
    )
    plan = planned_looks(most, sum(one.opponents for one in divisions))
    until, blocks = np.zeros(count, int), np.full(count, most)
    for look, tail in zip(plan, tails(plan, 1 - ERROR), strict=True):
        decided = np.where(until == 0, decide(played[:, :look], largest, tail), 0)
        until += decided
        blocks[decided != 0] = look
    once = Counter(decide(played, largest, TAIL).tolist())
    return Decisions(once, Counter(until.tolist()), float(blocks.mean()))


def decide(played: Floats, match: Match, tail: float) -> Ints:
    """Return, for each match, 1 if the new version beats more rivals, -1 if the old one, or 0.

    As `paired` does, for many matches at once.
    """
    mean, error, df = np.array([estimate(one) for one in played]).T
    seen = np.abs(played).mean((1, 2)) / (match.players - 1)
    error = np.maximum(error, np.sqrt(seen / (played[0].size * match.games)))
    half_width = t_quantile(1 - tail, df) * error
    return np.where(mean < -half_width, 1, np.where(mean > half_width, -1, 0))


def differences(match: Match, rng: np.random.Generator) -> Floats:
    """Return the rivals that the new version beats less than the old one, [block, opponent]."""
    old, new = game_places(match, rng, SHARED).mean(2) / (match.players - 1)
    return as_floats(new - old).reshape(match.blocks, match.opponents)


def game_places(match: Match, rng: np.random.Generator, shared: float) -> Ints:
    """Return the place of a version, [version, pair, game]."""
    bots, seats, tables = match.opponents, match.players, opponents(*match[:3])
    skills, suits = rng.normal(size=bots) * match.spread, rng.normal(size=bots) * match.suits
    suits -= suits[::-1]
    shape = (2, len(tables), match.games, seats)
    dice = rng.normal(size=shape[1:]) * np.sqrt(shared)
    shown = BETA * (dice + rng.normal(size=shape) * np.sqrt(1 - shared))
    shown[..., 1:] += skills[tables][:, None, :]
    shown[1, ..., 0] += match.better + suits[tables].mean(1)[:, None]
    ahead: Ints = (shown[..., 1:] > shown[..., :1]).sum(-1)
    return 1 + ahead


@lru_cache
def opponents(bots: int, players: int, blocks: int) -> Ints:
    """Return the opponents at each table, the one that acts before the version first.

    In each block that is bot 0, then bot 1 and so on.
    """
    design = joining_blocks(bots, players, blocks, "bench")
    tables = [sorted(_before(table, bots) for table in block) for block in design]
    return np.array(tables).reshape(-1, players - 1)


def _before(table: tuple[int, ...], newcomer: int) -> list[int]:
    """Return the bots of a table from the one before the newcomer backwards."""
    seat = table.index(newcomer)
    return [table[seat - step] for step in range(1, len(table))]


if __name__ == "__main__":
    main()
