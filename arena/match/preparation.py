"""Bots copied, built and tried, before the first game."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from arena.errors import ArenaError
from arena.match.table import try_start
from arena.perudo.rules import Rules
from arena.records import LimitsInfo
from arena.sandboxes.base import Sandbox
from arena.sandboxes.run_folder import run_folder
from arena.submissions.manifest import Bot
from arena.submissions.staging import stage

_AT_A_TIME = 4


@contextmanager
def prepared(
    bots: Sequence[Bot], rules: Rules, limits: LimitsInfo, sandbox: Sandbox
) -> Iterator[list[Bot]]:
    """Copy, build and try every bot; yields them in the order given, and removes the copies after.

    Raises ArenaError for the first that does not start.
    """
    with run_folder() as runs:

        def make_ready(bot: Bot) -> Bot:
            staged = stage(bot, runs, sandbox)
            _try(bot, staged, rules, limits, sandbox)
            return staged

        different = {bot.info.digest: bot for bot in bots}
        staged = dict(zip(different, _each(make_ready, different.values(), sandbox), strict=True))
        yield [staged[bot.info.digest] for bot in bots]


def _each(
    make_ready: Callable[[Bot], Bot], bots: Collection[Bot], sandbox: Sandbox
) -> Iterable[Bot]:
    """Make bots ready one by one; where a start is mostly waiting, several at a time."""
    if not sandbox.starts_slowly:
        return map(make_ready, bots)
    with ThreadPoolExecutor(_AT_A_TIME) as threads:
        return list(threads.map(make_ready, bots))


def _try(bot: Bot, staged: Bot, rules: Rules, limits: LimitsInfo, sandbox: Sandbox) -> None:
    if fault := try_start(staged, rules, sandbox, limits):
        hint = f"see why: arena check {bot.folder}"
        raise ArenaError(f"'{bot.name}' does not start: {fault.detail}", str(bot.folder), hint)
