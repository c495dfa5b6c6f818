"""A stored game put to another build of a bot: what it decides differently, and why it faults."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.author.rerun.debugger import UNLIMITED, debuggable
from arena.bots.bot import Bot
from arena.bots.manifest import find_bot
from arena.bots.models.gateway import Gateway
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import AUTO
from arena.bots.workshop import open_workshop, sandbox_for
from arena.game.exchanges import Exchange
from arena.game.records import PlayedFixture
from arena.game.wire.codec import encode
from arena.io.errors import ArenaError
from arena.io.files import new_file
from arena.league.schedule.schedule import Schedule
from arena.league.store.store import Store
from arena.league.table.recorded_seat import StoredSeat
from arena.league.table.replay import ReplayError, replay
from arena.league.table.rerun_seat import (
    RerunDecision,
    Watcher,
    ask_again,
    asked_moments,
    lines_for_tests,
)
from arena.league.terms.stored_schedule import schedule_of


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
    """What models answered in the fixture."""


def stored_fixture(store: Store, fixture: int, game: int | None) -> PlayedFixture:
    """Return a fixture by its index in the schedule; raises ArenaError if it or a game is missing.

    With `game`, the fixture must have a game of that number.
    """
    played = next(store.played(fixture, fixture), None)
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
