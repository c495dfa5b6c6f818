"""A bot in a container, whose pipes are FIFOs in a folder that it can only read."""

import os
import select
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread

from arena.sandboxes.docker.contained import Contained

KEEPER = """
cd /run/arena
( exec <in >out 2>err; : >up; cd /bot; unset HOSTNAME OLDPWD; "$@" 3>&-; echo $? >&3 ) 3>status &
read -r _ <lease
"""
"""What the container runs: the bot, until the arena's end of the lease is closed.

Whatever happens to this shell ends the container: it is the child that Docker's init waits for. A
bot may kill it and dies with it; it may not stop it (see `profile`).
"""
PIPES = "/run/arena"
"""Where the folder of FIFOs is mounted."""
_READERS_MAY, _WRITERS_MAY = 0o644, 0o622
_FIFOS = {
    "in": _READERS_MAY,
    "out": _WRITERS_MAY,
    "err": _WRITERS_MAY,
    "up": _WRITERS_MAY,
    "status": _WRITERS_MAY,
    "lease": _READERS_MAY,
}
_KILLED = -9
_PATIENCE = 15
"""Seconds that a container has from its start to the bot's first instruction."""
_STARTS = 3
"""So often a container is started of which nothing is left before its bot began."""
_GONE = 10.0
"""Seconds that a container has to be gone after its lease ended."""
_NO_CONTAINER = b"125\n"

Launch = Callable[[], tuple[str, int | None]]
"""Creates and starts the container; returns its id and its first process, raises ArenaError."""


class Container(Contained):
    """A container that is being started: its pipes are there at once, and what is written waits."""

    def __init__(
        self,
        folder: Path,
        launch: Launch,
        runs: Callable[[str], bool],
        remove: Callable[[str], None],
    ) -> None:
        """Start it; `runs` tells of a container's id whether it has not ended."""
        for name, mode in _FIFOS.items():
            os.mkfifo(folder / name)
            (folder / name).chmod(mode)
        self._folder = folder
        self._launch = launch
        self._runs = runs
        self._remove = remove
        self._id = ""
        self._code: int | None = None
        # Outputs first and without waiting; the input's other end too, or both sides wait for ever.
        self.stdout, self.stderr, self.exit_fd = (
            os.open(folder / name, os.O_RDONLY | os.O_NONBLOCK) for name in ("out", "err", "status")
        )
        self.stdin = os.open(folder / "in", os.O_RDWR | os.O_NONBLOCK)
        self._up = os.open(folder / "up", os.O_RDONLY | os.O_NONBLOCK)
        self._lease: int | None = os.open(folder / "lease", os.O_RDWR)
        self._input_open = True
        self._starting = Thread(target=self._start, daemon=True)
        self._starting.start()

    def end_input(self) -> None:
        """Close the bot's standard input."""
        self._starting.join()
        if self._input_open:
            os.close(self.stdin)
            self._input_open = False

    def exit_code(self) -> int:
        """Wait for the end of the bot; returns its exit code, -9 where nobody could say it."""
        if self._code is None:
            # Of a container that is gone there may never have been anyone to say a word.
            select.select([self.exit_fd], [], [], None if self._lease is not None else 0)
            said = b""
            with suppress(BlockingIOError):
                said = os.read(self.exit_fd, 64)
            self._code = int(said) if said.strip().isdigit() else _KILLED
        return self._code

    def kill(self) -> None:
        """End the container, with all that is in it."""
        if self._lease is None:
            return
        self._wait_for_start()
        # Its keeper cannot see the end of the lease while it is frozen.
        self.freeze(frozen=False)
        os.close(self._lease)
        self._lease = None
        if self._id and not self._gone(_GONE):
            self._remove(self._id)

    def close(self) -> None:
        """End the container if it is still there, and close all descriptors."""
        self.kill()
        self.exit_code()
        self.end_input()
        for fd in (self.stdout, self.stderr, self.exit_fd, self._up):
            os.close(fd)
        self._leave_group()
        for name in _FIFOS:
            (self._folder / name).unlink(missing_ok=True)
        with suppress(OSError):
            self._folder.rmdir()

    def _wait_for_start(self) -> None:
        self._starting.join()

    def _start(self) -> None:
        try:
            begun = any(self._begins() for _ in range(_STARTS))
            reason = "the container ended before the bot began: see the log of the Docker engine"
        except Exception as error:
            begun, reason = False, str(error)
        if not begun:
            # Nobody else would hear of it, and the bot would be waited for.
            self._say_why(reason.encode())

    def _begins(self) -> bool:
        self._leave_group()
        self._id, pid = self._launch()
        self._find_group(pid)
        return self._has_begun()

    def _has_begun(self) -> bool:
        """Wait until the bot has opened its input: before that, its end must not be closed.

        False where the container was lost before that, as happens now and then on a busy machine.
        """
        for _ in range(_PATIENCE):
            if self._was_begun(1.0):
                return True
            if not self._runs(self._id):
                return self._was_begun(0.0)
        return True

    def _was_begun(self, seconds: float) -> bool:
        return bool(select.select([self._up, self.exit_fd], [], [], seconds)[0])

    def _say_why(self, reason: bytes) -> None:
        """End as a program would: with a word on standard error and an exit code."""
        for reader, said in ((self.stderr, reason + b"\n"), (self.exit_fd, _NO_CONTAINER)):
            # Its other end is open here, whatever became of its name.
            fd = os.open(f"/proc/self/fd/{reader}", os.O_WRONLY | os.O_NONBLOCK)
            os.write(fd, said)
            os.close(fd)

    def _gone(self, seconds: float) -> bool:
        """Wait until nobody holds the status open any more; says whether that came to be."""
        poll = select.poll()
        poll.register(self.exit_fd, 0)
        return bool(poll.poll(seconds * 1000))
