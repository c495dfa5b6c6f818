"""Programs that are processes of this machine's own kernel, started by this process."""

import json
import os
import select
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from arena.bots.sandbox import ENVIRONMENT, Quota

_LINGER = 1.0
"""Seconds that the first process of a sandbox has to be gone after it was killed."""
_INFO_BYTES = 65_536


class LocalProcess:
    """A child process in a session of its own, with pipes to it; raises OSError.

    `info`, if given, is a pipe on which the sandbox says which process is the first one inside it;
    it is closed with the others.
    """

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        *,
        pass_fds: Sequence[int] = (),
        info: int | None = None,
    ) -> None:
        self.process = process = subprocess.Popen(
            list(argv),
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=ENVIRONMENT,
            start_new_session=True,
            pass_fds=list(pass_fds),
        )
        self._pipes = [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe]
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in self._pipes)
        self.death = os.pidfd_open(process.pid)
        self._info = info
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)

    def end_input(self) -> None:
        """Close the program's standard input."""
        self._pipes[0].close()

    def exit_code(self) -> int:
        """Wait for the end of the program; returns its exit code, or -n where signal n ended it."""
        return self.process.wait()

    def kill(self) -> None:
        """End the process and its group, or all that is in its sandbox."""
        if self._info is not None and self.process.poll() is None:
            _kill_first(self._info)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Wait for the end and close all descriptors."""
        self.process.wait()
        for pipe in self._pipes:
            pipe.close()
        for fd in (self.death, self._info):
            if fd is not None:
                os.close(fd)


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


def _kill_first(info: int) -> None:
    """End the first process inside a sandbox, and so all of them, and wait until it is gone."""
    with suppress(ValueError, KeyError, ProcessLookupError):
        inner = os.pidfd_open(json.loads(os.read(info, _INFO_BYTES))["child-pid"])
        try:
            signal.pidfd_send_signal(inner, signal.SIGKILL)
            select.select([inner], [], [], _LINGER)
        finally:
            os.close(inner)
