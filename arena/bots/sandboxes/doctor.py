"""The guarantees of each sandbox on this machine: tried from the inside, not assumed."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from arena.bots.sandboxes import probe
from arena.bots.sandboxes.base import MIB, Program, Quota, Sandbox
from arena.bots.sandboxes.kernel import cgroups as groups
from arena.bots.sandboxes.kernel.denied import HIDDEN_PROC
from arena.bots.sandboxes.run_folder import run_folder
from arena.bots.sandboxes.run_once import last_line, run_once, started
from arena.io.uptime import wait_readable

_PROBE_SECONDS = 30.0
_KILLED = {-signal.SIGKILL, 128 + signal.SIGKILL}
_MEMORY_MIB = 64
_PROCESSES = 20
_MORE_THAN_A_CORE = 1.2
_MARK = "ARENA_DOCTOR_MARK"
_FILE_NAME = f"arena-doctor-{os.getpid()}"
_ARENA = """
import os, signal, sys
from pathlib import Path
from arena.bots.sandboxes.registry import SANDBOXES
from arena.bots.sandboxes.base import Program
name, folder, source, request = sys.argv[1:]
program = Program(Path(folder), ["python3", "-I", "-S", "-c", source], "python")
running = SANDBOXES[name]().start(program)
os.write(running.stdin, request.encode())
signal.pause()
"""
_VERSIONS = """
import sys, numpy
print(f"numpy {numpy.__version__} for Python {sys.version.split()[0]}")
"""
_NEEDS_CGROUPS = "needs control groups: run as root, or under systemd with a session of your own"
_NEEDS_ROOT = "needs a sandbox that isolates, and root"
_NEEDS_ISOLATION = "needs a sandbox that isolates"

ESSENTIAL = {
    "network": "no access to the network, nor to this machine's own ports",
    "files": "no access to the files of this machine outside /usr",
    "other_bots": "no access to the files of other bots",
    "writing": "nothing is writable but /tmp",
    "processes": "the processes of this machine are invisible",
    "environment": "the arena's environment is not passed on",
    "user": "it runs without root privileges",
    "signals": "two bots cannot signal each other by file locks or counters of the kernel",
    "memory": "the memory of a process is limited",
    "process_count": "the number of processes is limited",
    "termination": "all that a bot started ends with it, even daemons",
    "orphans": "all of it ends when the arena is killed",
}
"""The guarantees that a sandbox for untrusted bots must give."""
OPTIONAL = {
    "total_memory": "the memory of all processes of a bot together is limited",
    "cores": "all processes of a bot together have one core",
    "cpu_time": "a bot's CPU time is measured",
    "freezing": "a bot can be frozen while others are to move",
    "users": "each bot has a user of its own",
    "build_space": "the files of a build are in a file system of limited size",
    "numpy": "Python bots can import numpy",
}
GUARANTEES = ESSENTIAL | OPTIONAL
_BY_ROOT = {"users", "build_space"}
_BY_CGROUPS = {"termination", *OPTIONAL} - _BY_ROOT
_HIDE = '{"task":"hide","alive":"alive"}\n'


class GuaranteeResult(Struct, frozen=True):
    """One guarantee, and whether it holds."""

    guarantee: str
    holds: bool | None
    """None if unknown."""
    observed: str
    hint: str = ""
    """How to get it, if it is missing."""


class SandboxReport(Struct, frozen=True):
    """One sandbox: why it does not work here, or the guarantees that were tried."""

    sandbox: str
    isolates: bool
    unavailable_reason: str
    """The reason and how to fix it; "" if it works."""
    findings: tuple[GuaranteeResult, ...]

    @property
    def safe_for_untrusted_bots(self) -> bool:
        """Whether it is meant for untrusted bots and guarantees all that they require."""
        holds = {finding.guarantee for finding in self.findings if finding.holds}
        return self.isolates and ESSENTIAL.keys() <= holds


def examine(
    name: str, make: Callable[..., Sandbox], *, death_seconds: float = 5.0
) -> SandboxReport:
    """Try everything that a sandbox may guarantee; takes a few seconds.

    `death_seconds`: how long the processes of a killed bot may take to be gone.
    """
    sandbox = make(Quota(memory=_MEMORY_MIB * MIB, processes=_PROCESSES))
    if reason := sandbox.unavailable_reason():
        return SandboxReport(name, sandbox.isolates, reason.in_words(), ())
    with run_folder() as folder:
        examiner = _Examiner(sandbox, folder, death_seconds)
        try:
            findings = [*examiner.isolation(), *examiner.limits(), *examiner.termination(name)]
        except (OSError, ValueError) as error:
            return SandboxReport(name, sandbox.isolates, f"the probe failed: {error}", ())
    order = list(GUARANTEES)
    findings.sort(key=lambda finding: order.index(finding.guarantee))
    return SandboxReport(name, sandbox.isolates, "", tuple(findings))


def _finding(guarantee: str, holds: bool | None, observed: str, hint: str = "") -> GuaranteeResult:
    if not hint:
        by_root = _NEEDS_ROOT if guarantee in _BY_ROOT else _NEEDS_ISOLATION
        hint = _NEEDS_CGROUPS if guarantee in _BY_CGROUPS else by_root
    return GuaranteeResult(guarantee, holds, observed, "" if holds else hint)


class _Examiner:
    def __init__(self, sandbox: Sandbox, runs: Path, death_seconds: float) -> None:
        self._sandbox = sandbox
        self._death_seconds = death_seconds
        self._runs = runs
        self._folder = runs / "bot"
        self._folder.mkdir()
        self._folder.chmod(0o755)  # whatever the umask is
        self._source = Path(probe.__file__).read_text(encoding="utf-8")
        command = ["python3", "-I", "-S", "-c", self._source]
        self._program = Program(self._folder, command, "python")

    def isolation(self) -> Iterator[GuaranteeResult]:
        with _bait(self._runs) as bait:
            seen = self._ask(bait)
        interfaces = ", ".join(seen["interfaces"])
        isolated = not seen["connected"] and interfaces in {"", "lo"}
        yield _finding("network", isolated, f"interfaces: {interfaces or 'none'}")
        for guarantee, path in zip(("files", "other_bots"), bait["paths"], strict=True):
            hidden = path not in seen["read"]
            yield _finding(guarantee, hidden, f"a file there can{'not' * hidden} be read")
        written = ", ".join(seen["written"])
        yield _finding("writing", not written, f"written: {written or 'nothing'}")
        hidden = not seen["saw_process"]
        yield _finding("processes", hidden, f"the arena is {'in' * hidden}visible")
        clean = _MARK not in seen["environment"]
        yield _finding("environment", clean, ", ".join(seen["environment"]))
        yield _finding("user", seen["uid"] != 0, f"user {seen['uid']}")
        channels = seen["counters"] + ["record locks"] * seen["lock"]
        yield _finding("signals", not channels, f"found: {', '.join(channels) or 'none'}")
        other = self._ask({"task": "user"})
        yield _finding("users", seen["uid"] != other, f"users {seen['uid']} and {other}")
        build = self._program._replace(command=["true"])
        with started(self._sandbox, build, space=MIB) as running:
            folder = running.open_folder()
        if folder is not None:
            os.close(folder)
        where = "in its own folder on the disk" if folder is None else "in memory"
        yield _finding("build_space", folder is not None, where)
        with_numpy = self._program._replace(command=["python3", "-c", _VERSIONS])
        ended = run_once(self._sandbox, with_numpy, _PROBE_SECONDS)
        found = ended.code == 0
        said = last_line(ended.stdout if found else ended.stderr)
        yield _finding("numpy", found, said, "how to get it: arena help languages")

    def limits(self) -> Iterator[GuaranteeResult]:
        half = _MEMORY_MIB // 2
        requests: list[tuple[str, dict[str, Any], int, str]] = [
            ("memory", {"task": "take"}, 4 * _MEMORY_MIB, f"MiB taken, {_MEMORY_MIB} allowed"),
            ("total_memory", {"task": "take_together", "mib": half}, 8, f"times {half} MiB taken"),
            ("process_count", {"task": "fork"}, 4 * _PROCESSES, f"started, {_PROCESSES} allowed"),
        ]
        for guarantee, request, asked, what in requests:
            count = self._ask({**request, "count": asked}, if_killed=-1)
            observed = "killed" if count < 0 else f"{count} of {asked} {what}"
            yield _finding(guarantee, count < asked, observed)
        yield self._cores()

    def _cores(self) -> GuaranteeResult:
        """Find whether two busy processes get more than one core, as they would outside."""
        request = {"task": "spin", "seconds": 1.0, "children": 2}
        inside = self._ask(request)
        observed = f"two busy processes got {inside:.1f} cores together"
        if inside > _MORE_THAN_A_CORE:
            return _finding("cores", False, observed)
        outside = probe.spin(request)
        if outside > _MORE_THAN_A_CORE:
            return _finding("cores", True, f"{observed}, outside {outside:.1f}")
        hint = "try again when less is running"
        busy = f"{observed}, and no more outside: other programs use the cores"
        return _finding("cores", None, busy, hint)

    def termination(self, name: str) -> Iterator[GuaranteeResult]:
        """Find whether all of a bot ends, whoever ends it."""
        with self._fifo() as alive, started(self._sandbox, self._program) as running:
            os.write(running.stdin, _HIDE.encode())
            _wait_for_daemon(alive)
            measured = self._sandbox.clock == "cpu" and bool(running.cpu_time())
            running.kill()
            gone = self._is_gone(alive)
        yield _finding("cpu_time", measured, "measured" if measured else "not measured")
        freezes = self._sandbox.freezes
        yield _finding("freezing", freezes, "it can" if freezes else "it cannot")
        for guarantee, ended in (("termination", gone), ("orphans", self._ends_with_arena(name))):
            yield _finding(guarantee, ended, f"a daemon {'was killed' if ended else 'survives'}")

    def _ask(self, request: dict[str, Any], if_killed: int | None = None) -> Any:
        """Run a probe; return its answer, or `if_killed` if it was killed; raises ValueError."""
        stdin = json.dumps(request).encode() + b"\n"
        ended = run_once(self._sandbox, self._program, _PROBE_SECONDS, stdin=stdin)
        if ended.code == 0:
            return json.loads(ended.stdout)
        if if_killed is not None and ended.code in _KILLED:
            return if_killed
        raise ValueError(last_line(ended.stderr) or f"it ended with {ended.code}")

    def _ends_with_arena(self, name: str) -> bool:
        """Kill an arena whose bot left a daemon; return whether the daemon ended with it."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        argv = [sys.executable, "-c", _ARENA, name, str(self._folder), self._source, _HIDE]
        with self._fifo() as alive, subprocess.Popen(argv, env=environment) as arena:
            try:
                _wait_for_daemon(alive)
            finally:
                arena.kill()
            gone = self._is_gone(alive)
        groups.remove_abandoned()
        return gone

    def _is_gone(self, alive: int) -> bool:
        closed = wait_readable([alive], self._death_seconds)
        return bool(closed) and os.read(alive, 1) == b""

    @contextmanager
    def _fifo(self) -> Iterator[int]:
        path = self._folder / "alive"
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        path.chmod(0o666)
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            yield fd
        finally:
            os.close(fd)


@contextmanager
def _bait(runs: Path) -> Iterator[dict[str, Any]]:
    """Lay out things that a bot must not reach; yield the request for the probe."""
    other_bot = runs / "other_bot" / "secret"
    other_bot.parent.mkdir()
    other_bot.write_text("x", encoding="ascii")
    start_time = probe.lines("/proc/self/stat")[0].split()[21]
    os.environ[_MARK] = "x"
    try:
        with (
            tempfile.NamedTemporaryFile() as secret,
            socket.create_server(("127.0.0.1", 0)) as server,
        ):
            Path(secret.name).chmod(0o644)
            yield {
                "task": "look",
                "port": server.getsockname()[1],
                "pid": os.getpid(),
                "start_time": start_time,
                "paths": [secret.name, str(other_bot)],
                "counters": HIDDEN_PROC,
                "targets": [_FILE_NAME, f"/{_FILE_NAME}", str(runs / _FILE_NAME)],
            }
    finally:
        del os.environ[_MARK]


def _wait_for_daemon(alive: int) -> None:
    """Wait until the daemon runs; raises ValueError if it does not start."""
    if not wait_readable([alive], _PROBE_SECONDS) or os.read(alive, 1) != b".":
        raise ValueError("the daemon did not start")
