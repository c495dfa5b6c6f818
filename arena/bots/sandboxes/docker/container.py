"""A bot in a container, whose pipes are FIFOs in a folder that it can only read.

Where FIFOs do not work, a thread relays Docker's attach socket to pipes.
"""

import os
import select
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from struct import unpack
from threading import Event, Thread
from typing import NamedTuple

from arena.bots.sandboxes.docker import engine
from arena.bots.sandboxes.kernel.cgroups import Cgroup, cgroup_of
from arena.bots.sandboxes.kernel.processes import Watched
from arena.bots.sandboxes.run_once import open_copy
from arena.io.files import remove_tree
from arena.io.uptime import wait_readable

SUPERVISOR = """
cd /run/arena
( exec <in >out 2>err
  ( : >up; cd /bot; unset HOSTNAME OLDPWD; exec "$@" ) 3>&-; echo $? >&3 ) 3>status &
read -r _ <lease
"""
"""What the container runs: the bot, until the arena's end of the lease is closed.

It says that the bot is up when nothing but the bot's own program can fail any more.

The container ends with this shell, which Docker's init waits for. Both run as root, without the
privileges of root, so that a bot, which is another user, can neither stop them nor write to their
memory or their standard output.
"""
PIPES = "/run/arena"
"""The mount point of the folder of FIFOs."""
KILLED = -9
NO_CONTAINER = 125
"""The exit code of a program whose container could not be started; stderr says why."""
_READABLE, _WRITABLE = 0o644, 0o622
_FIFOS = {
    **dict.fromkeys(("in", "lease"), _READABLE),
    **dict.fromkeys(("out", "err", "up", "status"), _WRITABLE),
}
_START_SECONDS = 15
"""The most seconds from a container's start to the bot's first instruction."""
_LAUNCHES = 3
"""Launches of a container, at most, if the engine loses it before its bot began."""
_LEASE_SECONDS = 10.0
"""The most seconds until a container is gone whose lease ended."""


class Container(Watched):
    """What all containers share: a start in a thread, and a control group made by the engine."""

    freezes_quickly = True

    def __init__(self) -> None:
        self._started = Event()
        """Set once the container runs, or could not be started."""
        self._cgroup: Cgroup | None = None

    def cpu_time(self) -> float | None:
        """Return the CPU time of the container, in seconds, or None if its group is not visible."""
        self._started.wait()
        return self._cgroup.cpu_time() if self._cgroup else None

    def _pids(self) -> list[int]:
        return self._cgroup.pids() if self._cgroup else []

    def lacked_processes(self) -> bool:
        """Return False: what the engine's machine refuses is not seen from here."""
        return False

    def pid(self) -> None:
        """Return None: the engine may run on another machine."""

    def freeze(self, *, frozen: bool) -> None:
        """Freeze or thaw the container, if this user may."""
        if self._cgroup:
            self._cgroup.freeze(frozen=frozen)

    @property
    def freezes(self) -> bool:
        """Whether it can be frozen."""
        self._started.wait()
        return self._cgroup is not None and self._cgroup.freezes

    def _close_cgroup(self) -> None:
        if self._cgroup:
            self._cgroup.close_files()
            self._cgroup = None


class FifoContainer(Container):
    """A container that is being started: its pipes work at once, and what is written waits."""

    def __init__(
        self,
        folder: Path,
        launch: Callable[[], tuple[str, int]],
        is_running: Callable[[str], bool],
        remove: Callable[[str], None],
        *,
        copies: bool = False,
    ) -> None:
        """`launch` starts the container and returns its id and pid, or raises ArenaError.

        `copies`: its program is a build that works on a copy of its folder.
        """
        super().__init__()
        self._copies = copies
        for name, mode in _FIFOS.items():
            os.mkfifo(folder / name)
            (folder / name).chmod(mode)
        self._folder = folder
        self._launch = launch
        self._is_running = is_running
        self._remove = remove
        self._id = ""
        self._pid = 0
        self._code: int | None = None
        # Reading ends first and without waiting; also the input's, or both sides wait for ever.
        self.stdout, self.stderr, self.exit_fd, self._up = (
            os.open(folder / name, os.O_RDONLY | os.O_NONBLOCK)
            for name in ("out", "err", "status", "up")
        )
        self.stdin = os.open(folder / "in", os.O_RDWR | os.O_NONBLOCK)
        self._lease: int | None = os.open(folder / "lease", os.O_RDWR)
        self._input_open = True
        Thread(target=self._start, daemon=True).start()

    def open_folder(self) -> int | None:
        """Let a build begin; return a descriptor of the copy that it changes."""
        self._started.wait()
        return open_copy(self, lambda: self._pid) if self._copies else None

    def end_input(self) -> None:
        """Close the bot's standard input."""
        self._started.wait()
        if self._input_open:
            os.close(self.stdin)
            self._input_open = False

    def exit_code(self) -> int:
        """Wait for the bot to end; return its exit code, or -9 if unknown."""
        if self._code is None:
            # A container that was killed may never have written a status.
            _wait_for(self.exit_fd, select.POLLIN, None if self._lease is not None else 0.0)
            status = b""
            with suppress(BlockingIOError):
                status = os.read(self.exit_fd, 64)
            self._code = int(status) if status.strip().isdigit() else KILLED
        return self._code

    def ran(self) -> bool:
        """Return whether the supervisor came to the bot, asked once it has ended."""
        return bool(wait_readable([self._up], 0.0))

    def kill(self) -> None:
        """Kill the container, with all that is in it."""
        self._started.wait()
        if self._lease is None:
            return
        # A frozen supervisor cannot see the end of the lease.
        self.freeze(frozen=False)
        os.close(self._lease)
        self._lease = None
        # It is gone when none of its processes holds the status open.
        if self._id and not _wait_for(self.exit_fd, 0, _LEASE_SECONDS):
            self._remove(self._id)

    def close(self) -> None:
        """Kill the container if it still runs, and close all descriptors."""
        self.kill()
        self.exit_code()
        self.end_input()
        for fd in (self.stdout, self.stderr, self.exit_fd, self._up):
            os.close(fd)
        self._close_cgroup()
        remove_tree(self._folder)

    def _start(self) -> None:
        try:
            if not any(self._launch_once() for _ in range(_LAUNCHES)):
                self._fail("the container ended before the bot began: see the Docker engine's log")
        except Exception as error:
            # Otherwise nobody would see it, and the bot would be waited for.
            self._fail(str(error))
        finally:
            self._started.set()

    def _launch_once(self) -> bool:
        """Launch the container; return whether the bot began: a busy machine may lose it before."""
        self._close_cgroup()
        self._id, self._pid = self._launch()
        self._cgroup = cgroup_of(self._pid)
        for _ in range(_START_SECONDS):
            if self._has_begun(1.0):
                return True
            if not self._is_running(self._id):
                return self._has_begun(0.0)
        return True

    def _has_begun(self, seconds: float) -> bool:
        return bool(wait_readable([self._up, self.exit_fd], seconds))

    def _fail(self, reason: str) -> None:
        """End as a program would: with a line on standard error and an exit code."""
        # So that there is a descriptor for that, if others are what is missing.
        if self._lease is not None:
            os.close(self._lease)
            self._lease = None
        for reader, text in ((self.stderr, reason), (self.exit_fd, str(NO_CONTAINER))):
            # The FIFO is open here, whether or not its name still exists.
            fd = os.open(f"/proc/self/fd/{reader}", os.O_WRONLY | os.O_NONBLOCK)
            os.write(fd, text.encode() + b"\n")
            os.close(fd)


_CHUNK = 65_536
_HEADER = 8
"""Bytes before each piece of output: which stream, three zeros, how many bytes."""
_KILL_CHECK_SECONDS = 0.05
"""Time between checks whether the bot was killed while nobody reads its output."""


class Attachment(NamedTuple):
    """A started container, and the socket that carries its standard streams."""

    id: str
    socket: socket.socket
    pid: int
    """Its first process by the engine's numbers, or 0 if it is gone."""


class AttachedContainer(Container):
    """A container that is being started, and a thread that relays its streams to pipes."""

    def __init__(self, launch: Callable[[], Attachment]) -> None:
        """`launch` starts the container, or raises ArenaError."""
        super().__init__()
        self._launch = launch
        self._attachment: Attachment | None = None
        self._killed = False
        self._code = KILLED
        self._from_stdin, self.stdin = os.pipe()
        self.stdout, self._to_stdout = os.pipe()
        self.stderr, self._to_stderr = os.pipe()
        self.exit_fd, self._ended = os.pipe()
        for fd in (self.stdin, self.stdout, self.stderr, self._to_stdout, self._to_stderr):
            os.set_blocking(fd, False)
        self._open_fds = {self.stdin, self.stdout, self.stderr, self.exit_fd}
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def open_folder(self) -> None:
        """Return None: a build changes its folder itself."""

    def end_input(self) -> None:
        """Close the bot's standard input."""
        self._close(self.stdin)

    def exit_code(self) -> int:
        """Wait for the bot to end; return its exit code, or -9 if unknown."""
        self._thread.join()
        return self._code

    def ran(self) -> bool:
        """Return whether the container began: its init executes the bot, and says if it cannot."""
        self._thread.join()
        return self._attachment is not None

    def kill(self) -> None:
        """Kill the container, with all that is in it."""
        self._started.wait()
        if self._attachment is None:
            return
        self.freeze(frozen=False)
        # The socket first: the engine waits for ever on one that nobody reads.
        with suppress(OSError):
            self._attachment.socket.shutdown(socket.SHUT_RDWR)
        engine.remove(self._attachment.id)
        self._killed = True

    def close(self) -> None:
        """Kill the container if it still runs, and close all descriptors."""
        self.kill()
        self._thread.join()
        for fd in list(self._open_fds):
            self._close(fd)
        self._close_cgroup()

    def _close(self, fd: int) -> None:
        if fd in self._open_fds:
            self._open_fds.remove(fd)
            os.close(fd)

    def _run(self) -> None:
        try:
            self._attachment = self._launch()
            self._cgroup = cgroup_of(self._attachment.pid)
            self._started.set()
            self._relay(self._attachment.socket)
            self._code = engine.wait(self._attachment.id)
        except Exception as error:
            # Otherwise nobody would see it, and the bot would be waited for.
            if self._attachment is None:
                self._code = NO_CONTAINER
                os.write(self._to_stderr, str(error).encode() + b"\n")
        finally:
            self._started.set()
            for fd in (self._from_stdin, self._to_stdout, self._to_stderr, self._ended):
                os.close(fd)

    def _relay(self, attached: socket.socket) -> None:
        poll = select.poll()
        poll.register(attached, select.POLLIN)
        poll.register(self._from_stdin, select.POLLIN)
        with suppress(OSError), attached:
            while True:
                ready = [fd for fd, _ in poll.poll()]
                if attached.fileno() in ready and not self._relay_output(attached):
                    return
                if self._from_stdin in ready:
                    if chunk := os.read(self._from_stdin, _CHUNK):
                        attached.sendall(chunk)
                    else:
                        poll.unregister(self._from_stdin)
                        attached.shutdown(socket.SHUT_WR)

    def _relay_output(self, attached: socket.socket) -> bool:
        """Relay one piece of output; return False at the end."""
        header = _receive(attached, _HEADER)
        if len(header) < _HEADER:
            return False
        stream, size = unpack(">BxxxI", header)
        output = _receive(attached, size)
        pipe = self._to_stderr if stream == 2 else self._to_stdout
        while output and not self._killed:
            if _wait_for(pipe, select.POLLOUT, _KILL_CHECK_SECONDS):
                output = output[os.write(pipe, output) :]
        return True


def _wait_for(fd: int, event: int, seconds: float | None) -> bool:
    """Wait for an event of a descriptor, or its end; return whether it came. None: for ever."""
    poll = select.poll()
    poll.register(fd, event)
    return bool(poll.poll(None if seconds is None else 1000 * seconds))


def _receive(attached: socket.socket, size: int) -> bytes:
    """Read `size` bytes; fewer only at the end."""
    received = b""
    while len(received) < size and (chunk := attached.recv(size - len(received))):
        received += chunk
    return received
