"""Page model of a bot: how it rates, whom it beats, how it plays, what it did wrong."""

import shlex
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from markupsafe import Markup
from msgspec import Struct

from arena.game.records import BotInfo, Cause, LeagueInfo
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.league.changes import everyone, version_of
from arena.playstats.fault_entry import FaultEntry
from arena.playstats.fault_summary import BotFaults
from arena.playstats.league_summary import LeagueSummary
from arena.playstats.mistakes import Mistake
from arena.playstats.moments import Moment, order
from arena.publish.data import chart_data
from arena.publish.data.chart_data import DivisionStyle
from arena.publish.data.play_rows import BotSeatRow
from arena.publish.data.result_rows import MatchRow
from arena.publish.data.tables import by_opponent
from arena.publish.drawing import charts
from arena.publish.drawing.charts import Chart
from arena.publish.moments import SiteMoments
from arena.publish.pages import watch
from arena.publish.pages.bot_card import Card, Field, card
from arena.publish.pages.leaderboard import chance
from arena.publish.pages.opponent_rows import Opponent, opponent_rows
from arena.publish.pages.standings import Standing, overall_standings, standing
from arena.publish.replay.steps import likely
from arena.ratings.standings import Ratings
from arena.ratings.table import Leaderboard, LeaderboardRow

RECENT = 3
"""Matches listed on a bot's page; the page of matches finds all."""
OPPONENTS_SHOWN = 300
"""Opponents listed on a bot's page: those that are nearest to it on the leaderboard."""


class Place(Struct, frozen=True):
    """A bot's line on one leaderboard, its results by opponent, and how its rating came about."""

    board: Leaderboard
    rank: int
    row: LeaderboardRow
    standing: Standing
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
    places: list[Place]
    recent: list[MatchRow]
    """Its last matches, the newest first."""
    seats: list[BotSeatRow]
    styles: list[DivisionStyle]
    calibration: Chart | None
    best: watch.MomentView | None
    """Its best moment of all kinds but faults, watchable or not."""
    moments: list[watch.MomentView]
    """Its best moments, kind by kind, watchable or not."""
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
    """What the template of a bot's page shows."""

    bot: BotPage
    opponent_rows: Callable[..., Markup] = opponent_rows
    rerun_command: Callable[[int, int], str] = rerun_command


def models(
    league: LeagueInfo,
    ratings: Ratings,
    summary: LeagueSummary,
    matches: Sequence[MatchRow],
    moments: SiteMoments,
) -> Iterator[BotPage]:
    """Yield a page model for each bot of the league, in its order; matches are in theirs."""
    recent = _recent(matches)
    field = Field(summary)
    whole = overall_standings(ratings.overall).rows if ratings.overall else ()
    overall = {one.bot: one for one in whole}
    for info in league.bots:
        places = list(_places(ratings.boards, info.name))
        stands = [(one.board, one.standing) for one in places]
        yield _model(
            info,
            places,
            card(info.name, overall, stands, field),
            _earlier(league, info),
            recent[info.name],
            summary,
            moments.bots.get(info.name, ()),
        )


def _recent(matches: Sequence[MatchRow]) -> dict[str, list[MatchRow]]:
    """Return the last matches of each bot, the newest first."""
    recent: dict[str, list[MatchRow]] = defaultdict(list)
    for match in reversed(matches):
        for bot in match.seats:
            if len(recent[bot]) < RECENT:
                recent[bot].append(match)
    return recent


def _earlier(league: LeagueInfo, info: BotInfo) -> list[BotInfo]:
    name, number = version_of(info.name)
    found = sorted((version_of(one.name), one.name, one) for one in everyone(league))
    return [one for (of, n), _, one in found if of == name and n < number]


def _model(
    info: BotInfo,
    places: list[Place],
    in_short: Card,
    earlier: list[BotInfo],
    recent: list[MatchRow],
    summary: LeagueSummary,
    moments: Sequence[Moment],
) -> BotPage:
    faults = summary.faults.bots.get(info.name, BotFaults())
    calibration = chart_data.bot_calibration(summary, info.name)
    texts = summary.stderr.get(info.name, {})
    shown = [one for one in moments if one.kind != "fault"]
    return BotPage(
        info=info,
        card=in_short,
        earlier=earlier,
        places=places,
        recent=recent,
        seats=chart_data.bot_seats(summary, info.name),
        styles=chart_data.styles(summary, info.name),
        calibration=charts.calibration(calibration) if calibration else None,
        best=watch.view(min(shown, key=order)) if shown else None,
        moments=[watch.view(one) for one in shown],
        mistakes=[_mistake_view(one) for one in summary.mistakes.get(info.name, ())],
        faults=faults.count,
        causes={cause: faults.causes[cause] for cause in Cause if faults.causes[cause]},
        shown=faults.first,
        stderr=[(faults.by_fixture[index], text) for index, text in sorted(texts.items())],
    )


def _places(boards: Sequence[Leaderboard], bot: str) -> Iterator[Place]:
    for board in boards:
        for rank, row in enumerate(board.rows, 1):
            if row.bot == bot:
                points = chart_data.history(board.history, bot)
                zero = (
                    "the mean of the field" if board.anchor is None else f"the bot {board.anchor}"
                )
                history = charts.rating_history(points, zero) if points else None
                met = [n for n, one in enumerate(board.rows, 1) if (bot, one.bot) in board.duels]
                rivals = [board.rows[n - 1].bot for n in nearest(met, rank, OPPONENTS_SHOWN)]
                results = [
                    Opponent(one, chance(board, bot, one.opponent))
                    for one in by_opponent(board, bot, rivals)
                ]
                stands = standing(row, board.players)
                yield Place(board, rank, row, stands, results, len(met), history)


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
