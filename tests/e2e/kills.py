"""Kill -9: all processes of a run that goes on, and what must not be left of them."""

import os
import signal
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from arena.bots.sandboxes.kernel.cgroups import own_mounts
from arena.bots.sandboxes.owner import PREFIX
from arena.publish.site_folder import STAGING
from tests.cli.command import LOWEST, bot
from tests.e2e.live import Live, processes, wait_for_death

PLAY = ("--sandbox", "process", "--trust-bots", "--workers", "2")
CHEAT = LOWEST.replace('first["min"]', 'first["min"] - (asked["round"] == 1)').replace(
    "answer = {", 'print("asked", asked["id"], file=sys.stderr)\n            answer = {'
)
"""A bot that always faults in the same way, and says something of it."""
_PROBE_NAME = 8
"""Characters of a name that the module tempfile makes up."""


def write_bots(folder: Path) -> str:
    """Write deterministic bots: ann, bob and cheat; returns a word on their command lines."""
    mark = f"mark-{folder.name}-{os.getpid()}"
    for name, source in {"ann": LOWEST, "bob": LOWEST, "cheat": CHEAT}.items():
        bot(folder / name, source, command=f"python3 -S bot.py {mark}")
    return mark


def wait(live: Live, seconds: float) -> None:
    """Wait for some seconds, or for the end of the run."""
    with suppress(subprocess.TimeoutExpired):
        live.process.wait(seconds)


def kill(pids: Iterable[int], number: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to processes, of which some may be over already."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def family(live: Live) -> list[int]:
    """Return all processes of a run, its bots among them."""
    group = [pid for pid, p in processes().items() if p.group == live.process.pid]
    return [*group, *live.bots()]


def wait_until_all_are_gone(live: Live) -> set[int]:
    """Wait for the end of all processes of a run; returns those that there were."""
    seen = {live.process.pid}
    live.process.wait()
    while left := family(live):
        seen.update(left)
        for pid in left:
            wait_for_death(pid)
    return seen


def groups_left(pids: set[int]) -> list[Path]:
    """Return the control groups that processes made and that are there still."""
    folders = {home.folder for home in own_mounts().values()}
    groups = [group for folder in folders for group in folder.glob(f"{PREFIX}.*")]
    return [group for group in groups if int(group.name.split(".")[2]) in pids]


def check_nothing_is_left(folder: Path, mark: str) -> None:
    """Look for processes and files that the runs of a league's folder have left."""
    assert [path for path in (folder / "temporary").iterdir() if not _is_pythons(path)] == []
    left = [path.name for path in folder.rglob("*") if STAGING in path.name]
    left += [path.name for path in folder.iterdir() if path.name.endswith(("-wal", "-shm"))]
    assert left == []
    assert [p.command for p in processes().values() if mark in p.command] == []


def _is_pythons(path: Path) -> bool:
    """Tell what Python leaves when it is killed while it looks whether it may write here.

    To find the folder for temporary files the module tempfile writes a word to a file there.
    """
    return len(path.name) == _PROBE_NAME and path.is_file() and path.read_bytes() in (b"", b"blat")
