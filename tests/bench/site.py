"""How long a report takes: `python -m tests.bench.site`; exits 1 beyond the targets.

For 200 bots and 100,000 games: from cold, and again after one more fixture. Times are CPU times of
all processes together, which other work on the machine does not change much, and wall times.
Making the records takes a few minutes, once; they are kept under build/.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from arena.store.rows import pack
from arena.store.store import Store
from tests.bench.stored import league, stored

COLD, MORE = 60.0, 5.0
"""CPU seconds that a report may take from cold, and after one more fixture."""
MEMORY = 1024.0
"""MiB that a process may hold at most."""
PAGE = 150.0
"""KB that the front page and leaderboards may have."""
TARGETS = 2
"""The table size that the targets are for; of others, figures are only printed."""


class Used(NamedTuple):
    """What a command used."""

    cpu: float
    """Seconds, with its processes."""
    wall: float
    memory: float
    """MiB that the largest process held at most."""


def report(store: Path, site: Path) -> Used:
    """Write the report of a store with the command, and return what it used."""
    line = [sys.executable, "-m", "arena", "report", str(store.with_suffix(".yaml"))]
    began = time.perf_counter()
    command = subprocess.Popen([*line, "--site", str(site)], stderr=subprocess.DEVNULL)
    _, code, used = os.wait4(command.pid, 0)
    command.returncode = code
    assert code == 0
    cpu = used.ru_utime + used.ru_stime
    return Used(cpu, time.perf_counter() - began, used.ru_maxrss / 1024)


def measure(bots: int, players: int, rounds: int) -> Iterator[str]:
    """Print what a report takes; yield each target that is missed."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        store, last = stored(league(bots, 50, players, rounds), folder / "league")
        cold = report(store, folder / "site")
        with Store(store, create=True) as opened:
            opened.add(pack(last))
        more = report(store, folder / "site")
        again = report(store, folder / "site")
        pages = [folder / "site/index.html", *(folder / "site/tables").glob("*.html")]
        page = max(path.stat().st_size for path in pages) / 1000
    for what, used in (("cold", cold), ("one more fixture", more), ("no change", again)):
        print(
            f"{bots} bots, {players} players, {bots * rounds * 50:,} games, {what}: "
            f"{used.cpu:.1f} s of CPU time ({used.wall:.1f} s of wall time), "
            f"{used.memory:.0f} MiB"
        )
    print(f"the largest of front page and leaderboards: {page:.0f} KB")
    targets = {
        "from cold": (cold.cpu, COLD),
        "after one more fixture": (more.cpu, MORE),
        "memory": (max(cold.memory, more.memory), MEMORY),
        "the page": (page, PAGE),
    }
    yield from (what for what, (value, most) in targets.items() if value > most)


def main() -> None:
    """Print a few lines for each table size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 6])
    options = parser.parse_args()
    missed = {size: list(measure(options.bots, size, options.rounds)) for size in options.players}
    for size, found in missed.items():
        if found:
            print(f"{size} players, beyond the targets: {', '.join(found)}")
    sys.exit(1 if missed.get(TARGETS) else 0)


if __name__ == "__main__":
    main()
