"""A run that goes on: watched on a terminal, signalled, and looked for after its end."""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.cli.command import HANG, arena, environment, records

_TICK, _LONGEST = 0.02, 0.5
"""Seconds between two looks at what is waited for, at least and at most."""
_SHARE = 4
"""Times as long as a look took."""


class Process(NamedTuple):
    """A running process."""

    parent: int
    group: int
    command: str


def processes() -> dict[int, Process]:
    """Return all running processes of the machine, by their id."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent, group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
        except OSError:
            continue
        if state not in "ZX":
            found[int(folder.name)] = Process(int(parent), int(group), command.decode())
    return found


def wait_until(holds: Callable[[], object]) -> None:
    """Wait until something holds; raises TimeoutError if that takes too long."""
    deadline = time.monotonic() + HANG
    began = time.monotonic()
    while not holds():
        looked = time.monotonic()
        if looked > deadline:
            raise TimeoutError(f"still waiting after {HANG:g} s")
        # Leave the processor to what is waited for: a look may read a whole store.
        select.select([], [], [], min(max(_TICK, _SHARE * (looked - began)), _LONGEST))
        began = time.monotonic()


def wait_for_death(pid: int) -> None:
    """Wait until a process has ended; it need not be a child of this one."""
    try:
        life = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    over = select.select([life], [], [], HANG)[0]
    os.close(life)
    assert over, f"process {pid} lives on: {_doing(pid)}"


def _doing(pid: int) -> str:
    """Return what a process is, what it waits for, and who else is there."""
    folder = Path(f"/proc/{pid}")
    parts = [(folder / name).read_text() for name in ("status", "wchan")]
    files = subprocess.run(["ls", "-l", folder / "fd"], check=False, capture_output=True)
    return "\n".join(
        [*parts, files.stdout.decode(), *(f"{known} {of}" for known, of in processes().items())]
    )


def let_others_in(folder: Path) -> None:
    """Let other users reach a folder: bots run as one of them if the arena is root."""
    for parent in (folder, *folder.parents):
        mode = parent.stat().st_mode
        if parent.stat().st_uid == os.geteuid() and not mode & 0o001:
            parent.chmod(mode | 0o011)


class Live:
    """`arena ARGUMENTS` on a terminal, in a process group of its own; a context manager.

    Its bots are known by `mark`, a word on their command line that no other process has. Its
    temporary files are in the folder `temporary`. The terminal is read all the time: a full one
    would hold up what writes to it, even processes that end.
    """

    def __init__(self, *arguments: object, cwd: Path, mark: str) -> None:
        self.temporary = cwd / "temporary"
        self.temporary.mkdir(exist_ok=True)
        let_others_in(cwd)
        self.text = ""
        self._mark, self._over, self._more = mark, False, threading.Condition()
        ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            arena(*arguments),
            cwd=cwd,
            env=environment(TMPDIR=str(self.temporary), NO_COLOR="1"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            process_group=0,
        )
        os.close(theirs)
        self._reader = threading.Thread(target=self._read, args=(ours,), daemon=True)
        self._reader.start()

    def __enter__(self) -> "Live":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join(HANG)

    def read_until(self, *signs: str) -> None:
        """Wait until one of the signs was on the terminal."""
        said = self._wait_for(lambda: any(sign in self.text for sign in signs))
        assert said, f"the run ended before it said {signs}: {self.text}"

    def read_until_stored(self) -> None:
        """Wait until the terminal says that the first fixtures are stored."""
        stored = self._wait_for(lambda: re.search(r" [1-9]\d*/\d+ fixtures", self.text))
        assert stored, f"the run ended before anything was stored: {self.text}"

    def signal(self, number: signal.Signals) -> None:
        """Signal the whole group, as a terminal does."""
        os.killpg(self.process.pid, number)

    def end(self) -> int:
        """Wait for the end of the terminal; returns the exit code."""
        self._wait_for(lambda: self._over)
        return self.process.wait(HANG)

    def workers(self) -> list[int]:
        """Return the worker processes."""
        family = processes().items()
        return [
            pid for pid, p in family if p.group == self.process.pid and "spawn_main" in p.command
        ]

    def bots(self) -> list[int]:
        """Return the processes of the bots, with those that hold them in a sandbox."""
        return [pid for pid, p in processes().items() if self._mark in p.command]

    def in_play(self) -> int:
        """Return how many bots run, their sandboxes set up."""
        start = "python3 bot.py"
        return sum(p.command.startswith(f"{start} {self._mark}") for p in processes().values())

    def wait_until_all_are_gone(self) -> None:
        """Wait until workers and bots are over; a process that stays fails the test."""
        while left := self.workers() + self.bots():
            for pid in left:
                wait_for_death(pid)

    def _read(self, ours: int) -> None:
        with os.fdopen(ours, "rb", buffering=0) as terminal, suppress(OSError):
            while said := terminal.read(65_536):
                with self._more:
                    self.text += said.decode(errors="replace")
                    self._more.notify_all()
        with self._more:
            self._over = True
            self._more.notify_all()

    def _wait_for(self, holds: Callable[[], object]) -> bool:
        """Return that something holds, or False once the other end of the terminal is closed."""
        with self._more:
            while not (found := bool(holds())) and not self._over:
                assert self._more.wait(HANG), f"it hangs: {self.text}"
            return found


def stopped(
    start: Callable[[], Live], stop: Callable[[Live], None], store: Path, fixtures: int
) -> tuple[Live, int]:
    """Stop a run of so many fixtures in the middle; returns it with its exit code.

    On a busy machine the run may be over before its stop: then another one is started.
    """
    before = set(store.parent.iterdir())
    while True:
        with start() as live:
            live.read_until_stored()
            stop(live)
            code = live.end()
            live.wait_until_all_are_gone()
        if 1 <= len(records(store)) < fixtures:
            return live, code
        for path in set(store.parent.iterdir()) - before - {live.temporary}:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
