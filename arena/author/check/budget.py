"""The time for which a whole check may wait for its bot."""

from collections.abc import Collection, Sequence
from math import inf
from typing import NamedTuple

from arena.author.check.meter import Pace
from arena.bots.models.gateway import Gateway
from arena.bots.sandboxes.base import Program, Running, Sandbox
from arena.bots.sessions.clock import READY
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import Log, SeatReply
from arena.bots.sessions.warm_pool import TablePool
from arena.game.records import LimitsInfo

_LEAST = 0.5
"""The share of a wait that is charged at least: a busy machine takes no more from a bot."""
_Spent = tuple[float, float | None]
"""Seconds in which a bot was busy, and its CPU time if that is known."""
HINT = "what counts is the time in which it is awaited, computing or asleep: answer faster"


class BudgetSpentError(Exception):
    """The bot was awaited for too long."""


class Budget:
    """Seconds that a check waits for its bot, at most: while it builds, starts and answers.

    A bot is charged for what it computes and for what it sleeps, not for what it waits for a
    processor: a busy machine makes no check fail. An answer that ends before the clock of the
    session first looks whether the bot is busy is charged whole. Time in which the arena itself
    does not run, and what it does between two answers, are not charged.
    """

    def __init__(self, seconds: float = inf) -> None:
        self.seconds = seconds
        self.used = 0.0
        self.step = ""
        """The step in progress, for the words of the error."""

    def charge(self, passed: float, busy: float = 0.0, cpu: float | None = None) -> None:
        """Charge a wait of so many seconds; raises BudgetSpentError if that was too much.

        The bot did not sleep for `busy` of them, and used so much CPU time if that is known.
        """
        if cpu is not None:
            own = cpu + max(0.0, passed - busy)
            passed = min(passed, max(_LEAST * passed, own))
        self.used += passed
        if self.used > self.seconds:
            raise BudgetSpentError(self.excess)

    @property
    def excess(self) -> str:
        """Say that it is spent, and where."""
        return (
            f"its check took longer than {self.seconds / 60:g} min: it was in {self.step}, and had "
            f"been awaited for {self.used:.0f} s"
        )


class Charge(NamedTuple):
    """Whose waits are charged to whom."""

    budget: Budget
    own: Collection[int]
    """The seats in which the bot plays."""
    pace: Pace | None = None


class BudgetedMultiplexer(Multiplexer):
    """Charges the waits for the seats of a bot to a budget."""

    def __init__(
        self,
        programs: Sequence[Program],
        sandbox: Sandbox,
        limits: LimitsInfo,
        log: Log | None = None,
        pool: TablePool | None = None,
        gateway: Gateway | None = None,
        *,
        charge: Charge,
    ) -> None:
        super().__init__(programs, sandbox, limits, log, pool, gateway)
        self._charge = charge

    def running(self, seat: int) -> Running:
        """Return the process of a seat whose bot is live."""
        return self._sessions[seat].running

    def wait(self) -> Sequence[SeatReply]:
        """Wait as a multiplexer does; raises BudgetSpentError once the budget is spent."""
        budget, own, pace = self._charge
        clocks = [self._sessions[seat].clock for seat in own if self._is_awaited(seat)]
        began = self._uptime.tick()
        before = [clock.spent() for clock in clocks]
        written = self._written()
        replies = super().wait()
        if clocks:
            passed = self._uptime.now() - began
            if pace:
                answers = sum(seat in own and id_ != READY for seat, id_, _ in replies)
                pace.waited(answers, passed, self._written() - written)
            busy, cpu = _difference(before, [clock.spent() for clock in clocks])
            budget.charge(passed, busy, cpu)
        return replies

    def _written(self) -> int:
        """Return the bytes of standard error of the bots that run in the bot's seats."""
        own = self._charge.own
        return sum(self._sessions[seat].errors_size for seat in own if self.live(seat))

    def _is_awaited(self, seat: int) -> bool:
        session = self._sessions.get(seat)
        return session is not None and (seat in self._to_flush or bool(session.clock.open))


def _difference(before: Sequence[_Spent], after: Sequence[_Spent]) -> _Spent:
    """Return for how long bots were busy meanwhile, and the CPU time that they used."""
    busy = sum(now - then for (now, _), (then, _) in zip(after, before, strict=True))
    used = [
        now - then
        for (_, now), (_, then) in zip(after, before, strict=True)
        if now is not None and then is not None
    ]
    return busy, sum(used) if len(used) == len(after) else None
