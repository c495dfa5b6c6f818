"""The seats of a fixture: bots started, greeted and lost, and what lasts from game to game."""

from arena.perudo.rules import Rules
from arena.records import Cause, Fault, Fixture, LimitsInfo
from arena.seeds import bot_seed
from arena.sessions.multiplexer import Multiplexer
from arena.wire.codec import encode
from arena.wire.messages import PROTOCOL, Hello, Limits, Ready


class Seats:
    """Who is there for which game.

    `starting` are the seats whose `ready` is awaited, `ready` those that can be asked, `absent`
    those without a bot for the game that begins next, `calza_seats` those that asked to be offered
    calza. `room` is how many games all bots together can play at a time.
    """

    def __init__(
        self,
        fixture: Fixture,
        rules: Rules,
        board: Multiplexer,
        limits: LimitsInfo,
        *,
        keep_memory: bool = False,
    ) -> None:
        self.starting: set[int] = set()
        self.ready: set[int] = set()
        self.absent: dict[int, Fault] = {}
        self.calza_seats: set[int] = set()
        self.room = limits.concurrent_games
        self._fixture = fixture
        self._rules = rules
        self._board = board
        self._limits = limits
        self._keep_memory = keep_memory
        self._all = range(len(fixture.seats))
        self._faulted: list[set[int]] = [set() for _ in self._all]
        self._can_play = [limits.concurrent_games for _ in self._all]

    def fill(self, game: int) -> bool:
        """Start the bots that are missing for a game that is to begin; tell whether all are in."""
        for seat in self._all:
            if seat not in self.absent and (fault := self._seat(seat, game)):
                self.miss(seat, game, fault)
        return not self.starting

    def _seat(self, seat: int, game: int) -> Fault | None:
        """See to it that a seat's bot runs; one may play earlier games to their end and no more."""
        refused = self._refusal(seat, game)
        return refused or (None if self._board.live(seat) else self.start(seat))

    def start(self, seat: int) -> Fault | None:
        """Start a seat's bot and greet it."""
        fault = self._board.start(seat, encode(self._hello(seat)))
        if not fault:
            self.starting.add(seat)
        return fault

    def welcome(self, seat: int, ready: Ready) -> None:
        """Note what a bot said of itself."""
        self.starting.discard(seat)
        self.ready.add(seat)
        _put(seat, self.calza_seats, within=ready.calza)
        _put(seat, self._board.keeping, within=ready.reusable or self._keep_memory)
        self._can_play[seat] = ready.concurrent_games
        self.room = min(self._limits.concurrent_games, *self._can_play)

    def stop(self, seat: int) -> None:
        """End a seat's bot."""
        self._board.stop(seat)
        self.starting.discard(seat)
        self.ready.discard(seat)

    def miss(self, seat: int, game: int, fault: Fault) -> None:
        """Leave a seat empty in a game that is to begin."""
        self.absent[seat] = fault
        self.lose(seat, game)

    def lose(self, seat: int, game: int) -> None:
        """Note that a bot faulted in a game: it counts against the starts that it has."""
        if not self._refusal(seat, game):
            self._faulted[seat].add(game)

    def last_game(self, seat: int) -> int | None:
        """Return the game after which a bot is not started again; None while there is none."""
        faulted = sorted(self._faulted[seat])
        restarts = self._limits.restarts
        return faulted[restarts] if len(faulted) > restarts else None

    def begin_anew(self, game: int) -> None:
        """End all bots and forget who faulted from a game on."""
        self.absent.clear()
        for seat in self._all:
            self.stop(seat)
            self._faulted[seat] = {lost for lost in self._faulted[seat] if lost < game}

    def _refusal(self, seat: int, game: int) -> Fault | None:
        last = self.last_game(seat)
        if last is None or game <= last:
            return None
        detail = f"not started again: it was restarted {self._limits.restarts} times"
        return Fault(Cause.CRASH, detail)

    def _hello(self, seat: int) -> Hello:
        fixture, limits = self._fixture, self._limits
        return Hello(
            protocol=PROTOCOL,
            seat=seat,
            seats=len(fixture.seats),
            games=fixture.games,
            seed=bot_seed(fixture.seed, seat),
            rules=self._rules,
            limits=Limits(limits.start, limits.answer, limits.game),
        )


def _put(seat: int, seats: set[int], *, within: bool) -> None:
    if within:
        seats.add(seat)
    else:
        seats.discard(seat)
