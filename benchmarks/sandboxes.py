"""The cost of sandboxes: decisions per second in each, and the time of a league in containers.

`python -m benchmarks.sandboxes`; it needs the images (`arena images`). The baseline is `process`;
docker is measured over FIFOs and over its attach socket. Runs take turns, so that all see the same
machine, and medians are printed.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from arena.bots.bot import StagedBot
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.bubblewrap import BubblewrapSandbox
from arena.bots.sandboxes.docker.sandbox import DockerSandbox
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.workshop import open_workshop
from arena.game.records import LimitsInfo
from arena.game.rules.books import VARIANTS
from arena.io import shipped
from tests.support import records
from tests.support.live import play_bots

CORES = os.sched_getaffinity(0)
RUNS = 5
GAMES = 60
LIMITS = LimitsInfo()
MEASURED: dict[str, Sandbox] = {
    "process": ProcessSandbox(),
    "bubblewrap": BubblewrapSandbox(),
    "docker, FIFOs": DockerSandbox(),
    "docker, attach": DockerSandbox(attach=True),
}
LEAGUE = {
    "bots": [f"sample:{name}" for name in ("honest", "odds", "bluffer", "random", "memory", "c-*")],
    "games": 50,
    "blocks": 10,
}
REQUIRED = {"docker, FIFOs": 0.85}
"""Least share of the decisions per second of `process`."""


def main() -> None:
    """Print both tables; exit code 1 if docker is too slow."""
    # As a worker of the arena: it and its bots share a core.
    os.sched_setaffinity(0, {min(CORES)})
    slow = [print_throughput(players) for players in (2, 6)]
    os.sched_setaffinity(0, CORES)
    slow.append(print_league())
    sys.exit(any(slow))


def print_throughput(players: int) -> bool:
    """Print decisions per second at one table size; return whether docker is too slow."""
    rates: dict[str, list[float]] = {name: [] for name in MEASURED}
    with open_workshop(ProcessSandbox()) as workshop:
        bot = workshop.stage(load_bot(shipped.folder("sample_bots") / "honest"))
        for _ in range(RUNS):
            for name, sandbox in MEASURED.items():
                rates[name].append(decisions_per_second(sandbox, [bot] * players))
    medians = {name: median(values) for name, values in rates.items()}
    print(f"\n{players} players, bot `honest`: decisions/s, share of process")
    for name, value in medians.items():
        print(f"  {name:15} {value:8,.0f} {value / medians['process']:6.2f}")
    return any(medians[name] < least * medians["process"] for name, least in REQUIRED.items())


def decisions_per_second(sandbox: Sandbox, bots: list[StagedBot]) -> float:
    fixture = records.fixture((bot.name for bot in bots), GAMES)
    played = play_bots(fixture, VARIANTS["bga"], bots, sandbox, LIMITS)
    return played.decisions / played.seconds


def print_league() -> bool:
    """Print how long a league of six bots takes; return whether docker is too slow."""
    seconds: dict[str, list[float]] = {"process": [], "docker": []}
    for _ in range(3):
        for name, values in seconds.items():
            values.append(seconds_of_league(name))
    medians = {name: median(values) for name, values in seconds.items()}
    ratio = medians["docker"] / medians["process"]
    print(f"\na league of 6 bots, 60 fixtures of 50 games: docker takes {ratio:.2f} times as long")
    print("  " + ", ".join(f"{name} {value:.1f} s" for name, value in medians.items()))
    return ratio > 1.5


def seconds_of_league(sandbox: str) -> float:
    with TemporaryDirectory() as folder:
        league = Path(folder, "league.yaml")
        league.write_text(json.dumps(LEAGUE))
        started = time.perf_counter()
        command = [sys.executable, "-m", "arena", "run", str(league), "--sandbox", sandbox]
        subprocess.run([*command, "--site", f"{folder}/site"], check=True, capture_output=True)
        return time.perf_counter() - started


if __name__ == "__main__":
    main()
