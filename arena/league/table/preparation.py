"""Bots made ready for a table: staged, and started once to see whether they can play."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from msgspec.structs import replace

from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.packages import wanted_by
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.run_once import last_line
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.workshop import Workshop, open_workshop
from arena.game.records import Fault, Fixture, LimitsInfo
from arena.game.rules.books import Rules
from arena.io.errors import ArenaError
from arena.league.table.live_seat import LiveSeat, hello_to

_THREADS = 4
_LINE = 150
"""How many characters of a bot's last line are shown."""


def prepare(
    workshop: Workshop, bots: Sequence[Bot], rules: Rules, limits: LimitsInfo
) -> list[StagedBot]:
    """Stage every bot and try to start it; returns them in order.

    Raises ArenaError for the first bot that does not start.
    """
    for bot in bots:
        # Before anything is built.
        wanted_by(bot, bot.folder, allowed=workshop.packages)

    def stage(bot: Bot) -> StagedBot:
        staged = workshop.stage(bot)
        if fault := try_start(staged, rules, workshop.sandbox, limits):
            what = f"'{bot.name}' does not start: {fault.detail}"
            raise ArenaError(what, str(bot.source), f"see why: arena check {bot.source}")
        return staged

    by_digest = {bot.info.digest: bot for bot in bots}
    if workshop.sandbox.starts_slowly:  # a start is mostly waiting
        with ThreadPoolExecutor(_THREADS) as threads:
            results = list(threads.map(stage, by_digest.values()))
    else:
        results = list(map(stage, by_digest.values()))
    staged = dict(zip(by_digest, results, strict=True))
    # Bots with the same files may have names of their own.
    return [replace(staged[bot.info.digest], info=bot.info) for bot in bots]


def without_failing_samples(
    bots: Sequence[Bot],
    rules: Rules,
    sandbox: Sandbox,
    limits: LimitsInfo,
    note: Callable[[str], None],
) -> tuple[Bot, ...]:
    """Return all bots but those of the arena's own that do not start; `note` gets a line for each.

    Their runtime may be here in a version that does not work.
    """
    failing = []
    with open_workshop(sandbox) as workshop:
        for bot in bots:
            if not bot.shipped:
                continue
            if fault := try_start(workshop.stage(bot), rules, sandbox, limits):
                failing.append(bot)
                why = f"see why: arena check {bot.source}"
                note(f"left out: {bot.name} does not start: {fault.detail}; {why}")
    return tuple(bot for bot in bots if bot not in failing)


def try_start(bot: StagedBot, rules: Rules, sandbox: Sandbox, limits: LimitsInfo) -> Fault | None:
    """Start a bot, greet it and end it; returns its fault, None if it was ready in time.

    The fault's detail includes the last line of standard error, which mostly has the cause.
    """
    fixture = Fixture("start", 0, rules.name, (bot.name,), "start", 1)
    with Multiplexer([bot.program], sandbox, limits) as multiplexer:
        hello = hello_to(0, fixture, rules, limits, models=multiplexer.asks_models(0))
        fault = LiveSeat(multiplexer).greet(hello)
    line = last_line(multiplexer.stderr[0].encode())[:_LINE]
    return replace(fault, detail=f"{fault.detail}: {line}") if fault and line else fault
