"""Page model of the front page: who is best, how sure that is, and what to watch."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import FixtureResult
from arena.league.schedule.playoff import PlayoffVerdict
from arena.playstats.league_summary import LeagueSummary
from arena.publish.charts import Axis
from arena.publish.links import OVERALL, Links
from arena.publish.pages.leaderboard import (
    StandingRow,
    Standings,
    board_standings,
    overall_standings,
    without_first,
)
from arena.publish.pages.watch import HighlightView
from arena.publish.text import grouped, readable_time, timestamp
from arena.ratings.leaderboard_rows import Leaderboard
from arena.ratings.league_ratings import Ratings

BELOW = 5
"""Bots shown below those that may be first."""
LEAST = 10
"""Bots shown at least."""
MOST = 30
"""Bots shown at most; the leaderboard has all."""
HIGHLIGHTS = 3
"""Highlights shown at most."""


class PlayedShare(Struct, frozen=True):
    """How much of a league was played."""

    played: int
    """Fixtures with games."""
    left: int
    """Fixtures that are due."""
    updated: float | None
    """When the last fixture was stored, in seconds since 1970, if that is known."""
    goes_on: bool = False
    """Whether it has no end, so that nobody wins."""

    @property
    def finished(self) -> bool:
        """Whether nothing is left to play."""
        return not (self.left or self.goes_on)

    @property
    def share(self) -> float:
        """The share of the fixtures that was played."""
        return self.played / (self.played + self.left or 1)

    @property
    def times(self) -> tuple[str, str] | None:
        """When it was updated: for machines, and to read."""
        if self.updated is None:
            return None
        return timestamp(self.updated), readable_time(self.updated)


def progress(results: Sequence[FixtureResult], left: int, *, goes_on: bool = False) -> PlayedShare:
    """Return how much was played of a league in which so many fixtures are left."""
    known = [result.stored_at for result in results if result.stored_at is not None]
    played = sum(1 for result in results if result.games)
    return PlayedShare(played, left, max(known, default=None), goes_on)


class BoardCard(Struct, frozen=True):
    """One leaderboard in short."""

    board: Leaderboard
    first: tuple[str, ...]
    """The bots that may be first, the likeliest first."""
    linked: bool = True
    """Whether its page is there."""

    @property
    def settled(self) -> float:
        """The share of bots that cannot be first, but for the best: 1 if it is known who is."""
        others = len(self.board.rows) - 1
        return 1 - (len(self.first) - 1) / others if others else 1.0


class LostGames(Struct, frozen=True):
    """How many games were lost by faults, and by whom."""

    games: int
    bots: tuple[str, ...]
    """The bots that faulted; the most faulted games first."""
    most: int
    """Games that the first of them lost."""


class Front(Struct, frozen=True):
    """Everything on the front page."""

    progress: PlayedShare
    main: Standings | None
    """None if nobody is rated."""
    shown: tuple[StandingRow, ...]
    axis: Axis | None
    cards: list[BoardCard]
    highlights: Sequence[HighlightView] = ()
    faults: LostGames | None = None
    playoff: PlayoffVerdict | None = None


class FrontPage(Struct, frozen=True):
    """The front page, by the names that its template uses."""

    front: Front
    all: str
    """The page with the whole of the main table; "" if there is none."""
    moved: Mapping[str, int] = {}
    """How many ranks a bot gained, or lost, if that is known."""
    ways: tuple[tuple[str, str], ...] = ()
    """What a visitor can do: addresses and labels."""


def front(
    ratings: Ratings,
    summary: LeagueSummary,
    state: PlayedShare,
    highlights: list[HighlightView],
    playoff: PlayoffVerdict | None,
    left_out: Collection[str] = (),
) -> Front:
    """Return what the front page shows; it names no bot that is `left_out` as first."""
    faulted = {bot: of.games for bot, of in summary.faults.bots.items()}
    bots = tuple(sorted(faulted, key=lambda bot: (-faulted[bot], bot)))
    return replace(
        first_standings(ratings, state, left_out),
        highlights=highlights,
        faults=LostGames(summary.faults.games, bots, faulted[bots[0]]) if bots else None,
        playoff=playoff,
    )


def first_standings(ratings: Ratings, state: PlayedShare, left_out: Collection[str] = ()) -> Front:
    """Return what the front page shows of the ratings alone."""
    main = standings(ratings, left_out)
    rows = main.rows if main else ()
    most = min(MOST, max(LEAST, len(main.first) + BELOW)) if main else 0
    return Front(
        progress=state,
        main=main,
        shown=rows[:most],
        axis=Standings(rows[:most]).axis if rows else None,
        cards=[
            BoardCard(board, without_first(board_standings(board), left_out).first)
            for board in ratings.boards
        ],
    )


def standings(ratings: Ratings, left_out: Collection[str] = ()) -> Standings | None:
    """Return the standings over all divisions if there are any, else those of the first one."""
    if ratings.overall and ratings.overall.rows:
        found = overall_standings(ratings.overall)
    elif ratings.boards:
        found = board_standings(ratings.boards[0])
    else:
        return None
    return without_first(found, left_out)


def main_page(ratings: Ratings, links: Links) -> str:
    """Return the page with the whole of these standings; "" if there is none."""
    if ratings.overall:
        return OVERALL
    return links.table(ratings.boards[0]) if ratings.boards else ""


def description(
    state: PlayedShare,
    main: Standings | None,
    bots: int,
    playoff: PlayoffVerdict | None = None,
) -> str:
    """Return the verdict in a sentence, as plain text."""
    if playoff and playoff.winner:
        return f"{playoff.winner} wins the playoff ({100 * playoff.terms.confidence:.4g} %)"
    if main is None or not main.first:
        return "No games have been played yet."
    first = len(main.first)
    if first == 1:
        return f"{main.first[0]} {'wins' if state.finished else 'leads'} (95 %)"
    who = f"all {grouped(bots)}" if first == bots else grouped(first)
    return f"No single {'winner' if state.finished else 'leader'}: {who} bots may be first"
