"""The seats of a fixture: which bots run, which may be restarted, and each one's `ready`."""

from arena.bots.sessions.clock import USED_UP
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Cause, Fault, Fixture
from arena.game.rules.books import Rules
from arena.game.wire.codec import encode
from arena.game.wire.messages import Ready
from arena.league.table.live_seat import hello_to


class Seats:
    """The bots in the seats, from game to game.

    `starting` are the seats whose `ready` is awaited, `ready` those that can be asked, `absent`
    those without a bot for the game that begins next, `calza_seats` those that want offers of
    calza. `max_games` is how many games can be under way, by the limits and the slowest bot.
    """

    def __init__(
        self, fixture: Fixture, rules: Rules, multiplexer: Multiplexer, *, keep_memory: bool = False
    ) -> None:
        self.starting: set[int] = set()
        self.ready: set[int] = set()
        self.absent: dict[int, Fault] = {}
        self.calza_seats: set[int] = set()
        self._limits = limits = multiplexer.limits
        self.max_games = limits.concurrent_games
        self._fixture = fixture
        self._rules = rules
        self._multiplexer = multiplexer
        self._keep_memory = keep_memory
        self._all = range(len(fixture.seats))
        self._faulted: list[set[int]] = [set() for _ in self._all]
        """By seat, the games in which its bot faulted."""
        self._used_up: list[int | None] = [None for _ in self._all]
        """By seat, the game in which its time for the fixture was used up."""
        self._concurrent_games = [limits.concurrent_games for _ in self._all]

    def fill(self, game: int) -> bool:
        """Start the bots that are missing for the next game; returns whether all are ready."""
        for seat in self._all:
            if seat in self.absent:
                continue
            fault = self._refusal(seat, game)
            if not fault and not self._multiplexer.live(seat):
                fault = self.start(seat)
            if fault:
                self.leave_empty(seat, game, fault)
        return not self.starting

    def start(self, seat: int) -> Fault | None:
        """Start a seat's bot and greet it, if it has time left; else return that fault."""
        if self._multiplexer.used_up(seat):
            return self._no_time()
        models = self._multiplexer.asks_models(seat)
        hello = hello_to(seat, self._fixture, self._rules, self._limits, models=models)
        self._multiplexer.start(seat, encode(hello))
        self.starting.add(seat)
        return None

    def welcome(self, seat: int, ready: Ready) -> None:
        """Take a bot's answer to `hello`."""
        self.starting.discard(seat)
        self.ready.add(seat)
        _set(self.calza_seats, seat, ready.calza)
        _set(self._multiplexer.reusable, seat, ready.reusable or self._keep_memory)
        self._concurrent_games[seat] = ready.concurrent_games
        self.max_games = min(self._limits.concurrent_games, *self._concurrent_games)

    def stop(self, seat: int) -> None:
        """End a seat's bot."""
        self._multiplexer.stop(seat)
        self.starting.discard(seat)
        self.ready.discard(seat)

    def leave_empty(self, seat: int, game: int, fault: Fault) -> None:
        """Have a seat without a bot in the next game."""
        self.absent[seat] = fault
        self.count_fault(seat, game)

    def count_fault(self, seat: int, game: int) -> None:
        """Count a game in which a bot faulted against its restarts."""
        if self._refusal(seat, game):
            return
        self._faulted[seat].add(game)
        if self._multiplexer.used_up(seat):
            self._used_up[seat] = game

    def last_game(self, seat: int) -> int | None:
        """Return the game after which a bot is not restarted, None if there is none yet."""
        faulted, used_up = sorted(self._faulted[seat]), self._used_up[seat]
        restarts = self._limits.restarts
        last = faulted[restarts] if len(faulted) > restarts else None
        return last if used_up is None or (last is not None and last < used_up) else used_up

    def restart_from(self, game: int) -> None:
        """End all bots, and forget all faults from a game on."""
        self.absent.clear()
        for seat in self._all:
            self.stop(seat)
            self._faulted[seat] = {number for number in self._faulted[seat] if number < game}
            used_up = self._used_up[seat]
            if used_up is not None and used_up >= game:
                self._used_up[seat] = None

    def _refusal(self, seat: int, game: int) -> Fault | None:
        last = self.last_game(seat)
        if last is None or game <= last:
            return None
        if last == self._used_up[seat]:
            return self._no_time()
        detail = f"not started again: it was restarted {self._limits.restarts} times"
        return Fault(Cause.CRASH, detail)

    def _no_time(self) -> Fault:
        detail = f"not started again: {USED_UP.format(self._limits.fixture)}"
        return Fault(Cause.TIMEOUT, detail)


def _set(seats: set[int], seat: int, member: bool) -> None:
    (seats.add if member else seats.discard)(seat)
