"""What pruning gives back, and what it takes: `python -m benchmarks.pruning [--games 40000]`.

The stores are generated (`benchmarks/shared/stored.py`), with 20 games per fixture.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.league.keeping.prune import prune
from arena.league.schedule.schedule import Schedule
from arena.league.store.files import logs_path
from arena.league.store.store import Store
from benchmarks.shared.sizes import Size, history_of
from benchmarks.shared.stored import STORE, fill, playing

MIB = 1 << 20


def measure(size: Size, path: Path) -> None:
    """Prune a store to half of its logs, then all of them; print a line for each."""
    info = history_of(size).start
    fill(path, info, playing(info, Schedule(info).fixtures))
    before = logs_path(path).stat().st_size
    print(f"{size.games:,} games of {size.players}: logs of {before / MIB:.1f} MiB")
    for cap in (before // 2, 0):
        began = time.process_time()
        with Store(path, create=True) as store:
            found = prune(store, cap)
        cpu = time.process_time() - began
        after = logs_path(path).stat().st_size
        print(
            f"  at most {cap / MIB:.1f} MiB: {found.games:,} games pruned, a file of"
            f" {after / MIB:.1f} MiB, {cpu / max(1, found.games) * 1e6:.0f} µs of CPU time a game"
        )
    print(f"  {after / size.games:.0f} bytes are kept per pruned game")


def main() -> None:
    """Measure tables of two and of six."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=40_000, help="games of each store")
    options = parser.parse_args()
    for players in (2, 6):
        with TemporaryDirectory() as folder:
            measure(Size(50, options.games, players=players), Path(folder) / STORE)


if __name__ == "__main__":
    main()
