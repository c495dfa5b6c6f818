"""Page model of a bot: how it rates, whom it beats, how it plays, what it did wrong."""

import shlex
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup
from msgspec import Struct

from arena.game.records import BotInfo, Cause, LeagueInfo
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.league.changes import everyone, version_of
from arena.playstats.fault_entry import FaultEntry
from arena.playstats.fault_summary import BotFaults
from arena.playstats.highlights import Highlight, order
from arena.playstats.league_summary import LeagueSummary
from arena.playstats.mistakes import Mistake
from arena.publish.data import play_tables
from arena.publish.data.play_rows import BotSeatRow
from arena.publish.data.play_tables import DivisionStyle
from arena.publish.data.result_rows import FixtureResultRow
from arena.publish.data.result_tables import by_opponent
from arena.publish.drawing import charts
from arena.publish.drawing.charts import Chart
from arena.publish.pages import watch
from arena.publish.pages.bot_card import Card, Field, card
from arena.publish.pages.leaderboard import verdicts
from arena.publish.pages.opponent_rows import Opponent, opponent_rows
from arena.publish.pages.standings import StandingRow, overall_standings, standing
from arena.publish.replay.steps import likely
from arena.publish.site_highlights import SiteHighlights
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow
from arena.ratings.league_ratings import Ratings

RECENT = 3
"""Fixtures listed on a bot's page; the page of fixtures finds all."""
OPPONENTS_SHOWN = 300
"""Opponents listed on a bot's page: those that are nearest to it on the leaderboard."""


class BoardResults(Struct, frozen=True):
    """A bot's line on one leaderboard, its results by opponent, and how its rating came about."""

    board: Leaderboard
    row: LeaderboardRow
    standing: StandingRow
    results: list[Opponent]
    """The best of them first."""
    opponents: int
    """How many it met, shown or not."""
    history: Chart | None


class MistakeView(Struct, frozen=True):
    """A mistake in words."""

    move: Mistake
    did: str
    knew: str
    """The probability that it was right, as the bot knew it."""
    instead: str
    outcome: str


class BotPage(Struct, frozen=True):
    """Everything on a bot's page."""

    info: BotInfo
    card: Card
    earlier: list[BotInfo]
    """Earlier versions of it in the league, the oldest first."""
    places: list[BoardResults]
    recent: list[FixtureResultRow]
    """Its last fixtures, the newest first."""
    seats: list[BotSeatRow]
    styles: list[DivisionStyle]
    calibration: Chart | None
    best: watch.HighlightView | None
    """Its best highlight of all kinds but faults, watchable or not."""
    highlights: list[watch.HighlightView]
    """Its best highlights, kind by kind, watchable or not."""
    mistakes: list[MistakeView]
    faults: int
    causes: dict[Cause, int]
    """How many faults of each cause there are, in the vocabulary's order."""
    shown: list[FaultEntry]
    """The first faults; the data files have all."""
    stderr: list[tuple[FaultEntry, str]]
    """The first fault in a fixture, and the end of what the bot wrote to standard error there."""


def rerun_command(index: int, game: int) -> str:
    """Return the command that reruns a stored game, for a shell in the folder of the league."""
    return shlex.join(["arena", "rerun", "league.yaml", str(index), str(game)])


class BotView(Struct, frozen=True):
    """The page of a bot, by the names that its template uses."""

    bot: BotPage
    opponent_rows: Callable[..., Markup] = opponent_rows
    rerun_command: Callable[[int, int], str] = rerun_command


def models(
    league: LeagueInfo,
    bots: Iterable[BotInfo],
    ratings: Ratings,
    summary: LeagueSummary,
    fixtures: Sequence[FixtureResultRow],
    highlights: SiteHighlights,
) -> Iterator[BotPage]:
    """Yield a page model for each of some bots of a league, in order; fixtures are in theirs."""
    recent, versions = _recent(fixtures), _versions(league)
    rows = [(board, {row.bot: row for row in board.rows}) for board in ratings.boards]
    field = Field(summary)
    whole = overall_standings(ratings.overall).rows if ratings.overall else ()
    overall = {row.bot: row for row in whole}
    for info in bots:
        places = [_place(board, of, info.name) for board, of in rows if info.name in of]
        stands = [(place.board, place.standing) for place in places]
        yield _model(
            info,
            places,
            card(info.name, overall, stands, field),
            _earlier(versions, info.name),
            recent[info.name],
            summary,
            highlights.bots.get(info.name, ()),
        )


def _recent(fixtures: Sequence[FixtureResultRow]) -> dict[str, list[FixtureResultRow]]:
    """Return the last fixtures of each bot, the newest first."""
    recent: dict[str, list[FixtureResultRow]] = defaultdict(list)
    for fixture in reversed(fixtures):
        for bot in fixture.seats:
            if len(recent[bot]) < RECENT:
                recent[bot].append(fixture)
    return recent


def _versions(league: LeagueInfo) -> dict[str, list[BotInfo]]:
    """Return all versions of each bot, by the name that they share, the oldest first."""
    versions: dict[str, list[BotInfo]] = defaultdict(list)
    for bot in sorted(everyone(league), key=lambda bot: (version_of(bot.name), bot.name)):
        versions[version_of(bot.name)[0]].append(bot)
    return versions


def _earlier(versions: Mapping[str, Sequence[BotInfo]], name: str) -> list[BotInfo]:
    of, number = version_of(name)
    return [bot for bot in versions[of] if version_of(bot.name)[1] < number]


def _model(
    info: BotInfo,
    places: list[BoardResults],
    in_short: Card,
    earlier: list[BotInfo],
    recent: list[FixtureResultRow],
    summary: LeagueSummary,
    highlights: Sequence[Highlight],
) -> BotPage:
    faults = summary.faults.bots.get(info.name, BotFaults())
    calibration = play_tables.bot_calibration(summary, info.name)
    texts = summary.stderr.get(info.name, {})
    listed = [highlight for highlight in highlights if highlight.kind != "fault"]
    return BotPage(
        info=info,
        card=in_short,
        earlier=earlier,
        places=places,
        recent=recent,
        seats=play_tables.bot_seats(summary, info.name),
        styles=play_tables.styles(summary, info.name),
        calibration=charts.calibration(calibration) if calibration else None,
        best=watch.view(min(listed, key=order)) if listed else None,
        highlights=[watch.view(highlight) for highlight in listed],
        mistakes=[_mistake_view(mistake) for mistake in summary.mistakes.get(info.name, ())],
        faults=faults.count,
        causes={cause: faults.causes[cause] for cause in Cause if faults.causes[cause]},
        shown=faults.first,
        stderr=[(faults.by_fixture[index], text) for index, text in sorted(texts.items())],
    )


def _place(board: Leaderboard, rows: Mapping[str, LeaderboardRow], bot: str) -> BoardResults:
    row = rows[bot]
    points = play_tables.history(board.history, bot)
    zero = "the mean of the field" if board.anchor is None else f"the bot {board.anchor}"
    met = sorted(rows[rival].rank for rival in board.duels_of(bot))
    rivals = [board.rows[rank - 1].bot for rank in nearest(met, row.rank, OPPONENTS_SHOWN)]
    better = verdicts(board, bot, rivals)
    return BoardResults(
        board=board,
        row=row,
        standing=standing(row, board.players),
        results=[
            Opponent(result, better[result.opponent]) for result in by_opponent(board, bot, rivals)
        ],
        opponents=len(met),
        history=charts.rating_history(points, zero) if points else None,
    )


def nearest(ranks: Sequence[int], rank: int, most: int) -> Sequence[int]:
    """Return at most so many of ascending ranks: as many above a rank as below, if there are."""
    first = min(bisect(ranks, rank) - most // 2, len(ranks) - most)
    return ranks[max(0, first) :][:most]


def _mistake_view(move: Mistake) -> MistakeView:
    """Return a mistake in words: what was done, and what could have been done instead."""
    bid = name_bid(Bid(move.quantity, move.face))
    raised = name_bid(Bid(*move.raised)) if move.raised else ""
    did, instead = {
        "bid": (f"bid {raised} over {bid}", f"doubt {bid}"),
        "dudo": (f"doubted {bid}", f"bid {raised}"),
        "calza": (f"called {bid} exact", "pass"),
    }[move.action]
    other = f"{instead}: {likely(move.instead)}" if move.raised else instead
    yes, no = ("true", "false") if move.action == "bid" else ("right", "wrong")
    outcome = yes if move.right else no
    return MistakeView(move, did, likely(move.chance), other, outcome)
