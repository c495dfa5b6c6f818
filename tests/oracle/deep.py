"""Compares engine and oracle in as many random positions and games as there is time for.

    python -m tests.oracle.deep [--rounds N] [--games N] [--seed TEXT] [--workers N]

prints a line for each rule book and exits with 1 if they disagree anywhere; the first such position
of each rule book goes to standard error.
"""

import argparse
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from traceback import format_exception_only
from typing import NamedTuple

from tests.oracle.agreement import compare_game, compare_position
from tests.oracle.bidding import BOOKS

CHUNK = 500


class Task(NamedTuple):
    """The positions, or the games, from `first` up to but not including `end` of a seed."""

    variant: str
    games: bool
    seed: str
    first: int
    end: int


class Tally(NamedTuple):
    """The result of a task; `wrong` are the disagreements, each with its seed and position."""

    variant: str
    rounds: int
    games: int
    rounds_of_games: int
    wrong: list[str]


def tasks_for(seed: str, rounds: int, games: int) -> list[Task]:
    return [
        Task(variant, is_game, seed, first, min(first + CHUNK, number))
        for variant in BOOKS
        for is_game, number in ((False, rounds), (True, games))
        for first in range(0, number, CHUNK)
    ]


def check(task: Task) -> Tally:
    """Compare the two on everything in a task; a disagreement does not stop it."""
    compare: Callable[[str, str], int | None] = compare_game if task.games else compare_position
    kind = "game" if task.games else "round"
    rounds, wrong = 0, []
    for number in range(task.first, task.end):
        seed = f"{task.seed}/{task.variant}/{kind}/{number}"
        try:
            rounds += compare(task.variant, seed) or 0
        except Exception as error:  # an engine that crashes disagrees, too
            wrong.append(f"{seed}: {''.join(format_exception_only(error))}")
    done = task.end - task.first
    return Tally(task.variant, 0 if task.games else done, done if task.games else 0, rounds, wrong)


def tallies(tasks: Sequence[Task], workers: int) -> Iterator[Tally]:
    """Check the tasks in so many processes; the tallies come in their order."""
    if workers == 1:
        yield from map(check, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield from pool.imap(check, tasks)


def report(variant: str, parts: Sequence[Tally]) -> bool:
    """Print a rule book's line and its first disagreement; return whether there was none."""
    rounds, games = sum(part.rounds for part in parts), sum(part.games for part in parts)
    rounds_of_games = sum(part.rounds_of_games for part in parts)
    wrong = [one for part in parts for one in part.wrong]
    what = f"{rounds} rounds, {games} games of {rounds_of_games} rounds"
    print(f"{variant}: {what}, {len(wrong)} disagreements", flush=True)
    if wrong:
        print(wrong[0], file=sys.stderr)
    return not wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.deep", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100_000, help="positions of each rule book")
    parser.add_argument("--games", type=int, default=100_000, help="whole games of each rule book")
    parser.add_argument("--seed", default="deep", help="another text: other positions and games")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args(arguments)
    tasks = tasks_for(chosen.seed, chosen.rounds, chosen.games)
    by_variant = groupby(tallies(tasks, chosen.workers), key=attrgetter("variant"))
    agree = [report(variant, list(parts)) for variant, parts in by_variant]
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
