"""CPU time and memory of `arena alike` by what bots share: `python -m benchmarks.alike`.

Each line is one command, `arena alike FOLDER --positions 0 --json --page FILE`, with two bots that
have the same source, in files of 200 KB at most: one that hardly repeats itself, then one that
repeats a few lines. Then come classes in which every bot has the same library of 200 KB beside
source of its own. An exponent is the slope from the line before, in log-log scale: 1 is linear.
"""

import argparse
import os
import subprocess
from collections.abc import Callable, Iterable
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.author.alike.plants import HARMLESS, Plant, library, write
from tests.cli.command import arena, environment

KB = 1000
FILE = 200
"""KB of a file."""
SIZES = (60, 200, 600, 2000)
"""KB of source of each of two bots."""
CLASSES = (2, 10, 30)
"""Bots of a class."""
OWN = 10
"""KB of source of their own that they have."""


class Used(NamedTuple):
    """What a command used, and how much it wrote."""

    cpu: float
    """Seconds."""
    memory: float
    """MiB."""
    json: float
    """KB."""
    page: float
    """KB."""


def main() -> None:
    """Print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="KB of a bot of two")
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES, help="bots of a class")
    options = parser.parse_args()
    print(f"{'':24} {'CPU time':>10} {'memory':>12} {'JSON':>12} {'page':>12} {'exponent':>9}")
    series("KB in both", options.sizes, lambda size: [library(size * KB)] * 2)
    series("KB of a few lines", options.sizes, lambda size: [repeated(size * KB)] * 2)
    shared = library(FILE * KB)
    series(
        "bots of a class",
        options.classes,
        lambda bots: [shared + library(OWN * KB, 2 + bot) for bot in range(bots)],
    )


def series(name: str, sizes: Iterable[int], sources: Callable[[int], list[str]]) -> None:
    """Measure bots with the sources of each size, and print how CPU time grows."""
    before: tuple[int, Used] | None = None
    for size in sizes:
        used = measure(sources(size))
        slope = f"{log(used.cpu / before[1].cpu, size / before[0]):9.2f}" if before else ""
        figures = (
            f"{used.cpu:8.1f} s {used.memory:8.0f} MiB {used.json:9.0f} KB {used.page:9.0f} KB"
        )
        print(f"{f'{size:,} {name}':24} {figures} {slope}", flush=True)
        before = size, used


def repeated(size: int) -> str:
    """Write so many bytes, of which all but the first 2 KB are the same 20 lines."""
    lines = library(2 * KB) + library(20 * 30, 2) * (size // (20 * 30))
    return lines[: lines.rindex("\n", 0, size) + 1]


def measure(sources: Iterable[str]) -> Used:
    """Compare bots that have these sources."""
    with TemporaryDirectory() as name:
        folder, page, out = Path(name, "bots"), Path(name, "page.html"), Path(name, "out.json")
        for number, source in enumerate(sources):
            bot = write(folder / f"bot-{number}", Plant("bot.py", HARMLESS, "python3 bot.py"))
            for at in range(0, len(source), FILE * KB):
                part = source[at : at + FILE * KB]
                (bot / f"part-{at:08}.py").write_text(part, encoding="ascii")
        command = arena("alike", folder, "--positions", 0, "--json", "--page", page)
        with out.open("wb") as file:
            asked = subprocess.Popen(
                command, stdout=file, stderr=subprocess.DEVNULL, env=environment()
            )
            _, status, usage = os.wait4(asked.pid, 0)
        asked.returncode = os.waitstatus_to_exitcode(status)
        if asked.returncode:
            raise SystemExit(f"exit code {asked.returncode}")
        cpu = usage.ru_utime + usage.ru_stime
        return Used(cpu, usage.ru_maxrss / 1024, out.stat().st_size / KB, page.stat().st_size / KB)


if __name__ == "__main__":
    main()
