"""How long one bot takes, and when that is too long.

A bot is judged by the processor time that it used itself: neither a busy machine nor its rivals can
make it late. The wall clock has a larger limit, against bots that sleep; it is the only one where
processor time cannot be told.

To ask the kernel takes longer than most bots think, so it is asked only where the answer matters. A
bot cannot have used more than the time that passed: while that is less than a hundredth of the
limits, it is taken for used where the game's bank is charged, and for used before the request where
an answer is judged.
"""

from collections.abc import Callable
from math import inf

from msgspec import Struct

from arena.records import LimitsInfo

READY = -1
"""The id under which the answer to `hello` is awaited."""
_FINE = 0.01
_ANSWERS = 100
"""Answers that a bot gives in a long game, roughly."""


class _Open(Struct, frozen=True, gc=False):
    """A request that awaits its answer, by both clocks, in seconds."""

    since: float
    cpu: float | None
    limit: float
    """For the answer, in the time that it is judged by."""
    last: float
    """When the answer must be there by the wall clock."""


class Clock:
    """Times one bot's answers; `deadlines` says when each open request must be looked at again.

    `now` is the wall clock, `cpu` the processor time that the bot used so far, None where that
    cannot be told.
    """

    def __init__(
        self, limits: LimitsInfo, now: Callable[[], float], cpu: Callable[[], float | None]
    ) -> None:
        self.deadlines: dict[int, float] = {}
        self._limits = limits
        self._now = now
        self._cpu = cpu
        self._open: dict[int, _Open] = {}
        self._longest = limits.answer * limits.wall
        self._fine = _FINE * min(limits.answer, limits.game / _ANSWERS)
        self._read_at = -inf
        self._read: float | None = None
        self.new_game()

    def new_game(self) -> None:
        """Fill the game's time banks."""
        self._bank = self._limits.game
        self._wall_bank = self._limits.game * self._limits.wall

    @property
    def due(self) -> float:
        """When the first open request must be looked at; infinite when none is open."""
        return min(self.deadlines.values(), default=inf)

    def ask(self, id_: int) -> float:
        """Start the clock of a request; returns when it must be looked at."""
        now = self._now()
        if id_ == READY:
            due = now + self._limits.start
            self._open[id_] = _Open(now, None, self._limits.start, due)
            self.deadlines[id_] = due
            return due
        return self._begin(id_, now)

    def answered(self, id_: int) -> str:
        """Stop the clock of a request; returns why its answer came too late, "" where it did not.

        Whatever else is open starts anew: one bot thinks about one thing at a time.
        """
        now = self._now()
        request = self._open.pop(id_)
        del self.deadlines[id_]
        if id_ == READY:
            return ""
        passed = now - request.since
        used = passed if passed <= self._fine else self._used(request, now)
        self._bank -= used
        self._wall_bank -= passed
        for other in self.deadlines:
            self._begin(other, now)
        return "" if used < request.limit or request.cpu is None else self._too_much(request)

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

    def _begin(self, id_: int, now: float) -> float:
        """Start, or start anew, the clock of a request."""
        lag = now - self._read_at
        if lag > self._fine:
            self._read, self._read_at, lag = self._cpu(), now, 0.0
        limit = wall = self._limits.answer
        if self._bank < limit:
            limit = wall = self._bank
        # The most that the bot can have used by now.
        cpu = None if self._read is None else self._read + lag
        if cpu is not None:
            wall = min(self._wall_bank, self._longest)
        self._open[id_] = _Open(now, cpu, limit, now + wall)
        self.deadlines[id_] = due = now + min(limit, wall)
        return due

    def _used(self, request: _Open, now: float) -> float:
        """Return what the bot used since a request, in the time that it is judged by."""
        if request.cpu is None or (cpu := self._cpu()) is None:
            return now - request.since
        self._read, self._read_at = cpu, now
        return max(0.0, cpu - request.cpu)

    def _look(self, id_: int, now: float) -> str:
        """Return why a request is late; else put off the next look at it."""
        request = self._open[id_]
        if id_ == READY:
            return f"not ready within {self._limits.start:g} s"
        used = self._used(request, now)
        if used >= request.limit:
            return self._too_much(request)
        if now >= request.last:
            return self._too_late_by_the_wall(request)
        rest = max(self._fine, request.limit - used)
        self.deadlines[id_] = min(now + rest, request.last)
        return ""

    def _too_much(self, request: _Open) -> str:
        """Say which limit a bot went beyond in the time that it is judged by."""
        if request.cpu is None:
            return self._too_late_by_the_wall(request)
        if request.limit < self._limits.answer:
            whole = f"{self._limits.game:g} s of processor time"
            return f"the {whole} for all answers of a game are used up"
        return f"no answer within {self._limits.answer:g} s of its own processor time"

    def _too_late_by_the_wall(self, request: _Open) -> str:
        wall = 1 if request.cpu is None else self._limits.wall
        if request.last < request.since + self._limits.answer * wall:
            whole = f"{self._limits.game * wall:g} s by the wall clock"
            return f"the {whole} for all answers of a game are used up"
        return f"no answer within {self._limits.answer * wall:g} s by the wall clock"
