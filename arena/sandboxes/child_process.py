"""Programs that are processes of this machine's own kernel, started by this process."""

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Protocol

from arena.sandboxes.base import ENVIRONMENT, Quota

_LINGER = 1.0
"""Seconds that a sandbox has to name its first process, or that process to be gone when killed."""
_INFO_BYTES = 65_536
_PROCESSOR_TIME = 2
"""The kind of clock, beside which its number holds the process."""


class ProcessTree(Protocol):
    """What holds all processes of a bot together: a control group."""

    environment: Mapping[str, str]
    """What it takes to join it; the program does not see it."""

    def around(self, argv: Sequence[str]) -> list[str]:
        """Return a command that joins before it becomes `argv`."""
        ...

    def started(self, pid: int) -> None:
        """Take note of the process that joins."""
        ...

    def cpu(self) -> float | None:
        """Return the seconds of processor time that all of them used so far."""
        ...

    def freeze(self, *, frozen: bool) -> None:
        """Stop or go on with all of them."""
        ...

    def kill(self) -> None:
        """End all of them and wait until they are gone."""
        ...

    def close(self) -> None:
        """Clear away what no process is in any more."""
        ...


class ChildProcess:
    """A child process in a session of its own, with pipes to it; raises OSError.

    `info`, if given, is a pipe on which the sandbox says which process is the first one inside it;
    it is closed with the others, and so is the group.
    """

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        *,
        pass_fds: Sequence[int] = (),
        info: int | None = None,
        group: ProcessTree | None = None,
    ) -> None:
        self.process = process = subprocess.Popen(
            group.around(argv) if group else list(argv),
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**ENVIRONMENT, **group.environment} if group else ENVIRONMENT,
            start_new_session=True,
            pass_fds=list(pass_fds),
        )
        self._pipes = [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe]
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in self._pipes)
        self.exit_fd = os.pidfd_open(process.pid)
        self._info = info
        self._group = group
        if group:
            group.started(process.pid)
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)

    def end_input(self) -> None:
        """Close the program's standard input."""
        self._pipes[0].close()

    def exit_code(self) -> int:
        """Wait for the end of the program; returns its exit code, or -n where signal n ended it."""
        return self.process.wait()

    def cpu(self) -> float | None:
        """Return the processor time of the whole group; without one, of the program alone."""
        used = self._group.cpu() if self._group else None
        if used is not None or self._clock is None:
            return used
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            return None

    def freeze(self, *, frozen: bool) -> None:
        """Stop or go on with the whole group, if there is one."""
        if self._group:
            self._group.freeze(frozen=frozen)

    def kill(self) -> None:
        """End the process and its group, or all that is in its sandbox."""
        self.freeze(frozen=False)
        if self._first is not None and self.process.poll() is None:
            _kill_first(self._first)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        if self._group:
            self._group.kill()

    def close(self) -> None:
        """Wait for the end and close all descriptors."""
        self.process.wait()
        for pipe in self._pipes:
            pipe.close()
        for fd in (self.exit_fd, self._info):
            if fd is not None:
                os.close(fd)
        if self._group:
            self._group.close()

    @cached_property
    def _first(self) -> int | None:
        """The first process inside the sandbox, which takes all others with it when it ends."""
        if self._info is None or not select.select([self._info], [], [], _LINGER)[0]:
            return None
        with suppress(ValueError, KeyError):
            return int(json.loads(os.read(self._info, _INFO_BYTES))["child-pid"])
        return None

    @cached_property
    def _clock(self) -> int | None:
        """The kernel's clock of the processor time that the program itself used."""
        pid = self.process.pid if self._info is None else _second(self._first)
        return None if pid is None else _PROCESSOR_TIME | ~pid << 3


def with_limits(command: Sequence[str], quota: Quota) -> list[str]:
    """Return a command that puts limits on itself before it becomes the bot."""
    return [
        "prlimit",
        f"--data={quota.memory}",
        f"--nproc={quota.processes}",
        f"--nofile={quota.files}",
        f"--fsize={quota.file_size}",
        "--core=0",
        "--",
        *command,
    ]


def _second(first: int | None) -> int | None:
    """Return the program that the first process inside a sandbox has started: the second in it."""
    if first is None:
        return None
    running = [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return next((int(pid) for pid in running if _place(pid) == (first, 2)), None)


def _place(pid: str) -> tuple[int, int] | None:
    """Return a process's parent, and its own id in the innermost namespace that it is in."""
    try:
        status = Path("/proc", pid, "status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    lines = dict(line.split(":", 1) for line in status.splitlines())
    return int(lines["PPid"]), int(lines["NSpid"].split()[-1])


def _kill_first(pid: int) -> None:
    """End the first process inside a sandbox, and so all of them, and wait until it is gone."""
    with suppress(ProcessLookupError):
        inner = os.pidfd_open(pid)
        try:
            signal.pidfd_send_signal(inner, signal.SIGKILL)
            select.select([inner], [], [], _LINGER)
        finally:
            os.close(inner)
