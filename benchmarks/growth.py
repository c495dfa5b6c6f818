"""How time and memory grow with a league: `python -m benchmarks.growth [--full]`.

Each line is measured in a process of its own: its time, the CPU time of all its processes, and the
most memory that any of them held. An exponent is the slope between two lines in log-log scale: 1 is
linear growth. `--full` has leagues of up to a million games and 1,000 changes, and takes hours.

The stores are generated. Fixtures draw their games from a pool that the referee really played, so
that stronger bots win more often; in one game of a hundred a bot faults, or as `--faults` says.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.league.schedule.schedule import Schedule
from arena.publish.report import ReportRequest, report
from benchmarks.shared.sizes import Size, begin, draw, history_of
from benchmarks.shared.stored import FAULTS, STORE, fill, playing
from benchmarks.shared.usage import Used, alone

CHANGES = (0, 10, 100, 1000)


QUICK = (
    [Size(50, 10_000), Size(50, 40_000), Size(200, 40_000)],
    [Size(50, 10_000, changes) for changes in (0, 25, 100)] + [Size(200, 40_000, 100)],
)
FULL = (
    [
        *(Size(bots, games) for bots in (50, 200, 300, 1000) for games in (10**4, 10**5, 10**6)),
        *(Size(300, games, players=6) for games in (10**4, 10**5, 10**6)),
    ],
    [Size(bots, 200 * bots, changes) for bots in (50, 200, 1000) for changes in CHANGES],
)
"""The leagues to report on, and those to draw the schedules of."""


Steps = Callable[[Size], Iterator[tuple[str, Used]]]
"""Measures what there is to measure of a league of that size."""


def make(size: Size, folder: Path, faults: float) -> None:
    """Make the store of a league; in so large a share of its games a bot faults."""
    info = history_of(size).start
    fill(folder / STORE, info, playing(info, Schedule(info).fixtures, faults))


def write(folder: Path) -> None:
    """Write the report of the store in a folder."""
    report(ReportRequest(folder / "league.yaml", folder / STORE, folder / "site"))


def reports(size: Size, faults: float = FAULTS) -> Iterator[tuple[str, Used]]:
    """Yield what a report takes from scratch, and when nothing changed since."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        alone(make, size, folder, faults)
        yield "report from scratch", alone(write, folder)
        yield "report again", alone(write, folder)


def schedules(size: Size) -> Iterator[tuple[str, Used]]:
    """Yield what it takes to draw the schedule."""
    with TemporaryDirectory() as name:
        alone(begin, size, Path(name))
        yield "schedule", alone(draw, Path(name))


def measure(sizes: Iterable[Size], steps: Steps) -> dict[str, dict[Size, Used]]:
    """Print a line for each size and step; return what they used, by step."""
    found: dict[str, dict[Size, Used]] = {}
    for size in sizes:
        for step, what in steps(size):
            found.setdefault(step, {})[size] = what
            numbers = f"{what.seconds:8.1f} s {what.cpu:8.1f} s {what.memory:8.0f} MiB"
            print(f"{step:20} {size} {numbers}", flush=True)
    return found


def exponents(found: dict[Size, Used]) -> Iterator[str]:
    """Yield how time and memory grow with each dimension, between sizes alike in the others."""
    for dimension in ("bots", "games", "changes"):
        rows: dict[Size, list[tuple[int, Used]]] = {}
        for size, what in found.items():
            if number := getattr(size, dimension):
                rows.setdefault(size._replace(**{dimension: 0}), []).append((number, what))
        for rest, row in rows.items():
            for (few, before), (many, after) in pairwise(sorted(row)):
                slopes = [
                    f"{name} {log(getattr(after, name) / getattr(before, name), many / few):.2f}"
                    for name in ("cpu", "memory")
                ]
                others = {k: v for k, v in rest._asdict().items() if k != dimension and v}
                fixed = ", ".join(f"{number:,} {name}" for name, number in others.items())
                yield f"{few:,} to {many:,} {dimension} ({fixed}): {', '.join(slopes)}"


def main() -> None:
    """Print a line for each league, then the exponents."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="leagues of up to a million games")
    for name, words in (("reports", "report on"), ("schedules", "draw the schedules of")):
        help_ = f"leagues to {words}: bots:games:changes:players"
        parser.add_argument(f"--{name}", nargs="*", metavar="SIZE", help=help_)
    help_ = "the share of games in which a bot faults, in reports"
    parser.add_argument("--faults", type=float, default=FAULTS, help=help_)
    options = parser.parse_args()
    sizes = FULL if options.full else QUICK
    steps: list[Steps] = [partial(reports, faults=options.faults), schedules]
    names = f"{'':20} {'bots':>6} {'players':>8} {'games':>10} {'changes':>8}"
    print(f"{names} {'time':>10} {'CPU time':>10} {'memory':>12}")
    asked = options.reports, options.schedules
    for given, usual, taken in zip(asked, sizes, steps, strict=True):
        chosen = usual if given is None else [Size(*map(int, one.split(":"))) for one in given]
        for step, found in measure(chosen, taken).items():
            for line in exponents(found):
                print(f"{step}, {line}")


if __name__ == "__main__":
    main()
