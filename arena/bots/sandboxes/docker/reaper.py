"""The reaper: a process that outlives an arena that is killed, and removes its containers."""

import itertools
import os
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path

from arena.bots.sandboxes.docker import engine
from arena.bots.sandboxes.run_folder import RunFolder, remove_abandoned
from arena.io.errors import ArenaError

_CLEAN_EXIT = b"."
"""Sent by an arena at its end if it has cleaned up by itself."""
_QUIET_SECONDS = 1.0
"""Time without a container of the run after which no more will come."""
_POLL_SECONDS = 0.1


class ReapedRun:
    """The run folder of this process, for the pipes of its containers, and the reaper of both."""

    def __init__(self) -> None:
        engine.remove_abandoned()
        self._folder = RunFolder()
        self.folder = self._folder.path
        self._numbers = itertools.count()
        self._reaper = subprocess.Popen(
            [sys.executable, "-m", __name__, str(self.folder)],
            stdin=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        # Unlike `atexit`, it is also called at the end of worker processes.
        Finalize(None, self._end, exitpriority=0)

    def new_pipe_folder(self) -> Path:
        """Return a new folder for a container's pipes."""
        folder = self.folder / str(next(self._numbers))
        folder.mkdir()
        folder.chmod(0o755)  # whatever the umask is
        return folder

    def _end(self) -> None:
        self._reaper.communicate(_CLEAN_EXIT)
        self._folder.remove()


@cache
def current_run() -> ReapedRun:
    """Return the run of this process, which is made on first use."""
    return ReapedRun()


def main(folder: str) -> None:
    """Wait for the end of the arena that started this; clean up after it if it could not."""
    if sys.stdin.buffer.read() == _CLEAN_EXIT:
        return
    try:
        # Without an engine there are no containers.
        with suppress(ArenaError):
            # One that was still being created when its arena died cannot see the end of its lease.
            last_seen = time.monotonic()
            while time.monotonic() - last_seen < _QUIET_SECONDS:
                with engine.api_client() as api:
                    containers = api.containers(
                        all=True, filters={"label": f"{engine.LABEL}={folder}"}
                    )
                for container in containers:
                    engine.remove(container["Id"])
                    last_seen = time.monotonic()
                time.sleep(_POLL_SECONDS)
    finally:
        remove_abandoned()


if __name__ == "__main__":
    main(sys.argv[1])
