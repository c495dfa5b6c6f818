"""What ratings gain if luck is taken out of them: `python -m benchmarks.rated_luck`.

The bots of the bench of luck play leagues at tables of two without shared dice. Each league is
rated with and without luck; the truth is what all leagues of a field together say with it. Prints,
for each rule book and field,

- the mean slope;
- the share of the variance of mu, from league to league, that is saved: so many fewer games do
  (relative to the mean of the bots that are not skewed);
- the same if all fixtures of a block share their dice instead, with luck;
- how much shorter the 95 % intervals of mu are;
- how often they contain the truth, with luck and without;
- in how many leagues the range of some bot's rank leaves out its true rank, in a field of equal
  bots any rank, with luck and without;
- the largest mean change of a bot's mu, which must be 0, and its standard error.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from arena.game.records import FixtureResult, fixture_result
from arena.game.rules.books import VARIANTS, Rules
from arena.league.schedule.block_design import blocks
from arena.playstats.luck import rated_luck
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow
from arena.ratings.maths.arrays import Floats
from benchmarks.shared.players import play
from tests.support import records
from tests.support.ratings import rated_board

FIELDS = {
    "ordinary": ("honest", "bluffer", "odds", "memory"),
    "with one that doubts": ("honest", "bluffer", "odds", "memory", "doubter"),
    "with one that crashes": ("honest", "bluffer", "odds", "memory", "crasher"),
    "equal": ("honest 1", "honest 2", "honest 3", "honest 4", "honest 5", "honest 6"),
}
SKEWED = ("doubter", "crasher")
BOOKS = [
    *((VARIANTS["bga"], field) for field in FIELDS),
    *((rules, "ordinary") for name, rules in VARIANTS.items() if name != "bga"),
]
PASSES = 2


class Boards(NamedTuple):
    """A league, rated in two ways."""

    raw: Leaderboard
    without: Leaderboard


def league(
    rules: Rules, bots: Sequence[str], seed: str, games: int, *, shared: bool = False
) -> Iterator[FixtureResult]:
    """Play every pair in both orders, twice; luck is known where fixtures do not share dice."""
    plan = blocks(len(bots), 2, PASSES * (len(bots) - 1), seed)
    tables = [(number, table) for number, block in enumerate(plan) for table in block]
    for index, (block, table) in enumerate(tables):
        seats = tuple([bots[bot] for bot in table])
        fixture = records.fixture(
            seats,
            games,
            id=f"{index:016x}",
            index=index,
            variant=rules.name,
            seed=f"{seed}/{block if shared else index}",
            block=block,
        )
        programs = [name.split()[0] for name in seats]
        played = records.played(fixture, list(play(rules, programs, fixture.seed, games)))
        luck = () if shared else rated_luck(played, rules)
        yield replace(fixture_result(played), luck=luck)


def without(played: Sequence[FixtureResult]) -> list[FixtureResult]:
    """Return results whose luck is not known."""
    return [replace(one, luck=()) for one in played]


def joined(leagues: Sequence[Sequence[FixtureResult]]) -> list[FixtureResult]:
    """Return all leagues as one."""
    found: list[FixtureResult] = []
    for number, played in enumerate(leagues):
        for one in played:
            place = {"index": len(found), "block": one.fixture.block + 1000 * number}
            found.append(replace(one, fixture=replace(one.fixture, **place)))
    return found


def board(played: Sequence[FixtureResult]) -> Leaderboard:
    """Rate a league."""
    return rated_board("bench", 2, played)


def line(rules: Rules, field: str, leagues: int, games: int) -> str:
    """Play leagues of a field, and return their line of the table."""
    bots = FIELDS[field]
    played = [list(league(rules, bots, f"{rules.name}/{field}/{n}", games)) for n in range(leagues)]
    truth = [0.0] * len(bots) if field == "equal" else skills(board(without(joined(played))), bots)
    rated = [Boards(board(without(one)), board(one)) for one in played]
    raw, free = (
        np.array([skills(found, bots) for found in way]) for way in zip(*rated, strict=True)
    )
    name = f"{rules.name}/{field}/shared"
    dice = [
        skills(board(list(league(rules, bots, f"{name}/{n}", games, shared=True))), bots)
        for n in range(leagues)
    ]
    change = free - raw
    largest = int(np.abs(change.mean(0)).argmax())
    cells = [
        rules.name,
        field,
        f"{sum(len(one.games) for one in played[0])}",
        f"{np.mean([one.without.luck_slope or 0.0 for one in rated]):.2f}",
        f"{1 - spread(free, bots) / spread(raw, bots):.0%}",
        f"{1 - spread(np.array(dice), bots) / spread(raw, bots):.0%}",
        f"{1 - widths(rated, 1).mean() / widths(rated, 0).mean():.0%}",
        *(f"{coverage([one[way] for one in rated], bots, truth):.1%}" for way in (0, 1)),
        *(f"{wrong([one[way] for one in rated], bots, truth):.1%}" for way in (0, 1)),
        f"{change.mean(0)[largest]:+.3f} ± {change.std(0)[largest] / leagues**0.5:.3f}",
    ]
    return f"| {' | '.join(cells)} |"


def spread(mu: Floats, bots: Sequence[str]) -> float:
    """Return the variance of mu from league to league, relative to bots that are not skewed."""
    plain = mu[:, [bot not in SKEWED for bot in bots]]
    return float((plain - plain.mean(1, keepdims=True)).var(0).sum())


def skills(found: Leaderboard, bots: Sequence[str]) -> list[float]:
    """Return the mu of these bots."""
    mu = {row.bot: row.mu for row in found.rows}
    return [mu[bot] for bot in bots]


def widths(rated: Sequence[Boards], way: int) -> Floats:
    """Return the lengths of the intervals that have two ends."""
    rows = (row for one in rated for row in one[way].rows)
    ends = [(row.low, row.high) for row in rows]
    return np.array([high - low for low, high in ends if low is not None and high is not None])


def coverage(found: Sequence[Leaderboard], bots: Sequence[str], truth: Sequence[float]) -> float:
    """Return how often an interval contains the truth."""
    true = dict(zip(bots, truth, strict=True))
    return float(np.mean([holds(row, true[row.bot]) for one in found for row in one.rows]))


def holds(row: LeaderboardRow, mu: float) -> bool:
    """Tell whether a bot's interval contains its true mu."""
    return (row.low is None or row.low <= mu) and (row.high is None or mu <= row.high)


def wrong(found: Sequence[Leaderboard], bots: Sequence[str], truth: Sequence[float]) -> float:
    """Return the share of leagues in which the range of some rank is wrong."""
    return float(np.mean([any(is_wrong(row, bots, truth) for row in one.rows) for one in found]))


def is_wrong(row: LeaderboardRow, bots: Sequence[str], truth: Sequence[float]) -> bool:
    """Tell whether a range leaves out a rank that the bot truly has; equal bots have all."""
    mu = truth[bots.index(row.bot)]
    best = 1 + sum(other > mu for other in truth)
    return row.best > best or row.worst < best + truth.count(mu) - 1


def main() -> None:
    """Print a line for each rule book and field."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=100)
    parser.add_argument("--games", type=int, default=10, help="per fixture")
    parser.add_argument("--rows", type=int, nargs="*", default=range(len(BOOKS)))
    options = parser.parse_args()
    ways = "with luck", "without"
    names = ["rules", "field", "games", "slope", "games saved", "by shared dice"]
    names += ["intervals shorter"]
    names += [*(f"coverage {way}" for way in ways), *(f"wrong ranks {way}" for way in ways)]
    print(f"| {' | '.join(names)} | change of mu |\n|{'---|' * (len(names) + 1)}")
    for row in options.rows:
        rules, field = BOOKS[row]
        print(line(rules, field, options.leagues, options.games), flush=True)


if __name__ == "__main__":
    main()
