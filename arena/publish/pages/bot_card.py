"""The card at the head of a bot's page: how good it is, how it plays, whom it beats."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from msgspec import Struct

from arena.playstats.league_summary import LeagueSummary
from arena.playstats.style import Style
from arena.publish.output.text import fixed, percent
from arena.publish.pages.standings import StandingRow
from arena.ratings.leaderboard_rows import Leaderboard
from arena.ratings.maths.intervals import wilson

NAMED = 3
"""Rivals that are named on either side."""
_STRIKING = 0.2
"""A bot is told by a trait if it is this far from the middle of the field, in shares of bots."""

_TRAITS = {
    "bluffs": ("bluffs more", "bluffs less", "of its bids"),
    "dudos": ("doubts more", "doubts less", "of its turns on a bid"),
    "dudos_right": ("doubts better", "doubts worse", "of its dudos are right"),
    "boldness": ("opens higher", "opens lower", "times what is to be expected"),
}
"""Of each trait, the words for more and for less than most, and the unit of its number."""


class Trait(Struct, frozen=True):
    """One thing that a bot does, against the field."""

    name: str
    more: str
    less: str
    of: str
    value: str
    median: str
    below: float
    """The share of the other bots that do it less; half of those that do it as much."""

    @property
    def words(self) -> str:
        """The trait in words, compared with most bots."""
        return f"{self.more if self.below > 0.5 else self.less} than most"


class Card(Struct, frozen=True):
    """A bot in short."""

    overall: StandingRow | None
    best: tuple[Leaderboard, StandingRow] | None
    """Where it surely stands highest."""
    traits: list[Trait]
    beats: list[str]
    """Rivals that it finished ahead of more often than chance explains, the clearest first."""
    loses_to: list[str]

    @property
    def striking(self) -> list[Trait]:
        """The two traits that tell it best from the field."""
        far = [trait for trait in self.traits if abs(trait.below - 0.5) >= _STRIKING]
        return sorted(far, key=lambda trait: -abs(trait.below - 0.5))[:2]


class Field:
    """How all bots play, to compare one with."""

    def __init__(self, summary: LeagueSummary) -> None:
        styles = {bot: whole_style(summary, bot) for bot in summary.bots}
        self._values = {bot: _values(style) for bot, style in styles.items()}
        self._sorted = {
            name: sorted(of[name] for of in self._values.values() if name in of) for name in _TRAITS
        }

    def traits(self, bot: str) -> list[Trait]:
        """Return what a bot does against the field; nothing for what it never had to do."""
        own = self._values.get(bot, {})
        return [
            self._trait(name, own[name])
            for name in _TRAITS
            if name in own and len(self._sorted[name]) > 1
        ]

    def _trait(self, name: str, value: float) -> Trait:
        others = self._sorted[name]
        low, high = bisect_left(others, value), bisect_right(others, value)
        below = (low + (high - low - 1) / 2) / (len(others) - 1)
        written = fixed if name == "boldness" else percent
        named = name.replace("_", " ").capitalize()
        return Trait(named, *_TRAITS[name], written(value), written(median(others)), below)


def whole_style(summary: LeagueSummary, bot: str) -> Style:
    """Return how a bot plays at all tables."""
    whole = Style()
    for at in summary.bots.get(bot, {}).values():
        whole.add(at.style)
    return whole


def _values(style: Style) -> dict[str, float]:
    shares = {name: rate.share for name, rate in style.rates().items()}
    boldness = style.mean_boldness()
    shares["boldness"] = boldness.mean if boldness else None
    return {name: share for name, share in shares.items() if share is not None}


def card(
    bot: str,
    overall: Mapping[str, StandingRow],
    places: Sequence[tuple[Leaderboard, StandingRow]],
    field: Field,
) -> Card:
    """Return the card of a bot that stands at these places of the leaderboards."""
    duels = _duels(bot, [board for board, _ in places])
    ends = {rival: wilson(ahead, games) for rival, (ahead, games) in duels.items()}
    won = sorted((-low, rival) for rival, (low, _) in ends.items() if low > 0.5)
    lost = sorted((high, rival) for rival, (_, high) in ends.items() if high < 0.5)
    return Card(
        overall=overall.get(bot),
        best=min(places, key=lambda place: (place[1].worst, place[1].best), default=None),
        traits=field.traits(bot),
        beats=[rival for _, rival in won[:NAMED]],
        loses_to=[rival for _, rival in lost[:NAMED]],
    )


def _duels(bot: str, boards: Iterable[Leaderboard]) -> dict[str, tuple[int, int]]:
    """Return in how many games it was ahead of each rival, of how many, at all tables."""
    known: dict[str, tuple[int, int]] = {}
    for board in boards:
        for rival, duel in board.duels_of(bot).items():
            ahead, games = known.get(rival, (0, 0))
            known[rival] = ahead + duel.ahead, games + duel.games
    return known
