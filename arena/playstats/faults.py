"""The faults of a league: rows, counts, and the few that pages show of each bot."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from msgspec import Struct, field
from msgspec.structs import replace

from arena.game.records import Cause, Division
from arena.playstats.highlights import OF_BOT, BestHighlights, Highlight, surprise
from arena.ratings.columns import (
    Bot,
    FixtureId,
    GameNumber,
    Index,
    Players,
    Positive,
    Variant,
    Whole,
    doc,
)


class FaultEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A fault, and where to find it."""

    cause: Annotated[Cause, doc("Why the bot is out of the game.")]
    bot: Bot
    variant: Variant
    players: Players
    fixture: FixtureId
    index: Index
    game: GameNumber
    round: Annotated[Whole, doc("From 0.")]
    step: Annotated[Whole, doc("The fault's place among the events of its game, from 0.")]
    seat: Annotated[Whole, doc("From 0.")]
    dice: Annotated[Positive, doc("Dice on the table.")]
    opponents: Annotated[tuple[str, ...], doc("Who else sat at the table, in the order of seats.")]
    detail: Annotated[str, doc("What exactly was wrong; it may quote the bot.")]


FIRST = 50
"""Faults of a bot that are kept, the first ones."""
KINDS = 100
"""Kinds of faults that are counted for each bot: random details must not fill the memory."""
_VARYING = re.compile(r'"[^"]*"|\d+(?:[.,]\d+)*')
"""Numbers and quotations: details that differ in nothing else are alike."""
_Kind = tuple[str, str]


class FaultKind(Struct):
    """Faults of one bot with the same cause and like details."""

    first: FaultEntry
    count: int = 0


class BotFaults(Struct):
    """The faults of one bot."""

    games: int = 0
    """Games in which it faulted."""
    causes: Counter[Cause] = field(default_factory=Counter)
    kinds: dict[_Kind, FaultKind] = field(default_factory=dict)
    """The first kinds, in the order of their first faults."""
    others: int = 0
    """Faults of further kinds."""
    first: list[FaultEntry] = field(default_factory=list)
    by_fixture: dict[int, FaultEntry] = field(default_factory=dict)
    """The first fault in each fixture of which standard error is kept."""

    @property
    def count(self) -> int:
        """How many faults there are."""
        return self.causes.total()


class FaultSummary(Struct):
    """The faults of a league."""

    games: int = 0
    """Games in which anybody faulted."""
    bots: dict[str, BotFaults] = field(default_factory=dict)
    """The bots that faulted, in the order of their first faults."""

    def by_cause(self) -> dict[Cause, int]:
        """Return how many faults of each cause there are, in the vocabulary's order."""
        counts = sum((faults.causes for faults in self.bots.values()), Counter[Cause]())
        return {cause: counts[cause] for cause in Cause if counts[cause]}


class FaultHighlights:
    """The faults that may be among the best highlights, while faults come in schedule order.

    How surprising a bot's faults are is known at the end only; it is the same for all of them. So
    those with the most dice are kept, and the first ones, in case none is a surprise.
    """

    def __init__(self) -> None:
        self._found = defaultdict[tuple[str, Division], tuple[BestHighlights, BestHighlights]](
            lambda: (BestHighlights(OF_BOT, OF_BOT), BestHighlights(OF_BOT, OF_BOT))
        )

    def add(self, fault: FaultEntry) -> None:
        """Keep a fault that may become a highlight."""
        division = Division(fault.variant, fault.players)
        largest, first = self._found[fault.bot, division]
        for best, score in ((largest, float(fault.dice)), (first, 0.0)):
            if best.takes("fault", score):
                best.add([_highlight(fault, score)])

    def highlights(self, shares: Mapping[str, float]) -> Iterator[Highlight]:
        """Yield what was kept, given how many faults each bot has per game."""
        for (bot, _), (largest, first) in self._found.items():
            share, bits = shares[bot], surprise(shares[bot])
            for highlight in (largest if bits else first).kept:
                yield replace(highlight, score=bits * highlight.dice, chance=share)


def summarize_faults(
    faults: Iterable[FaultEntry], with_stderr: Mapping[str, Mapping[int, str]]
) -> tuple[FaultSummary, FaultHighlights]:
    """Count faults, given in schedule order, and keep those that pages show."""
    league, highlights = FaultSummary(), FaultHighlights()
    game, faulty = (-1, -1), set[str]()
    for fault in faults:
        if game != (fault.index, fault.game):
            game, faulty = (fault.index, fault.game), set()
            league.games += 1
        bot = league.bots.setdefault(fault.bot, BotFaults())
        bot.games += fault.bot not in faulty
        faulty.add(fault.bot)
        bot.causes[fault.cause] += 1
        if len(bot.first) < FIRST:
            bot.first.append(fault)
        kind = fault.cause.value, _VARYING.sub("…", fault.detail)
        if kind not in bot.kinds and len(bot.kinds) == KINDS:
            bot.others += 1
        else:
            bot.kinds.setdefault(kind, FaultKind(fault)).count += 1
        if fault.index in with_stderr.get(fault.bot, ()):
            bot.by_fixture.setdefault(fault.index, fault)
        highlights.add(fault)
    return league, highlights


def _highlight(fault: FaultEntry, score: float) -> Highlight:
    return Highlight(
        kind="fault",
        score=score,
        bot=fault.bot,
        variant=fault.variant,
        players=fault.players,
        index=fault.index,
        game=fault.game,
        round=fault.round,
        step=fault.step,
        seat=fault.seat,
        chance=0.0,
        dice=fault.dice,
        cause=fault.cause,
    )
