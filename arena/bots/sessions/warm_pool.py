"""Bots of one process that wait for their next table, so that not every fixture starts its own."""

import select
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple
from weakref import WeakKeyDictionary

from arena.bots.sandboxes.base import Program, Running, Sandbox

MAX_WAITING = 16
"""Programs that wait at a time.

A full pool keeps what it has: who has waited longest plays next, and who came last may not play
before its round is over.
"""
_START_SECONDS = 2.0
"""Seconds after which a program that was started ahead of time is frozen."""
_Key = tuple[str, Program]
"""The name of a sandbox, and what runs in it."""


class TableDice(NamedTuple):
    """The dice of a table, which no process that takes a seat there may have seen."""

    key: str
    """Their key (`Fixture.dice_key`)."""
    open: frozenset[str] = frozenset()
    """The keys of other tables under way, and of what is left of the blocks that have begun.

    A process that has seen such dice must not run, or it could tell another table of them.
    """


class WarmPool:
    """Running bots without a table: some have served before, some were started ahead of time.

    They are frozen, so that they take no processor from those that play and tell them nothing.
    """

    def __init__(self, max_waiting: int = MAX_WAITING) -> None:
        self._max_waiting = max_waiting
        self._waiting: deque[tuple[_Key, Running]] = deque()
        self._seen: WeakKeyDictionary[Running, set[str]] = WeakKeyDictionary()
        """The keys of the dice at all tables that a process took a seat at."""
        self._over: set[str] = set()
        """The keys of dice of which this process has played the last table."""
        self._starting: dict[Running, float] = {}
        """When programs were started ahead of time that are not frozen yet."""

    def take(self, program: Program, sandbox: Sandbox, dice: TableDice) -> Running:
        """Return a waiting bot, or a new one; raises OSError if it cannot be started.

        It has seen none of the secret dice before, and those of its table from now on.
        """
        running = self._take_waiting(program, sandbox, dice) or sandbox.start(program)
        self._seen.setdefault(running, set()).add(dice.key)
        return running

    def _take_waiting(self, program: Program, sandbox: Sandbox, dice: TableDice) -> Running | None:
        if running := self._find(program, sandbox, dice):
            self._waiting.remove(((sandbox.name, program), running))
            self._starting.pop(running, None)
            running.freeze(frozen=False)
            if not select.select([running.exit_fd], [], [], 0)[0]:
                return running
            _end(running)
        return None

    def _find(self, program: Program, sandbox: Sandbox, dice: TableDice) -> Running | None:
        # A task is handed over ahead of time: dice that were open then may be over by now.
        secret = {dice.key, *dice.open - self._over}
        for key, running in self._waiting:
            seen = self._seen.get(running, ())
            if key == (sandbox.name, program) and secret.isdisjoint(seen):
                return running
        return None

    def give_back(
        self, program: Program, sandbox: Sandbox, running: Running, dice: TableDice
    ) -> None:
        """Let a bot wait for its next table, if there is room.

        It is ended if it could tell others of open dice.
        """
        if dice.key not in dice.open:
            self._over.add(dice.key)
        talks = dice.key in dice.open and sandbox.isolates and not sandbox.freezes
        if talks or len(self._waiting) >= self._max_waiting:
            _end(running)
        else:
            running.freeze(frozen=True)
            self._waiting.append(((sandbox.name, program), running))

    def prepare(self, programs: Iterable[Program], sandbox: Sandbox, dice: TableDice) -> None:
        """Start programs of which none waits that may play on the dice of the next table.

        Containers start slowly; others play meanwhile.
        """
        for program in programs:
            if not self._find(program, sandbox, dice):
                with suppress(OSError):
                    running = sandbox.start(program)
                    self._starting[running] = time.monotonic()
                    self._waiting.appendleft(((sandbox.name, program), running))
            if len(self._waiting) > self._max_waiting:
                self._end_last()

    def rest(self) -> None:
        """Freeze what was started ahead of time and had enough time for it."""
        before = time.monotonic() - _START_SECONDS
        for running in [running for running, since in self._starting.items() if since < before]:
            del self._starting[running]
            running.freeze(frozen=True)

    def end(self) -> None:
        """End every bot that waits."""
        while self._waiting:
            self._end_last()

    def _end_last(self) -> None:
        running = self._waiting.pop()[1]
        self._starting.pop(running, None)
        _end(running)


class TablePool(NamedTuple):
    """A warm pool as one table may use it: nobody there has seen its dice."""

    pool: WarmPool
    dice: TableDice

    def take(self, program: Program, sandbox: Sandbox) -> Running:
        """Return a waiting bot, or a new one; raises OSError if it cannot be started."""
        return self.pool.take(program, sandbox, self.dice)

    def give_back(self, program: Program, sandbox: Sandbox, running: Running) -> None:
        """Let a bot wait for its next table."""
        self.pool.give_back(program, sandbox, running, self.dice)

    def rest(self) -> None:
        """Freeze who waits and is still awake."""
        self.pool.rest()


def _end(running: Running) -> None:
    running.kill()
    running.close()
