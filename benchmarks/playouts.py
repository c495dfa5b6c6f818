"""Games per second of the pure game with random players: `python -m benchmarks.playouts`.

One process, no bots, no records: rolls, ranges of legal raises, bids, calls, openers. A player
doubts one time in five if it may, else it bids a uniformly random face, near the smallest quantity;
so games are about as long as those of sensible bots.
"""

import argparse
import time
from random import Random
from statistics import median

from arena.game.rules.books import VARIANTS, Rules
from arena.game.rules.dice import first_opener, roll
from arena.game.rules.round import Bid, Standing, dudo, first_standing, open_round, place, raises


def play(rules: Rules, players: int, game: int, random: Random) -> int:
    """Play a game to its end; return the number of decisions."""
    opener = first_opener("bench", game, players, highest_roll=rules.first_opener == "highest_roll")
    standing = first_standing(rules, players, opener)
    number = decisions = 0
    while standing.winner is None:
        standing, taken = _play_round(standing, game, number, random)
        number += 1
        decisions += taken
    return decisions


def _play_round(standing: Standing, game: int, number: int, random: Random) -> tuple[Standing, int]:
    hands = tuple([roll("bench", game, number, seat, n) for seat, n in enumerate(standing.dice)])
    now = open_round(standing)
    decisions = 1
    ranges = raises(now)
    while now.bid is None or (ranges and random.random() > 0.2):
        one = ranges[int(random.random() * len(ranges))]
        now = place(now, Bid(min(one.max, one.min + int(random.random() * 2)), one.face))
        ranges = raises(now)
        decisions += 1
    return dudo(now, hands).after, decisions


def measure(rules: Rules, players: int, games: int) -> tuple[float, float]:
    """Return games and decisions per second."""
    random = Random(f"{rules.name}/{players}")
    began = time.perf_counter()
    decisions = sum(play(rules, players, game, random) for game in range(games))
    seconds = time.perf_counter() - began
    return games / seconds, decisions / seconds


def main() -> None:
    """Print a line for each rule book and table size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 6])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for name, rules in VARIANTS.items():
        for players in options.players:
            rates = [measure(rules, players, options.games) for _ in range(options.rounds)]
            games, decisions = (median(column) for column in zip(*rates, strict=True))
            print(
                f"{name:9} {players} players  {games:7,.0f} games/s  {decisions:9,.0f} decisions/s"
            )


if __name__ == "__main__":
    main()
