"""Bots of one process that wait for their next table, so that not every fixture starts its own."""

import select
from collections import deque
from collections.abc import Iterable
from contextlib import suppress

from arena.sandboxes.base import Program, Running, Sandbox

MAX_WAITING = 16
"""Programs that wait at a time; the one that has waited longest is ended for a new one."""
_Key = tuple[str, Program]
"""The name of a sandbox, and what runs in it."""


class WarmPool:
    """Running bots without a table: some have served before, some were started ahead of time."""

    def __init__(self, max_waiting: int = MAX_WAITING) -> None:
        self._max_waiting = max_waiting
        self._waiting: deque[tuple[_Key, Running]] = deque()

    def take(self, program: Program, sandbox: Sandbox) -> Running:
        """Return a waiting bot, or a new one; raises OSError if it cannot be started."""
        for key, running in self._waiting:
            if key == (sandbox.name, program):
                self._waiting.remove((key, running))
                if not select.select([running.exit_fd], [], [], 0)[0]:
                    return running
                _end(running)
                break
        return sandbox.start(program)

    def give_back(self, program: Program, sandbox: Sandbox, running: Running) -> None:
        """Let a bot wait for its next table."""
        self._waiting.append(((sandbox.name, program), running))
        while len(self._waiting) > self._max_waiting:
            _end(self._waiting.popleft()[1])

    def prepare(self, programs: Iterable[Program], sandbox: Sandbox) -> None:
        """Start programs of which none waits: containers start slowly, others play meanwhile."""
        for program in programs:
            if not any(key == (sandbox.name, program) for key, _ in self._waiting):
                with suppress(OSError):
                    self.give_back(program, sandbox, sandbox.start(program))

    def end(self) -> None:
        """End every bot that waits."""
        while self._waiting:
            _end(self._waiting.popleft()[1])


def _end(running: Running) -> None:
    running.kill()
    running.close()
