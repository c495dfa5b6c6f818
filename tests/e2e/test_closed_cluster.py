"""Workers that the arena starts for itself take orders from nobody else on the machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import FIELD, HANG, bot, error_line, league, run
from tests.e2e.grid import Grid, make_certificates, tls_environment
from tests.e2e.live import Live, processes
from tests.e2e.test_interrupted import STUBBORN

pytestmark = pytest.mark.slow

MARK = f"mark-closed-{os.getpid()}"
STRANGER = """
import asyncio, json, logging, sys, urllib.request
from distributed import Security, rpc

async def asks(port, scheme, security):
    settings = security.get_connection_args("client")
    async with rpc(f"{scheme}://127.0.0.1:{port}", connection_args=settings) as server:
        await server.identity()

async def reads(port):
    url = f"http://127.0.0.1:{port}/health"
    await asyncio.to_thread(urllib.request.urlopen, url, timeout=10)

async def answers(attempt):
    try:
        await asyncio.wait_for(attempt, 10)
    except Exception:
        return False
    return True

async def main(ways, *ports):
    other = Security.temporary()
    made = {
        "tcp": lambda port: asks(port, "tcp", Security(require_encryption=False)),
        "tls": lambda port: asks(port, "tls", other),
        "http": reads,
    }
    tries = {(port, way): made[way](port) for port in ports for way in ways.split(",")}
    answered = await asyncio.gather(*map(answers, tries.values()))
    return [way for way, got_in in zip(tries, answered) if got_in]

logging.disable()
print(json.dumps(asyncio.run(main(*sys.argv[1:]))))
"""
"""Tries to talk to each port by plain TCP, by TLS with a certificate of its own, and by HTTP."""


def _stranger(ports: set[int], ways: str = "tcp,tls,http") -> list[tuple[int, str]]:
    """Return the ports from which another user of this machine gets an answer, and the way."""
    # Not 65534, all of whose processes an autograder ends.
    other = ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"]
    command = [sys.executable, "-c", STRANGER, ways, *map(str, sorted(ports))]
    said = subprocess.run(
        [*(other if os.geteuid() == 0 else []), *command],
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=True,
    )
    return [(int(port), way) for port, way in json.loads(said.stdout)]


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
        assert (int(grid.address.rpartition(":")[2]), "tcp") in _stranger(ports, "tcp")


def test_cluster_with_tls_as_documented(tmp_path: Path) -> None:
    """Strangers, a worker without a certificate and an arena without one are kept out."""
    certificates = tmp_path / "tls"
    certificates.mkdir()
    make_certificates(certificates)
    env = tls_environment(certificates)
    league(tmp_path, bots=FIELD[1:], games=1, sandbox="process")
    with (
        Grid(tmp_path, protocol="tls", env=env) as grid,
        grid.nodes(1, env=env) as [node],
    ):
        assert grid.address.startswith("tls://")
        command = ["run", "league.yaml", "--cluster", grid.address]
        error_line(run(*command, cwd=tmp_path), "tls:// needs certificates", grid.address)
        plain = grid.address.replace("tls:", "tcp:")
        refused = run("run", "league.yaml", "--cluster", plain, cwd=tmp_path)
        error_line(refused, "no scheduler answers", plain)
        assert not (tmp_path / "league.sqlite").exists()
        parts = grid.scheduler, node
        ports = set.union(*(_listening(part.process.pid) for part in parts))
        assert len(ports) == 5
        assert [way for _, way in _stranger(ports)] == ["http", "http"]
        ran = run(*command, cwd=tmp_path, env=env)
    assert ran.code == 0, ran
    assert "warning" not in ran.err


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
        assert _stranger(ports) == []
