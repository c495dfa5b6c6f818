"""Page models of leaderboards: who is best, all bots, the scale of interval bars, head to head.

A column is a cell of `reports/leaderboard.html` and a field of LeaderboardRow
(`data/result_rows.py`) that `data/tables.py` fills: from Row (`ratings/table.py`) if places tell
it, else from `summary.bots[bot][division].style` (`playstats/`), which templates have already and
`_board` of `site.py` must hand to `tables.leaderboard`.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from math import ceil, comb, floor, log10
from typing import Any, Generic, TypeVar

from msgspec import Struct

from arena.publish.data.result_rows import HeadToHeadRow
from arena.publish.data.tables import pair
from arena.ratings.history import trend
from arena.ratings.intervals import indistinct_range
from arena.ratings.standings import Ratings
from arena.ratings.table import Leaderboard, Overall, OverallRow, Row
from arena.records import BotInfo, LeagueInfo

TOP = 30
"""Bots whose head-to-head is a table; those of more are a picture and data files."""

_TICKS = 5
"""About so many marks on a scale."""
_LABELS = 5
"""Marks that are named at most."""
_MARGIN = 0.09
"""The part of a scale left free at each end, so that end labels fit."""
_TINTS = 4
Cell = TypeVar("Cell")

CELLS = 2300
"""Cells of the overview at most, so that the page stays small; each table's own page has all."""
NAMED = 5
"""Bots that a sentence names."""


def model(board: Leaderboard, league: LeagueInfo) -> dict[str, Any]:
    """Return what a leaderboard's page shows."""
    return {"board": board, "lines": lines(board, league), "axis": axis(board.rows)}


def head_to_head_model(board: Leaderboard) -> dict[str, Any]:
    """Return what the head-to-head page of a leaderboard shows."""
    return {
        "board": board,
        "matrix": list(matrix(board, TOP)),
        "pairs": pairs(board, TOP),
        "better": better_matrix(board, TOP),
        "tint": tint,
    }


def overall_model(overall: Overall, league: LeagueInfo) -> dict[str, Any]:
    """Return what the page of the overall table shows."""
    infos = {bot.name: bot for bot in league.bots}
    return {"overall": overall, "axis": axis(overall.rows, 0.5), "infos": infos}


class Axis(Struct, frozen=True):
    """One scale for all interval bars of a table."""

    low: float
    high: float
    ticks: tuple[float, ...]
    digits: int
    """Decimals that the marks need."""

    @property
    def labels(self) -> tuple[float, ...]:
        """The marks that are named: all, or every second one if they would touch."""
        if len(self.ticks) <= _LABELS:
            return self.ticks
        step = 2 * (self.ticks[1] - self.ticks[0])
        return tuple(tick for tick in self.ticks if abs(tick / step - round(tick / step)) < 0.25)

    def at(self, value: float) -> str:
        """Return where a value stands, in per cent of the bar's width, for an SVG attribute."""
        part = (value - self.low) / (self.high - self.low)
        return f"{100 * part:.2f}%"

    def width(self, low: float, high: float) -> str:
        """Return the length of an interval, in per cent of the bar's width."""
        return f"{100 * (high - low) / (self.high - self.low):.2f}%"


def axis(rows: Sequence[Row] | Sequence[OverallRow], mark: float = 0.0) -> Axis:
    """Return the scale that holds all 95 % intervals and `mark`, with round marks."""
    ends = chain.from_iterable((row.low, row.high) for row in rows)
    return scale_of([mark, *(end for end in ends if end is not None)])


def scale_of(values: Sequence[float]) -> Axis:
    """Return the scale that holds all values, of which there is one at least, with round marks."""
    low, high = min(values), max(values)
    rough = (high - low or 1.0) / _TICKS
    power = float(10.0 ** floor(log10(rough)))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
    margin = _MARGIN * (last - first) * step
    ticks = tuple(number * step for number in range(first, last + 1))
    digits = max(0, -floor(log10(step)))
    return Axis(first * step - margin, last * step + margin, ticks, digits)


class Line(Struct, frozen=True):
    """A bot's line as a leaderboard shows it."""

    row: Row
    info: BotInfo
    trend: float | None
    """By how much mu changed over the last third of the games; None if unknown."""
    tier: bool
    """Whether those above it are the best ones, with 95 % confidence."""

    @property
    def margin(self) -> float | None:
        """Half the length of the 95 % interval of mu; None if it has no end on one side."""
        if self.row.low is None or self.row.high is None:
            return None
        return (self.row.high - self.row.low) / 2


def lines(board: Leaderboard, league: LeagueInfo) -> list[Line]:
    """Return the lines of a leaderboard, best first."""
    infos = {bot.name: bot for bot in league.bots}
    shown, worst = [], 0
    for above, row in enumerate(board.rows):
        tier = above > 0 and worst <= above
        shown.append(Line(row, infos[row.bot], trend(board.history, row.bot), tier))
        worst = max(worst, row.worst)
    return shown


def tint(pair: HeadToHeadRow) -> str:
    """Return the colour class of a pair: `even` if the interval holds one half."""
    if pair.low <= 0.5 <= pair.high:
        return "even"
    strength = min(_TINTS, 1 + int(10 * abs(pair.share - 0.5)))
    return f"{'ahead' if pair.share > 0.5 else 'behind'}-{strength}"


class MatrixRow(Struct, Generic[Cell], frozen=True):
    """A bot's line in a table of pairs; None for the bot itself and for those that never met."""

    bot: str
    cells: tuple[Cell | None, ...]


def pairs(board: Leaderboard, most: int | None = None) -> list[HeadToHeadRow]:
    """Return each pair that met once, as the better placed sees it; of the first `most` bots."""
    names = [row.bot for row in board.rows[:most]]
    met = (pair(board, bot, rival) for bot, rival in combinations(names, 2))
    return [one for one in met if one is not None]


def matrix(board: Leaderboard, most: int | None = None) -> Iterator[MatrixRow[HeadToHeadRow]]:
    """Yield the head-to-head table of the first `most` bots, in the leaderboard's order."""
    names = [row.bot for row in board.rows[:most]]
    for bot in names:
        yield MatrixRow(bot, tuple(pair(board, bot, rival) for rival in names))


class Chance(Struct, frozen=True):
    """The probability that one bot is better than another."""

    value: float
    tint: str
    """The colour class: `even` if the two are not distinguished."""


def better_matrix(board: Leaderboard, most: int | None = None) -> list[MatrixRow[Chance]]:
    """Return who of the first `most` bots is better than whom, in the leaderboard's order."""
    names = [row.bot for row in board.rows[:most]]
    low, high = indistinct_range(comb(len(board.rows), 2))

    def chance(bot: str, rival: str) -> Chance | None:
        if bot == rival:
            return None
        value = board.better[bot, rival]
        side = "ahead-3" if value > 0.5 else "behind-3"
        return Chance(value, "even" if low <= value <= high else side)

    return [MatrixRow(bot, tuple(chance(bot, rival) for rival in names)) for bot in names]


class Leaders(Struct, frozen=True):
    """Who may be the best: the first named is the likeliest."""

    best: str
    others: tuple[str, ...]
    """Who else may be the best; as many as a sentence can name."""
    more: int
    """How many there are besides."""


def leaders(rows: Sequence[Row] | Sequence[OverallRow]) -> Leaders | None:
    """Return who may be the best of a table, or None if nobody is rated.

    That is every bot of which no other is clearly better: pairs decide, not ranges that overlap.
    """
    names = [row.bot for row in rows if row.best == 1]
    if not names:
        return None
    return Leaders(names[0], tuple(names[1:NAMED]), max(0, len(names) - NAMED))


class OverviewRow(Struct, frozen=True):
    """A bot across all tables."""

    info: BotInfo
    overall: OverallRow | None
    cells: tuple[Row | None, ...]
    """One for each leaderboard; None if the bot did not play."""


class Overview(Struct, frozen=True):
    """The table over all leaderboards."""

    rows: list[OverviewRow]
    total: int
    """How many bots there are, shown or not."""

    @property
    def provisional(self) -> bool:
        """Whether any of the ratings shown is provisional."""
        return any(cell.provisional for row in self.rows for cell in row.cells if cell)


def overview(league: LeagueInfo, ratings: Ratings) -> Overview:
    """Return all bots in the order of the overall table, else of the first leaderboard."""
    overall = {row.bot: row for row in ratings.overall.rows} if ratings.overall else {}
    boards = [{row.bot: row for row in board.rows} for board in ratings.boards]
    infos = {bot.name: bot for bot in league.bots}
    order = dict.fromkeys(chain(overall, *boards, infos))
    most = CELLS // (len(boards) + 1)
    rows = [
        OverviewRow(infos[name], overall.get(name), tuple(board.get(name) for board in boards))
        for name in list(order)[:most]
    ]
    return Overview(rows, len(order))
