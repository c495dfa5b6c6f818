"""What the standings of a ladder take as games are played: `python -m benchmarks.live_standings`.

Each line is a season of generated games: what it takes to read all of it and to compute the
standings as a ladder begins, and the same after 20 more tables; then how often they are computed
from then on. `--full` adds 300 bots and a million games, whose store takes some minutes to make.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from arena.game.records import PlayedFixture
from arena.ladder.folder import Folder
from arena.ladder.pages.standings import LiveStandings, pause
from arena.ladder.season.season import STORE
from arena.league.schedule.schedule import Schedule
from arena.league.store.rows import pack
from arena.league.store.store import Store
from benchmarks.shared.sizes import Size, history_of
from benchmarks.shared.stored import fill, playing
from benchmarks.shared.usage import alone

_MORE = 20
SIZES = (Size(4, 2_000), Size(50, 100_000), Size(50, 20_000, players=6))
FULL = (*SIZES, Size(300, 1_000_000))


def make(size: Size, root: Path) -> list[PlayedFixture]:
    """Make the store of a season but for its last tables, which are returned."""
    info = replace(history_of(size).start, shared_dice=False)  # so that luck is measured
    fixtures = Schedule(info).fixtures
    season = Folder(root).season(1)
    season.mkdir(parents=True)
    fill(season / STORE, info, playing(info, fixtures[:-_MORE]))
    return [*playing(info, fixtures[-_MORE:])]


def seconds(step: Callable[[], object]) -> float:
    """Return the CPU time that a step takes."""
    began = time.process_time()
    step()
    return time.process_time() - began


def measure(size: Size, root: Path, more: Sequence[PlayedFixture]) -> None:
    """Print the line of a season."""
    live = LiveStandings(Folder(root), 1)
    first = [seconds(live.read), seconds(live.rate)]
    with Store(Folder(root).season(1) / STORE, create=True) as store:
        for played in more:
            store.add(pack(played))
    live._next = 0.0
    again = [seconds(live.read), seconds(live.rate)]
    times = " ".join(f"{what:8.3f} s" for what in (*first, *again))
    print(f"{size.bots:5} {size.players:7} {size.games:10,} {times} {pause(again[1]):8.0f} s")


def main(sizes: Sequence[Size]) -> None:
    """Measure seasons of these sizes."""
    print(" bots players      games       read    compute  read more compute again   every")
    for size in sizes:
        with TemporaryDirectory() as name:
            more = make(size, Path(name))
            memory = alone(partial(measure, size, Path(name), more)).memory
            print(f"      {memory:.0f} MiB", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="also 300 bots, a million games")
    main(FULL if parser.parse_args().full else SIZES)
