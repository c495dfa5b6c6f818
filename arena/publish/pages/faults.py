"""Page model of the faults: alike ones together, by bot, cause and detail."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import Cause
from arena.playstats.fault_entry import FaultEntry
from arena.playstats.fault_summary import BotFaults as Found
from arena.playstats.league_summary import LeagueSummary

SHOWN = 500
"""Kinds of faults on the page; the data files have every fault."""


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
    others: int
    """Faults of further kinds, which came after many."""

    @property
    def share(self) -> float:
        """The share of its games in which it faulted."""
        return self.faulted / self.games

    @property
    def rows(self) -> int:
        """How many rows of the page are about it."""
        return len(self.kinds) + bool(self.others)


class FaultsPage(Struct, frozen=True):
    """What the page of faults shows."""

    bots: list[BotFaults]
    left: int
    """Kinds of faults that are not shown."""
    faulty: int
    """How many bots faulted."""


def faults_page(summary: LeagueSummary) -> FaultsPage:
    """Return what the page of faults shows."""
    every = by_bot(summary)
    shown, left = list[BotFaults](), SHOWN
    for bot in every:
        shown += [replace(bot, kinds=bot.kinds[:left])] if left else []
        left = max(0, left - len(bot.kinds))
    hidden = sum(len(bot.kinds) for bot in every) - sum(len(bot.kinds) for bot in shown)
    return FaultsPage(shown, hidden, len(every))


def by_bot(summary: LeagueSummary) -> list[BotFaults]:
    """Return the faults of each bot that faulted, the bot with the most faulted games first."""
    found = [
        BotFaults(bot, summary.games_of(bot), of.games, list(_kinds(of)), of.others)
        for bot, of in summary.faults.bots.items()
    ]
    return sorted(found, key=lambda one: (-one.faulted, one.bot))


def _kinds(faults: Found) -> Iterator[Kind]:
    for _, kind in sorted(faults.kinds.items(), key=lambda one: (-one[1].count, one[0])):
        yield Kind(kind.first.cause, kind.first, kind.count)
