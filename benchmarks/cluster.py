"""A cluster under many short fixtures: `python -m benchmarks.cluster [--fixtures N] [--hosts]`.

One league of C bots, with a game a fixture, is played by two workers of this machine's own pool,
then by `--cluster local:2`, and with `--hosts` by two workers in network namespaces of their own,
which reach the scheduler through a bridge (root and iproute2). Each run is one `arena run`; its CPU
time is that of the arena without workers and bots, and with `local:2` the scheduler's is in it.
With `--kill N` a worker is killed every N fixtures; the third time the arena instead, and the sixth
time the scheduler of the two hosts, without which a run ends. Both are started again. At the end
every fixture must be stored once, and the results be those of the first run.

`--copies` measures the cluster alone: workers copy one fixture again and again, 10 ms for each
(`shared/quick_worker.py`), and there is no first run to compare with.
"""

import argparse
import hashlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.shared import quick_worker
from tests.cli.command import ROOT
from tests.e2e.grid import Part
from tests.e2e.live import let_others_in, processes

TICK = os.sysconf("SC_CLK_TCK")
BRIDGE, HOST = "arenabench", "10.231.0.1"
ARENA, SCHEDULER = 3, 6
"""The numbers of the kills that hit these."""
NO_SCHEDULER = 2
"""How a run ends that has lost its scheduler."""


class Run(NamedTuple):
    """What a run of the league took until its last fixture was stored."""

    seconds: float
    arena: "Meter"
    """With the scheduler if that is in its process."""
    scheduler: "Meter"
    """One elsewhere."""
    killed: int
    digest: str


class Meter:
    """What a process used, and those that it replaced."""

    def __init__(self) -> None:
        self.cpu, self.memory = 0.0, 0.0
        """Seconds, and the most MiB that one of them held."""

    def follow(self, pid: int) -> None:
        """Look at this process from now on."""
        self._pid, self._earlier = pid, self.cpu

    def look(self) -> None:
        """Take note of what it used so far, if it is there."""
        with suppress(OSError):
            fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
            status = Path(f"/proc/{self._pid}/status").read_text().splitlines()
            peaks = [int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM")]
            self.cpu = self._earlier + (int(fields[11]) + int(fields[12])) / TICK
            self.memory = max(self.memory, *peaks, 0.0)


def make(folder: Path, bots: int, fixtures: int) -> Path:
    """Write a league of so many bots and fixtures; returns its file."""
    folder.mkdir()
    let_others_in(folder)
    for number in range(bots):
        bot = folder / f"counter-{number}"
        shutil.copytree(ROOT / "sample_bots" / "c-counter", bot)
        manifest = bot / "bot.yaml"
        manifest.write_text(manifest.read_text().replace("name: c-counter", f"name: {bot.name}"))
    keys = ["name: Load", "bots: ['counter-*']", "games: 1", f"blocks: {fixtures // bots}"]
    (folder / "league.yaml").write_text("\n".join([*keys, "seed: load", "sandbox: process", ""]))
    return folder / "league.yaml"


class League:
    """A league that is played. What was killed is started again."""

    def __init__(self, file: Path, *options: str, hosts: "Hosts | None" = None) -> None:
        self.file, self._options, self._hosts = file, options, hosts
        self.arena, self.scheduler = Meter(), Meter()
        self._start()

    def _start(self) -> None:
        where = self._options
        if self._hosts:
            where = ("--cluster", self._hosts.address)
            self.scheduler.follow(self._hosts.scheduler)
        words = ["run", str(self.file), "--trust-bots", "--replays", "none", *where]
        with (self.file.parent / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "arena", *words],
                cwd=self.file.parent,
                stdout=log,
                stderr=log,
            )
        self.arena.follow(self.process.pid)

    def go_on(self) -> None:
        """See what was used, and start again what has ended."""
        self.arena.look()
        if self._hosts:
            self.scheduler.look()
        code = self.process.poll()
        if code is None:
            return
        if self._hosts and code == NO_SCHEDULER and not self._hosts.are_up():
            self._hosts.start()
        elif code != -signal.SIGKILL:
            log = (self.file.parent / "log").read_text(errors="replace")
            sys.exit(f"{log[-2000:]}\narena run ended with {code}")
        self._start()

    def kill(self, number: int) -> bool:
        """Kill one of its processes; False if there is none."""
        victims = _workers(self.process.pid, self._hosts)
        if number == ARENA:
            victims = [self.process.pid]
        elif number == SCHEDULER and self._hosts:
            victims = [self._hosts.scheduler]
        if victims:
            os.kill(random.choice(victims), signal.SIGKILL)
        return bool(victims)


def play(
    file: Path, fixtures: int, *options: str, kill: float, hosts: "Hosts | None" = None
) -> Run:
    """Play the league, with a kill every so many fixtures."""
    began, killed, before = time.monotonic(), 0, 0
    league = League(file, *options, hosts=hosts)
    while (stored := _count(file)) < fixtures:
        league.go_on()
        if stored >= before + kill and league.kill(killed + 1):
            before, killed = stored, killed + 1
        time.sleep(0.2)
    seconds = time.monotonic() - began
    league.process.wait()
    return Run(seconds, league.arena, league.scheduler, killed, _digest(file))


def _workers(arena: int, hosts: "Hosts | None") -> list[int]:
    """Return the processes that play: children of the arena, or of nannies."""
    running = processes()
    nannies = [pid for pid, one in running.items() if "dask_worker" in one.command]
    parents = nannies if hosts else [arena]
    titles = ("dask worker", "spawn_main", "forkserver")
    return [
        pid
        for pid, one in running.items()
        if one.parent in parents and any(title in one.command for title in titles)
    ]


def _count(league: Path) -> int:
    """Return how many fixtures are stored."""
    return next((count for (count,) in _rows(league, "SELECT count(*) FROM fixtures")), 0)


def _digest(league: Path) -> str:
    rows = _rows(league, "SELECT id, content_hash FROM fixtures ORDER BY id")
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:12]


def _rows(league: Path, query: str) -> list[Any]:
    path = league.with_suffix(".sqlite")
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute(query).fetchall()
    return []


@contextmanager
def networks() -> Iterator[list[str]]:
    """Have two networks on a bridge; yields their names."""
    with ExitStack() as stack:
        _ip("link add", BRIDGE, "type bridge")
        stack.callback(_ip, "link del", BRIDGE)
        _ip(f"addr add {HOST}/24 dev", BRIDGE)
        _ip("link set", BRIDGE, "up")
        names = [f"{BRIDGE}{number}" for number in (1, 2)]
        for number, name in enumerate(names, 11):
            _ip("netns add", name)
            stack.callback(_ip, "netns del", name)
            _ip(f"link add {name} type veth peer name eth0 netns", name)
            _ip(f"link set {name} up master", BRIDGE)
            _ip(f"-n {name} addr add 10.231.0.{number}/24 dev eth0")
            _ip(f"-n {name} link set eth0 up")
            _ip(f"-n {name} link set lo up")
        yield names


class Hosts:
    """A scheduler, and a worker in each of some networks; a context manager."""

    address: str
    scheduler: int
    """Its process."""

    def __init__(self, folder: Path, networks: Sequence[str]) -> None:
        self._folder, self._networks = folder, networks
        self._starts, self._parts = 0, list[Part]()

    def __enter__(self) -> "Hosts":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        while self._parts:
            self._parts.pop().kill()

    def start(self) -> None:
        """Start all, in place of those that were there."""
        self.__exit__()
        self._starts += 1
        home = self._folder / f"hosts-{self._starts}"
        home.mkdir()
        let_others_in(home)
        scheduler = Part("dask_scheduler", "--host", HOST, "--port", "0", home=home / "scheduler")
        self._parts.append(scheduler)
        scheduler.wait_for_log("Scheduler at:")
        self.address = scheduler.log.read_text().split("Scheduler at:")[1].split()[0]
        self.scheduler = scheduler.process.pid
        for name in self._networks:
            words = [self.address, "--nthreads", 1, "--name", name]
            under = ["ip", "netns", "exec", name]
            self._parts.append(Part("dask_worker", *words, home=home / name, under=under))
            scheduler.wait_for_log(f"name: {name}")

    def are_up(self) -> bool:
        """Tell whether the scheduler is there."""
        return self._parts[0].process.poll() is None


def _ip(*words: str) -> None:
    subprocess.run(["ip", *" ".join(words).split()], check=True)


def _print(what: str, fixtures: int, run: Run, base: Run | None) -> None:
    arena, scheduler = run.arena, run.scheduler
    without = base.arena.cpu if base else 0.0
    over = 1000.0 * (arena.cpu + scheduler.cpu - without) / fixtures
    same = "all stored" if not base else "the same results"
    print(
        f"{what:12} {run.seconds:7.1f} s  arena {arena.cpu:6.1f} s CPU, {arena.memory:4.0f} MiB;"
        f" scheduler {scheduler.cpu:6.1f} s, {scheduler.memory:4.0f} MiB;"
        f" {over:6.2f} ms {'more ' if base else ''}per fixture; {run.killed} killed;"
        f" {same if not base or run.digest == base.digest else 'OTHER RESULTS'}",
        flush=True,
    )


def main() -> None:
    """Play the league in each way, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixtures", type=int, default=2000, help="a multiple of the bots")
    parser.add_argument("--bots", type=int, default=8, help="at least one for 10,000 fixtures")
    parser.add_argument("--hosts", action="store_true", help="two hosts, too")
    parser.add_argument("--kill", type=float, default=inf, help="fixtures between kills")
    parser.add_argument("--copies", action="store_true", help="copy fixtures; without a pool")
    options = parser.parse_args()
    if options.copies:
        os.environ["DASK_DISTRIBUTED__WORKER__PRELOAD"] = str([quick_worker.__file__])
    # Whoever ends this ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder, count, kill = Path(name), options.fixtures, options.kill
        let_others_in(folder)
        size, base = (options.bots, count), None
        if not options.copies:
            base = play(make(folder / "pool", *size), count, "--workers", "2", kill=inf)
            _print("pool", count, base, base)
        run = play(make(folder / "local", *size), count, "--cluster", "local:2", kill=kill)
        _print("local:2", count, run, base)
        if options.hosts:
            two = Hosts(folder, stack.enter_context(networks()))
            with two:
                run = play(make(folder / "hosts", *size), count, kill=kill, hosts=two)
            _print("two hosts", count, run, base)


if __name__ == "__main__":
    main()
