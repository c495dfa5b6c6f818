"""Page model of highlights: what happened, in words, and where to watch it."""

from collections.abc import Container, Iterable, Iterator
from itertools import groupby

from msgspec import Struct

from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.playstats.highlights import KINDS, Highlight, HighlightKind
from arena.publish.fault_words import CAUSES
from arena.publish.links import Links
from arena.publish.replay.selection import ReplayChoice
from arena.publish.replay.steps import likely
from arena.publish.site_highlights import SiteHighlights
from arena.ratings.leaderboard_rows import Leaderboard

TITLES: dict[HighlightKind, tuple[str, str]] = {
    "comeback": ("Comebacks", "Won from at most half of a fair share of the dice."),
    "bluff": ("Bluffs that survived", "False bids that were raised, and that nobody called."),
    "call": ("Brave calls that were right", "Doubts that were less than 50 % likely to be right."),
    "calza": ("Exact calls", "Calzas that were right to the die."),
    "upset": ("Upsets", "Wins over a rival that is rated higher."),
    "fault": ("Faults", "Games that a bot lost by an error; the rarer it errs, the higher here."),
}
"""Of each kind, its heading and what it holds."""


class HighlightView(Struct, frozen=True):
    """A highlight to link to. Paths are relative to the site's folder."""

    highlight: Highlight
    did: str
    """A verb phrase that follows the bot's name."""
    href: str
    """The replay at this highlight, as the bot saw it."""

    @property
    def title(self) -> str:
        """The highlight in a line."""
        return f"{self.highlight.bot} {self.did}"

    @property
    def where(self) -> str:
        """The table, in short."""
        return f"{self.highlight.variant}, {self.highlight.players} players"


class HighlightList(Struct, frozen=True):
    """The highlights of one kind, the best first."""

    kind: HighlightKind
    title: str
    about: str
    highlights: list[HighlightView]


class WatchPage(Struct, frozen=True):
    """A page of highlights to watch."""

    lists: list[HighlightList]
    board: Leaderboard | None = None
    """The leaderboard of their tables; None for the whole league."""


class ReplayPage(Struct, frozen=True):
    """The page of the replay."""

    first: str
    """Fixture, game and step of the first game."""
    choice: ReplayChoice
    most: int | None
    """How many of the games have a replay at most."""
    upset: float
    """A game is an upset if its winner was less likely than this to win."""
    lists: list[HighlightList]


def lists(
    highlights: Iterable[Highlight], watchable: Container[tuple[int, int]]
) -> list[HighlightList]:
    """Return the highlights whose games can be watched, by kind, of each game the best."""
    by_kind = sorted(highlights, key=lambda highlight: KINDS.index(highlight.kind))
    first: dict[tuple[HighlightKind, int, int], Highlight] = {}
    for highlight in by_kind:
        if (highlight.index, highlight.game) in watchable:
            first.setdefault((highlight.kind, highlight.index, highlight.game), highlight)
    return [
        HighlightList(kind, *TITLES[kind], [view(highlight) for highlight in of])
        for kind, of in groupby(first.values(), lambda highlight: highlight.kind)
    ]


def highlights(
    highlights: SiteHighlights, watchable: Container[tuple[int, int]], most: int
) -> list[HighlightView]:
    """Return a league's best highlights, one of each kind at most, and no bot twice; no faults."""
    views: list[HighlightView] = []
    for of in lists(highlights.league, watchable):
        bots = {other.highlight.bot for other in views}
        new = [other for other in of.highlights if other.highlight.bot not in bots]
        views += new[: of.kind != "fault"]
    return views[:most]


def view(highlight: Highlight) -> HighlightView:
    """Return a highlight in words."""
    href = f"{Links.step(highlight.index, highlight.game, highlight.step)}&see={highlight.seat}"
    return HighlightView(highlight, " ".join(_did(highlight)), href)


def _did(highlight: Highlight) -> Iterator[str]:
    bid, chance = name_bid(Bid(highlight.quantity, highlight.face)), likely(highlight.chance)
    match highlight.kind:
        case "comeback":
            yield f"wins with {_dice(highlight.own)} against {highlight.dice - highlight.own}"
        case "bluff":
            yield f"bids {bid}, {f'{chance} likely' if highlight.chance else 'knowing it false'},"
            yield "and gets away with it"
        case "call":
            yield f"doubts {bid}, {chance} likely, and is right"
        case "calza":
            yield f"calls {bid} exact, {chance} likely, and is right"
        case "upset":
            yield f"wins, only {chance} likely to beat {highlight.rival}"
        case "fault":
            yield f"{CAUSES[highlight.cause].did if highlight.cause else 'faults'},"
            yield f"with {_dice(highlight.dice)} on the table"


def _dice(number: int) -> str:
    return "1 die" if number == 1 else f"{number} dice"
