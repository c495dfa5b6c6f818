"""The cost of a store: `python -m benchmarks.store [--games 100000] [--players 2 6]`.

Bytes per game in either file, and CPU time to store a game, to read all results and to count who
finished ahead of whom. The fixtures are those of a league; their games are drawn from some hundreds
that were really played.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from random import Random

from msgspec.structs import replace

from arena.game.records import Conditions, PlayedFixture
from arena.league.schedule.schedule import Schedule
from arena.league.store.files import logs_path
from arena.league.store.rows import pack
from arena.league.store.store import Store
from arena.ratings.league_ratings import by_division
from arena.ratings.model.games import as_arrays
from arena.ratings.model.head_to_head import count_ahead
from benchmarks.shared.stored import of_games, really_played
from tests.support import records

DIFFERENT = 200
"""Games that are really played."""


def fixtures(conditions: Conditions) -> Iterator[PlayedFixture]:
    """Yield every fixture of a league, with games drawn at random."""
    drawn = islice(chain.from_iterable(one.games for one in really_played(conditions)), DIFFERENT)
    pool, draw = list(drawn), Random(1)
    for fixture in Schedule(conditions).fixtures:
        games = [replace(one, game=n) for n, one in enumerate(draw.choices(pool, k=fixture.games))]
        quiet = ("",) * len(fixture.seats)
        yield records.played(fixture, games, decisions=1234, seconds=1.0, stderr=quiet)


def fill(path: Path, conditions: Conditions) -> float:
    """Store a league; returns the CPU seconds that it took."""
    took = 0.0
    with Store(path, create=True) as store:
        store.begin(conditions)
        for played in fixtures(conditions):
            began = time.process_time()
            store.add(pack(played))
            took += time.process_time() - began
    return took


def measure(games: int, players: int) -> None:
    """Print the cost of one league."""
    info = of_games(games, players)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "league.sqlite"
        stored = fill(path, info)
        with Store(path) as store:
            began = time.process_time()
            tables = by_division(store.results())
            read = time.process_time() - began
            for results in tables.values():
                count_ahead(as_arrays(results))
            counted = time.process_time() - began
            count = sum(len(one.games) for results in tables.values() for one in results)
        sizes = [file.stat().st_size / count for file in (path, logs_path(path))]
    print(
        f"{players} players, {count:,} games: {sizes[0]:.1f} bytes per game in rows, "
        f"{sizes[1]:,.0f} in logs; stored in {1e6 * stored / count:.0f} µs per game, "
        f"all results in {read:.2f} s, head to head in {counted:.2f} s"
    )


def main() -> None:
    """Print a line for each table size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 6])
    options = parser.parse_args()
    for players in options.players:
        measure(options.games, players)


if __name__ == "__main__":
    main()
