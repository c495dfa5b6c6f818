"""One fixture, live: the referees' questions to the bots, one game or many under way."""

import time
from collections.abc import Callable, Sequence

from arena.match.referee import Referee
from arena.match.seats import Seats
from arena.perudo.rules import Rules
from arena.records import Fault, Fixture, GameRecord, LimitsInfo, PlayedFixture
from arena.sandboxes.base import Sandbox
from arena.sessions.clock import READY
from arena.sessions.multiplexer import Multiplexer
from arena.sessions.warm_pool import WarmPool
from arena.submissions.manifest import Bot
from arena.wire.codec import encode
from arena.wire.messages import Answer, Bye, Ready


def play_fixture(
    fixture: Fixture,
    rules: Rules,
    bots: Sequence[Bot],
    sandbox: Sandbox,
    limits: LimitsInfo,
    log: Callable[[int, str, bytes], None] | None = None,
    roster: WarmPool | None = None,
    *,
    keep_memory: bool = False,
) -> PlayedFixture:
    """Play all games of a fixture; `bots` sit in the order of its seats.

    As many games are under way at a time as every bot said that it can play, within the limits.
    `log`, if given, is told every line with its seat and its direction. Bots are taken from the
    `roster`, if there is one, and return to it: those that said that they may serve again, or, with
    `keep_memory`, all.
    """
    with Multiplexer(bots, sandbox, limits, log, roster) as board:
        seats = Seats(fixture, rules, board, limits, keep_memory=keep_memory)
        table = _Table(fixture, rules, board, seats)
        games = table.play()
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
    with Multiplexer([bot], sandbox, limits) as board:
        seats = Seats(fixture, rules, board, limits)
        table = _Table(fixture, rules, board, seats)
        while not seats.fill(0):
            table.listen()
        return seats.absent.get(0)


class _Game:
    """A game under way."""

    def __init__(self, number: int, referee: Referee) -> None:
        self.number = number
        self.referee = referee
        self.asked = 0
        """Answers asked for so far."""
        self.awaited = 0
        """Answers that this moment still waits for."""
        self.news: list[bytes] = []
        """What was told of it, for a bot that is started while it is under way."""


class _Table:
    """The games of a fixture over one set of bots.

    A bot that faults is out of the game that it was asked about. Its other games wait for its next
    process, which is told what was told of the games under way, and asked again what is open. When
    a bot is to be started no more, the games after its last are played anew without it, so that
    they are the same as if one game had been played after another.
    """

    def __init__(self, fixture: Fixture, rules: Rules, board: Multiplexer, seats: Seats) -> None:
        self.seconds = 0.0
        self._fixture = fixture
        self._rules = rules
        self._board = board
        self._seats = seats
        self._all = range(len(fixture.seats))
        self._played: dict[int, tuple[GameRecord, int]] = {}
        self._under_way: dict[int, _Game] = {}
        self._moved: list[_Game] = []
        self._open: list[dict[int, _Game]] = [{} for _ in self._all]
        self._unasked: list[dict[int, _Game]] = [{} for _ in self._all]
        self._next = 0
        self._end = fixture.games
        self._began = 0.0

    @property
    def decisions(self) -> int:
        """Answers asked for in all games, once where they were asked for again."""
        return sum(asked for _, asked in self._played.values())

    def play(self) -> list[GameRecord]:
        """Play all games; returns their records in the games' order."""
        while self._next < self._fixture.games:
            self._end = self._fixture.games
            while self._next < self._end or self._under_way:
                self._begin_games()
                self._move_on()
                if self._seats.starting or any(self._open):
                    self.listen()
            if self._end < self._fixture.games:
                self._seats.begin_anew(self._end)
                self._next = self._end
        return [self._played[number][0] for number in range(self._fixture.games)]

    def listen(self) -> None:
        """Wait for replies and hand them over."""
        for seat, id_, reply in self._board.wait():
            if isinstance(reply, Ready):
                self._welcome(seat, reply)
            elif id_ != READY:
                self._take(seat, id_, reply)
            elif isinstance(reply, Fault):
                self._seats.stop(seat)
                self._miss(seat, reply)

    # ------------------------------------------------------------ games

    def _begin_games(self) -> None:
        seats = self._seats
        while self._next < self._end and len(self._under_way) < seats.room:
            if not seats.fill(self._next) or len(self._under_way) >= seats.room:
                return
            self._begin(self._next)
            self._next += 1

    def _begin(self, number: int) -> None:
        if not self._under_way:
            self._began = time.perf_counter()
        fixture, seats = self._fixture, self._seats
        calza_seats = frozenset(seats.calza_seats)
        referee = Referee(self._rules, len(fixture.seats), fixture.dice_key, number, calza_seats)
        if seats.absent:
            referee.forfeit(seats.absent)
            seats.absent = {}
        game = _Game(number, referee)
        self._under_way[number] = game
        self._moved.append(game)

    def _move_on(self) -> None:
        """Ask what is to be asked in games that moved, and start bots that are asked."""
        while True:
            moved, self._moved = self._moved, []
            for game in moved:
                self._tell_and_ask(game)
            for seat in self._all:
                if self._unasked[seat] and not self._board.live(seat):
                    self._start(seat)
            if not self._moved:
                return

    def _tell_and_ask(self, game: _Game) -> None:
        if game.referee.notices:
            self._tell(game)
        waiting = game.referee.waiting
        game.awaited = len(waiting)
        for seat in waiting:
            # Every request of a game has the same id, however many games are under way.
            id_ = 1 + game.number + game.asked * self._fixture.games
            game.asked += 1
            self._ask(seat, id_, game)
        if not waiting:
            self._finish(game)

    def _tell(self, game: _Game) -> None:
        """Tell all what happened; a bot that is not ready will be told when it is."""
        for notice in game.referee.notices:
            line = encode(notice)
            game.news.append(line)
            for seat in self._seats.ready:
                self._board.tell(seat, line)
        game.referee.notices.clear()

    def _ask(self, seat: int, id_: int, game: _Game) -> None:
        if seat not in self._seats.ready:
            self._unasked[seat][id_] = game
            return
        self._open[seat][id_] = game
        self._board.ask(seat, id_, encode(game.referee.request(seat, id_)), game.number)

    def _finish(self, game: _Game) -> None:
        del self._under_way[game.number]
        self._played[game.number] = (game.referee.record, game.asked)
        self._board.end_game(game.number)
        if not self._under_way:
            self.seconds += time.perf_counter() - self._began

    # ------------------------------------------------------------ replies

    def _take(self, seat: int, id_: int, reply: Answer | Fault) -> None:
        game = self._open[seat].pop(id_, None)
        if game:
            self._hand_over(seat, game, reply)
        elif isinstance(reply, Fault):
            # It was asked in a game that is played anew.
            self._stop(seat)

    def _hand_over(self, seat: int, game: _Game, reply: Answer | Fault) -> None:
        game.awaited -= 1
        if not game.awaited:
            self._moved.append(game)
        if game.referee.take(seat, reply):
            self._stop(seat)
            self._seats.lose(seat, game.number)
            last = self._seats.last_game(seat)
            if last is not None and last + 1 < self._next:
                self._end_after(last)

    def _end_after(self, last: int) -> None:
        """Drop the games after one of them; they are begun anew when those before are over."""
        self._end = min(self._end, last + 1)
        self._played = {n: played for n, played in self._played.items() if n <= last}
        self._under_way = {n: game for n, game in self._under_way.items() if n <= last}
        self._moved = [game for game in self._moved if game.number <= last]
        self._open = [_until(last, games) for games in self._open]
        self._unasked = [_until(last, games) for games in self._unasked]

    # ------------------------------------------------------------ bots

    def _start(self, seat: int) -> None:
        """Start a bot that games under way wait for."""
        fault = self._seats.start(seat)
        if fault:
            self._miss(seat, fault)

    def _welcome(self, seat: int, ready: Ready) -> None:
        """Tell a bot that is ready of the games under way, and ask what they wait for."""
        self._seats.welcome(seat, ready)
        for number in sorted(self._under_way):
            for line in self._under_way[number].news:
                self._board.tell(seat, line)
        waiting, self._unasked[seat] = self._unasked[seat], {}
        for id_, game in sorted(waiting.items(), key=_by_game):
            self._ask(seat, id_, game)

    def _miss(self, seat: int, fault: Fault) -> None:
        """Do without a bot that does not start, in the first game that needs it."""
        waiting = sorted(self._unasked[seat].items(), key=_by_game)
        if not waiting:
            self._seats.miss(seat, self._next, fault)
            return
        id_, game = waiting[0]
        del self._unasked[seat][id_]
        self._hand_over(seat, game, fault)

    def _stop(self, seat: int) -> None:
        """End a bot; what it was asked elsewhere will be asked again."""
        self._seats.stop(seat)
        self._unasked[seat].update(self._open[seat])
        self._open[seat].clear()


def _by_game(entry: tuple[int, _Game]) -> int:
    return entry[1].number


def _until(last: int, games: dict[int, _Game]) -> dict[int, _Game]:
    return {id_: game for id_, game in games.items() if game.number <= last}
