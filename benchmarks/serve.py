"""The web door under load: 500 listeners, 50 submissions of 16 MiB, and how long a page takes.

`python -m benchmarks.serve`; times are those of a client on the same machine.
"""

import argparse
import asyncio
import os
import re
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import quantiles

from arena.ladder.web.served import ListenerLimits
from tests.cli.command import arena, environment
from tests.ladder.web.doors import Door, ladder

MIB = 1024 * 1024


def main() -> None:
    """Measure, and print a line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--listeners", type=int, default=500)
    options.add_argument("--uploads", type=int, default=50)
    options.add_argument("--at-once", type=int, default=10)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = ladder(Path(name))
        words = arena("serve", folder.root, "--port", 0)
        with subprocess.Popen(
            words, env=environment(), stderr=subprocess.PIPE, text=True
        ) as served:
            assert served.stderr
            base = served.stderr.readline().split()[-1]
            measure(Door(folder, base), served.pid, chosen)
            served.terminate()


def measure(door: Door, pid: int, chosen: argparse.Namespace) -> None:
    """Listen, submit and look at pages at the same time."""
    before = peak(pid)
    listening = threading.Event()
    threading.Thread(target=listen, args=(door, chosen.listeners, listening), daemon=True).start()
    listening.wait()
    times = list[float]()
    over = threading.Event()
    looking = threading.Thread(target=look, args=(door, times, over))
    looking.start()
    began, cpu = time.monotonic(), cpu_of(pid)
    with ThreadPoolExecutor(chosen.at_once) as pool:
        statuses = list(pool.map(lambda number: submit(door, number), range(chosen.uploads)))
    took = time.monotonic() - began
    over.set()
    looking.join()
    assert set(statuses) == {201}, statuses
    shares = quantiles(times, n=100)
    print(f"{chosen.listeners} listeners, {chosen.uploads} submissions of 16 MiB in {took:.1f} s")
    print(f"a page: median {1000 * shares[49]:.0f} ms, p99 {1000 * shares[98]:.0f} ms")
    print(f"memory: {before:.0f} MiB idle, {peak(pid):.0f} MiB at most")
    print(f"CPU: {cpu_of(pid) - cpu:.1f} s")


def listen(door: Door, count: int, listening: threading.Event) -> None:
    """Listen to the events of the ladder, many times at once, for ever."""
    host, _, port = door.host.partition(":")
    head = f"GET /api/v1/ladder/events HTTP/1.1\r\nHost: {door.host}\r\n"
    each = ListenerLimits().of_author
    tokens = [
        door.token(f"listener-{number}")["Authorization"] for number in range(-(-count // each))
    ]

    async def one(number: int) -> asyncio.StreamReader:
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"{head}Authorization: {tokens[number // each]}\r\n\r\n".encode())
        await reader.readuntil(b"\n\n")
        return reader

    async def drop(reader: asyncio.StreamReader) -> None:
        while await reader.read(65_536):
            pass

    async def every() -> None:
        readers = [await one(number) for number in range(count)]
        listening.set()
        await asyncio.gather(*map(drop, readers))

    asyncio.run(every())


def submit(door: Door, number: int, size: int = 16 * MIB) -> int:
    """Submit so many bytes as an author of one's own."""
    content = os.urandom(size)
    return door.put(f"bot-{number}", content, door.token(f"author-{number}")).status


def look(door: Door, times: list[float], over: threading.Event) -> None:
    """Ask for the front page again and again."""
    while not over.wait(0.02):
        began = time.perf_counter()
        assert door.ask("/").status == 200
        times.append(time.perf_counter() - began)


def peak(pid: int) -> float:
    """Return the most memory that a process has had, in MiB."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) / 1024


def cpu_of(pid: int) -> float:
    """Return the CPU time that a process took, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
