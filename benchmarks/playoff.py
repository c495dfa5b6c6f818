"""Games until `until: winner` names a bot, and its errors: `python -m benchmarks.playoff`.

Simulated leagues at tables of two, of one pass and the playoff after it, through the functions that
race. Every pair of bots has a chance to win. Beside it the games of a round robin, in which nobody
stops playing, until the same evidence has put one bot ahead of all others. Prints

- the mean games of both, all games of the league among them, where the first wins some share of its
  games against the second, and each other bot is a little weaker than the one before;
- how often a winner is named in leagues without one: tied bots, and rock, paper, scissors;
- how often one of the best bots is dropped where games of a fixture depend on each other, because
  bots are by chance in better or worse form in all of them.
"""

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.ratings.maths.arrays import Floats, as_floats
from arena.ratings.racing import Race, by_opponent

CONFIDENCE = 0.95
MOST = {"winner": 200_000, "none": 40_000, "dependent": 5_000}
"""Games, where there is a winner, where there is none, and where the games of a fixture depend."""
STEP = 0.15
"""How much weaker each bot is than the one before, from the third on, in log odds."""


FIELDS = ((9, 0.57, 2), (9, 0.6, 2), (9, 0.65, 2), (20, 0.6, 2), (9, 0.6, 20))
"""Bots, the share of games that the first wins against the second, games of a fixture."""
DEPENDENT = ((4, 10, 0.5), (4, 40, 0.5), (8, 10, 0.5), (8, 10, 1.0))
"""Bots, games of a fixture, and the standard deviation of a fixture's form in log odds."""


class Outcome(NamedTuple):
    """The end of a race."""

    left: Sequence[int]
    games: int


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=200)
    count = parser.parse_args().leagues
    print("| bots | first beats second | games a fixture | round robin | race | saved | wrong |")
    print("|---|---|---|---|---|---|---|")
    for bots, share, games in FIELDS:
        chances, rng = graded(bots, share), np.random.default_rng(bots)
        races = [race(chances, games, rng, MOST["winner"]) for _ in range(count)]
        every = [
            race(chances, games, rng, MOST["winner"], everyone=True)
            for _ in range(max(1, count // 5))
        ]
        mean, all_mean = (np.mean([one.games for one in ended]) for ended in (races, every))
        wrong = sum(0 not in one.left for one in races) / count
        cells = f"{all_mean:,.0f} | {mean:,.0f} | {1 - mean / all_mean:.0%} | {wrong:.1%}"
        print(f"| {bots} | {share:.0%} | {games} | {cells} |", flush=True)
    print("\n| leagues without a winner | named one |\n|---|---|")
    for name, chances in without_winner().items():
        rng = np.random.default_rng(1)
        named = sum(len(race(chances, 10, rng, MOST["none"]).left) == 1 for _ in range(count))
        print(f"| {name} | {named / count:.1%} |", flush=True)
    print("\n| bots, all equal | games a fixture | form | one dropped |\n|---|---|---|---|")
    for bots, games, form in DEPENDENT:
        equal, rng = from_strengths([0.0] * bots), np.random.default_rng(bots)
        races = [race(equal, games, rng, MOST["dependent"], form=form) for _ in range(count)]
        dropped = sum(len(one.left) < bots for one in races) / count
        print(f"| {bots} | {games} | {form} | {dropped:.1%} |", flush=True)


def graded(bots: int, share: float) -> Floats:
    """Return everyone's chance against everyone, the best bot first."""
    lead = float(np.log(share / (1 - share)))
    return from_strengths([0.0, *(-lead - STEP * number for number in range(bots - 1))])


def from_strengths(strengths: Sequence[float]) -> Floats:
    """Return chances to win, given strengths in log odds."""
    gaps = as_floats(strengths)[:, None] - as_floats(strengths)
    return as_floats(1 / (1 + np.exp(-gaps)))


def without_winner() -> dict[str, Floats]:
    """Return the chances in leagues in which nobody is first."""
    circle = np.full((6, 6), 0.5)
    circle[:3, 3:], circle[3:, :3] = 0.65, 0.35
    for bot in range(3):
        circle[bot, (bot + 1) % 3], circle[(bot + 1) % 3, bot] = 0.7, 0.3
    return {
        "2 tied": from_strengths([0.0, 0.0]),
        "2 tied of 9": from_strengths([0.0, 0.0, *(-0.4 - STEP * bot for bot in range(7))]),
        "6 tied": from_strengths([0.0] * 6),
        "rock, paper, scissors, and 3 weaker": circle,
    }


def race(
    chances: Floats,
    games: int,
    rng: np.random.Generator,
    most: int,
    *,
    everyone: bool = False,
    form: float = 0.0,
) -> Outcome:
    """Let those play on that can be first; with `everyone` all, by the same evidence.

    `form` is the standard deviation, in log odds, of the form of a fixture.
    """
    bots = [*range(len(chances))]
    running, count = Race([f"{bot}" for bot in bots], CONFIDENCE), 0
    while len(running.left) > 1 and count < most:
        playing = bots if everyone else [int(bot) for bot in running.left]
        shares = played(chances[np.ix_(playing, playing)], games, rng, form)
        running.add([f"{bot}" for bot in playing], by_opponent(shares), games)
        running.judge()
        count += games * len(playing) * (len(playing) - 1)
    return Outcome([int(bot) for bot in running.left], count)


def played(chances: Floats, games: int, rng: np.random.Generator, form: float) -> Floats:
    """Play a pass; return the shares of games won, [seat, bot, opponent]."""
    inside = np.clip(chances, 1e-9, 1.0 - 1e-9)
    odds = np.log(inside / (1.0 - inside)) + form * rng.normal(size=chances.shape)
    won = rng.binomial(games, 1.0 / (1.0 + np.exp(-odds))) / games
    return as_floats([won, 1.0 - won.T])


if __name__ == "__main__":
    main()
