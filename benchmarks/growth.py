"""How time and memory grow with a league: `python -m benchmarks.growth [--full]`.

Measured are reports, schedules, the start of a run whose arena was killed, ratings without a
report, and admissions to a ladder.

Each line is measured in a process of its own: its time, the CPU time of all its processes, and the
most memory that any of them held. An exponent is the slope between two lines in log-log scale: 1 is
linear growth. `--full` has leagues of up to a million games and 1,000 changes, and takes hours.
Changes are those of a ladder, which admits a version in each of them.

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

from msgspec.structs import replace

from arena.game.records import Division
from arena.league.play.stored_league import StoredLeague
from arena.league.schedule.schedule import Schedule
from arena.league.store.store import Store
from arena.publish.report import ReportRequest, report
from arena.ratings.division import rate_division
from benchmarks.shared.games import generated
from benchmarks.shared.sizes import GAMES, Size, begin, draw, history_of
from benchmarks.shared.stored import FAULTS, STORE, fill, playing
from benchmarks.shared.usage import Used, alone

CHANGES = (0, 10, 100, 1000)


QUICK = (
    [Size(50, 10_000), Size(50, 40_000), Size(200, 40_000)],
    [Size(50, 10_000, changes) for changes in (0, 25, 100)] + [Size(200, 40_000, 100)],
    [Size(50, 10_000), Size(50, 40_000), Size(200, 40_000)],
    [Size(100, 10_000), Size(100, 100_000), Size(1000, 100_000)],
    [Size(50, 10_000, 20), Size(50, 40_000, 20), Size(200, 40_000, 20)],
)
FULL = (
    [
        *(Size(bots, games) for bots in (50, 200, 300, 1000) for games in (10**4, 10**5, 10**6)),
        *(Size(300, games, players=6) for games in (10**4, 10**5, 10**6)),
    ],
    [Size(bots, 200 * bots, changes) for bots in (50, 200, 1000) for changes in CHANGES],
    [Size(bots, games) for bots in (100, 1000) for games in (10**4, 10**5, 10**6)],
    [
        *(Size(bots, games) for bots in (100, 1000) for games in (10**5, 10**6, 10**7)),
        *(Size(bots, 20 * bots) for bots in (2500, 5000, 10_000)),
    ],
    [Size(bots, games, 20) for bots in (100, 1000) for games in (10**4, 10**5, 10**6)],
)
"""The leagues to report on, to draw the schedules of, to start again, to rate, and to admit to."""


Steps = Callable[[Size], Iterator[tuple[str, Used]]]
"""Measures what there is to measure of a league of that size."""


def make(size: Size, folder: Path, faults: float) -> None:
    """Make the store of a league; in so large a share of its games a bot faults."""
    info = history_of(size).start
    schedule = Schedule(info)
    for _ in range(info.blocks if info.endless else 0):
        for division in schedule.blocks:
            schedule.draw(division)
    fill(folder / STORE, info, playing(info, schedule.fixtures, faults))


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


def restarts(size: Size, faults: float = FAULTS) -> Iterator[tuple[str, Used]]:
    """Yield what a run takes that finds most games played, until it knows what is due."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        alone(make, size, folder, faults)
        yield "start after a kill", alone(draw, folder)


def admissions(size: Size) -> Iterator[tuple[str, Used]]:
    """Yield what a ladder takes to admit versions, beyond its start, until games are due for each.

    They come one after another, each in the place of another one.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        alone(make, size, folder, FAULTS)
        start, both = alone(draw, folder), alone(admit, size, folder)
        took = both.seconds - start.seconds, both.cpu - start.cpu
        yield "admissions", Used(*took, both.memory)


def admit(size: Size, folder: Path) -> None:
    """Make the changes of a league whose games are stored."""
    with Store(folder / STORE, create=True) as store:
        league = StoredLeague(store)
        for change in history_of(size).changes:
            league.change(joined=change.joined, rested=change.rested)
            league.due()


def ratings(size: Size, each: int = GAMES) -> Iterator[tuple[str, Used]]:
    """Yield what it takes to rate a division with so many games in each fixture."""
    yield "rate", alone(rate, size, each)


def rate(size: Size, each: int) -> None:
    """Generate games, and rate them; to generate them takes little."""
    info = history_of(size).start
    games = generated(replace(info, games=each, blocks=size.games // (size.bots * each)))
    rate_division(Division("bga", size.players), games, info.ratings)


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
    whats = ("reports", "schedules", "restarts", "ratings", "admissions")
    uses = ("report on", "draw", "start again", "rate", "admit to")
    for name, words in zip(whats, uses, strict=True):
        help_ = f"leagues to {words}: bots:games:changes:players"
        parser.add_argument(f"--{name}", nargs="*", metavar="SIZE", help=help_)
    help_ = "the share of games in which a bot faults, in reports"
    parser.add_argument("--faults", type=float, default=FAULTS, help=help_)
    help_ = "games per fixture, in ratings: with fewer, bots meet more others"
    parser.add_argument("--each", type=int, default=GAMES, help=help_)
    options = parser.parse_args()
    sizes = FULL if options.full else QUICK
    steps: list[Steps] = [
        partial(reports, faults=options.faults),
        schedules,
        restarts,
        partial(ratings, each=options.each),
        admissions,
    ]
    names = f"{'':20} {'bots':>6} {'players':>8} {'games':>10} {'changes':>8}"
    print(f"{names} {'time':>10} {'CPU time':>10} {'memory':>12}")
    asked = [getattr(options, name) for name in whats]
    for given, usual, taken in zip(asked, sizes, steps, strict=True):
        chosen = usual if given is None else [Size(*map(int, one.split(":"))) for one in given]
        for step, found in measure(chosen, taken).items():
            for line in exponents(found):
                print(f"{step}, {line}")


if __name__ == "__main__":
    main()
