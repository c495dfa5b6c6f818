"""How the sample bot `champion` does: `python -m benchmarks.champion [WEIGHTS] [--games N]`.

Plays leagues of all sample bots in arrays (`arena.lab.training.league`), under each rule book at
tables of two to six, and prints the share of its rivals that each of the best four finishes ahead
of; then each head to head for two; then decisions per second of CPU time. WEIGHTS are those of
another policy.
"""

import argparse
import time
from itertools import product
from pathlib import Path

import numpy as np

from arena.game.rules.books import VARIANTS
from arena.lab.training.games import Games
from arena.lab.training.league import Score, duel, frozen, league
from arena.lab.training.policy import Policy
from arena.lab.training.rivals import sample_bots

SHIPPED = Path("sample_bots/champion/weights.npz")
AT_A_TIME = 512


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("weights", nargs="?", type=Path, default=SHIPPED)
    parser.add_argument("--games", type=int, default=4096)
    parser.add_argument("--calza", action="store_true")
    chosen = parser.parse_args()
    with np.load(chosen.weights) as weights:
        policy = Policy(weights)
    for book, players in product(VARIANTS, range(2, 7)):
        print(board(policy, book, players, chosen.games, calza=chosen.calza), flush=True)
    for book in VARIANTS:
        print(duels(policy, book, chosen.games), flush=True)
    print(speed(policy))


def board(policy: Policy, book: str, players: int, games: int, *, calza: bool) -> str:
    """Return the first of a leaderboard: share of rivals that each beats, in per cent."""
    field = {"champion": frozen(policy), **sample_bots(10)}
    table = Games(AT_A_TIME, book, players, calza=calza, seed=players)
    scores = league(field, table, games)
    best = sorted(scores.items(), key=lambda item: -item[1].share)[:4]
    return f"{book} {players}: " + ", ".join(f"{name} {percent(score)}" for name, score in best)


def duels(policy: Policy, book: str, games: int) -> str:
    """Return how many games for two it wins against each sample bot."""
    rivals = {name: duel(policy, name, games, 1, book) for name in sample_bots(1)}
    return f"{book} against " + ", ".join(f"{name} {percent(won)}" for name, won in rivals.items())


def percent(score: Score) -> str:
    return f"{100 * score.share:.1f} ± {100 * score.error:.1f}"


def speed(policy: Policy) -> str:
    """Return decisions per second of CPU time of a league of four copies of the policy."""
    table = Games(4096, "bga", 4, seed=1)
    play = frozen(policy)
    began, steps = time.process_time(), 40
    for _ in range(steps):
        table.step(play(table.positions(table.rows), table, table.rows))
    return f"{steps * 4096 / (time.process_time() - began):,.0f} decisions/s of CPU time"


if __name__ == "__main__":
    main()
