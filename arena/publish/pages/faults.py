"""Page model of the faults: alike ones together, by bot, cause and detail."""

from msgspec import Struct
from msgspec.structs import replace

from arena.playstats.faults import FaultKind
from arena.playstats.league_summary import LeagueSummary

SHOWN = 500
"""Kinds of faults on the page; the data files have every fault."""


class FaultyBot(Struct, frozen=True):
    """The faults of one bot."""

    bot: str
    games: int
    """Games that it played."""
    faulted: int
    """Games in which it faulted."""
    kinds: list[FaultKind]
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
    """The page of faults."""

    bots: list[FaultyBot]
    left: int
    """Kinds of faults that are not shown."""
    faulty: int
    """How many bots faulted."""


def faults_page(summary: LeagueSummary) -> FaultsPage:
    """Return what the page of faults shows."""
    every = by_bot(summary)
    on_page, left = list[FaultyBot](), SHOWN
    for bot in every:
        on_page += [replace(bot, kinds=bot.kinds[:left])] if left else []
        left = max(0, left - len(bot.kinds))
    hidden = sum(len(bot.kinds) for bot in every) - sum(len(bot.kinds) for bot in on_page)
    return FaultsPage(on_page, hidden, len(every))


def by_bot(summary: LeagueSummary) -> list[FaultyBot]:
    """Return the faults of each bot that faulted, the bot with the most faulted games first."""
    faulty = [
        FaultyBot(
            bot=bot,
            games=summary.games_of(bot),
            faulted=faults.games,
            kinds=[
                kind
                for _, kind in sorted(
                    faults.kinds.items(), key=lambda item: (-item[1].count, item[0])
                )
            ],
            others=faults.others,
        )
        for bot, faults in summary.faults.bots.items()
    ]
    return sorted(faulty, key=lambda bot: (-bot.faulted, bot.bot))
