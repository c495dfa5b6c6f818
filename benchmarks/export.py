"""Rows per second of `arena export --rows decisions`: `python -m benchmarks.export`.

Of a store whose games were played without processes, into a file, in one process; also per second
of CPU time.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of
from arena.publish.export import table
from arena.publish.export_files import FORMATS
from benchmarks.shared.stored import league, stored


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20, help="games per fixture")
    parser.add_argument("--players", type=int, default=2)
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder:
        path, _ = stored(league(8, chosen.games, chosen.players, 2), Path(folder))
        with Store(path) as store:
            for name in FORMATS:
                print(f"{name:<8} {export(store, Path(folder, 'rows'), name)}", flush=True)


def export(store: Store, file: Path, name: str) -> str:
    kind, rows = table("decisions", store, schedule_of(store))
    count = 0
    began, cpu = time.perf_counter(), time.process_time()
    with file.open("wb") as out:

        def counted() -> Iterator[Struct]:
            nonlocal count
            for row in rows:
                count += 1
                yield row

        FORMATS[name](kind, counted(), out, 6)
    wall, used = time.perf_counter() - began, time.process_time() - cpu
    return f"{count:>9,} rows, {count / wall:>8,.0f}/s, {count / used:>8,.0f} per CPU second"


if __name__ == "__main__":
    main()
