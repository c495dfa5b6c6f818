"""What a second core and pinning bring: `python tests/bench/cores.py`.

Decisions a second of whole runs of `arena run`, store and ratings included, with one worker and
with two, each with `pin: true` (a worker shares one core with its bots) and `pin: false`. So that
what a run costs once (bots tried, report written) does not count, each is run short and long, and
the difference is taken. All take turns; what counts is the ratio, round by round.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from statistics import median
from typing import NamedTuple

from arena.store.store import Store

ARMS = list(product((1, 2), (True, False)))
"""Workers, and whether they are pinned."""


class Ran(NamedTuple):
    """What one run took."""

    decisions: int
    seconds: float


def main() -> None:
    """Print a line for each way to run, against one pinned worker and against one of its kind."""
    options = _options()
    rounds = [
        {arm: rate(options, number, *arm) for arm in ARMS} for number in range(options.repeat)
    ]
    print(f"{options.players} players, {options.together} games at a time, {options.sandbox}")
    print("workers  pin    decisions/s   / one worker, pinned   / one worker, pin alike")
    for workers, pin in ARMS:
        rates = [one[workers, pin] for one in rounds]
        pinned = median(one[workers, pin] / one[1, True] for one in rounds)
        alike = median(one[workers, pin] / one[1, pin] for one in rounds)
        said = str(pin).lower()
        print(f"{workers:7}  {said:5}  {median(rates):11,.0f}   {pinned:19.2f}   {alike:22.2f}")


def rate(options: argparse.Namespace, number: int, workers: int, pin: bool) -> float:
    """Return the decisions a second of the games by which a long run is longer than a short one."""
    ran = []
    for blocks in (1, 1 + options.blocks):
        with tempfile.TemporaryDirectory() as folder:
            ran.append(_run(options, Path(folder), number, blocks, workers, pin))
        print(f"\r{number + 1}/{options.repeat} {workers} {pin} {blocks} ", end="", file=sys.stderr)
    short, long = ran
    return (long.decisions - short.decisions) / (long.seconds - short.seconds)


def _run(
    options: argparse.Namespace, folder: Path, number: int, blocks: int, workers: int, pin: bool
) -> Ran:
    league = folder / "league.yaml"
    league.write_text(
        f"bots: ['sample:honest', 'sample:odds', 'sample:bluffer', 'sample:random']\n"
        f"variants: [bga]\nplayers: {options.players}\ngames: {options.games}\nrounds: {blocks}\n"
        f"seed: cores {number}\nsandbox: {options.sandbox}\nworkers: {workers}\n"
        f"pin: {str(pin).lower()}\nlimits: {{concurrent_games: {options.together}}}\n",
        encoding="utf-8",
    )
    began = time.perf_counter()
    command = [sys.executable, "-m", "arena", "run", str(league), "--trust-bots"]
    store = folder / "league.sqlite"
    options_ = ["--store", str(store), "--site", str(folder / "site")]
    subprocess.run([*command, *options_], check=True, capture_output=True)
    seconds = time.perf_counter() - began
    with Store(store) as kept:
        return Ran(sum(one.decisions for one in kept.played()), seconds)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--together", type=int, default=16, help="games at a time")
    parser.add_argument("--games", type=int, default=100, help="of a fixture")
    parser.add_argument("--blocks", type=int, default=4, help="by which the long run is longer")
    parser.add_argument("--sandbox", default="process")
    parser.add_argument("--repeat", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
