"""The gateway of a table: takes what its bots ask of models to the servers, and notes it.

    with Gateway(models, names) as gateway, Multiplexer(..., gateway=gateway) as multiplexer:
        ...
    gateway.exchanges

A bot whose bot.yaml names models finds the path of a socket in `ARENA_MODELS`. There it speaks HTTP
as OpenAI's clients do (docs/guides/models.md).
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from secrets import token_hex
from threading import Condition, Event
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.models.chat import (
    Asked,
    CapReachedError,
    Completion,
    RequestError,
    ServerError,
    answers_others,
    complete,
)
from arena.bots.models.config import MICROS, Cap, Model, read_key
from arena.bots.models.ledger import (
    Journal,
    Ledger,
    Recorded,
    Shared,
    Spending,
    Spent,
    spent_on,
    total,
)
from arena.bots.models.model_socket import Caller, ModelSocket, Turn
from arena.bots.sandboxes.run_folder import RunFolder
from arena.game.records import SERVER_FAILED, Decision, Exchange, without_words
from arena.io.errors import ArenaError
from arena.io.files import os_errors, program_folder, reason

_LONGEST_PARENT = 60
"""Bytes of the path of the folder for sockets: 46 more come below it, and 107 are possible."""
_FIRST_PAUSE = 0.25
"""Seconds between two attempts; each pause is twice the one before."""
_LONGEST_PAUSE = 8.0
_MOST_FAILED = 3
"""Requests of a bot that a server fails with in a game before no more of it are passed on."""


class ServerDownError(ArenaError):
    """A model's server answers nobody: no bot is to blame for that."""

    model = ""
    """The arena's name of it."""


class Access(Struct, frozen=True):
    """Everything but keys that a worker needs to let bots ask models."""

    models: dict[str, Model] = {}
    ledger: str = ""
    """A folder that the workers of a machine share."""
    spent: Spending = {}
    """Spending before the run."""
    journals: str = ""
    """The folder for the answers in fixtures until these are stored; "" for none."""

    def gateway(
        self, bots: Sequence[str], fixture: str = "", shared: Shared | None = None
    ) -> "Gateway":
        """Return the gateway of the table of a fixture with that id.

        `shared` replaces the ledger for workers without a common folder. Raises ArenaError if a key
        or the fixture's journal cannot be read.
        """
        if not shared and self.ledger:
            journals = Path(self.journals) if self.journals else None
            shared = Ledger(Path(self.ledger), journals)
        with os_errors("its journal cannot be read", fixture):
            journal = shared.journal(fixture, bots) if shared else None
        return Gateway(self.models, bots, shared, self.spent, journal=journal)


NO_MODELS = Access()


class Gateway:
    """A context manager: the sockets of one table, and the exchanges there.

    `exchanges` are the requests that were answered or that a server failed with, in the order of
    the answers, and the first one in each game that was refused for a cap.
    """

    def __init__(
        self,
        models: Mapping[str, Model],
        bots: Sequence[str],
        shared: Shared | None = None,
        spent: Spending | None = None,
        *,
        journal: Journal | None = None,
        recorded: Recorded | None = None,
        asks: bool = True,
    ) -> None:
        """`bots` are names by seat, `spent` is the spending before this run.

        Requests that the `journal` has were asked in this fixture before, and are not asked again.
        Requests that are `recorded` are answered from the record. Unless the gateway `asks`, all
        others are refused, even of models that are not known. Raises ArenaError if a key cannot be
        read.
        """
        self.exchanges: list[Exchange] = []
        self._models = models
        self._bots = bots
        self._keys = {name: read_key(name, model) for name, model in models.items() if asks}
        self._journal = journal or Journal(bots)
        self._recorded = recorded
        self._asks = asks
        usual = program_folder()
        short = len(os.fsencode(usual)) <= _LONGEST_PARENT
        self._folder = RunFolder(usual if short else Path("/tmp"))
        # Other users find no socket: only root's bots are others, and the names are random.
        self._folder.path.chmod(0o711 if os.geteuid() == 0 else 0o700)
        self._shared = shared or Ledger(self._folder.path / "ledger")
        self._budget = Budget(models, self._shared, spent or {})
        self._sockets: list[ModelSocket] = []
        self._refused: set[tuple[int, int, str, str]] = set()
        """The refusals that are noted: seat, game, model and code of each."""
        self._failed = Counter[tuple[int, int, str]]()
        """Requests that a server failed with, by seat, game and model."""
        self._lock = Condition()
        self._under_way = 0
        self._down: ServerDownError | None = None
        self._over = Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the sockets, after requests under way are answered."""
        self._over.set()
        for socket in self._sockets:
            socket.close()
        with self._lock:
            # They cost money, whether or not the bot still wants the answer.
            self._lock.wait_for(lambda: not self._under_way)
        self._folder.remove()

    def open(self, seat: int, granted: tuple[str, ...], now: Callable[[], float]) -> ModelSocket:
        """Open the socket of a bot that is about to start in a seat; `now` tells the time."""
        known = tuple(name for name in granted if name in self._models or not self._asks)
        folder = self._folder.path / token_hex(8)
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)
        socket = ModelSocket(folder, Caller(seat, self._bots[seat], known), self.answer, now)
        self._sockets.append(socket)
        return socket

    def check(self) -> None:
        """Raise ServerDownError if a server does not answer."""
        if self._down:
            raise self._down

    def sorted_exchanges(self) -> tuple[Exchange, ...]:
        """Return all exchanges by game, turn and seat; those of one turn in their order.

        Exchanges of a broken-off fixture that did not come again are among them, without words.
        """
        order = attrgetter("game", "turn", "seat")
        paid = map(without_words, self._journal.left())
        return tuple(sorted([*self.exchanges, *paid], key=order))

    def sorted_decisions(self) -> tuple[Decision, ...]:
        """Return who made each decision, by game, turn and seat.

        Of a game that was played again, as a bot was not restarted any more, the last one counts.
        """
        made = (one for socket in self._sockets for one in socket.decisions)
        last = {(one.game, one.turn, one.seat): one for one in made}
        return tuple(last[place] for place in sorted(last))

    def answer(self, socket: ModelSocket, asked: Asked) -> tuple[int, Completion]:
        """Return what a model answers, with the number of the answer; raises RequestError."""
        with self._lock:
            self._under_way += 1
        try:
            return self._answered(socket, asked)
        finally:
            with self._lock:
                self._under_way -= 1
                self._lock.notify_all()

    def _answered(self, socket: ModelSocket, asked: Asked) -> tuple[int, Completion]:
        caller, turn = socket.caller, socket.turn
        if asked.model not in caller.granted:
            granted = ", ".join(caller.granted) or "none"
            what = f"the model {asked.model[:40]!a} was not granted; granted: {granted}"
            raise RequestError(404, "model_not_found", what)
        if turn is None:
            raise RequestError(400, "not_on_turn", "models answer while a request is open")
        place = caller.seat, turn.game, asked.model
        if self._failed[place] >= _MOST_FAILED:
            raise _failed(f"it failed with {_MOST_FAILED} of this game, and gets no more of it")
        if known := self._from_record(asked, turn):
            if known.refused:
                self._failed[place] += 1
                raise _failed("it failed when the game was played")
            return 1, _completion(known)
        request = caller.seat, asked.model, asked.text(), turn.game, turn.number
        if exchange := self._journal.take(*request):
            exchange = replace(
                exchange, game=turn.game, round=turn.round, turn=turn.number, bids=turn.bids
            )
        else:
            self._check_caps(asked.model, caller, turn)
            exchange = self._asked(socket, turn, asked)
        self._budget.count(caller, exchange)
        with self._lock:
            self.exchanges.append(exchange)
            return len(self.exchanges), _completion(exchange)

    def _asked(self, socket: ModelSocket, turn: Turn, asked: Asked) -> Exchange:
        """Ask a server; keep its answer before the bot gets it."""
        model, place = self._models[asked.model], (socket.caller.seat, turn.game, asked.model)
        began = time.monotonic()
        # What failed is hardly tried again: meanwhile all others at the table wait.
        retries = 0 if self._failed[place] else model.retries
        asking = Exchange(socket.caller.seat, *turn, asked.model, request=asked.text())
        try:
            completion = self._ask(asked, retries, socket)
        except ServerError as error:
            with self._lock:
                self._failed[place] += 1
                self.exchanges.append(
                    replace(asking, refused=SERVER_FAILED, milliseconds=_since(began))
                )
            raise _failed(str(error)) from None
        exchange = replace(
            asking,
            answer=completion.text,
            reasoning=completion.reasoning,
            finish=completion.finish,
            tokens_in=completion.tokens_in,
            tokens_out=completion.tokens_out,
            milliseconds=_since(began),
            micros=model.price.micros(completion.tokens_in, completion.tokens_out),
            estimated=completion.estimated,
        )
        try:
            self._journal.add(exchange)
            self._shared.add(exchange.model, socket.caller.bot, spent_on(exchange))
        except OSError as error:
            what = f"answers of the model '{asked.model}' cannot be kept: {reason(error)}"
            raise self._put_off(asked.model, what) from None
        return exchange

    def _check_caps(self, model: str, caller: Caller, turn: Turn) -> None:
        """Raise CapReachedError if a cap is reached; note the first time in a game."""
        try:
            self._budget.check(model, caller, turn.game)
        except CapReachedError as refusal:
            with self._lock:
                place = caller.seat, turn.game, model, refusal.code
                if place not in self._refused:
                    self._refused.add(place)
                    noted = Exchange(caller.seat, *turn, model, refused=refusal.code)
                    self.exchanges.append(noted)
            raise

    def _from_record(self, asked: Asked, turn: Turn) -> Exchange | None:
        """Return the recorded answer, if any; raises RequestError if none may be asked."""
        known = None
        if self._recorded:
            with self._lock:
                known = self._recorded.take(asked.model, asked.text(), turn.game, turn.number)
        if known or self._asks:
            return known
        raise RequestError(429, "not_asked", "no model is asked here, beside what is recorded")

    def _ask(self, asked: Asked, retries: int, socket: ModelSocket) -> Completion:
        """Ask a server, at most so often again; if it is down, wait for the table's end.

        Raises ServerError if it fails with this request and answers others.
        """
        model, key = self._models[asked.model], self._keys[asked.model]
        body, pause = asked.body(model.model, model.max_tokens), _FIRST_PAUSE
        for attempt in range(retries + 1):
            try:
                with self._place(asked.model), socket.waits.serving():
                    return complete(model, key, body)
            except ServerError as error:
                why, wait = str(error), error.wait
                if not error.passes or attempt == retries:
                    break
            if self._over.wait(max(pause, wait)):
                raise _over()
            pause = min(2 * pause, _LONGEST_PAUSE)
        with self._place(asked.model):
            if answers_others(model, key):
                raise ServerError(why)
        what = f"the server of the model '{asked.model}' fails: {why}"
        raise self._put_off(asked.model, what)

    @contextmanager
    def _place(self, model: str) -> Iterator[None]:
        """Wait for a place at a server; raises RequestError if the fixture ends before."""
        try:
            with self._shared.place(model, self._models[model].at_a_time, self._over.is_set):
                yield
        except InterruptedError:
            raise _over() from None

    def _put_off(self, name: str, what: str) -> RequestError:
        """Have the fixture put off, and wait for its end; returns the error for its bots."""
        with self._lock:
            if not self._down:
                self._down = ServerDownError(what, self._models[name].url)
                self._down.model = name
                with suppress(OSError):  # it is not the last of those that wait, then
                    self._journal.put_off()
        self._over.wait()
        return _over()


def _completion(exchange: Exchange) -> Completion:
    return Completion(exchange.answer, exchange.finish, exchange.tokens_in, exchange.tokens_out)


def _since(began: float) -> int:
    """Return the milliseconds since a moment of the monotonic clock."""
    return round(1000 * (time.monotonic() - began))


def _failed(why: str) -> RequestError:
    what = f"the server fails with this request, though it answers others: {why}"
    return RequestError(502, SERVER_FAILED, what)


def _over() -> RequestError:
    return RequestError(503, "over", "the fixture is over")


class Budget:
    """Whether a bot may ask once more: refuses it as soon as a cap is reached.

    An answer that is under way counts when it is there: a cap is exceeded by the answers under way
    at most.
    """

    def __init__(self, models: Mapping[str, Model], ledger: Shared, before: Spending) -> None:
        self._models = models
        self._ledger = ledger
        self._before = before
        self._games: dict[tuple[str, str, int], Spent] = {}

    def check(self, name: str, caller: Caller, game: int) -> None:
        """Raise CapReachedError if a cap is reached."""
        caps = self._models[name].caps
        in_game = self._games.get((name, caller.bot, game), Spent())
        _check_cap(caps.game, in_game, "game", "for a game")
        if caps.bot == caps.league == Cap():
            return
        spending = self._ledger.spending()
        sums = (self._before, spending)
        of_bot = sum((each.get(name, {}).get(caller.bot, Spent()) for each in sums), Spent())
        _check_cap(caps.bot, of_bot, "bot", "for a bot")
        _check_cap(
            caps.league, sum((total(each, name) for each in sums), Spent()), "league", "in all"
        )

    def count(self, caller: Caller, exchange: Exchange) -> None:
        """Count what an answer cost for its game; the ledger has the rest."""
        key = (exchange.model, caller.bot, exchange.game)
        self._games[key] = self._games.get(key, Spent()) + spent_on(exchange)


def _check_cap(cap: Cap, spent: Spent, scope: str, words: str) -> None:
    if cap.tokens is not None and spent.tokens >= cap.tokens:
        what = f"the {cap.tokens:,} tokens {words} are used up"
        raise CapReachedError(f"{scope}_tokens_used_up", what)
    if cap.money is not None and spent.micros >= cap.money * MICROS:
        what = f"the money {words}, {cap.money:g}, is used up"
        raise CapReachedError(f"{scope}_money_used_up", what)
