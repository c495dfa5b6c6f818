"""Bots made ready for a league: staged, and started once to see whether they can play."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from msgspec.structs import replace

from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.packages import wanted_by
from arena.bots.builds.staging import stage
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.bots.sandboxes.run_once import last_line
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Fault, Fixture, LimitsInfo
from arena.game.rules.books import Rules
from arena.io.errors import ArenaError
from arena.league.table.live_seat import LiveSeat, hello_to

_THREADS = 4
_LINE = 150
"""How many characters of a bot's last line are shown."""


@contextmanager
def prepared(
    bots: Sequence[Bot],
    rules: Rules,
    limits: LimitsInfo,
    sandbox: Sandbox,
    *,
    packages: bool = False,
) -> Iterator[list[StagedBot]]:
    """Stage every bot and try to start it; yields them in order, removes the copies afterwards.

    `packages`: whether the Python packages that bots ask for are installed. Raises ArenaError for
    the first bot that does not start.
    """
    for bot in bots:
        # Before anything is built.
        wanted_by(bot, bot.folder, allowed=packages)
    with run_folder() as runs:

        def prepare(bot: Bot) -> StagedBot:
            staged = stage(bot, runs, sandbox, packages=packages)
            if fault := try_start(staged, rules, sandbox, limits):
                what = f"'{bot.name}' does not start: {fault.detail}"
                raise ArenaError(what, str(bot.source), f"see why: arena check {bot.source}")
            return staged

        by_digest = {bot.info.digest: bot for bot in bots}
        staged = dict(zip(by_digest, _map(prepare, by_digest.values(), sandbox), strict=True))
        yield [staged[bot.info.digest] for bot in bots]


def try_start(bot: StagedBot, rules: Rules, sandbox: Sandbox, limits: LimitsInfo) -> Fault | None:
    """Start a bot, greet it and end it; returns its fault, None if it was ready in time.

    The fault's detail includes the last line of standard error, which mostly has the cause.
    """
    fixture = Fixture("start", 0, rules.name, (bot.name,), "start", 1)
    with Multiplexer([bot.program], sandbox, limits) as multiplexer:
        fault = LiveSeat(multiplexer).greet(hello_to(0, fixture, rules, limits))
    line = last_line(multiplexer.stderr[0].encode())[:_LINE]
    return replace(fault, detail=f"{fault.detail}: {line}") if fault and line else fault


def _map(
    prepare: Callable[[Bot], StagedBot], bots: Collection[Bot], sandbox: Sandbox
) -> Iterable[StagedBot]:
    """Prepare bots one by one, or several at a time if a start is mostly waiting."""
    if not sandbox.starts_slowly:
        return map(prepare, bots)
    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(prepare, bots))
