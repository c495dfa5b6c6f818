"""The highlights of a site: the best of what happened, in words, and where to watch it.

The words of a whole game are in `arena/publish/replay_steps.py`.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from arena.game.records import Division, FixtureResult
from arena.game.rules.books import Rules
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.game.table import BLANK, TableShown
from arena.playstats.highlights import (
    EACH,
    KINDS,
    OF_BOT,
    OF_DIVISION,
    BestHighlights,
    Highlight,
    HighlightKind,
    best,
    surprise,
)
from arena.playstats.league_summary import LeagueSummary
from arena.publish.links import Links
from arena.publish.replay_steps import CAUSES, likely
from arena.publish.replays import ReplayChoice
from arena.ratings.leaderboard_rows import Leaderboard
from arena.ratings.league_ratings import Favourites


class SiteHighlights(Struct, frozen=True):
    """The best highlights, kind by kind, and of each kind the best first."""

    divisions: Mapping[Division, tuple[Highlight, ...]]
    """In the order of the leaderboards."""
    bots: Mapping[str, tuple[Highlight, ...]]

    @property
    def league(self) -> tuple[Highlight, ...]:
        """The best highlights of the whole league."""
        every = [highlight for of in self.divisions.values() for highlight in of]
        return best(every, OF_DIVISION, EACH)

    def games(self) -> set[tuple[int, int]]:
        """Return the games of all of them: fixture and game, from 0."""
        lists = *self.divisions.values(), *self.bots.values()
        return {
            (highlight.index, highlight.game) for highlights in lists for highlight in highlights
        }


def site_highlights(
    summary: LeagueSummary,
    results: Iterable[FixtureResult],
    boards: Sequence[Leaderboard],
    expected: Favourites,
    variants: Mapping[str, Rules],
) -> SiteHighlights:
    """Return the highlights of a league, given its results in schedule order."""
    of_bots = defaultdict[str, BestHighlights](lambda: BestHighlights(OF_BOT, OF_BOT))
    of_divisions = defaultdict[Division, BestHighlights](lambda: BestHighlights(OF_DIVISION, EACH))

    def may_get_in(bot: str, division: Division, score: float) -> bool:
        return of_bots[bot].takes("upset", score) or of_divisions[division].takes("upset", score)

    for highlight in _upsets(results, expected, variants, may_get_in):
        of_bots[highlight.bot].add([highlight])
        of_divisions[highlight.division].add([highlight])
    known = summary.highlights
    divisions = [board.division for board in boards if board.division in known]
    return SiteHighlights(
        {division: (*known[division], *of_divisions[division].kept) for division in divisions},
        {
            bot: (*highlights, *of_bots[bot].kept)
            for bot, highlights in summary.bot_highlights.items()
        },
    )


def _upsets(
    results: Iterable[FixtureResult],
    expected: Favourites,
    variants: Mapping[str, Rules],
    may_get_in: Callable[[str, Division, float], bool],
) -> Iterator[Highlight]:
    """Yield the wins of bots that were expected to lose; games with faults do not count.

    Without those that cannot be among the best, most of them: `may_get_in` is asked before.
    """
    for result in results:
        fixture = result.fixture
        chances = expected.at(fixture)
        dice = len(fixture.seats) * variants[fixture.variant].starting_dice
        division = fixture.division
        scores = {
            seat: score
            for seat, (bot, (_, chance)) in enumerate(zip(fixture.seats, chances, strict=True))
            if chance < 0.5 and may_get_in(bot, division, score := surprise(chance) * dice)
        }
        for game in result.games if scores else ():
            seat = game.places.index(1)
            if seat not in scores or any(game.faults):
                continue
            # The best may have become better since.
            if may_get_in(fixture.seats[seat], division, scores[seat]):
                rival, chance = chances[seat]
                yield Highlight(
                    kind="upset",
                    score=scores[seat],
                    bot=fixture.seats[seat],
                    variant=fixture.variant,
                    players=len(fixture.seats),
                    index=fixture.index,
                    game=game.game,
                    round=0,
                    step=0,
                    seat=seat,
                    chance=chance,
                    dice=dice,
                    opponent=rival,
                )


TITLES: dict[HighlightKind, tuple[str, str]] = {
    "comeback": ("Comebacks", "Won from at most half of a fair share of the dice."),
    "bluff": ("Bluffs that survived", "False bids that were raised, and that nobody called."),
    "call": ("Brave calls that were right", "Dudos that were less than 50 % likely to be right."),
    "calza": ("Exact calls", "Calzas that were right to the die."),
    "upset": ("Upsets", "Wins over a rival that is rated higher."),
    "fault": ("Faults", "Games that a bot lost by an error; the rarer it errs, the higher here."),
}
"""The heading of each kind, and what it holds."""


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
    blank: TableShown = BLANK


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
    """Return a league's best highlights but faults: at most one of each kind and of each bot."""
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
            yield f"wins, only {chance} likely to beat {highlight.opponent}"
        case "fault":
            yield f"{CAUSES[highlight.cause].did if highlight.cause else 'faults'},"
            yield f"with {_dice(highlight.dice)} on the table"


def _dice(number: int) -> str:
    return "1 die" if number == 1 else f"{number} dice"
