"""Page model of the faults: alike ones together, by bot, cause and detail."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.playstats.game_scan import FaultEntry
from arena.playstats.league_summary import LeagueSummary
from arena.records import Cause

SHOWN = 500
"""Kinds of faults on the page; the data files have every fault."""
_VARYING = re.compile(r'"[^"]*"|\d+(?:[.,]\d+)*')
"""What differs between details that say the same: numbers, and what was quoted."""


class Kind(Struct, frozen=True):
    """Faults of one bot with the same cause and like details."""

    cause: Cause
    first: FaultEntry
    count: int


class BotFaults(Struct, frozen=True):
    """The faults of one bot."""

    bot: str
    games: int
    """Games that it played."""
    faulted: int
    """Games in which it faulted."""
    kinds: list[Kind]
    """The most frequent first."""

    @property
    def share(self) -> float:
        """The share of its games in which it faulted."""
        return self.faulted / self.games


def model(summary: LeagueSummary) -> dict[str, Any]:
    """Return what the page of faults shows."""
    every = by_bot(summary)
    shown, left = list[BotFaults](), SHOWN
    for one in every:
        shown += [replace(one, kinds=one.kinds[:left])] if left else []
        left = max(0, left - len(one.kinds))
    hidden = sum(len(one.kinds) for one in every) - sum(len(one.kinds) for one in shown)
    return {"bots": shown, "left": hidden, "faulty": len(every)}


def by_bot(summary: LeagueSummary) -> list[BotFaults]:
    """Return the faults of each bot that faulted, the bot with the most faulted games first."""
    faults: dict[str, list[FaultEntry]] = defaultdict(list)
    for fault in summary.faults:
        faults[fault.bot].append(fault)
    found = [
        BotFaults(
            bot=bot,
            games=_games(summary, bot),
            faulted=len({(one.index, one.game) for one in of}),
            kinds=list(_kinds(of)),
        )
        for bot, of in faults.items()
    ]
    return sorted(found, key=lambda one: (-one.faulted, one.bot))


def _games(summary: LeagueSummary, bot: str) -> int:
    return sum(seat.games for at in summary.bots[bot].values() for seat in at.seats.values())


def _kinds(faults: Sequence[FaultEntry]) -> Iterator[Kind]:
    """Yield the kinds of one bot's faults, which are in schedule order."""
    counts = Counter(map(_kind, faults))
    first = {_kind(fault): fault for fault in reversed(faults)}
    for kind, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        yield Kind(first[kind].cause, first[kind], count)


def _kind(fault: FaultEntry) -> tuple[str, str]:
    return fault.cause.value, _VARYING.sub("…", fault.detail)
