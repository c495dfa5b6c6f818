"""A cluster under many short fixtures: `python -m benchmarks.cluster [--fixtures N] [--hosts]`.

One league of C bots, with a game a fixture, is played by two workers of this machine's own pool,
then by `--cluster local:2`, and with `--hosts` by two workers in network namespaces of their own,
which reach the scheduler through a bridge (root and iproute2). Each run is one `arena run`; its CPU
time is that of the arena without workers and bots, and with `local:2` the scheduler's is in it.
With `--kill N` a worker is killed every N fixtures, and once the arena, which is started again. At
the end every fixture must be stored once, and the results be those of the first run.
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
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from math import inf
from pathlib import Path
from typing import NamedTuple

from tests.cli.command import ROOT
from tests.e2e.grid import Part
from tests.e2e.live import let_others_in, processes

BOTS = 8
TICK = os.sysconf("SC_CLK_TCK")
BRIDGE, HOST = "arenabench", "10.231.0.1"


class Run(NamedTuple):
    """What a run of the league took until its last fixture was stored."""

    seconds: float
    cpu: float
    """Of the arena alone, with the scheduler if that is in its process."""
    memory: float
    """MiB that the same process held at most."""
    scheduler: tuple[float, float]
    """The same two of a scheduler elsewhere."""
    killed: int
    digest: str


def make(folder: Path, fixtures: int) -> Path:
    """Write a league of so many fixtures; returns its file."""
    folder.mkdir()
    let_others_in(folder)
    for number in range(BOTS):
        bot = folder / f"counter-{number}"
        shutil.copytree(ROOT / "sample_bots" / "c-counter", bot)
        manifest = bot / "bot.yaml"
        manifest.write_text(manifest.read_text().replace("name: c-counter", f"name: {bot.name}"))
    keys = ["name: Load", "bots: ['counter-*']", "games: 1", f"blocks: {fixtures // BOTS}"]
    (folder / "league.yaml").write_text("\n".join([*keys, "seed: load", "sandbox: process", ""]))
    return folder / "league.yaml"


def play(
    league: Path, fixtures: int, *options: str, kill: float = inf, scheduler: int | None = None
) -> Run:
    """Play the league, with a kill every so many fixtures; the third is of the arena itself."""
    began, killed, memory, elsewhere = time.monotonic(), 0, 0.0, (0.0, 0.0)
    cpu, earlier, before = 0.0, 0.0, 0
    process = _start(league, *options)
    while (stored := len(_stored(league))) < fixtures:
        if process.poll() is not None:
            if process.returncode != -signal.SIGKILL:
                log = (league.parent / "log").read_text(errors="replace")
                sys.exit(f"{log[-2000:]}\narena run ended with {process.returncode}")
            earlier, before = earlier + cpu, stored
            process = _start(league, *options)
        cpu, held = _used(process.pid) or (0.0, 0.0)
        memory = max(memory, held)
        elsewhere = (_used(scheduler) if scheduler else None) or elsewhere
        if stored >= before + kill and (workers := _workers(process.pid, scheduler)):
            before, killed = stored, killed + 1
            os.kill(process.pid if killed == 3 else random.choice(workers), signal.SIGKILL)
        time.sleep(0.2)
    seconds = time.monotonic() - began
    process.wait()
    return Run(seconds, earlier + cpu, memory, elsewhere, killed, _digest(league))


def _start(league: Path, *options: str) -> subprocess.Popen[bytes]:
    words = ["run", str(league), "--trust-bots", "--replays", "none", *options]
    with (league.parent / "log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "arena", *words], cwd=league.parent, stdout=log, stderr=log
        )


def _used(pid: int) -> tuple[float, float] | None:
    """Return the CPU time and the peak memory, in MiB, of one process so far."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    peak = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")]
    return (int(fields[11]) + int(fields[12])) / TICK, peak[0] / 1024 if peak else 0.0


def _workers(arena: int, scheduler: int | None) -> list[int]:
    """Return the processes that play: children of the arena, or of nannies."""
    running = processes()
    nannies = [pid for pid, one in running.items() if "dask_worker" in one.command]
    parents = nannies if scheduler else [arena]
    titles = ("dask worker", "spawn_main", "forkserver")
    return [
        pid
        for pid, one in running.items()
        if one.parent in parents and any(title in one.command for title in titles)
    ]


def _stored(league: Path) -> list[tuple[str, bytes]]:
    """Return the fixtures that are stored, with digests of their results."""
    path = league.with_suffix(".sqlite")
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute("SELECT id, content_hash FROM fixtures ORDER BY id").fetchall()
    return []


def _digest(league: Path) -> str:
    return hashlib.sha256(repr(_stored(league)).encode()).hexdigest()[:12]


@contextmanager
def hosts(folder: Path) -> Iterator[tuple[str, int]]:
    """Have a scheduler, and two workers in networks of their own; yields its address, process."""
    with ExitStack() as stack:
        _ip("link add", BRIDGE, "type bridge")
        stack.callback(_ip, "link del", BRIDGE)
        _ip(f"addr add {HOST}/24 dev", BRIDGE)
        _ip("link set", BRIDGE, "up")
        quiet = ["--host", HOST, "--port", "0"]
        scheduler = Part("dask_scheduler", *quiet, home=folder / "scheduler")
        stack.callback(scheduler.kill)
        scheduler.wait_for_log("Scheduler at:")
        address = scheduler.log.read_text().split("Scheduler at:")[1].split()[0]
        for number in (1, 2):
            name = f"{BRIDGE}{number}"
            _ip("netns add", name)
            stack.callback(_ip, "netns del", name)
            _ip(f"link add {name} type veth peer name eth0 netns", name)
            _ip(f"link set {name} up master", BRIDGE)
            _ip(f"-n {name} addr add 10.231.0.1{number}/24 dev eth0")
            _ip(f"-n {name} link set eth0 up")
            _ip(f"-n {name} link set lo up")
            words = [address, "--nthreads", 1, "--name", name]
            under = ["ip", "netns", "exec", name]
            node = Part("dask_worker", *words, home=folder / name, under=under)
            stack.callback(node.kill)
            scheduler.wait_for_log(f"name: {name}")
        yield address, scheduler.process.pid


def _ip(*words: str) -> None:
    subprocess.run(["ip", *" ".join(words).split()], check=True)


def _print(what: str, fixtures: int, run: Run, base: Run) -> None:
    over = 1000.0 * (run.cpu + run.scheduler[0] - base.cpu) / fixtures
    print(
        f"{what:12} {run.seconds:7.1f} s  arena {run.cpu:6.1f} s CPU, {run.memory:4.0f} MiB;"
        f" scheduler {run.scheduler[0]:6.1f} s, {run.scheduler[1]:4.0f} MiB;"
        f" {over:6.2f} ms more per fixture; {run.killed} killed;"
        f" {'the same results' if run.digest == base.digest else 'OTHER RESULTS'}",
        flush=True,
    )


def main() -> None:
    """Play the league in each way, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixtures", type=int, default=2000, help="a multiple of 8")
    parser.add_argument("--hosts", action="store_true", help="two hosts, too")
    parser.add_argument("--kill", type=float, default=inf, help="fixtures between kills")
    options = parser.parse_args()
    # Whoever ends this ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder, count = Path(name), options.fixtures
        let_others_in(folder)
        base = play(make(folder / "pool", count), count, "--workers", "2")
        _print("pool", count, base, base)
        local = ["--cluster", "local:2"]
        run = play(make(folder / "local", count), count, *local, kill=options.kill)
        _print("local:2", count, run, base)
        if options.hosts:
            address, scheduler = stack.enter_context(hosts(folder))
            league = make(folder / "hosts", count)
            there = ["--cluster", address]
            run = play(league, count, *there, kill=options.kill, scheduler=scheduler)
            _print("two hosts", count, run, base)


if __name__ == "__main__":
    main()
