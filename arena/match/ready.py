"""Bots copied, built and tried, before the first game."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from arena.bots.manifest import Bot
from arena.bots.sandbox import Sandbox
from arena.bots.stage import stage, staging
from arena.errors import ArenaError
from arena.match.table import try_start
from arena.perudo.rules import Rules
from arena.records import LimitsInfo


@contextmanager
def ready(
    bots: Sequence[Bot], rules: Rules, limits: LimitsInfo, sandbox: Sandbox
) -> Iterator[list[Bot]]:
    """Copy, build and try every bot; yields them in the order given, and removes the copies after.

    Raises ArenaError for the first that does not start.
    """
    with staging() as runs:
        staged: dict[str, Bot] = {}
        for bot in bots:
            if bot.info.digest not in staged:
                staged[bot.info.digest] = stage(bot, runs, sandbox)
                _try(bot, staged[bot.info.digest], rules, limits, sandbox)
        yield [staged[bot.info.digest] for bot in bots]


def _try(bot: Bot, staged: Bot, rules: Rules, limits: LimitsInfo, sandbox: Sandbox) -> None:
    if fault := try_start(staged, rules, sandbox, limits):
        hint = f"see why: arena check {bot.folder}"
        raise ArenaError(f"'{bot.name}' does not start: {fault.detail}", str(bot.folder), hint)
