"""Page model of a bot: how it rates, whom it beats, how it plays, what it did wrong."""

import shlex
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from arena.perudo.explain import name_bid
from arena.perudo.round import Bid
from arena.playstats.game_scan import FaultEntry
from arena.playstats.league_summary import LeagueSummary
from arena.playstats.mistakes import Mistake
from arena.playstats.moments import Moment
from arena.publish.data import chart_data
from arena.publish.data.chart_data import DivisionStyle
from arena.publish.data.play_rows import BotSeatRow
from arena.publish.data.result_rows import HeadToHeadRow
from arena.publish.data.tables import by_opponent
from arena.publish.moments import SiteMoments
from arena.publish.pages import charts, watch
from arena.publish.pages.charts import Chart
from arena.publish.replay.steps import likely
from arena.ratings.table import Leaderboard, Row
from arena.records import BotInfo, Cause, LeagueInfo

FAULTS_SHOWN = 50
"""Faults listed on a bot's page; the data files have all."""
OPPONENTS_SHOWN = 300
"""Opponents listed on a bot's page: those that are nearest to it on the leaderboard."""


class Standing(Struct, frozen=True):
    """A bot's line on one leaderboard, its results by opponent, and how its rating came about."""

    board: Leaderboard
    rank: int
    row: Row
    results: list[HeadToHeadRow]
    """By opponent, the best of them first."""
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
    standings: list[Standing]
    seats: list[BotSeatRow]
    styles: list[DivisionStyle]
    calibration: Chart | None
    moments: list[watch.MomentView]
    """Its best moments, kind by kind, watchable or not."""
    mistakes: list[MistakeView]
    faults: list[FaultEntry]
    causes: dict[Cause, int]
    """How many faults of each cause there are, in the vocabulary's order."""
    shown: list[FaultEntry]
    stderr: list[tuple[FaultEntry, str]]
    """The first fault in a fixture, and the end of what the bot wrote to standard error there."""


def models(
    league: LeagueInfo,
    boards: Sequence[Leaderboard],
    summary: LeagueSummary,
    moments: SiteMoments,
) -> Iterator[BotPage]:
    """Yield a page model for each bot of the league, in its order."""
    faults: dict[str, list[FaultEntry]] = defaultdict(list)
    for fault in summary.faults:
        faults[fault.bot].append(fault)
    for info in league.bots:
        of_bot = moments.bots.get(info.name, ())
        yield _model(info, boards, summary, faults[info.name], of_bot)


def _model(
    info: BotInfo,
    boards: Sequence[Leaderboard],
    summary: LeagueSummary,
    faults: list[FaultEntry],
    moments: Sequence[Moment],
) -> BotPage:
    counts = Counter(fault.cause for fault in faults)
    calibration = chart_data.bot_calibration(summary, info.name)
    first = {fault.index: fault for fault in reversed(faults)}
    texts = summary.stderr.get(info.name, {}) if faults else {}
    return BotPage(
        info=info,
        standings=list(_standings(boards, info.name)),
        seats=chart_data.bot_seats(summary, info.name),
        styles=chart_data.styles(summary, info.name),
        calibration=charts.calibration(calibration) if calibration else None,
        moments=[watch.view(one) for one in moments if one.kind != "fault"],
        mistakes=[_mistake_view(one) for one in summary.mistakes.get(info.name, ())],
        faults=faults,
        causes={cause: counts[cause] for cause in Cause if counts[cause]},
        shown=faults[:FAULTS_SHOWN],
        stderr=[(first[index], text) for index, text in sorted(texts.items())],
    )


def rerun_command(index: int, game: int) -> str:
    """Return the command that reruns a stored game, for a shell in the folder of the league."""
    return shlex.join(["arena", "rerun", "league.yaml", str(index), str(game)])


def _standings(boards: Sequence[Leaderboard], bot: str) -> Iterator[Standing]:
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
                results = by_opponent(board, bot, rivals)
                yield Standing(board, rank, row, results, len(met), history)


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
