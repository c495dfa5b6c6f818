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
from typing import Final, NamedTuple

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


class Moment(NamedTuple):
    """What the clocks of a bot showed when it was asked, or answered."""

    wall: float
    """Seconds by the wall clock."""
    cpu: float | None
    """CPU time that the bot had used by then, at most; None if it is unknown."""
    busy: float
    """Seconds in which the bot had been awaited and busy, which no wall clock charges."""


class Spent(NamedTuple):
    """What a bot has used so far, in seconds."""

    busy: float
    """While it was awaited and was never observed asleep."""
    cpu: float | None
    """None if it is unknown."""


class Clock:
    """Times one bot's answers.

    `open` holds the requests that await an answer, the oldest first. `next_check` is when `expired`
    must be called, infinite if no request is open. `now` reads the wall clock, `cpu` the CPU time
    that the bot has used so far, `busy` whether it does not sleep, both None if unknown. `bank`
    holds what it has left. `stands_still`: whether time may pass in which `now` does not change and
    the bot may compute.
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
        self.open: dict[int, tuple[Moment, TimeBank]] = {}
        """When each was asked, and the time bank of its game."""
        self.next_check = inf
        self._limits = limits
        self._now = now
        self._cpu = cpu
        self._bank = bank or FixtureBank(limits)
        self._answered = Moment(-inf, None, 0.0)
        """When the bot answered last, if it had more to answer then."""
        self._max_wall = limits.answer * limits.wall
        # Below any time that passes: CPU time is always read.
        resolution = _RESOLUTION * min(limits.answer, limits.game / _ANSWERS)
        self._resolution = -1.0 if stands_still else resolution
        self._cpu_read: float | None = None
        """The CPU time when it was read last."""
        self._cpu_read_at = -inf
        self._is_busy = busy
        self._was_busy = False
        self._looked_at = -inf
        """When it was looked whether the bot is busy, or it was asked after a rest."""
        self._look_seconds = max(_LOOK_SECONDS, limits.answer / _LOOKS)
        self._first_check = min(limits.answer, self._look_seconds)
        self._busy = 0.0
        """Seconds so far in which the bot was awaited and busy."""

    def await_ready(self) -> None:
        """Start the clock of the bot's start."""
        now = self._now()
        self.open[READY] = Moment(now, None, 0.0), TimeBank(self._limits)
        self.next_check = now + self._limits.start

    def ask(self, *requests: tuple[int, int]) -> None:
        """Start the clocks of requests that are written together; each is an id and a game."""
        now = self._now()
        asked = Moment(now, self._max_cpu(now), self._busy)
        limit = self._limits.answer if asked.cpu is None else self._first_check
        if not self.open:
            self._looked_at = now
            self._was_busy = False
        for id_, game in requests:
            bank = self._bank.game(game)
            limit = min(limit, bank.own, bank.wall)
            self.open[id_] = asked, bank
        self.next_check = min(self.next_check, now + limit, now + self._bank.wall)

    def answered(self, id_: int) -> str:
        """Stop a request's clock, restart all others; returns why it came too late, or ""."""
        now = self._now()
        asked, bank = self.open.pop(id_)
        if id_ == READY:
            return ""
        if self._was_busy:
            self._leave_out(now)
        began = self._began(asked)
        passed = now - began.wall
        used = passed if passed <= self._resolution else self._used(began, now)
        limit = min(self._limits.answer, bank.own)
        bank.own -= used
        charged = passed - (self._busy - began.busy)
        bank.wall -= charged
        self._bank.wall -= charged
        if self.open:
            self._answered = Moment(now, self._max_cpu(now), self._busy)
        return "" if used < limit or began.cpu is None else self._timeout(limit)

    def expired(self) -> str:
        """Return why an open request is late, "" if none is; updates `next_check`."""
        now = self._now()
        if self.open and READY not in self.open and now - self._looked_at >= _SOON:
            self._was_busy = bool(self._is_busy())
            if self._was_busy:
                self._leave_out(now)
            self._looked_at = now
        self.next_check = inf
        for id_, (asked, bank) in self.open.items():
            if timeout := self._check(id_, self._began(asked), bank, now):
                return timeout
        return ""

    def forget(self) -> None:
        """Drop all open requests; the wall time of the oldest is charged."""
        if self.open and READY not in self.open:
            asked, bank = next(iter(self.open.values()))
            began = self._began(asked)
            charged = self._now() - began.wall - (self._busy - began.busy)
            bank.wall -= charged
            self._bank.wall -= charged
        self.open.clear()
        self.next_check = inf

    def spent(self) -> Spent:
        """Return what the bot has used so far."""
        return Spent(self._busy, self._cpu())

    def suspended(self) -> None:
        """Take note that the arena did not run for a while, in which the bot may have."""
        self._cpu_read_at = -inf

    def _began(self, asked: Moment) -> Moment:
        """Return when the clock of a request began: with it, or with a later answer to another."""
        return asked if asked.wall >= self._answered.wall else self._answered

    def _leave_out(self, now: float) -> None:
        """Leave out the time since the last look, in which the bot was busy."""
        self._busy += now - self._looked_at
        self._looked_at = now

    def _max_cpu(self, now: float) -> float | None:
        """Return the most CPU time that the bot can have used by now, without always reading it."""
        lag = now - self._cpu_read_at
        if lag > self._resolution:
            self._cpu_read = self._cpu()
            self._cpu_read_at = now
            lag = 0.0
        return None if self._cpu_read is None else self._cpu_read + lag

    def _used(self, began: Moment, now: float) -> float:
        """Return the seconds used since a moment, in the time that the bot is judged by."""
        if began.cpu is None or (read := self._cpu()) is None:
            return now - began.wall
        self._cpu_read = read
        self._cpu_read_at = now
        return max(0.0, read - began.cpu)

    def _check(self, id_: int, began: Moment, bank: TimeBank, now: float) -> str:
        """Return why a request is late, "" if it is not; note when to check it again."""
        limit = min(self._limits.answer, bank.own)
        if id_ == READY:
            deadline = began.wall + self._limits.start
        elif began.cpu is None:
            deadline = began.wall + min(limit, self._bank.wall)
        else:
            return self._check_by_cpu(began, began.cpu, bank, now)
        self.next_check = min(self.next_check, deadline)
        if now < deadline:
            return ""
        if id_ == READY:
            return f"not ready within {self._limits.start:g} s"
        return self._timeout_by_wall(limit)

    def _check_by_cpu(self, began: Moment, cpu: float, bank: TimeBank, now: float) -> str:
        """Check a request by CPU time, and by the wall clock against bots that sleep."""
        limit = min(self._limits.answer, bank.own)
        # The most that it can have used, as CPU time is read only if that matters.
        used = now - began.wall
        if self._resolution < 0:
            used = inf
        elif self._cpu_read is not None and self._cpu_read_at > began.wall:
            used = min(used, self._cpu_read + now - self._cpu_read_at - cpu)
        if used >= limit:
            used = self._used(began, now)
        if used >= limit:
            return self._timeout(limit)
        max_wall = min(self._max_wall, bank.wall)
        slept = max(0.0, self._looked_at - began.wall - (self._busy - began.busy))
        left = min(max_wall, self._bank.wall) - slept
        if left <= 0:
            return self._timeout_by_wall(max_wall, self._limits.wall)
        if now >= began.wall + _LONGEST * max_wall:
            factor = _LONGEST * self._limits.wall
            return self._timeout(_LONGEST * max_wall, factor, "by the wall clock")
        until_wall = max(_SOON, min(left, self._look_seconds))
        until_cpu = max(self._resolution, limit - used)
        self.next_check = min(self.next_check, now + min(until_wall, until_cpu))
        return ""

    def _timeout_by_wall(self, limit: float, factor: float = 1.0) -> str:
        """Say which limit a bot exceeded that may take `limit` seconds by the wall clock."""
        if self._bank.wall < limit:
            return USED_UP.format(self._limits.fixture)
        return self._timeout(limit, factor, "by the wall clock")

    def _timeout(self, limit: float, factor: float = 1.0, clock: str = "") -> str:
        """Say which limit a bot exceeded: by the named clock, or in CPU time."""
        answer, game = self._limits.answer * factor, self._limits.game * factor
        if limit < answer:
            return f"the {game:g} s {clock or 'of CPU time'} for all answers of a game are used up"
        return f"no answer within {answer:g} s {clock or 'of its own CPU time'}"
