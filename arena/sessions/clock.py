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


_Open = tuple[float, float | None, Bank]
"""An open request: when it was asked, the most processor time that was used by then, its bank."""


class Clock:
    """Times one bot's answers; `open` holds the requests that await one, the oldest first.

    `due` says when they must be looked at again, or earlier; infinite when none is open. `now` is
    the wall clock, `cpu` the processor time that the bot used so far, None where that cannot be
    told. `banks` holds what is left by game.
    """

    def __init__(
        self,
        limits: LimitsInfo,
        now: Callable[[], float],
        cpu: Callable[[], float | None],
        banks: dict[int, Bank] | None = None,
    ) -> None:
        self.open: dict[int, _Open] = {}
        self.due = inf
        self._limits = limits
        self._now = now
        self._cpu = cpu
        self._banks = {} if banks is None else banks
        self._longest = limits.answer * limits.wall
        self._fine = _FINE * min(limits.answer, limits.game / _ANSWERS)
        self._read_at = -inf
        self._read: float | None = None
        self._answered_at = -inf
        self._used_by_then: float | None = None

    def greet(self) -> None:
        """Start the clock of the start."""
        now = self._now()
        self.open[READY] = (now, None, Bank(self._limits))
        self.due = now + self._limits.start

    def ask(self, *requests: tuple[int, int]) -> None:
        """Start the clocks of requests that are written together; each is an id and a game."""
        now = self._now()
        cpu = self._most_used(now)
        limit = self._limits.answer
        for id_, game in requests:
            bank = self._banks.get(game)
            if bank is None:
                bank = self._banks[game] = Bank(self._limits)
            if bank.used < limit or bank.wall < limit:
                limit = min(bank.used, bank.wall)
            self.open[id_] = (now, cpu, bank)
        self.due = min(self.due, now + limit)

    def answered(self, id_: int) -> str:
        """Stop the clock of a request; returns why its answer came too late, "" where it did not.

        Whatever else is open starts anew.
        """
        now = self._now()
        request = self.open.pop(id_)
        if id_ == READY:
            return ""
        since, cpu, bank = self._since_the_last_answer(request)
        passed = now - since
        used = passed if passed <= self._fine else self._used(since, cpu, now)
        limit = min(self._limits.answer, bank.used)
        bank.used -= used
        bank.wall -= passed
        if self.open:
            self._answered_at, self._used_by_then = now, self._most_used(now)
        return "" if used < limit or cpu is None else self._too_much(limit)

    def expired(self) -> str:
        """Return why an open request is late, "" when none is; says anew when to look again."""
        now = self._now()
        self.due = inf
        for id_ in self.open:
            due, late = self._look(id_, now)
            if late:
                return late
            self.due = min(self.due, due)
        return ""

    def forget(self) -> None:
        """Await no answer any more."""
        self.open.clear()
        self.due = inf

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
        if request[0] >= self._answered_at:
            return request
        return self._answered_at, self._used_by_then, request[2]

    def _look(self, id_: int, now: float) -> tuple[float, str]:
        """Return when to look at a request again, or why it is late."""
        since, cpu, bank = self._since_the_last_answer(self.open[id_])
        if id_ == READY:
            due = since + self._limits.start
            return due, f"not ready within {self._limits.start:g} s" if now >= due else ""
        limit = min(self._limits.answer, bank.used)
        factor, longest = 1.0, limit
        if cpu is not None:
            factor, longest = self._limits.wall, min(self._longest, bank.wall)
        used = self._used(since, cpu, now) if now - since >= limit else now - since
        if cpu is not None and used >= limit:
            return now, self._too_much(limit)
        if now >= since + longest:
            return now, self._too_late_by_the_wall(longest, factor)
        return min(now + max(self._fine, limit - used), since + longest), ""

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
