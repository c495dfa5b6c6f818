"""Live bots as rivals in training: started once, greeted, asked like at any table."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from arena.bots.manifest import find_bot
from arena.bots.sandboxes.base import Program
from arena.bots.sandboxes.registry import AUTO
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.workshop import open_workshop, sandbox_for
from arena.game.records import Cause, Fault, Fixture, LimitsInfo
from arena.game.wire.codec import encode
from arena.game.wire.messages import Answer, CalzaOffer, Ready, ToBot, Turn
from arena.lab.env.setting import Setting
from arena.league.table.preparation import prepare
from arena.league.table.seats import hello_to

_NOBODY = Program(Path("/"), ())
GAMES = 1_000_000
"""The games that bots are told they will play: training has no end that they could know."""


class LiveBots:
    """The bots in some seats of a table, one game after another.

    A bot that faults is out of its game, and is started again in the next one.
    """

    def __init__(self, setting: Setting, table: Multiplexer, seats: Sequence[int]) -> None:
        self._setting, self._table, self._seats = setting, table, seats
        self._no_calza: set[int] = set()

    def begin(self, seed: str) -> None:
        """Start the bots that do not run; `seed` keys their own randomness."""
        setting = self._setting
        names = tuple(f"player_{seat}" for seat in range(setting.players))
        fixture = Fixture("training", 0, setting.rules.name, names, seed, GAMES)
        for seat in self._seats:
            if self._table.live(seat):
                continue
            hello = hello_to(seat, fixture, setting.rules, self._table.limits)
            fault = self._table.start(seat, encode(hello))
            reply = fault or self._reply()
            if isinstance(reply, Ready) and not reply.calza:
                self._no_calza.add(seat)
            if isinstance(reply, Fault):
                self._table.stop(seat)

    def tell(self, notice: ToBot) -> None:
        """Tell every bot something."""
        for seat in self._seats:
            self._table.tell(seat, encode(notice))

    def reply(self, seat: int, request: Turn | CalzaOffer) -> Answer | Fault:
        """Return what a bot answers; one that asked for no calza passes."""
        if isinstance(request, CalzaOffer) and seat in self._no_calza:
            return Answer(id=request.id, action="pass")
        if not self._table.live(seat):
            return Fault(Cause.CRASH, "did not start")
        self._table.ask(seat, request.id, encode(request), request.game)
        reply = self._reply()
        return reply if not isinstance(reply, Ready) else Fault(Cause.MALFORMED_LINE, "ready")

    def stop(self, seat: int) -> None:
        """End a bot that faulted."""
        self._table.stop(seat)

    def _reply(self) -> Answer | Fault | Ready:
        """Wait for the one bot that was asked."""
        [(_, _, reply)] = self._table.wait()
        return reply


@contextmanager
def live_bots(
    setting: Setting, patterns: Mapping[int, str], sandbox: str = AUTO, *, trust_bots: bool = False
) -> Iterator[LiveBots]:
    """Yield the bots that patterns name (a folder, an archive, `sample:NAME`), by seat.

    Raises ArenaError if a bot is wrong or does not start, or may not play in the sandbox.
    """
    by_pattern = {
        pattern: find_bot(pattern, Path.cwd(), "rivals") for pattern in set(patterns.values())
    }
    bots = [by_pattern[pattern] for pattern in patterns.values()]
    limits = LimitsInfo().complete(GAMES)
    with open_workshop(sandbox_for(bots, sandbox, trusted=trust_bots)) as workshop:
        staged = prepare(workshop, bots, setting.rules, limits)
        programs = dict(zip(patterns, (bot.program for bot in staged), strict=True))
        at_table = [programs.get(seat, _NOBODY) for seat in range(setting.players)]
        with Multiplexer(at_table, workshop.sandbox, limits) as table:
            yield LiveBots(setting, table, list(patterns))
