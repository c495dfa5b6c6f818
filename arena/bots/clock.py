"""How long one bot takes, and when that is too long.

A bot is judged by the processor time that it used itself: neither a busy machine nor its rivals can
make it late. The wall clock has a larger limit, against bots that sleep; it is the only one where
processor time cannot be told.

To ask the kernel takes longer than most bots think, so it is asked only where the answer matters. A
bot cannot have used more than the time that passed: while that is less than a hundredth of the
limits, it is taken for used where the game's bank is charged, and for used before the request where
an answer is judged.

One bot thinks about one thing at a time: the clock of an answer starts at its request, or at the
bot's previous answer where that came later.
"""

from collections.abc import Callable
from math import inf
from typing import NamedTuple

from arena.records import LimitsInfo

READY = -1
"""The id under which the answer to `hello` is awaited."""
_FINE = 0.01
_ANSWERS = 100
"""Answers that a bot gives in a long game, roughly."""


class Bank:
    """What a bot has left for the answers of one game, in seconds; a later process inherits it."""

    __slots__ = ("used", "wall")

    def __init__(self, limits: LimitsInfo) -> None:
        self.used = limits.game
        """In the time that answers are judged by."""
        self.wall = limits.game * limits.wall


class _Open(NamedTuple):
    """A request that awaits its answer, by both clocks, in seconds."""

    since: float
    cpu: float | None
    """The most that the bot can have used by then; None where that cannot be told."""
    bank: Bank


class Clock:
    """Times one bot's answers; `deadlines` says when each open request must be looked at again.

    `now` is the wall clock, `cpu` the processor time that the bot used so far, None where that
    cannot be told. `banks` holds what is left by game.
    """

    def __init__(
        self,
        limits: LimitsInfo,
        now: Callable[[], float],
        cpu: Callable[[], float | None],
        banks: dict[int, Bank] | None = None,
    ) -> None:
        self.deadlines: dict[int, float] = {}
        self._limits = limits
        self._now = now
        self._cpu = cpu
        self._banks = {} if banks is None else banks
        self._open: dict[int, _Open] = {}
        self._longest = limits.answer * limits.wall
        self._fine = _FINE * min(limits.answer, limits.game / _ANSWERS)
        self._read_at = -inf
        self._read: float | None = None
        self._answered_at = -inf
        self._used_by_then: float | None = None

    @property
    def due(self) -> float:
        """When the first open request must be looked at; infinite when none is open."""
        return min(self.deadlines.values(), default=inf)

    def ask(self, id_: int, game: int = 0) -> float:
        """Start the clock of a request in a game; returns when it must be looked at."""
        now = self._now()
        bank = self._banks.get(game)
        if bank is None:
            bank = self._banks[game] = Bank(self._limits)
        if id_ == READY:
            self._open[id_] = _Open(now, None, bank)
            due = now + self._limits.start
        else:
            self._open[id_] = _Open(now, self._most_used(now), bank)
            due = now + min(self._limits.answer, bank.used, bank.wall)
        self.deadlines[id_] = due
        return due

    def answered(self, id_: int) -> str:
        """Stop the clock of a request; returns why its answer came too late, "" where it did not.

        Whatever else is open starts anew.
        """
        now = self._now()
        request = self._open.pop(id_)
        del self.deadlines[id_]
        if id_ == READY:
            return ""
        since, cpu, bank = self._since_the_last_answer(request)
        passed = now - since
        used = passed if passed <= self._fine else self._used(since, cpu, now)
        limit = min(self._limits.answer, bank.used)
        bank.used -= used
        bank.wall -= passed
        if self._open:
            self._answered_at, self._used_by_then = now, self._most_used(now)
        return "" if used < limit or cpu is None else self._too_much(limit)

    def expired(self) -> str:
        """Return why an open request is late, "" when none is; others are looked at again later."""
        now = self._now()
        for id_, due in self.deadlines.items():
            if due <= now and (late := self._look(id_, now)):
                return late
        return ""

    def forget(self) -> None:
        """Await no answer any more."""
        self.deadlines.clear()
        self._open.clear()

    def _most_used(self, now: float) -> float | None:
        """Return the most that the bot can have used by now; the kernel is not asked every time."""
        lag = now - self._read_at
        if lag > self._fine:
            self._read, self._read_at, lag = self._cpu(), now, 0.0
        return None if self._read is None else self._read + lag

    def _used(self, since: float, cpu: float | None, now: float) -> float:
        """Return what the bot used since a moment, in the time that it is judged by."""
        if cpu is None or (used := self._cpu()) is None:
            return now - since
        self._read, self._read_at = used, now
        return max(0.0, used - cpu)

    def _since_the_last_answer(self, request: _Open) -> _Open:
        if request.since >= self._answered_at:
            return request
        return _Open(self._answered_at, self._used_by_then, request.bank)

    def _look(self, id_: int, now: float) -> str:
        """Return why a request is late; else put off the next look at it."""
        if id_ == READY:
            return f"not ready within {self._limits.start:g} s"
        since, cpu, bank = self._since_the_last_answer(self._open[id_])
        limit = min(self._limits.answer, bank.used)
        used = self._used(since, cpu, now)
        if cpu is not None and used >= limit:
            return self._too_much(limit)
        factor, longest = 1.0, limit
        if cpu is not None:
            factor, longest = self._limits.wall, min(self._longest, bank.wall)
        if now >= since + longest:
            return self._too_late_by_the_wall(longest, factor)
        self.deadlines[id_] = min(now + max(self._fine, limit - used), since + longest)
        return ""

    def _too_much(self, limit: float) -> str:
        """Say which limit a bot went beyond in processor time."""
        if limit < self._limits.answer:
            whole = f"{self._limits.game:g} s of processor time"
            return f"the {whole} for all answers of a game are used up"
        return f"no answer within {self._limits.answer:g} s of its own processor time"

    def _too_late_by_the_wall(self, limit: float, factor: float) -> str:
        if limit < self._limits.answer * factor:
            whole = f"{self._limits.game * factor:g} s by the wall clock"
            return f"the {whole} for all answers of a game are used up"
        return f"no answer within {self._limits.answer * factor:g} s by the wall clock"
