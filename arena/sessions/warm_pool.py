"""Bots of one process that wait for their next table, so that not every fixture starts its own."""

import select
from collections import deque
from collections.abc import Iterable
from contextlib import suppress

from arena.sandboxes.base import Running, Sandbox
from arena.submissions.manifest import Bot

MOST = 16
"""Programs that wait at a time; the one that waited longest makes room."""
_Key = tuple[str, str]


class WarmPool:
    """Running bots that nobody plays with: such as served before, and such as are started ahead."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._waiting: deque[tuple[_Key, Running]] = deque()

    def take(self, bot: Bot, sandbox: Sandbox) -> Running:
        """Return a bot that waits, else a new one; raises OSError where it cannot be started."""
        key = _key(bot, sandbox)
        for entry in self._waiting:
            if entry[0] == key:
                self._waiting.remove(entry)
                if not _has_ended(entry[1]):
                    return entry[1]
                _end(entry[1])
                break
        return sandbox.start(bot.program)

    def keep(self, bot: Bot, sandbox: Sandbox, running: Running) -> None:
        """Let a bot wait for its next table."""
        self._waiting.append((_key(bot, sandbox), running))
        while len(self._waiting) > self._most:
            _end(self._waiting.popleft()[1])

    def prepare(self, bots: Iterable[Bot], sandbox: Sandbox) -> None:
        """Start bots of which none waits: containers take their time, and others play meanwhile."""
        for bot in bots:
            if not any(key == _key(bot, sandbox) for key, _ in self._waiting):
                with suppress(OSError):
                    self.keep(bot, sandbox, sandbox.start(bot.program))

    def end(self) -> None:
        """End every bot that waits."""
        while self._waiting:
            _end(self._waiting.popleft()[1])


def _key(bot: Bot, sandbox: Sandbox) -> _Key:
    return sandbox.name, str(bot.folder)


def _has_ended(running: Running) -> bool:
    return bool(select.select([running.exit_fd], [], [], 0)[0])


def _end(running: Running) -> None:
    running.kill()
    running.close()
