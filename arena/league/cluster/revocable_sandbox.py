"""A sandbox whose programs all end with the run that they belong to, in whatever they are."""

from collections.abc import Callable
from threading import Lock

from arena.sandboxes.base import Program, Running, Sandbox


class RevocableSandbox:
    """A sandbox like the one it is given, until it ends; another thread may end it.

    A fixture that is being played then comes to its end at once: its bots are gone, and none can be
    started again.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.name = sandbox.name
        self.clock = sandbox.clock
        self.isolates = sandbox.isolates
        self.freezes = sandbox.freezes
        self.uses_host_programs = sandbox.uses_host_programs
        self.starts_slowly = sandbox.starts_slowly
        self.over = False
        """Whether it has ended: what was played in it then counts for nothing."""
        self._running: set[_Leased] = set()
        self._lock = Lock()

    def unavailable_reason(self) -> None:
        """Return None: it was tried before."""

    def start(self, program: Program, *, writable: bool = False) -> Running:
        """Start a program; raises OSError where it cannot be started, or the lease has ended."""
        with self._lock:
            if self.over:
                raise OSError("the run is over")
            running = self._sandbox.start(program, writable=writable)
            leased = _Leased(running, self._running.discard)
            self._running.add(leased)
        return leased

    def end(self) -> None:
        """End every program that was started; whoever started it still has to close it."""
        with self._lock:
            self.over = True
            for leased in set(self._running):
                leased.kill()


class _Leased:
    """A running program that can be ended from another thread until it is closed."""

    def __init__(self, inner: Running, forget: Callable[["_Leased"], None]) -> None:
        self._inner = inner
        self._forget = forget
        self._closed = False
        self._lock = Lock()
        self.stdin, self.stdout, self.stderr = inner.stdin, inner.stdout, inner.stderr
        self.exit_fd = inner.exit_fd

    def end_input(self) -> None:
        self._inner.end_input()

    def exit_code(self) -> int:
        return self._inner.exit_code()

    def cpu_time(self) -> float | None:
        return self._inner.cpu_time()

    def freeze(self, *, frozen: bool) -> None:
        self._inner.freeze(frozen=frozen)

    def kill(self) -> None:
        # Once it is closed, its process id may be another's.
        with self._lock:
            if not self._closed:
                self._inner.kill()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._forget(self)
            self._inner.close()
