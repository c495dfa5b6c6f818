"""A stored game, or a conversation in a file, put to another build of a bot or to a debugger."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.bots.bot import Bot
from arena.bots.manifest import find_bot
from arena.bots.models.config import MICROS, Model
from arena.bots.models.gateway import Gateway
from arena.bots.models.ledger import Recorded
from arena.bots.runtimes import RUNTIMES
from arena.bots.sandboxes.base import MIB, Program, Sandbox
from arena.bots.sandboxes.registry import AUTO
from arena.bots.workshop import Workshop, open_workshop, sandbox_for
from arena.game.records import Cause, Exchange, Fault, LimitsInfo, PlayedFixture
from arena.game.rules.round import Bid, is_among
from arena.game.wire.codec import encode
from arena.game.wire.messages import Answer, CalzaOffer, Turn
from arena.io.errors import ArenaError
from arena.io.files import new_file, read_limited
from arena.league.schedule.schedule import Schedule
from arena.league.store.store import Store
from arena.league.table.live_seat import Request
from arena.league.table.recorded_game import ReplayError, SeatMoment, StoredSeat, replay
from arena.league.table.rerun import (
    AskedMoment,
    RerunDecision,
    Watcher,
    ask_again,
    asked_moments,
    lines_for_tests,
)
from arena.league.terms.stored_schedule import schedule_of

_Result = TypeVar("_Result")
_YEARS = 1e9
"""Seconds that no debugging takes."""
UNLIMITED = LimitsInfo(start=_YEARS, answer=_YEARS, game=_YEARS, wall=1.0, fixture=_YEARS)
"""Limits that leave time for a debugger."""
_MODULE = """\
import os
import pdb
import sys

_debugger = None


def stop_here():
    global _debugger
    if _debugger is None:
        path = os.environ["ARENA_TERMINAL"]
        typed = open(os.open(path, os.O_RDONLY | os.O_NOCTTY))
        shown = open(os.open(path, os.O_WRONLY | os.O_NOCTTY), "w", buffering=1)
        _debugger = pdb.Pdb(stdin=typed, stdout=shown, nosigint=True)
    _debugger.set_trace(sys._getframe(1))
"""
"""Called by breakpoint() in a bot: Python's own debugger, on the terminal of the arena."""
ENDING = ".jsonl"
"""How the name of such a file ends."""
_MAX_FILE = 64 * MIB
_HINT = "name a file that arena check or arena rerun --record wrote"
_request = msgspec.json.Decoder(Turn | CalzaOffer)


class ModelRecord(Struct, frozen=True):
    """The models' answers of a fixture, and whether new ones may be asked for."""

    models: Mapping[str, Model]
    exchanges: Sequence[Exchange]
    asks: bool
    """Whether models are asked what is not in the record."""


def from_record(
    run: Callable[[Gateway | None], _Result],
    record: ModelRecord,
    bots: Sequence[str],
    notify: Callable[[str], None],
) -> _Result:
    """Return what a run leads to that answers models' requests from a record.

    `notify` learns how many requests are not there, and what they would cost, before any of them is
    asked. Then the run is made once more. Raises ServerDownError if a server fails.
    """
    known = Recorded(record.exchanges)
    with Gateway(record.models, bots, recorded=known, asks=False) as gateway:
        result = run(gateway)
    notify(f"requests to models: {known.repeated} answered from the record, {known.new} are new")
    if not known.new:
        return result
    cost = f"about {known.new * known.mean_micros / MICROS:.2g} at what requests cost before"
    if not record.asks:
        notify(f"new requests were refused; --ask-models asks them ({cost})")
        return result
    notify(f"asking {known.new} new requests: {cost}")
    again = Recorded(record.exchanges)
    with Gateway(record.models, bots, recorded=again) as gateway:
        result = run(gateway)
    spent = sum(exchange.micros for exchange in gateway.exchanges)
    notify(f"asked {len(gateway.exchanges)}, which cost {spent / MICROS:.2g}")
    return result


def how_to_attach(runtime: str, pid: int) -> str:
    """Return the command that shows where a running bot is."""
    return RUNTIMES[runtime].debugger.format(pid=pid)


def reaches_terminal(sandbox: Sandbox) -> bool:
    """Return whether bots in a sandbox can open the terminal of the arena."""
    return not sandbox.isolates


def debuggable(workshop: Workshop, bot: Bot, terminal: str) -> Program:
    """Build a bot; raises ArenaError.

    With the path of a `terminal`, breakpoint() of a bot in Python opens a debugger there, if its
    sandbox lets it.
    """
    program = workshop.stage(bot).program
    if not (terminal and reaches_terminal(workshop.sandbox)):
        return program
    module = workshop.folder / "debugger" / "arena_debugger.py"
    module.parent.mkdir()
    module.write_text(_MODULE, encoding="utf-8")
    variables = {
        "ARENA_TERMINAL": terminal,
        "PYTHONBREAKPOINT": "arena_debugger.stop_here",
        "PYTHONPATH": str(module.parent),
    }
    given = [f"{name}={value}" for name, value in variables.items()]
    return program._replace(command=["env", *given, *program.command])


class KeptConversation(Struct, frozen=True):
    """The lines that a bot was sent, byte for byte."""

    hello: bytes
    moments: tuple[AskedMoment, ...]

    @property
    def requests(self) -> list[Request]:
        """All requests, in their order."""
        return [asked.moment.request for asked in self.moments if asked.moment.request]


class _Typed(Struct):
    type: str


_typed = msgspec.json.Decoder(_Typed)


def read_conversation(file: Path) -> KeptConversation:
    """Read a conversation; raises ArenaError if the file is none.

    The rules are not applied again: an answer is legal if its request lists it.
    """
    lines = [line + b"\n" for line in read_limited(file, _MAX_FILE).splitlines() if line.strip()]
    try:
        if not lines or _typed.decode(lines[0]).type != "hello":
            raise ArenaError("it does not begin with `hello`", str(file), _HINT)
        return KeptConversation(lines[0], tuple(_moments(lines)))
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ArenaError(f"not a conversation: {error}", str(file), _HINT) from None


def debug_kept(
    conversation: KeptConversation,
    bot: Bot,
    sandbox: Sandbox,
    watcher: Watcher,
    terminal: str,
    *,
    packages: bool,
) -> tuple[list[RerunDecision], str]:
    """Build the bot and send it the lines, one request at a time, without time limits.

    Returns its decisions, and why not all was asked, "" if it was. `terminal` is as in
    `debuggable`. Raises ArenaError if the bot cannot be built.
    """
    with open_workshop(sandbox, packages=packages) as workshop:
        program = debuggable(workshop, bot, terminal)
        hello, moments = conversation.hello, conversation.moments
        return ask_again(hello, moments, program, sandbox, UNLIMITED, watcher)


def _moments(lines: list[bytes]) -> Iterator[AskedMoment]:
    """Yield a moment for each request, and one for each end of a game.

    Raises MsgspecError, and ArenaError for a second greeting.
    """
    news: list[bytes] = []
    for number, line in enumerate(lines[1:], 2):
        kind = _typed.decode(line).type
        if kind == "hello":
            what = "it begins another conversation"
            raise ArenaError(what, f"line {number}", "cut the file there")
        if kind in {"turn", "calza"}:
            request = _request.decode(line)
            moment = SeatMoment((), request, None, partial(_illegal, request), number)
            yield AskedMoment(moment, tuple(news), line)
        elif kind == "game_end":
            over = SeatMoment((), None, None, lambda _: None, number)
            yield AskedMoment(over, (*news, line), b"")
        elif kind != "bye":
            news.append(line)
            continue
        news.clear()


def _illegal(request: Request, answer: Answer) -> Fault | None:
    """Return the fault that an answer would be, by what its request lists."""
    if isinstance(request, CalzaOffer):
        legal, why = answer.action in {"calza", "pass"}, "an offer of calza was open"
    elif answer.action == "bid":
        legal = is_among(request.raises, Bid(answer.quantity, answer.face))
        why = f"a bid of {answer.quantity} of face {answer.face} is not among `raises`"
    else:
        legal, why = answer.action == "dudo" and request.dudo, "there was no bid to doubt"
    return None if legal else Fault(Cause.ILLEGAL_ACTION, why)


class RerunAs(Struct, frozen=True):
    """A bot, and the stored requests to put to it."""

    store: Path
    fixture: int
    bot: str
    """Its folder, an archive of it, or `sample:NAME`."""
    game: int | None = None
    """None stands for all games of the fixture."""
    seat: int | None = None
    """None stands for the seat of the bot of that name."""
    sandbox: str = AUTO
    trusted: bool = False
    """Whether it may run without isolation."""
    packages: bool = False
    """Whether the Python packages that it asks for are installed."""
    limited: bool = True
    """Whether the league's time limits hold."""


class AskedSeat(Struct, frozen=True):
    """A stored seat and the bot that is asked, before it is started."""

    stored: StoredSeat
    bot: Bot
    sandbox: Sandbox
    exchanges: tuple[Exchange, ...] = ()
    """The models' answers in the fixture."""


def stored_fixture(store: Store, fixture: int, game: int | None) -> PlayedFixture:
    """Return a fixture by its index in the schedule; raises ArenaError if it or a game is missing.

    With `game`, the fixture must have a game of that number.
    """
    played = next(store.played([fixture]), None)
    if played is None:
        raise ArenaError(f"fixture {fixture} is not stored", str(store.path), "see: arena status")
    if game is not None and game not in {record.game for record in played.games}:
        hint = f"its games are 0 to {len(played.games) - 1}"
        raise ArenaError(f"fixture {fixture} has no game {game}", str(store.path), hint)
    return played


def find_asked(request: RerunAs) -> AskedSeat:
    """Find the stored games, the bot, its seat and its sandbox.

    Raises ArenaError if one of them is missing, or if the games are damaged.
    """
    with Store(request.store) as store:
        schedule = schedule_of(store)
        played = stored_fixture(store, request.fixture, request.game)
    bot = find_bot(request.bot, Path.cwd(), "--as")
    seats = played.fixture.seats
    stored = _stored_seat(request, schedule, played, _seat(request, bot.name, seats))
    stored = replace(stored, models=bool(bot.info.models))
    sandbox = sandbox_for([bot], request.sandbox, trusted=request.trusted)
    return AskedSeat(stored, bot, sandbox, played.exchanges)


def rerun_as(
    request: RerunAs,
    asked: AskedSeat,
    watcher: Watcher,
    terminal: str = "",
    gateway: Gateway | None = None,
) -> tuple[list[RerunDecision], str]:
    """Build the bot and ask it; returns its decisions, and why not all was asked, "" if it was.

    With the path of a `terminal`, a Python bot's breakpoint() opens a debugger there, if its
    sandbox lets it. Raises ArenaError if the bot cannot be built.
    """
    stored = asked.stored
    limits = replace(stored.limits if request.limited else UNLIMITED, freeze=False)
    with open_workshop(asked.sandbox, packages=request.packages) as workshop:
        program = debuggable(workshop, asked.bot, terminal)
        hello, moments = encode(stored.hello), asked_moments(stored)
        return ask_again(hello, moments, program, asked.sandbox, limits, watcher, gateway)


def write_lines(file: Path, stored: StoredSeat, decisions: Sequence[RerunDecision]) -> None:
    """Write the conversation for a bot's own tests to a new file; raises ArenaError."""
    with new_file(file) as out:
        out.writelines(lines_for_tests(stored, decisions))


def _seat(request: RerunAs, name: str, seats: Sequence[str]) -> int:
    listed = ", ".join(f"{seat} {name}" for seat, name in enumerate(seats))
    where = f"fixture {request.fixture}"
    if request.seat is None:
        if name in seats:
            return seats.index(name)
        hint = f"name a seat with --seat: {listed}"
        raise ArenaError(f"'{name}' did not play in this fixture", where, hint)
    if request.seat >= len(seats):
        raise ArenaError(f"there is no seat {request.seat}", where, f"its seats: {listed}")
    return request.seat


def _stored_seat(
    request: RerunAs, schedule: Schedule, played: PlayedFixture, seat: int
) -> StoredSeat:
    fixture = played.fixture
    _, rules = schedule.drawn.get(fixture.id, (None, None))
    games = [record for record in played.games if request.game in (None, record.game)]
    try:
        sound = rules and all(replay(fixture, rules, record) == record for record in games)
    except ReplayError:
        sound = False
    if rules is None or not sound:
        what = f"fixture {request.fixture} is not as it was played"
        raise ArenaError(what, str(request.store), "see: arena verify")
    return StoredSeat(fixture, rules, schedule.conditions.limits, games, seat)
