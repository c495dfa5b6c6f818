"""The gain of a second core and of pinning: `python -m benchmarks.cores`.

Decisions per second of `arena run`, with one worker and with two, each with `pin: true` (a worker
shares one core with its bots) and `pin: false`, first with one game at a time, then with many. The
rate is that of fixtures by the times at which they were stored: one-time costs of a run (trials of
bots, the report) do not count, nor does the end, when some workers are idle. All take turns; what
counts are the ratios, which are taken round by round.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import median

from arena.game.records import FixtureResult
from arena.league.store.store import Store

ARMS = list(product((1, 2), (True, False)))
"""Workers, and whether they are pinned."""


def main() -> None:
    """Print a table for each number of games at a time."""
    options = _options()
    for together in options.together:
        print(f"{options.players} players, {together} games at a time, {options.sandbox}")
        compare(options, together)


def compare(options: argparse.Namespace, together: int) -> None:
    """Print a line per arm, relative to one pinned worker and to one worker with the same `pin`."""
    rounds = [
        {arm: rate(options, together, number, *arm) for arm in ARMS}
        for number in range(options.repeat)
    ]
    print("workers  pin    decisions/s   / one worker, pinned   / one worker, same pin")
    for workers, pin in ARMS:
        rates = [each[workers, pin] for each in rounds]
        pinned = median(each[workers, pin] / each[1, True] for each in rounds)
        same = median(each[workers, pin] / each[1, pin] for each in rounds)
        shown = str(pin).lower()
        print(f"{workers:7}  {shown:5}  {median(rates):11,.0f}   {pinned:19.2f}   {same:22.2f}")


def rate(options: argparse.Namespace, together: int, number: int, workers: int, pin: bool) -> float:
    """Run a new league; return its decisions per second."""
    print(f"\r{number + 1}/{options.repeat} {workers} {pin} ", end="", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        league = Path(folder) / "league.yaml"
        league.write_text(
            f"bots: ['sample:honest', 'sample:odds', 'sample:bluffer', 'sample:random']\n"
            f"variants: [bga]\nplayers: {options.players}\ngames: {options.games}\n"
            f"blocks: {options.rounds}\nseed: cores {number}\nsandbox: {options.sandbox}\n"
            f"workers: {workers}\npin: {str(pin).lower()}\n"
            f"limits: {{concurrent_games: {together}}}\n",
            encoding="utf-8",
        )
        command = [sys.executable, "-m", "arena", "run", str(league), "--trust-bots"]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
        with Store(league.with_suffix(".sqlite")) as store:
            return steady_rate(list(store.results()), workers)


def steady_rate(results: Sequence[FixtureResult], workers: int) -> float:
    """Return decisions per second without the first tenth and the last two of each worker."""
    stored = sorted((each.stored_at or 0.0, each.decisions) for each in results)
    steady = stored[len(stored) // 10 : len(stored) - 2 * workers]
    return sum(decisions for _, decisions in steady[1:]) / (steady[-1][0] - steady[0][0])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--together", type=int, nargs="+", default=[1, 16], help="games at a time")
    parser.add_argument("--games", type=int, default=100, help="of a fixture")
    parser.add_argument("--rounds", type=int, default=6, help="of the league")
    parser.add_argument("--sandbox", default="process")
    parser.add_argument("--repeat", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
