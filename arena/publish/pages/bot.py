"""Page model of a bot: how it rates, whom it beats, how it plays, what it did wrong."""

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from arena.perudo.explain import name_bid
from arena.perudo.round import Bid
from arena.playstats.fixture_summary import FaultEntry
from arena.playstats.key_moves import KeyMove, KeyMoves
from arena.playstats.league_summary import LeagueSummary
from arena.publish.data import chart_data as figures
from arena.publish.data.chart_data import BotSeatRow, StyleRow
from arena.publish.pages import charts
from arena.publish.pages.charts import Chart
from arena.publish.pages.leaderboard import Cell, against
from arena.publish.replay.steps import likely
from arena.ratings.table import Leaderboard, Row
from arena.records import BotInfo, Cause, LeagueInfo

FAULTS_SHOWN = 50
"""Faults listed on a bot's page; the data files have all."""


class Standing(Struct, frozen=True):
    """A bot's line on one leaderboard, its results by opponent, and how its rating came about."""

    board: Leaderboard
    rank: int
    row: Row
    results: list[Cell]
    history: Chart | None


class Stderr(Struct, frozen=True):
    """The end of what a bot wrote to standard error in a fixture; `fault` is its first there."""

    fault: FaultEntry
    text: str


class Shown(Struct, frozen=True):
    """A moment in words."""

    moment: KeyMove
    did: str
    knew: str
    """The probability that it was right, as the bot knew it."""
    instead: str
    came: str
    """How it came out."""


class Bot(Struct, frozen=True):
    """Everything on a bot's page."""

    info: BotInfo
    standings: list[Standing]
    seats: list[BotSeatRow]
    styles: list[StyleRow]
    calibration: Chart | None
    best: list[Shown]
    worst: list[Shown]
    faults: list[FaultEntry]
    causes: dict[Cause, int]
    """How many faults of each cause there are, in the vocabulary's order."""
    shown: list[FaultEntry]
    """The first so many of the faults."""
    stderr: list[Stderr]


def models(
    league: LeagueInfo, boards: Sequence[Leaderboard], facts: LeagueSummary
) -> Iterator[Bot]:
    """Yield a page model for each bot of the league, in its order."""
    faults: dict[str, list[FaultEntry]] = defaultdict(list)
    for fault in facts.faults:
        faults[fault.bot].append(fault)
    for info in league.bots:
        yield _model(info, boards, facts, faults[info.name])


def _model(
    info: BotInfo, boards: Sequence[Leaderboard], facts: LeagueSummary, faults: list[FaultEntry]
) -> Bot:
    counts = Counter(fault.cause for fault in faults)
    moments = facts.moments.get(info.name, KeyMoves())
    calibration = figures.bot_calibration(facts, info.name)
    return Bot(
        info=info,
        standings=list(_standings(boards, info.name)),
        seats=figures.bot_seats(facts, info.name),
        styles=figures.styles(facts, info.name),
        calibration=charts.calibration(calibration) if calibration else None,
        best=[_shown(one) for one in moments.best],
        worst=[_shown(one) for one in moments.worst],
        faults=faults,
        causes={cause: counts[cause] for cause in Cause if counts[cause]},
        shown=faults[:FAULTS_SHOWN],
        stderr=_stderr(facts, faults),
    )


def rerun_command(index: int, game: int) -> str:
    """Return the command that plays a stored game again, for a shell beside the league's file."""
    return shlex.join(["arena", "rerun", "league.yaml", str(index), str(game)])


def _standings(boards: Sequence[Leaderboard], bot: str) -> Iterator[Standing]:
    for board in boards:
        for rank, row in enumerate(board.rows, 1):
            if row.bot == bot:
                yield Standing(board, rank, row, against(board, bot), _history(board, bot))


def _history(board: Leaderboard, bot: str) -> Chart | None:
    rows = figures.history(board.history, bot)
    zero = "the mean of the field" if board.anchor is None else f"the bot {board.anchor}"
    return charts.rating_history(rows, zero) if rows else None


def _shown(one: KeyMove) -> Shown:
    """Say a moment in words: what was done, how likely that was right, what else there was."""
    bid = name_bid(Bid(one.quantity, one.face))
    raised = name_bid(Bid(*one.raised)) if one.raised else ""
    did, instead = {
        "bid": (f"bid {raised} over {bid}", f"doubt {bid}"),
        "dudo": (f"doubted {bid}", f"bid {raised}"),
        "calza": (f"called {bid} exact", "pass"),
    }[one.action]
    other = f"{instead}: {likely(one.instead)}" if one.raised else instead
    came = (
        {True: "true", False: "false"} if one.action == "bid" else {True: "right", False: "wrong"}
    )
    return Shown(one, did, likely(one.chance), other, came[one.right])


def _stderr(facts: LeagueSummary, faults: Sequence[FaultEntry]) -> list[Stderr]:
    first = {fault.index: fault for fault in reversed(faults)}
    pieces = facts.stderr.get(faults[0].bot, {}) if faults else {}
    return [Stderr(first[index], text) for index, text in sorted(pieces.items())]
