"""What each sandbox keeps of its promises on this machine: tried from the inside, not assumed."""

import json
import os
import select
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

from arena.sandboxes import probe
from arena.sandboxes.base import MIB, Program, Quota, Running, Sandbox
from arena.sandboxes.cgroups.groups import cgroups
from arena.sandboxes.run_folder import run_folder
from arena.sandboxes.run_once import run_once

Make = Callable[..., Sandbox]
_SECONDS = 30.0
"""Within which a probe must have come to its end."""
_DEATH_SECONDS = 5.0
"""Within which all of a bot must be gone."""
_KILLED = {-signal.SIGKILL, 128 + signal.SIGKILL}
_MEMORY = 64
_PROCESSES = 20
_MARK = "ARENA_DOCTOR_MARK"
_NAME = f"arena-doctor-{os.getpid()}"
_ARENA = """
import os, signal, sys
from pathlib import Path
from arena.sandboxes.registry import SANDBOXES
from arena.sandboxes.base import Program
name, folder, text = sys.argv[1:]
program = Program(Path(folder), ["python3", "-I", "-S", "-c", text], "python")
running = SANDBOXES[name]().start(program)
os.write(running.stdin, sys.stdin.buffer.readline())
signal.pause()
"""
"""An arena that starts one bot and then waits to be killed."""
_GROUPS = "needs control groups: run as root, or under systemd with a session of your own"
_ISOLATION = "needs a sandbox that isolates: sudo apt-get install bubblewrap"

ESSENTIAL = {
    "network": "no way to the network, nor to this machine's own ports",
    "files": "the files of this machine are out of reach, all but what is in /usr",
    "rivals": "the files of other bots are out of reach",
    "writing": "nothing can be written but /tmp",
    "processes": "the processes of this machine are out of sight",
    "environment": "the arena's environment is not passed on",
    "user": "it runs without root's rights",
    "memory": "the memory of a process is limited",
    "count": "the number of processes is limited",
    "end": "all that a bot started ends with it, wherever it hid",
    "orphans": "all of it ends when the arena is killed",
}
"""What a sandbox for strangers must keep, in words."""
MORE = {
    "tree": "the memory of all processes of a bot together is limited",
    "cores": "all processes of a bot together have one core",
    "clock": "a bot's processor time can be told",
    "freezing": "a bot can be stopped while others are on turn",
}
"""What some sandboxes keep in addition."""
GUARANTEES = ESSENTIAL | MORE


_HIDE = b'{"task":"hide","alive":"alive"}\n'


class Finding(Struct, frozen=True):
    """One promise, and whether it was kept."""

    promise: str
    kept: bool | None
    """None where it could not be told."""
    seen: str
    hint: str = ""
    """How to get it, where it is missing."""


class SandboxReport(Struct, frozen=True):
    """One sandbox: why it does not work here, else what was found."""

    sandbox: str
    isolates: bool
    unavailable_reason: str
    """What, and how to mend it."""
    findings: tuple[Finding, ...]

    @property
    def fit_for_strangers(self) -> bool:
        """Whether it is meant for bots that nobody vetted, and keeps all that this takes."""
        kept = {one.promise for one in self.findings if one.kept}
        return self.isolates and ESSENTIAL.keys() <= kept


def examine(name: str, make: Make) -> SandboxReport:
    """Try all that a sandbox may promise; takes a few seconds."""
    sandbox = make(Quota(memory=_MEMORY * MIB, processes=_PROCESSES))
    if reason := sandbox.unavailable_reason():
        mend = f" ({reason.hint})" if reason.hint else ""
        return SandboxReport(name, sandbox.isolates, reason.what + mend, ())
    with run_folder() as folder:
        examiner = _Examiner(sandbox, folder)
        try:
            findings = [*examiner.looked(), *examiner.greedy(), *examiner.ended(name)]
        except (OSError, ValueError) as error:
            return SandboxReport(name, sandbox.isolates, f"the probe failed: {error}", ())
    order = list(GUARANTEES)
    findings.sort(key=lambda one: order.index(one.promise))
    return SandboxReport(name, sandbox.isolates, "", tuple(findings))


def _finding(promise: str, kept: bool | None, seen: str, hint: str = _ISOLATION) -> Finding:
    return Finding(promise, kept, seen, "" if kept else hint)


class _Examiner:
    """One sandbox under examination, and a folder for its probes."""

    def __init__(self, sandbox: Sandbox, runs: Path) -> None:
        self._sandbox = sandbox
        self._runs = runs
        self._home = runs / "bot"
        self._home.mkdir(mode=0o755)
        text = Path(probe.__file__).read_text(encoding="utf-8")
        command = ["python3", "-I", "-S", "-c", text]
        self._program = Program(self._home, command, "python")

    def looked(self) -> Iterator[Finding]:
        """Say what a bot can see and reach."""
        with _bait(self._runs) as bait:
            seen = self._ask(bait)
        others = [name for name in seen["interfaces"] if name != "lo"]
        found = f"interfaces: {', '.join(seen['interfaces']) or 'none'}"
        yield _finding("network", not seen["connected"] and not others, found)
        mine, rivals = bait["paths"]
        for promise, path in (("files", mine), ("rivals", rivals)):
            out = path not in seen["read"]
            yield _finding(promise, out, "a file there was " + ("not " if out else "") + "read")
        written = ", ".join(seen["written"])
        yield _finding("writing", not written, f"written: {written or 'nothing'}")
        out = not seen["saw_process"]
        yield _finding("processes", out, "the arena was " + ("not " if out else "") + "seen")
        clean = _MARK not in seen["environment"]
        yield _finding("environment", clean, ", ".join(seen["environment"]))
        yield _finding("user", seen["uid"] != 0, f"user {seen['uid']}")

    def greedy(self) -> Iterator[Finding]:
        """Say how much a bot can take."""
        mib = self._ask({"task": "take", "mib": 4 * _MEMORY}, {}).get("mib")
        said = "killed" if mib is None else f"{mib} MiB had"
        asked = f"{said} of {4 * _MEMORY}, {_MEMORY} allowed"
        yield _finding("memory", mib is None or mib < 4 * _MEMORY, asked)
        request = {"task": "take_together", "mib": _MEMORY // 2, "children": 8}
        held = self._ask(request, {}).get("held")
        said = "killed" if held is None else f"{held} of 8 held"
        yield _finding(
            *("tree", held is None or held < 8, f"children with {_MEMORY // 2} MiB each: {said}"),
            _GROUPS,
        )
        count = self._ask({"task": "fork", "children": 4 * _PROCESSES}, {}).get("children")
        seen = f"{count} processes of {4 * _PROCESSES} started, {_PROCESSES} allowed"
        yield _finding("count", count is None or count < 4 * _PROCESSES, seen)
        yield self._cores()

    def ended(self, name: str) -> Iterator[Finding]:
        """Say whether a bot comes to an end, whoever ends it."""
        with self._hidden() as (running, alive):
            used = self._sandbox.clock == "cpu" and bool(running.cpu())
            running.kill()
            gone = _is_gone(alive)
        yield _finding("end", gone, f"a helper in hiding {_went(gone)}", _GROUPS)
        yield _finding("clock", used, "its clock runs" if used else "it has none", _GROUPS)
        can = self._sandbox.freezes
        yield _finding("freezing", can, "it can" if can else "it cannot", _GROUPS)
        gone = self._outlived(name)
        yield _finding("orphans", gone, f"a helper in hiding {_went(gone)}")

    def _ask(self, request: dict[str, Any], killed: dict[str, Any] | None = None) -> Any:
        """Run a probe; returns what it says, or `killed` where it was; raises ValueError."""
        said = json.dumps(request).encode() + b"\n"
        ended = run_once(self._sandbox, self._program, _SECONDS, said=said)
        if ended.code == 0:
            return json.loads(ended.out)
        if killed is not None and ended.code in _KILLED:
            return killed
        raise ValueError(_last(ended.err) or f"it ended with {ended.code}")

    def _cores(self) -> Finding:
        """Say whether two busy processes get more than one core, where they would outside."""
        request = {"task": "spin", "seconds": 1.0, "children": 2}
        inside = self._ask(request)["cores"]
        seen = f"two busy processes had {inside:.1f} cores"
        if inside > 1.2:
            return _finding("cores", False, seen, _GROUPS)
        outside = probe.spin(request)["cores"]
        if outside > 1.2:
            return _finding("cores", True, f"{seen}, outside {outside:.1f}")
        return _finding("cores", None, f"{seen}, no more outside", "try again when less is running")

    @contextmanager
    def _hidden(self) -> Iterator[tuple[Running, int]]:
        """Start a bot that leaves a helper in hiding; yields it and what the helper holds open."""
        alive = self._fifo()
        running = self._sandbox.start(self._program)
        try:
            os.write(running.stdin, _HIDE)
            _wait_for_helper(alive)
            yield running, alive
        finally:
            running.kill()
            running.close()
            os.close(alive)

    def _outlived(self, name: str) -> bool:
        """Kill an arena that runs such a bot; returns whether the helper went with it."""
        alive = self._fifo()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        argv = [sys.executable, "-c", _ARENA, name, str(self._home), self._program.command[-1]]
        asked, says = os.pipe()
        os.write(says, _HIDE)
        with subprocess.Popen(argv, env=environment, stdin=asked) as arena:
            try:
                _wait_for_helper(alive)
            finally:
                arena.kill()
        os.close(asked)
        os.close(says)
        gone = _is_gone(alive)
        os.close(alive)
        if made := cgroups():
            made.clear_away()
        return gone

    def _fifo(self) -> int:
        path = self._home / "alive"
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        path.chmod(0o666)
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK)


@contextmanager
def _bait(runs: Path) -> Iterator[dict[str, Any]]:
    """Lay out what a bot must not get at; yields what to ask the probe for."""
    rival = runs / "rival" / "secret"
    rival.parent.mkdir()
    rival.write_text("x", encoding="ascii")
    born = probe.lines("/proc/self/stat")[0].split()[21]
    os.environ[_MARK] = "x"
    try:
        with (
            tempfile.NamedTemporaryFile() as secret,
            socket.create_server(("127.0.0.1", 0)) as near,
        ):
            Path(secret.name).chmod(0o644)
            yield {
                "task": "look",
                "port": near.getsockname()[1],
                "pid": os.getpid(),
                "born": born,
                "paths": [secret.name, str(rival)],
                "targets": [_NAME, f"/{_NAME}", str(runs / _NAME)],
            }
    finally:
        del os.environ[_MARK]


def _wait_for_helper(alive: int) -> None:
    """Wait until the helper is there and in hiding; raises ValueError where it does not come."""
    if not select.select([alive], [], [], _SECONDS)[0] or os.read(alive, 1) != b".":
        raise ValueError("no helper came up")


def _is_gone(alive: int) -> bool:
    """Tell whether nobody holds the helper's file open any more, or soon will not."""
    return bool(select.select([alive], [], [], _DEATH_SECONDS)[0]) and os.read(alive, 1) == b""


def _went(gone: bool) -> str:
    return "was ended" if gone else "lives on"


def _last(text: bytes) -> str:
    lines = text.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""
