"""Page model of moments: what happened, in words, and where to watch it."""

from collections.abc import Container, Iterable, Iterator
from itertools import groupby

from msgspec import Struct

from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.playstats.moments import KINDS, Moment, MomentKind
from arena.publish.fault_words import CAUSES
from arena.publish.links import Links
from arena.publish.replay.selection import ReplayChoice
from arena.publish.replay.steps import likely
from arena.publish.site_moments import SiteMoments
from arena.ratings.table import Leaderboard

TITLES: dict[MomentKind, tuple[str, str]] = {
    "comeback": ("Comebacks", "Won from at most half of a fair share of the dice."),
    "bluff": ("Bluffs that survived", "False bids that were raised, and that nobody called."),
    "call": ("Brave calls that were right", "Doubts that were less than 50 % likely to be right."),
    "calza": ("Exact calls", "Calzas that were right to the die."),
    "upset": ("Upsets", "Wins over a rival that is rated higher."),
    "fault": ("Faults", "Games that a bot lost by an error; the rarer it errs, the higher here."),
}
"""Of each kind, its heading and what it holds."""


class MomentView(Struct, frozen=True):
    """A moment to link to. Paths are relative to the site's folder."""

    moment: Moment
    did: str
    """A verb phrase that follows the bot's name."""
    href: str
    """The replay at this moment, as the bot saw it."""

    @property
    def title(self) -> str:
        """The moment in a line."""
        return f"{self.moment.bot} {self.did}"

    @property
    def where(self) -> str:
        """The table, in short."""
        return f"{self.moment.variant}, {self.moment.players} players"


class MomentList(Struct, frozen=True):
    """The moments of one kind, the best first."""

    kind: MomentKind
    title: str
    about: str
    moments: list[MomentView]


class WatchPage(Struct, frozen=True):
    """A page of moments to watch."""

    lists: list[MomentList]
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
    lists: list[MomentList]


def lists(moments: Iterable[Moment], watchable: Container[tuple[int, int]]) -> list[MomentList]:
    """Return the moments whose games can be watched, by kind, of each game the best."""
    by_kind = sorted(moments, key=lambda moment: KINDS.index(moment.kind))
    first: dict[tuple[MomentKind, int, int], Moment] = {}
    for moment in by_kind:
        if (moment.index, moment.game) in watchable:
            first.setdefault((moment.kind, moment.index, moment.game), moment)
    return [
        MomentList(kind, *TITLES[kind], [view(moment) for moment in of])
        for kind, of in groupby(first.values(), lambda moment: moment.kind)
    ]


def highlights(
    moments: SiteMoments, watchable: Container[tuple[int, int]], most: int
) -> list[MomentView]:
    """Return a league's best moments, one of each kind at most, and no bot twice; no faults."""
    views: list[MomentView] = []
    for of in lists(moments.league, watchable):
        bots = {other.moment.bot for other in views}
        new = [other for other in of.moments if other.moment.bot not in bots]
        views += new[: of.kind != "fault"]
    return views[:most]


def view(moment: Moment) -> MomentView:
    """Return a moment in words."""
    href = f"{Links.step(moment.index, moment.game, moment.step)}&see={moment.seat}"
    return MomentView(moment, " ".join(_did(moment)), href)


def _did(moment: Moment) -> Iterator[str]:
    bid, chance = name_bid(Bid(moment.quantity, moment.face)), likely(moment.chance)
    match moment.kind:
        case "comeback":
            yield f"wins with {_dice(moment.own)} against {moment.dice - moment.own}"
        case "bluff":
            yield f"bids {bid}, {f'{chance} likely' if moment.chance else 'knowing it false'},"
            yield "and gets away with it"
        case "call":
            yield f"doubts {bid}, {chance} likely, and is right"
        case "calza":
            yield f"calls {bid} exact, {chance} likely, and is right"
        case "upset":
            yield f"wins, only {chance} likely to beat {moment.rival}"
        case "fault":
            yield f"{CAUSES[moment.cause].did if moment.cause else 'faults'},"
            yield f"with {_dice(moment.dice)} on the table"


def _dice(number: int) -> str:
    return "1 die" if number == 1 else f"{number} dice"
