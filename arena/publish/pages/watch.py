"""Page model of moments: what happened, in words, and where to watch it."""

from collections.abc import Container, Iterable, Iterator
from itertools import groupby

from msgspec import Struct

from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.playstats.moments import KINDS, Kind, Moment
from arena.publish.fault_words import CAUSES
from arena.publish.links import Links
from arena.publish.moments import SiteMoments
from arena.publish.replay.selection import ReplayChoice
from arena.publish.replay.steps import likely
from arena.ratings.table import Leaderboard

TITLES: dict[Kind, tuple[str, str]] = {
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
    """What the bot did, to be read after its name."""
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

    kind: Kind
    title: str
    about: str
    moments: list[MomentView]


class WatchPage(Struct, frozen=True):
    """What a page of moments to watch shows."""

    lists: list[MomentList]
    board: Leaderboard | None = None
    """That of their tables; None for the whole league."""


class ReplayPage(Struct, frozen=True):
    """What the page of the replay shows."""

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
    shown = sorted(moments, key=lambda one: KINDS.index(one.kind))
    first: dict[tuple[Kind, int, int], Moment] = {}
    for one in shown:
        if (one.index, one.game) in watchable:
            first.setdefault((one.kind, one.index, one.game), one)
    return [
        MomentList(kind, *TITLES[kind], [view(one) for one in of])
        for kind, of in groupby(first.values(), lambda one: one.kind)
    ]


def highlights(
    moments: SiteMoments, watchable: Container[tuple[int, int]], most: int
) -> list[MomentView]:
    """Return a league's best moments, one of each kind at most, and no bot twice; no faults."""
    found: list[MomentView] = []
    for of in lists(moments.league, watchable):
        bots = {one.moment.bot for one in found}
        new = [one for one in of.moments if one.moment.bot not in bots]
        found += new[: of.kind != "fault"]
    return found[:most]


def view(one: Moment) -> MomentView:
    """Return a moment in words."""
    href = f"{Links.step(one.index, one.game, one.step)}&see={one.seat}"
    return MomentView(one, " ".join(_did(one)), href)


def _did(one: Moment) -> Iterator[str]:
    bid, chance = name_bid(Bid(one.quantity, one.face)), likely(one.chance)
    match one.kind:
        case "comeback":
            yield f"wins with {_dice(one.own)} against {one.dice - one.own}"
        case "bluff":
            yield f"bids {bid}, {f'{chance} likely' if one.chance else 'knowing it false'},"
            yield "and gets away with it"
        case "call":
            yield f"doubts {bid}, {chance} likely, and is right"
        case "calza":
            yield f"calls {bid} exact, {chance} likely, and is right"
        case "upset":
            yield f"wins, only {chance} likely to beat {one.rival}"
        case "fault":
            yield f"{CAUSES[one.cause].did if one.cause else 'faults'},"
            yield f"with {_dice(one.dice)} on the table"


def _dice(number: int) -> str:
    return "1 die" if number == 1 else f"{number} dice"
