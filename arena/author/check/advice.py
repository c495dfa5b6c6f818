"""Advice to make a bot faster or safer, from measurements."""

from arena.author.check.context import Bench
from arena.author.check.findings import Measured

_NEAR = 0.5
"""The share of a limit from which on a bot is told."""
_SLOW_START = 0.5
"""Seconds to start above which a bot should serve several tables."""


def advice(bench: Bench, measured: Measured) -> list[str]:
    """Return what would help the bot, in whole sentences; none for a bot that did not start."""
    ready, limits = bench.ready, bench.request.limits
    if ready is None:
        return []
    said = []
    if ready.concurrent_games == 1:
        said.append(
            "if it remembers nothing from game to game, say concurrent_games in ready: its games"
            " are played several times as fast"
        )
    if measured.start and measured.start > _SLOW_START and not ready.reusable:
        said.append("if it starts anew at every hello, say reusable in ready: its start is slow")
    if measured.longest and measured.longest > _NEAR * limits.answer:
        said.append(
            f"its longest decision took {measured.longest:.2g} s of {limits.answer:g} s:"
            " a slower machine may make it lose by time"
        )
    if measured.start and measured.start > _NEAR * limits.start:
        said.append(
            f"it started in {measured.start:.1f} of {limits.start:g} s: do less before ready, or a"
            " slower machine may make it late"
        )
    return said
