"""How long a report takes: `python -m benchmarks.site`; exits 1 beyond the targets.

For 200 bots and 100,000 games: from cold, after one more fixture, and again if nothing changed;
with `--million` for 1,000 bots and a million games at tables of two. The targets are wall times on
two cores that do nothing else; CPU times of all processes together are printed, too, which other
work on the machine does not change much. `--against PATH` measures another checkout, too, and
prints the ratios. Making the records takes a few minutes, once; they are kept under build/.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.game.records import Conditions
from arena.league.store.rows import pack
from arena.league.store.store import Store
from benchmarks.shared.stored import league, stored
from benchmarks.shared.usage import Used

MANY = 1_000_000
"""Games of which only the report from cold has a target."""
COLD, COLD_OF_MANY = 60.0, 180.0
"""Seconds by the clock that a report may take from cold."""
MORE, AGAIN = 3.0, 1.0
"""Seconds that it may take after one more fixture, and if nothing changed."""
MEMORY = 512.0
"""MiB that a process may hold at most."""
PAGE = 150.0
"""KB that the front page and leaderboards may have."""
HERE = Path(__file__).parents[1]


WHAT = "cold", "one more fixture", "no change"
"""The reports of one store, in order."""


def report(store: Path, site: Path, checkout: Path) -> Used:
    """Write the report of a store with a checkout's command, and return what it used."""
    line = [sys.executable, "-m", "arena", "report", str(store.with_suffix(".yaml"))]
    # Without the safe path `-m` takes the arena of this folder; users have compiled modules.
    search = {"PYTHONPATH": str(checkout), "PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": ""}
    env = {**os.environ, **search}
    began = time.perf_counter()
    command = subprocess.Popen([*line, "--site", str(site)], stderr=subprocess.DEVNULL, env=env)
    _, code, used = os.wait4(command.pid, 0)
    command.returncode = code
    assert code == 0
    cpu = used.ru_utime + used.ru_stime
    return Used(time.perf_counter() - began, cpu, used.ru_maxrss / 1024)


def reports(conditions: Conditions, folder: Path, checkout: Path) -> list[Used]:
    """Write a checkout's reports of a league into `folder`, and return what each used."""
    store, last = stored(conditions, folder / "league")
    cold = report(store, folder / "site", checkout)
    with Store(store, create=True) as opened:
        opened.add(pack(last))
    return [cold, *(report(store, folder / "site", checkout) for _ in WHAT[1:])]


def measure(conditions: Conditions, against: Path | None) -> Iterator[str]:
    """Print what reports of a league take; yield each target that is missed."""
    with TemporaryDirectory() as name:
        found = reports(conditions, Path(name), HERE)
        site = Path(name) / "site"
        pages = [site / "index.html", *(site / "tables").glob("*.html")]
        page = max(path.stat().st_size for path in pages) / 1000
    games = len(conditions.bots) * conditions.blocks * conditions.games
    shape = f"{len(conditions.bots)} bots, {conditions.players[0]} players, {games:,} games"
    _print(shape, found)
    print(f"the largest of front page and leaderboards: {page:.0f} KB")
    if against:
        with TemporaryDirectory() as name:
            before = reports(conditions, Path(name), against)
        _print(f"{against}, {shape}", before)
        for what, old, new in zip(WHAT, before, found, strict=True):
            ratios = (
                f"{new.cpu / old.cpu:.2f} of the CPU time, {new.seconds / old.seconds:.2f} of the"
            )
            print(f"{what}: {ratios} wall time, {new.memory / old.memory:.2f} of the memory")
    (cold, more, again), many = found, games >= MANY
    targets = {
        "from cold": (cold.seconds, COLD_OF_MANY if many else COLD),
        "after one more fixture": (more.seconds, inf if many else MORE),
        "if nothing changed": (again.seconds, inf if many else AGAIN),
        "memory": (max(cold.memory, more.memory), MEMORY),
        "the page": (page, PAGE),
    }
    yield from (what for what, (value, most) in targets.items() if value > most)


def _print(label: str, found: Sequence[Used]) -> None:
    for what, used in zip(WHAT, found, strict=True):
        print(
            f"{label}, {what}: {used.cpu:.1f} s of CPU time ({used.seconds:.1f} s of wall time), "
            f"{used.memory:.0f} MiB",
            flush=True,
        )


def main() -> None:
    """Print a few lines for each table size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 6])
    parser.add_argument("--million", action="store_true", help="1,000 bots, a million games")
    parser.add_argument("--against", type=Path, help="another checkout of the arena")
    options = parser.parse_args()
    leagues = [league(options.bots, 50, size, options.blocks) for size in options.players]
    if options.million:
        leagues = [league(1000, 50, 2, 20)]
    missed = {one.players[0]: list(measure(one, options.against)) for one in leagues}
    for size, found in missed.items():
        if found:
            print(f"{size} players, beyond the targets: {', '.join(found)}")
    sys.exit(any(missed.values()))


if __name__ == "__main__":
    main()
