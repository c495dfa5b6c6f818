"""A sandbox whose programs can all be ended from another thread, when their run is over."""

from collections.abc import Callable
from threading import Lock

from arena.bots.sandboxes.base import Program, Running, Sandbox
from arena.bots.sandboxes.passing import PassingSandbox


class RevocableSandbox(PassingSandbox):
    """Passes everything to another sandbox until it is revoked, which ends what is played."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox)
        self.revoked = False
        """Whether it was revoked: games that were being played then have no result."""
        self._running: set[_RevocableRunning] = set()
        self._lock = Lock()

    def start(self, program: Program, *, space: int = 0) -> Running:
        """Start a program; raises OSError if it cannot be started, or the run is over."""
        with self._lock:
            if self.revoked:
                raise OSError("the run is over")
            inner = self._sandbox.start(program, space=space)
            running = _RevocableRunning(inner, self._running.discard)
            self._running.add(running)
        return running

    def revoke(self) -> None:
        """Kill every program that was started; they still have to be closed as usual."""
        with self._lock:
            self.revoked = True
            for running in set(self._running):
                running.kill()


class _RevocableRunning:
    """A running program that can be killed from another thread until it is closed."""

    def __init__(self, inner: Running, on_close: Callable[["_RevocableRunning"], None]) -> None:
        self._inner = inner
        self._on_close = on_close
        self._closed = False
        self._lock = Lock()
        self.stdin, self.stdout, self.stderr = inner.stdin, inner.stdout, inner.stderr
        self.exit_fd = inner.exit_fd
        self.freeze, self.freezes_quickly = inner.freeze, inner.freezes_quickly
        self.open_folder, self.end_input = inner.open_folder, inner.end_input
        self.exit_code, self.ran, self.pid = inner.exit_code, inner.ran, inner.pid
        self.cpu_time, self.is_busy = inner.cpu_time, inner.is_busy
        self.peak_memory, self.lacked_processes = inner.peak_memory, inner.lacked_processes

    def kill(self) -> None:
        # Once it is closed, its process id may be in use by another program.
        with self._lock:
            if not self._closed:
                self._inner.kill()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._on_close(self)
            self._inner.close()
