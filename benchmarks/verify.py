"""How long `arena verify` takes: `python -m benchmarks.verify [--games 100000] [--workers 2]`.

The store holds a league that was really played, by players without processes. Making it takes
longer than verifying it.
"""

import argparse
import tempfile
import time
from pathlib import Path

from arena.league.keeping.rerating import LIMIT, check_division
from arena.league.keeping.verify import verify
from arena.league.store.files import logs_path
from arena.league.store.store import Store
from arena.ratings.league_ratings import by_division
from benchmarks.shared.stored import fill, of_games, really_played

BUDGET = 300.0
"""Seconds that 100,000 games may take with two workers."""


def measure(games: int, players: int, workers: int) -> None:
    """Print how long it takes to verify a league."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "league.sqlite"
        league = of_games(games, players)
        fill(path, league, really_played(league))
        began = time.perf_counter()
        with Store(path) as store:
            verified = verify(store, workers=workers)
            seconds = time.perf_counter() - began
            [(division, results)] = by_division(store.results()).items()
            began = time.perf_counter()
            check_division(division, results, verified.ratings[0].rated)
            rating = time.perf_counter() - began
        size = path.stat().st_size + logs_path(path).stat().st_size
    assert not verified.findings
    replays = (seconds - rating) * 100_000 / verified.games
    ratings = rating * LIMIT / verified.ratings[0].rated
    verdict = "within" if replays + ratings <= BUDGET else "OVER"
    print(
        f"{players} players, {workers} workers: {verified.games:,} games ({size / 1e6:.0f} MB) in "
        f"{seconds:.1f} s, {rating:.1f} s of it to rate them again: 100,000 in {replays:.0f} s, "
        f"and {ratings:.0f} s to rate {LIMIT:,} again, {verdict} the {BUDGET:.0f} s allowed"
    )


def main() -> None:
    """Print a line for each table size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 6])
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    for players in options.players:
        measure(options.games, players, options.workers)


if __name__ == "__main__":
    main()
