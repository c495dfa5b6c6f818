"""Bots tried: whether they start, before a league; whether they fault, in games of their own."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.match.seats import Seats
from arena.match.table import play_fixture
from arena.perudo.round_limit import max_rounds
from arena.perudo.rules import VARIANTS, Rules
from arena.records import Fault, Faulted, Fixture, LimitsInfo, PlayedFixture
from arena.sandboxes.base import Sandbox
from arena.sandboxes.run_folder import run_folder
from arena.sessions.multiplexer import Multiplexer
from arena.submissions.bot import Bot, StagedBot
from arena.submissions.staging import stage

_THREADS = 4
_GAMES = 5
_TABLE_SIZES = (2, 3)


@contextmanager
def prepared(
    bots: Sequence[Bot], rules: Rules, limits: LimitsInfo, sandbox: Sandbox
) -> Iterator[list[StagedBot]]:
    """Stage and try every bot; yields them in the order given, and removes the copies afterwards.

    Raises ArenaError for the first that does not start.
    """
    with run_folder() as runs:

        def prepare(bot: Bot) -> StagedBot:
            staged = stage(bot, runs, sandbox)
            if fault := try_start(staged, rules, sandbox, limits):
                what = f"'{bot.name}' does not start: {fault.detail}"
                raise ArenaError(what, str(bot.source), f"see why: arena check {bot.source}")
            return staged

        by_digest = {bot.info.digest: bot for bot in bots}
        staged = dict(zip(by_digest, _map(prepare, by_digest.values(), sandbox), strict=True))
        yield [staged[bot.info.digest] for bot in bots]


def try_start(bot: StagedBot, rules: Rules, sandbox: Sandbox, limits: LimitsInfo) -> Fault | None:
    """Start a bot, greet it and end it; returns its fault, None if it was ready in time."""
    fixture = Fixture("start", 0, rules.name, (bot.name,), "start", 1)
    with Multiplexer([bot.program], sandbox, limits) as multiplexer:
        if fault := Seats(fixture, rules, multiplexer).start(0):
            return fault
        [(_, _, reply)] = multiplexer.wait()
        return reply if isinstance(reply, Fault) else None


def _map(
    prepare: Callable[[Bot], StagedBot], bots: Collection[Bot], sandbox: Sandbox
) -> Iterable[StagedBot]:
    """Prepare bots one by one, or several at a time if a start is mostly waiting."""
    if not sandbox.starts_slowly:
        return map(prepare, bots)
    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(prepare, bots))


class CheckedBot(Struct, frozen=True):
    """How a bot did: its faults, one line each, and the end of its standard error."""

    bot: str
    games: int
    decisions: int
    faults: list[str]
    stderr: str
    build: str = ""
    """The end of the output of its build, filled in by whoever staged the bot."""


def check_bot(bot: StagedBot, sandbox: Sandbox, limits: LimitsInfo | None = None) -> CheckedBot:
    """Play a bot against itself under each variant, with calza and without."""
    limits = (limits or LimitsInfo()).complete(_GAMES)
    plain = list(VARIANTS.values())
    full = [replace(rules, calza=True, lost_dice_visible=True) for rules in plain]
    played = [
        _play(bot, rules, players, sandbox, limits)
        for rules in [*plain, *full]
        for players in _TABLE_SIZES
    ]
    return CheckedBot(
        bot=bot.name,
        games=sum(len(fixture.games) for fixture in played),
        decisions=sum(fixture.decisions for fixture in played),
        faults=[line for fixture in played for line in _faults(fixture)],
        stderr=next((text for fixture in played for text in fixture.stderr if text), ""),
    )


def _play(
    bot: StagedBot, rules: Rules, players: int, sandbox: Sandbox, limits: LimitsInfo
) -> PlayedFixture:
    seats = (bot.name,) * players
    rounds = max_rounds(rules, players)
    fixture = Fixture("check", 0, rules.name, seats, "check", _GAMES, max_rounds=rounds)
    with Multiplexer([bot.program] * players, sandbox, limits) as multiplexer:
        return play_fixture(fixture, rules, multiplexer)


def _faults(played: PlayedFixture) -> list[str]:
    table = f"{played.fixture.variant}, {len(played.fixture.seats)} players"
    return [
        f"{table}, game {record.game}: {event.cause}: {event.detail}"
        for record in played.games
        for event in record.events
        if isinstance(event, Faulted)
    ]
