"""Games of a new version among sample bots, before it plays for anything: only its faults count."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from arena.bots.bot import StagedBot, runtimes_of
from arena.bots.builds.staging import stage
from arena.bots.manifest import find_bots, load_bot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import make_sandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Faulted, Fixture, LimitsInfo
from arena.game.rules.books import Rules
from arena.game.rules.round_limit import max_rounds
from arena.league.table.play_fixture import play_fixture

GAMES = 20
_COMPANY = ("honest", "odds", "random", "bluffer")
"""Sample bots in Python, which every sandbox can run; with one of them twice at a table of six."""


class TrialRequest(Struct, frozen=True):
    """Which version to try, and at which tables."""

    source: Path
    variants: dict[str, Rules]
    players: tuple[int, ...]
    limits: LimitsInfo
    sandbox: str
    images: dict[str, str]
    packages: bool


class TrialFault(NamedTuple):
    """What the version did wrong."""

    what: str
    where: str
    asked: str
    came: str


class _LastLines:
    """The last request to a seat, and the last line from it."""

    def __init__(self, seat: int) -> None:
        self._seat = seat
        self.asked = self.came = ""

    def add(self, seat: int, direction: str, line: bytes) -> None:
        """Note a line to a bot (`>>`) or from it (`<<`)."""
        if seat != self._seat:
            return
        text = line.decode("utf-8", "backslashreplace").rstrip("\r\n")
        if direction == ">>" and '"id":' in text:
            self.asked, self.came = text, ""
        elif direction == "<<":
            self.came = text


def trial(request: TrialRequest) -> tuple[int, list[TrialFault]]:
    """Play the games of a trial; returns how many there were, and what the version did wrong.

    Raises ArenaError if a bot cannot be made ready.
    """
    bot = load_bot(request.source)
    company = find_bots([(f"sample:{name}", "ladder") for name in _COMPANY], Path.cwd())
    sandbox = make_sandbox(request.sandbox, runtimes_of([bot, *company]), request.images)
    kinds = [(label, players) for label in request.variants for players in request.players]
    games = max(GAMES, len(kinds))
    faults: list[TrialFault] = []
    with run_folder() as runs:
        staged = stage(bot, runs, sandbox, packages=request.packages)
        rivals = [stage(one, runs, sandbox) for one in company]
        for number in range(games):
            label, players = kinds[number % len(kinds)]
            table = _Table(label, request.variants[label], number % players, number)
            seats = [rivals[(number + n) % len(rivals)] for n in range(players)]
            seats[table.seat] = staged
            faults += _play(table, seats, sandbox, request.limits)
    return games, faults


class _Table(NamedTuple):
    label: str
    rules: Rules
    seat: int
    """Where the version sits."""
    number: int


def _play(
    table: _Table, bots: Sequence[StagedBot], sandbox: Sandbox, limits: LimitsInfo
) -> list[TrialFault]:
    """Play one game; returns the faults of the version."""
    names = tuple(f"{bot.name}-{seat}" for seat, bot in enumerate(bots))
    seed, rounds = f"trial-{table.number}", max_rounds(table.rules, len(bots))
    fixture = Fixture(seed, table.number, table.label, names, seed, 1, max_rounds=rounds)
    lines = _LastLines(table.seat)
    programs = [bot.program for bot in bots]
    with Multiplexer(programs, sandbox, limits.complete(1), lines.add) as multiplexer:
        played = play_fixture(fixture, table.rules, multiplexer)
    place = f"{table.label}, {len(bots)} players, seat {table.seat}, game {table.number + 1}"
    return [
        TrialFault(f"{event.cause}: {event.detail}", place, lines.asked, lines.came)
        for game in played.games
        for event in game.events
        if isinstance(event, Faulted) and event.seat == table.seat
    ]
