"""Live bots as rivals in training."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from arena.bots.manifest import find_bot
from arena.bots.sandboxes.base import Program
from arena.bots.sandboxes.registry import AUTO
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.workshop import open_workshop, sandbox_for
from arena.game.records import Fault, Fixture, LimitsInfo
from arena.game.wire.messages import Answer, Hello, ToBot
from arena.lab.env.game import Setting
from arena.league.table.live_seat import LiveSeat, Request, hello_to
from arena.league.table.preparation import prepare

GAMES = 1_000_000
"""The number of games in `hello`: the length of training is unknown."""
LIMITS = LimitsInfo().complete(GAMES)
_NOBODY = Program(Path("/"), ())


def hello(setting: Setting, seat: int, seed: str) -> Hello:
    """Return what the arena says to a seat first; `seed` keys the seat's own randomness."""
    names = tuple(f"player_{seat}" for seat in range(setting.players))
    fixture = Fixture("training", 0, setting.rules.name, names, seed, GAMES)
    return hello_to(seat, fixture, setting.rules, LIMITS)


class LiveBots:
    """The bots in some seats of a table, one game after another.

    A bot that faults is out of its game, and is started again in the next one.
    """

    def __init__(self, setting: Setting, multiplexer: Multiplexer, seats: Sequence[int]) -> None:
        self._setting = setting
        self._seats = {seat: LiveSeat(multiplexer, seat) for seat in seats}

    def begin(self, seed: str) -> None:
        """Start the bots that do not run; `seed` keys their own randomness."""
        for seat, bot in self._seats.items():
            if not bot.live:
                bot.greet(hello(self._setting, seat, seed))

    def tell(self, notice: ToBot) -> None:
        """Send a notice to every bot."""
        for bot in self._seats.values():
            bot.tell(notice)

    def reply(self, seat: int, request: Request) -> Answer | Fault:
        """Return a bot's answer or fault; a bot that does not want offers of calza passes."""
        return self._seats[seat].ask(request)

    def stop(self, seat: int) -> None:
        """End a bot that faulted."""
        self._seats[seat].stop()


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
    with open_workshop(sandbox_for(bots, sandbox, trusted=trust_bots)) as workshop:
        staged = prepare(workshop, bots, setting.rules, LIMITS)
        programs = dict(zip(patterns, (bot.program for bot in staged), strict=True))
        at_table = [programs.get(seat, _NOBODY) for seat in range(setting.players)]
        with Multiplexer(at_table, workshop.sandbox, LIMITS) as table:
            yield LiveBots(setting, table, list(patterns))
