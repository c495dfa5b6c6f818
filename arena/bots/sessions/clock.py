"""The time that one bot takes, and its limits.

A bot is judged by its own CPU time. The wall clock has a larger limit, against bots that sleep:
while a bot is awaited, the arena looks at regular intervals whether it sleeps, and does not charge
the time in which it runs or waits for a processor. So neither a busy machine nor its rivals can
make it late. The wall clock is the only clock if the sandbox cannot tell CPU time.

Reading CPU time takes longer than most bots think, so it is read only when the result matters. A
bot cannot have used more than the time that passed. While that is less than a hundredth of the
limits, it is charged in full to the game's time bank, and taken as used before the request when an
answer is judged.

One bot thinks about one thing at a time: the clock of an answer starts at its request, or at the
bot's previous answer if that came later.
"""

from collections.abc import Callable
from math import inf
from typing import Final

from arena.game.records import LimitsInfo

READY: Final = -1
"""The id under which the answer to `hello` is awaited."""
_RESOLUTION = 0.01
"""The share of the limits below which CPU time is not read."""
_LEAST = 0.001
"""Seconds of wall time that an answer takes at least."""
USED_UP = "the {:g} s by the wall clock for all answers of a fixture are used up"
_ANSWERS = 100
"""Answers that a bot gives in a long game, roughly."""
_LOOK_SECONDS = 0.02
_LOOKS = 50
"""A bot is looked at so often within `limits.answer`, but not more often than that."""
_LONGEST = 10
"""No answer may take more times its wall-clock limit than this, whatever the bot does."""
_SOON = 0.001
"""Seconds before a check is repeated, at least."""


class TimeBank:
    """Seconds that a bot has left for its answers in one game; a restarted bot inherits them."""

    __slots__ = ("own", "wall")

    def __init__(self, limits: LimitsInfo) -> None:
        self.fill(limits)

    def fill(self, limits: LimitsInfo) -> None:
        """Begin the game anew."""
        self.own = limits.game
        """In CPU time; in wall time if the sandbox cannot tell CPU time."""
        self.wall = limits.game * limits.wall


class FixtureBank:
    """Seconds of wall time that a bot has left in a fixture, and its time banks by game.

    A restarted bot inherits them.
    """

    __slots__ = ("_games", "_limits", "wall")

    def __init__(self, limits: LimitsInfo) -> None:
        self.wall = limits.fixture or inf
        self._limits = limits
        self._games: dict[int, TimeBank] = {}

    @property
    def used_up(self) -> bool:
        """Whether too little is left for an answer."""
        return self.wall < _LEAST

    def game(self, number: int) -> TimeBank:
        """Return the time bank of a game."""
        bank = self._games.get(number)
        if bank is None:
            bank = self._games[number] = TimeBank(self._limits)
        return bank

    def refund(self, first: int) -> None:
        """Give back what was used in the games from `first` on: they are played again."""
        whole = self._limits.game * self._limits.wall
        for number, bank in self._games.items():
            if number >= first:
                self.wall += whole - bank.wall
                bank.fill(self._limits)


_Request = tuple[float, float | None, TimeBank, float]
"""An open request: when it was asked, the CPU time used by then at most, the game's time bank, the
time that was not charged to the wall clock before."""


class Clock:
    """Times one bot's answers.

    `open` holds the requests that await an answer, the oldest first. `next_check` is when `expired`
    must be called, infinite if no request is open. `now` reads the wall clock, `cpu` the CPU time
    that the bot has used so far, `busy` whether it does not sleep, both None if unknown. `bank`
    holds what it has left.
    `stands_still`: whether time may pass in which `now` does not change and the bot may compute.
    """

    def __init__(
        self,
        limits: LimitsInfo,
        now: Callable[[], float],
        cpu: Callable[[], float | None],
        bank: FixtureBank | None = None,
        busy: Callable[[], bool | None] = lambda: None,
        *,
        stands_still: bool = False,
    ) -> None:
        self.open: dict[int, _Request] = {}
        self.next_check = inf
        self._limits = limits
        self._now = now
        self._cpu = cpu
        self._bank = bank or FixtureBank(limits)
        self._max_wall = limits.answer * limits.wall
        # Below any time that passes: CPU time is always read.
        resolution = _RESOLUTION * min(limits.answer, limits.game / _ANSWERS)
        self._resolution = -1.0 if stands_still else resolution
        self._read_at = -inf
        self._last_read: float | None = None
        self._answered_at = -inf
        self._cpu_at_answer: float | None = None
        self._busy = busy
        self._look_seconds = max(_LOOK_SECONDS, limits.answer / _LOOKS)
        self._first_check = min(limits.answer, self._look_seconds)
        self._looked_at = -inf
        self._was_busy = False
        self._uncharged = 0.0
        """Seconds in which the bot was awaited and busy."""
        self._uncharged_at_answer = 0.0

    def await_ready(self) -> None:
        """Start the clock of the bot's start."""
        now = self._now()
        self.open[READY] = (now, None, TimeBank(self._limits), 0.0)
        self.next_check = now + self._limits.start

    def ask(self, *requests: tuple[int, int]) -> None:
        """Start the clocks of requests that are written together; each is an id and a game."""
        now = self._now()
        cpu = self._max_cpu(now)
        limit = self._limits.answer if cpu is None else self._first_check
        if not self.open:
            self._looked_at, self._was_busy = now, False
        for id_, game in requests:
            bank = self._bank.game(game)
            limit = min(limit, bank.own, bank.wall)
            self.open[id_] = (now, cpu, bank, self._uncharged)
        self.next_check = min(self.next_check, now + limit, now + self._bank.wall)

    def answered(self, id_: int) -> str:
        """Stop a request's clock, restart all others; returns why it came too late, or ""."""
        now = self._now()
        request = self.open.pop(id_)
        if id_ == READY:
            return ""
        if self._was_busy:
            self._leave_out(now)
        since, cpu, bank, uncharged = self._since_last_answer(request)
        passed = now - since
        used = passed if passed <= self._resolution else self._used(since, cpu, now)
        limit = min(self._limits.answer, bank.own)
        charged = passed - (self._uncharged - uncharged)
        bank.own -= used
        bank.wall -= charged
        self._bank.wall -= charged
        if self.open:
            self._answered_at, self._cpu_at_answer = now, self._max_cpu(now)
            self._uncharged_at_answer = self._uncharged
        return "" if used < limit or cpu is None else self._timeout(limit)

    def expired(self) -> str:
        """Return why an open request is late, "" if none is; updates `next_check`."""
        now = self._now()
        if self.open and READY not in self.open and now - self._looked_at >= _SOON:
            self._look(now)
        self.next_check = inf
        for id_ in self.open:
            next_check, timeout = self._check(id_, now)
            if timeout:
                return timeout
            self.next_check = min(self.next_check, next_check)
        return ""

    def forget(self) -> None:
        """Drop all open requests; the wall time of the oldest is charged."""
        if self.open and READY not in self.open:
            since, _, bank, uncharged = self._since_last_answer(next(iter(self.open.values())))
            charged = self._now() - since - (self._uncharged - uncharged)
            bank.wall -= charged
            self._bank.wall -= charged
        self.open.clear()
        self.next_check = inf

    def spent(self) -> tuple[float, float | None]:
        """Return the seconds in which the bot was awaited and busy, and its CPU time, so far.

        What is busy was not seen to sleep. The CPU time is None if it is unknown.
        """
        return self._uncharged, self._cpu()

    def suspended(self) -> None:
        """Take note that the arena did not run for a while, in which the bot may have."""
        self._read_at = -inf

    def _look(self, now: float) -> None:
        """Look whether the bot is busy; if so, the time since the last look is not charged."""
        self._was_busy = bool(self._busy())
        if self._was_busy:
            self._leave_out(now)
        self._looked_at = now

    def _leave_out(self, now: float) -> None:
        self._uncharged += now - self._looked_at
        self._looked_at = now

    def _max_cpu(self, now: float) -> float | None:
        """Return the most CPU time that the bot can have used by now, without always reading it."""
        lag = now - self._read_at
        if lag > self._resolution:
            self._last_read, self._read_at, lag = self._cpu(), now, 0.0
        return None if self._last_read is None else self._last_read + lag

    def _used(self, since: float, cpu: float | None, now: float) -> float:
        """Return the seconds used since a moment, in the time that the bot is judged by."""
        if cpu is None or (read := self._cpu()) is None:
            return now - since
        self._last_read, self._read_at = read, now
        return max(0.0, read - cpu)

    def _since_last_answer(self, request: _Request) -> _Request:
        if request[0] >= self._answered_at:
            return request
        return self._answered_at, self._cpu_at_answer, request[2], self._uncharged_at_answer

    def _check(self, id_: int, now: float) -> tuple[float, str]:
        """Return when to check a request again, and why it is late, "" if it is not."""
        since, cpu, bank, uncharged = self._since_last_answer(self.open[id_])
        if id_ == READY:
            deadline = since + self._limits.start
            return deadline, f"not ready within {self._limits.start:g} s" if now >= deadline else ""
        limit = min(self._limits.answer, bank.own)
        if cpu is None:
            deadline = since + min(limit, self._bank.wall)
            return deadline, self._timeout_by_wall(limit) if now >= deadline else ""
        used = self._at_most_used(since, cpu, now)
        if used >= limit and (used := self._used(since, cpu, now)) >= limit:
            return now, self._timeout(limit)
        max_wall, factor = min(self._max_wall, bank.wall), self._limits.wall
        slept = max(0.0, self._looked_at - since - (self._uncharged - uncharged))
        left = min(max_wall, self._bank.wall) - slept
        if left <= 0:
            return now, self._timeout_by_wall(max_wall, factor)
        if now >= since + _LONGEST * max_wall:
            factor *= _LONGEST
            return now, self._timeout(_LONGEST * max_wall, factor, "by the wall clock")
        soon = max(_SOON, min(left, self._look_seconds))
        return now + min(soon, max(self._resolution, limit - used)), ""

    def _at_most_used(self, since: float, cpu: float, now: float) -> float:
        """Return the most CPU time that the bot can have used, without reading it."""
        if self._resolution < 0:
            return inf
        used = now - since
        if self._last_read is not None and self._read_at > since:
            used = min(used, self._last_read + now - self._read_at - cpu)
        return used

    def _timeout_by_wall(self, limit: float, factor: float = 1.0) -> str:
        """Say which limit a bot exceeded that had so much wall time for an answer."""
        if self._bank.wall < limit:
            return USED_UP.format(self._limits.fixture)
        return self._timeout(limit, factor, "by the wall clock")

    def _timeout(self, limit: float, factor: float = 1.0, clock: str = "") -> str:
        """Say which limit a bot exceeded: by a clock, or in CPU time."""
        answer, game = self._limits.answer * factor, self._limits.game * factor
        if limit < answer:
            return f"the {game:g} s {clock or 'of CPU time'} for all answers of a game are used up"
        return f"no answer within {answer:g} s {clock or 'of its own CPU time'}"
