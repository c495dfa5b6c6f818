"""Bots of one process that wait for their next table, so that not every fixture starts its own."""

import select
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from math import inf

from arena.sandboxes.base import Program, Running, Sandbox

MAX_WAITING = 16
"""Programs that wait at a time; the one that has waited longest is ended for a new one."""
_START_SECONDS = 2.0
"""How long a program that was started ahead of time may take for its start before it is frozen."""
_Key = tuple[str, Program]
"""The name of a sandbox, and what runs in it."""


class WarmPool:
    """Running bots without a table: some have served before, some were started ahead of time.

    They are frozen, so that they take no processor from those that play.
    """

    def __init__(self, max_waiting: int = MAX_WAITING) -> None:
        self._max_waiting = max_waiting
        self._waiting: deque[tuple[_Key, Running]] = deque()
        self._starting: dict[int, float] = {}
        """When programs were started that are not frozen yet, by their `exit_fd`."""

    def take(self, program: Program, sandbox: Sandbox) -> Running:
        """Return a waiting bot, or a new one; raises OSError if it cannot be started."""
        for key, running in self._waiting:
            if key == (sandbox.name, program):
                self._waiting.remove((key, running))
                self._starting.pop(running.exit_fd, None)
                running.freeze(frozen=False)
                if not select.select([running.exit_fd], [], [], 0)[0]:
                    return running
                _end(running)
                break
        return sandbox.start(program)

    def give_back(self, program: Program, sandbox: Sandbox, running: Running) -> None:
        """Let a bot wait for its next table, frozen."""
        running.freeze(frozen=True)
        self._wait(program, sandbox, running)

    def _wait(self, program: Program, sandbox: Sandbox, running: Running) -> None:
        self._waiting.append(((sandbox.name, program), running))
        while len(self._waiting) > self._max_waiting:
            self._end_first()

    def prepare(self, programs: Iterable[Program], sandbox: Sandbox) -> None:
        """Start programs of which none waits: containers start slowly, others play meanwhile."""
        for program in programs:
            if not any(key == (sandbox.name, program) for key, _ in self._waiting):
                with suppress(OSError):
                    running = sandbox.start(program)
                    self._starting[running.exit_fd] = time.monotonic()
                    self._wait(program, sandbox, running)

    def rest(self) -> None:
        """Freeze what was started ahead of time and had enough time for it."""
        if self._starting:
            before = time.monotonic() - _START_SECONDS
            for _, running in self._waiting:
                if self._starting.get(running.exit_fd, inf) < before:
                    del self._starting[running.exit_fd]
                    running.freeze(frozen=True)

    def end(self) -> None:
        """End every bot that waits."""
        while self._waiting:
            self._end_first()

    def _end_first(self) -> None:
        running = self._waiting.popleft()[1]
        self._starting.pop(running.exit_fd, None)
        _end(running)


def _end(running: Running) -> None:
    running.kill()
    running.close()
