"""A ladder with visitors: ten play on telephones while 500 listen, 50 submit, and games are played.

`python -m benchmarks.crowd`; times are those of clients on the same machine, and their CPU time is
missing to the games: so the ladder has one worker. Visitors come from addresses of their own, as
one address has few tables.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from statistics import quantiles

from arena.io.cores import spare_cores
from arena.ladder.folder import Folder
from benchmarks.serve import listen, peak, submit
from tests.cli.command import ROOT, arena, environment, run
from tests.ladder import club as clubs
from tests.ladder.endurance.people import Street, visitor
from tests.ladder.web.doors import Door

FIELD = ("honest-1", "honest-2", "odds-1")
"""Two are equal, so that the ladder never sleeps."""
WORKERS = 1
THINKS = 1.0
"""Seconds of a visitor between two looks at the table."""


def main() -> None:
    """Measure, and print the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--visitors", type=int, default=10)
    parser.add_argument("--listeners", type=int, default=500)
    parser.add_argument("--uploads", type=int, default=50)
    parser.add_argument("--size", type=int, default=256, help="of a submission, in KiB")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, opened(Path(name), chosen.visitors) as (door, pid):
        # Visitors have machines of their own: here they keep off the core that plays.
        os.sched_setaffinity(0, spare_cores(WORKERS))
        measure(door, pid, chosen)


@contextmanager
def opened(folder: Path, guests: int) -> Iterator[tuple[Door, int]]:
    """Run a ladder whose field plays on and on, and its door; yields it and its process."""
    terms = {"blocks": 10_000, "games": 10, "intervals": {"publish": 30.0}, "ratings": {}}
    quotas = {"uploads": 1000, "refused": 1000}
    club = clubs.make(folder, guests=guests, humans=True, workers=WORKERS, quotas=quotas, **terms)
    for bot in FIELD:
        source = folder / bot
        shutil.copytree(ROOT / "sample_bots" / bot.partition("-")[0], source)
        manifest = source / "bot.yaml"
        manifest.write_text(re.sub("(?m)^name: .*", f"name: {bot}", manifest.read_text()))
        sent = run("submit", source, "--to", club, "--no-wait", cwd=club)
        assert sent.code == 0, sent.err
    words = arena("serve", club, "--port", 0)
    with (
        clubs.running(club) as ladder,
        subprocess.Popen(words, env=environment(), stderr=subprocess.PIPE, text=True) as served,
    ):
        assert served.stderr
        base = served.stderr.readline().split()[-1]
        ladder.until(lambda: [*clubs.states(club).values()].count("rated") == len(FIELD))
        try:
            yield Door(Folder(club), base), served.pid
        finally:
            served.terminate()
            ladder.stop()


def measure(door: Door, pid: int, chosen: argparse.Namespace) -> None:
    """Count games without the crowd, with it, and without."""
    store = clubs.store_of(door.folder.root)
    quiet = rate(store, chosen.seconds)
    with other_cores_busy():
        busy = rate(store, chosen.seconds)
    listening, street = threading.Event(), Street(lambda: door.base, door.folder.root, "crowd")
    threading.Thread(target=listen, args=(door, chosen.listeners, listening), daemon=True).start()
    listening.wait()
    with ThreadPoolExecutor(chosen.visitors + chosen.uploads + 1) as pool:
        visits = [pool.submit(visitor, street, n, THINKS) for n in range(chosen.visitors)]
        sent = [pool.submit(send, door, n, chosen) for n in range(chosen.uploads)]
        crowded = rate(store, chosen.seconds)
        statuses = {future.result() for future in sent}
        street.over.set()
        for visit in visits:
            visit.result()
    assert statuses <= {201}, statuses
    shares = quantiles(street.times["table"], n=100)
    clicks = street.statuses["table", HTTPStatus.SEE_OTHER]
    print(f"{chosen.visitors} play ({clicks} clicks), {chosen.listeners} listen")
    print(f"a page: median {1000 * shares[49]:.0f} ms, p99 {1000 * shares[98]:.0f} ms")
    print(f"memory of the door: {peak(pid):.0f} MiB at most")
    print(f"games: {quiet:.0f} a second before, {crowded:.0f} meanwhile: {crowded / quiet:.2f}")
    print(f"with another program on the other cores {busy:.0f}: {crowded / busy:.2f} of that")


@contextmanager
def other_cores_busy() -> Iterator[None]:
    """Keep the cores that play nothing busy with a program that shares nothing but the machine."""
    loops = [
        subprocess.Popen((sys.executable, "-c", "while True: pass"))
        for _ in os.sched_getaffinity(0)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def rate(store: Path, seconds: float) -> float:
    """Return the fixtures that are stored in a second."""
    began, before = time.monotonic(), clubs.played(store)
    time.sleep(seconds)
    return 10 * (clubs.played(store) - before) / (time.monotonic() - began)


def send(door: Door, number: int, chosen: argparse.Namespace) -> int:
    """Submit at some moment of the time."""
    time.sleep(chosen.seconds * number / chosen.uploads)
    return submit(door, number, 1024 * chosen.size)


if __name__ == "__main__":
    main()
