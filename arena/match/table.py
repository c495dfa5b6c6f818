"""One fixture, live: the referee's questions to the bots, game after game."""

import time
from collections.abc import Callable, Sequence

from arena.bots.board import Board
from arena.bots.manifest import Bot
from arena.bots.roster import Roster
from arena.bots.sandbox import Sandbox
from arena.match.referee import Referee
from arena.perudo.rules import Rules
from arena.perudo.seeds import bot_seed
from arena.records import Cause, Fault, Fixture, GameRecord, LimitsInfo, PlayedFixture
from arena.wire.codec import encode
from arena.wire.messages import PROTOCOL, Bye, Hello, Limits, Ready


def play_fixture(
    fixture: Fixture,
    rules: Rules,
    bots: Sequence[Bot],
    sandbox: Sandbox,
    limits: LimitsInfo,
    log: Callable[[int, str, bytes], None] | None = None,
    roster: Roster | None = None,
    *,
    keep_memory: bool = False,
) -> PlayedFixture:
    """Play all games of a fixture; `bots` sit in the order of its seats.

    `log`, if given, is told every line with its seat and its direction. Bots are taken from the
    `roster`, if there is one, and return to it: those that said that they may serve again, or, with
    `keep_memory`, all.
    """
    with Board(bots, sandbox, limits, log, roster) as board:
        table = _Table(fixture, rules, board, limits, keep_memory=keep_memory)
        games = [table.play(game) for game in range(fixture.games)]
        board.bye(encode(Bye()))
    return PlayedFixture(
        fixture=fixture,
        games=games,
        sandbox=sandbox.name,
        clock=sandbox.clock,
        decisions=table.decisions,
        seconds=table.seconds,
        stderr=board.stderr,
    )


def try_start(bot: Bot, rules: Rules, sandbox: Sandbox, limits: LimitsInfo) -> Fault | None:
    """Start a bot, greet it and end it; returns what it did wrong."""
    fixture = Fixture("start", 0, rules.name, (bot.name,), "start", 1)
    with Board([bot], sandbox, limits) as board:
        return _Table(fixture, rules, board, limits).seat_all().get(0)


class _Table:
    """The seats of a fixture, their bots, and what carries over from game to game."""

    def __init__(
        self,
        fixture: Fixture,
        rules: Rules,
        board: Board,
        limits: LimitsInfo,
        *,
        keep_memory: bool = False,
    ) -> None:
        self.decisions = 0
        self.seconds = 0.0
        self._fixture = fixture
        self._rules = rules
        self._board = board
        self._limits = limits
        self._starts = [0] * len(fixture.seats)
        self._takers: set[int] = set()
        self._keep_memory = keep_memory

    def play(self, game: int) -> GameRecord:
        """Play one game to its end."""
        absent = self.seat_all()
        started = time.perf_counter()
        self._board.new_game()
        fixture = self._fixture
        takers = frozenset(self._takers)
        referee = Referee(self._rules, len(fixture.seats), fixture.seed, game, takers)
        if absent:
            referee.forfeit(absent)
        while referee.waiting:
            self._ask(referee)
        self._spread_news(referee)
        self.seconds += time.perf_counter() - started
        return referee.record

    def _ask(self, referee: Referee) -> None:
        """Ask every waiting seat, hand over the replies, stop the bots that faulted."""
        if referee.notices:
            self._spread_news(referee)
        board = self._board
        waiting = referee.waiting
        for seat in waiting:
            self.decisions += 1
            id_ = self.decisions
            board.ask(seat, id_, encode(referee.request(seat, id_)))
        missing = len(waiting)
        while missing:
            for seat, _, reply in board.wait():
                missing -= 1
                if not isinstance(reply, Ready) and referee.take(seat, reply):
                    board.stop(seat)

    def _spread_news(self, referee: Referee) -> None:
        for notice in referee.notices:
            self._board.tell(encode(notice))
        referee.notices.clear()

    def seat_all(self) -> dict[int, Fault]:
        """Start the bots that are not running; returns the seats that stay empty."""
        absent = {}
        expected = set()
        for seat in range(len(self._fixture.seats)):
            if self._board.live(seat):
                continue
            fault = self._start(seat)
            if fault:
                absent[seat] = fault
            else:
                expected.add(seat)
        while expected:
            for seat, _, reply in self._board.wait():
                expected.discard(seat)
                if isinstance(reply, Fault):
                    self._board.stop(seat)
                    absent[seat] = reply
                elif isinstance(reply, Ready):
                    self._take_ready(seat, reply)
        return absent

    def _start(self, seat: int) -> Fault | None:
        if self._starts[seat] > self._limits.restarts:
            detail = f"not started again: it was restarted {self._limits.restarts} times"
            return Fault(Cause.CRASH, detail)
        self._starts[seat] += 1
        return self._board.start(seat, encode(self._hello(seat)))

    def _take_ready(self, seat: int, ready: Ready) -> None:
        if ready.calza:
            self._takers.add(seat)
        else:
            self._takers.discard(seat)
        if ready.reusable or self._keep_memory:
            self._board.keeping.add(seat)
        else:
            self._board.keeping.discard(seat)

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
