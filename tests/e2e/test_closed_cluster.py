"""Workers that the arena starts for itself take orders from nobody else on the machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.cli.command import HANG, bot, league
from tests.e2e.grid import Grid
from tests.e2e.live import Live, processes
from tests.e2e.test_interrupted import STUBBORN

MARK = f"mark-closed-{os.getpid()}"
STRANGER = """
import asyncio, json, logging, sys, urllib.request
from contextlib import suppress
from distributed import Security, rpc

async def answers(port, scheme, security):
    settings = security.get_connection_args("client")
    async with rpc(f"{scheme}://127.0.0.1:{port}", connection_args=settings) as server:
        await asyncio.wait_for(server.identity(), 10)
    return True

def reads(port, scheme, security):
    urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=10)
    return True

def found(port):
    ways = [("tcp", Security(require_encryption=False)), ("tls", Security.temporary())]
    for scheme, security in ways:
        with suppress(Exception):
            if asyncio.run(answers(port, scheme, security)):
                yield scheme
    with suppress(Exception):
        if reads(port, scheme, security):
            yield "http"

logging.disable()
print(json.dumps({port: list(found(port)) for port in map(int, sys.argv[1:])}))
"""
"""Tries to talk to each port by plain TCP, by TLS with a certificate of its own, and by HTTP."""


def _stranger(ports: set[int]) -> dict[int, list[str]]:
    """Return the ways by which another user of this machine gets an answer from each port."""
    other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    command = [sys.executable, "-c", STRANGER, *map(str, sorted(ports))]
    said = subprocess.run(
        [*(other if os.geteuid() == 0 else []), *command],
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=True,
    )
    return {int(port): ways for port, ways in json.loads(said.stdout).items()}


def _listening(group: int) -> set[int]:
    """Return the TCP ports at which the processes of a group listen."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    rows += [line.split() for line in Path("/proc/net/tcp6").read_text().splitlines()[1:]]
    ports = {f"socket:[{row[9]}]": int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A"}
    family = [pid for pid, process in processes().items() if process.group == group]
    opened = [path for pid in family for path in Path(f"/proc/{pid}/fd").iterdir()]
    links = {str(path.readlink()) for path in opened if path.is_symlink()}
    return {port for link, port in ports.items() if link in links}


def test_strangers_get_into_a_scheduler_without_tls(tmp_path: Path) -> None:
    """This shows that the next test's stranger would find an open door."""
    with Grid(tmp_path) as grid:
        ports = _listening(grid.scheduler.process.pid)
        assert "tcp" in _stranger(ports)[int(grid.address.rpartition(":")[2])]


def test_strangers_are_refused_by_local_workers(tmp_path: Path) -> None:
    """Scheduler, nannies and workers: two ports per worker, and one more; none speaks HTTP."""
    for name in "ab":
        bot(tmp_path / name, STUBBORN, command=f"python3 bot.py {MARK}")
    league(tmp_path, bots=["a", "b"], limits={"answer": 3600.0, "game": 3600.0})
    options = ["--sandbox", "process", "--trust-bots", "--cluster", "local:2"]
    with Live("run", "league.yaml", *options, cwd=tmp_path, mark=MARK) as live:
        live.read_until("starting")
        ports = _listening(live.process.pid)
        assert len(ports) == 5
        assert _stranger(ports) == {port: [] for port in ports}
