"""Bots of one process that wait for their next table, so that not every fixture starts its own."""

import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple
from weakref import WeakKeyDictionary

from arena.bots.sandboxes.base import Program, Running, Sandbox
from arena.io.uptime import wait_readable

MAX_WAITING = 16
"""Programs that wait at a time.

A full pool takes no more: the program that has waited longest plays next, and the one that came
last may not play before its round is over.
"""
_START_SECONDS = 2.0
"""Seconds after which a program that was started ahead of time is frozen."""


class Waiting(NamedTuple):
    """A program that waits for its next table."""

    sandbox: str
    program: Program
    running: Running


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
        self._waiting: deque[Waiting] = deque()
        self._seen: WeakKeyDictionary[Running, set[str]] = WeakKeyDictionary()
        """The keys of the dice at all tables where a process took a seat."""
        self._over: set[str] = set()
        """The keys of dice whose last table this process has played."""
        self._starting: dict[Running, float] = {}
        """When each program that is not frozen yet was started ahead of time."""

    def take(self, program: Program, sandbox: Sandbox, dice: TableDice) -> Running:
        """Return a waiting bot, or a new one; raises OSError if it cannot be started.

        It has seen none of the secret dice before, and those of its table from now on.
        """
        running = None
        if waiting := self._find(program, sandbox, dice):
            self._waiting.remove(waiting)
            running = waiting.running
            self._starting.pop(running, None)
            running.freeze(frozen=False)
            if wait_readable([running.exit_fd], 0):
                _end(running)
                running = None
        running = running or sandbox.start(program)
        self._seen.setdefault(running, set()).add(dice.key)
        return running

    def _find(self, program: Program, sandbox: Sandbox, dice: TableDice) -> Waiting | None:
        # A task is handed over ahead of time: dice that were open then may be over by now.
        secret = {dice.key, *dice.open - self._over}
        for waiting in self._waiting:
            same = waiting.sandbox == sandbox.name and waiting.program == program
            if same and secret.isdisjoint(self._seen.get(waiting.running, ())):
                return waiting
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
            self._waiting.append(Waiting(sandbox.name, program, running))

    def prepare(self, programs: Iterable[Program], sandbox: Sandbox, dice: TableDice) -> None:
        """Start those programs for which none waits that may play on the dice of the next table.

        Containers start slowly; others play meanwhile.
        """
        for program in programs:
            if not self._find(program, sandbox, dice):
                with suppress(OSError):
                    running = sandbox.start(program)
                    self._starting[running] = time.monotonic()
                    self._waiting.appendleft(Waiting(sandbox.name, program, running))
            if len(self._waiting) > self._max_waiting:
                self._end_last()

    def rest(self) -> None:
        """Freeze programs that were started ahead of time and have had enough time to start."""
        before = time.monotonic() - _START_SECONDS
        for running in [running for running, since in self._starting.items() if since < before]:
            del self._starting[running]
            running.freeze(frozen=True)

    def end(self) -> None:
        """End every bot that waits."""
        while self._waiting:
            self._end_last()

    def _end_last(self) -> None:
        running = self._waiting.pop().running
        self._starting.pop(running, None)
        _end(running)


class TablePool(NamedTuple):
    """A warm pool as one table uses it: no program that it gives has seen the table's dice."""

    pool: WarmPool
    dice: TableDice

    def take(self, program: Program, sandbox: Sandbox) -> Running:
        """Return a waiting bot, or a new one; raises OSError if it cannot be started."""
        return self.pool.take(program, sandbox, self.dice)

    def give_back(self, program: Program, sandbox: Sandbox, running: Running) -> None:
        """Let a bot wait for its next table."""
        self.pool.give_back(program, sandbox, running, self.dice)

    def rest(self) -> None:
        """Freeze programs that have had enough time to start."""
        self.pool.rest()


def _end(running: Running) -> None:
    running.kill()
    running.close()
