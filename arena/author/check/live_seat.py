"""A process of the bot at a table, and the conversation there, which may outlast a step."""

from arena.author.check.budget import Budget, BudgetedMultiplexer, Charge
from arena.author.check.pace import Pace
from arena.bots.models.gateway import Gateway
from arena.bots.sandboxes.base import Program, Running, Sandbox
from arena.bots.sessions.warm_pool import TablePool
from arena.game.records import LimitsInfo
from arena.game.wire.messages import Ready


class Tape:
    """The lines of one seat since its last answer, that answer, and all lines that it was sent."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.sent: list[str] = []
        self.came = ""

    def add(self, direction: str, line: bytes) -> None:
        """Note a line to the bot (`>>`) or from it (`<<`)."""
        text = line.decode("utf-8", "backslashreplace").rstrip("\r\n")
        if direction == "<<":
            self.came = text
        if direction != ">>":
            return
        if self.came:
            self.sent.clear()
            self.came = ""
        self.sent.append(text)
        self.told.append(text)


class Seated:
    """A process of the bot that took a seat, or is about to."""

    running: Running
    ready: Ready | None = None
    """Its answer to the greeting."""

    def __init__(
        self,
        program: Program,
        sandbox: Sandbox,
        limits: LimitsInfo,
        pool: TablePool,
        budget: Budget,
        pace: Pace,
        gateway: Gateway | None = None,
    ) -> None:
        self.tape = Tape()
        self.games = 0
        """Games that it was told of, at most: a further one gets this number or a higher one."""
        self.requests = 0
        """The highest id of a request so far."""
        self.multiplexer = BudgetedMultiplexer(
            *([program], sandbox, limits, self._log, pool, gateway),
            charge=Charge(budget, {0}, pace),
        )

    def _log(self, _: int, direction: str, line: bytes) -> None:
        self.tape.add(direction, line)
