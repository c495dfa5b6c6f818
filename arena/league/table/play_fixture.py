"""One fixture, live: the referees' requests to the bots, with one or many games under way."""

import os
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from arena.bots.sessions.clock import READY, USED_UP
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Cause, Event, Fault, Fixture, GameRecord, Placed, PlayedFixture
from arena.game.referee import Referee, Roll
from arena.game.rules.books import Rules
from arena.game.rules.dice import roll_all
from arena.game.wire.codec import encode
from arena.game.wire.messages import Answer, Bye, Ready
from arena.league.table.live_seat import hello_to

_MOST_EVENTS = 2_000
"""Events that are written; a longer game is followed up to there."""


_decode = msgspec.json.Decoder(Event | Placed).decode


class WatchedGame:
    """Writes the events of one game down as they happen; that it fails disturbs no game."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._referee: Referee | None = None
        self._written = 0
        self._over = False

    def see(self, referee: Referee) -> None:
        """Write what happened since the last call; a game that begins again is written anew."""
        begins = referee is not self._referee
        if begins:
            self._referee = referee
            self._written = 0
            self._over = False
        lines: list[Event | Placed] = [*referee.events[self._written : _MOST_EVENTS]]
        self._written += len(lines)
        if not referee.waiting and not self._over:
            self._over = True
            lines.append(Placed(referee.places))
        if not lines:
            return
        how = os.O_TRUNC if begins else os.O_APPEND
        text = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        with suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | how, 0o600)
            try:
                os.write(file, text)
            finally:
                os.close(file)


def read_watched(path: Path) -> list[Event | Placed]:
    """Return the events that were written so far; none if there is no such file."""
    try:
        whole, _, _ = path.read_bytes().rpartition(b"\n")
    except OSError:
        return []
    return [_decode(line) for line in whole.splitlines()]


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
        """Return the game after which a bot is not restarted; None while it may be."""
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


def play_fixture(
    fixture: Fixture,
    rules: Rules,
    multiplexer: Multiplexer,
    *,
    keep_memory: bool = False,
    roll: Roll = roll_all,
    watched: WatchedGame | None = None,
) -> PlayedFixture:
    """Play all games of a fixture; the multiplexer has its bots in the order of its seats.

    As many games are under way at a time as every bot said it can play, within the limits. At the
    end all bots are stopped; those that said they may serve again, or all with `keep_memory`,
    return to the multiplexer's warm pool if it has one. The first game can be `watched`.
    """
    seats = Seats(fixture, rules, multiplexer, keep_memory=keep_memory)
    live_games = _LiveGames(fixture, rules, multiplexer, seats, roll, watched)
    games = live_games.play()
    multiplexer.bye(encode(Bye()))
    multiplexer.stop_all()
    return PlayedFixture(
        fixture=fixture,
        games=games,
        sandbox=multiplexer.sandbox.name,
        clock=multiplexer.sandbox.clock,
        decisions=live_games.decisions,
        seconds=live_games.seconds,
        stderr=tuple(multiplexer.stderr),
        answered=live_games.answered,
    )


class _Game:
    def __init__(self, number: int, referee: Referee) -> None:
        self.number = number
        self.referee = referee
        self.asked = 0
        """Answers asked for so far."""
        self.awaited = 0
        """Answers still missing before the game goes on."""
        self.notices: list[bytes] = []
        """All notices so far, for a bot that starts while the game is under way."""


class _LiveGames:
    """The games of a fixture, played by one set of bots.

    A bot that faults is out of the game of its request. Its other games wait for its next process,
    which gets the notices of all games under way and every open request again. When a bot may not
    be restarted any more, the games after its last one are played again without it: they are then
    the same as if the games had been played one after another.
    """

    def __init__(
        self,
        fixture: Fixture,
        rules: Rules,
        multiplexer: Multiplexer,
        seats: Seats,
        roll: Roll,
        watched: WatchedGame | None,
    ) -> None:
        self.seconds = 0.0
        self._fixture = fixture
        self._rules = rules
        self._multiplexer = multiplexer
        self._seats = seats
        self._roll = roll
        self._watched = watched
        self._all = range(len(fixture.seats))
        self._played: dict[int, tuple[GameRecord, int]] = {}
        self._under_way: dict[int, _Game] = {}
        self._to_advance: list[_Game] = []
        self._open: list[dict[int, _Game]] = [{} for _ in self._all]
        """By seat, the games of the requests that were sent, by request id."""
        self._queued: list[dict[int, _Game]] = [{} for _ in self._all]
        """By seat, the games of the requests that wait until its bot is ready, by request id."""
        self._answered: dict[tuple[int, int], str] = {}
        """The lines with which bots faulted, by game and seat."""
        self._next = 0
        self._end = fixture.games
        self._began = 0.0

    @property
    def decisions(self) -> int:
        """Answers asked for in all games; a request that was sent again counts once."""
        return sum(asked for _, asked in self._played.values())

    @property
    def answered(self) -> tuple[tuple[int, int, str], ...]:
        """The lines with which bots faulted, with the game and the seat of each."""
        return tuple((game, seat, line) for (game, seat), line in sorted(self._answered.items()))

    def play(self) -> list[GameRecord]:
        """Play all games; returns their records in the games' order."""
        while self._next < self._fixture.games:
            self._end = self._fixture.games
            while self._next < self._end or self._under_way:
                self._begin_games()
                self._advance_games()
                if self._seats.starting or any(self._open):
                    self._receive()
            if self._end < self._fixture.games:
                self._seats.restart_from(self._end)
                self._next = self._end
        return [self._played[number][0] for number in range(self._fixture.games)]

    def _begin_games(self) -> None:
        """Begin games as long as there is room and all their bots are ready."""
        fixture, seats = self._fixture, self._seats
        while self._next < self._end and len(self._under_way) < seats.max_games:
            if not seats.fill(self._next) or len(self._under_way) >= seats.max_games:
                return
            if not self._under_way:
                self._began = time.perf_counter()
            referee = Referee(
                self._rules,
                len(fixture.seats),
                fixture.dice_key,
                self._next,
                calza_seats=frozenset(seats.calza_seats),
                roll=self._roll,
                max_rounds=fixture.max_rounds,
            )
            if seats.absent:
                referee.forfeit(seats.absent)
                seats.absent = {}
            game = _Game(self._next, referee)
            self._under_way[self._next] = game
            self._to_advance.append(game)
            self._next += 1

    def _advance_games(self) -> None:
        """Send the next requests of games that need no other answer; start missing bots."""
        while True:
            games, self._to_advance = self._to_advance, []
            for game in games:
                self._advance(game)
            for seat in self._all if any(self._queued) else ():
                missing = self._queued[seat] and not self._multiplexer.live(seat)
                if missing and (fault := self._seats.start(seat)):
                    self._did_not_start(seat, fault)
            if not self._to_advance:
                return

    def _advance(self, game: _Game) -> None:
        if self._watched and game.number == 0:
            self._watched.see(game.referee)
        for notice in game.referee.notices:
            line = encode(notice)
            # Bots that are not ready get the notices of the game when they are.
            game.notices.append(line)
            for seat in self._seats.ready:
                self._multiplexer.tell(seat, line)
        game.referee.notices.clear()
        waiting = game.referee.waiting
        game.awaited = len(waiting)
        for seat in waiting:
            # A request's id does not depend on how many games are under way.
            id_ = 1 + game.number + game.asked * self._fixture.games
            game.asked += 1
            self._ask(seat, id_, game)
        if not waiting:
            del self._under_way[game.number]
            self._played[game.number] = (game.referee.record, game.asked)
            if not self._under_way:
                self.seconds += time.perf_counter() - self._began

    def _ask(self, seat: int, id_: int, game: _Game) -> None:
        if seat not in self._seats.ready:
            self._queued[seat][id_] = game
            return
        self._open[seat][id_] = game
        self._multiplexer.ask(seat, id_, game.referee.request_line(seat, id_), game.number)

    def _receive(self) -> None:
        for seat, id_, reply in self._multiplexer.wait():
            if isinstance(reply, Ready):
                self._welcome(seat, reply)
            elif game := self._open[seat].pop(id_, None):
                self._deliver(seat, id_, game, reply)
            else:
                # The bot did not start, or the request was of a game that is played again.
                self._multiplexer.refund(self._end)
                if isinstance(reply, Fault):
                    self._stop(seat)
                    if id_ == READY:
                        self._did_not_start(seat, reply)

    def _deliver(self, seat: int, id_: int, game: _Game, reply: Answer | Fault) -> None:
        game.awaited -= 1
        if not game.awaited:
            self._to_advance.append(game)
        if game.referee.take(seat, reply):
            self._note_answer(seat, id_, game.number)
            self._stop(seat)
            self._seats.count_fault(seat, game.number)
            last = self._seats.last_game(seat)
            if last is not None and last + 1 < self._next:
                self._discard_after(last)

    def _note_answer(self, seat: int, id_: int, game: int) -> None:
        """Remember the line with which a bot faulted."""
        if line := self._multiplexer.answered(seat, id_):
            self._answered[game, seat] = line

    def _discard_after(self, last: int) -> None:
        """Discard the games after `last`; they are played again once those before are over."""
        self._end = min(self._end, last + 1)
        self._multiplexer.refund(self._end)
        self._played = {n: played for n, played in self._played.items() if n <= last}
        self._under_way = {n: game for n, game in self._under_way.items() if n <= last}
        self._answered = {
            (game, seat): line for (game, seat), line in self._answered.items() if game <= last
        }
        self._to_advance = [game for game in self._to_advance if game.number <= last]
        self._open = [_until(last, games) for games in self._open]
        self._queued = [_until(last, games) for games in self._queued]

    def _welcome(self, seat: int, ready: Ready) -> None:
        """Send a bot that is ready the notices of the games under way, and what waits for it."""
        self._seats.welcome(seat, ready)
        for number in sorted(self._under_way):
            for line in self._under_way[number].notices:
                self._multiplexer.tell(seat, line)
        waiting, self._queued[seat] = self._queued[seat], {}
        for id_, game in sorted(waiting.items(), key=_game_number):
            self._ask(seat, id_, game)

    def _did_not_start(self, seat: int, fault: Fault) -> None:
        """Charge a failed start to the first game that needs the bot."""
        waiting = sorted(self._queued[seat].items(), key=_game_number)
        if not waiting:
            self._note_answer(seat, READY, self._next)
            self._seats.leave_empty(seat, self._next, fault)
            return
        id_, game = waiting[0]
        del self._queued[seat][id_]
        self._deliver(seat, READY, game, fault)

    def _stop(self, seat: int) -> None:
        """End a bot; its requests in other games are queued for its next process."""
        self._seats.stop(seat)
        self._queued[seat].update(self._open[seat])
        self._open[seat].clear()


def _game_number(request: tuple[int, _Game]) -> int:
    _, game = request
    return game.number


def _until(last: int, games: dict[int, _Game]) -> dict[int, _Game]:
    return {id_: game for id_, game in games.items() if game.number <= last}
