"""Page models of a leaderboard: the scale of its interval bars, and who finished ahead of whom."""

from collections.abc import Sequence
from itertools import combinations
from math import ceil, floor, log10

from msgspec import Struct

from arena.ratings.history import trend
from arena.ratings.intervals import indistinct_range, wilson
from arena.ratings.table import Leaderboard, OverallRow, Row
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


class Axis(Struct, frozen=True):
    """One scale for all interval bars of a table."""

    low: float
    high: float
    ticks: tuple[float, ...]
    digits: int
    """Decimals that the marks need."""

    @property
    def labels(self) -> tuple[float, ...]:
        """Return the marks that are named: all, or every second one where they would touch."""
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


def axis(rows: Sequence[Row]) -> Axis:
    """Return the scale that holds all 95 % intervals and nought, with round marks."""
    return scale_of([0.0, *(end for row in rows for end in (row.low, row.high))])


def overall_axis(rows: Sequence[OverallRow]) -> Axis:
    """Return the same for scores, with one half."""
    return scale_of([0.5, *(end for row in rows for end in (row.low, row.high))])


def scale_of(values: Sequence[float]) -> Axis:
    """Return the scale that holds all values, of which there is one at least, with round marks."""
    low, high = min(values), max(values)
    step = _round_step((high - low or 1.0) / _TICKS)
    first, last = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
    margin = _MARGIN * (last - first) * step
    ticks = tuple(number * step for number in range(first, last + 1))
    digits = max(0, -floor(log10(step)))
    return Axis(first * step - margin, last * step + margin, ticks, digits)


def _round_step(rough: float) -> float:
    """Return the least of 1, 2, 5, 10 times a power of ten that is not below `rough`."""
    power = float(10.0 ** floor(log10(rough)))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)


class Line(Struct, frozen=True):
    """A bot's line as a leaderboard shows it."""

    row: Row
    info: BotInfo
    trend: float | None
    """By how much mu changed over the last third of the games; None where that is not known."""
    tier: bool
    """Whether everyone above it is told apart from it, and from everyone below."""

    @property
    def margin(self) -> float:
        """Return half the length of the 95 % interval of mu."""
        return (self.row.high - self.row.low) / 2


def lines(board: Leaderboard, league: LeagueInfo) -> list[Line]:
    """Return the lines of a leaderboard, best first."""
    infos = {bot.name: bot for bot in league.bots}
    found, worst = [], 0
    for above, row in enumerate(board.rows):
        tier = above > 0 and worst <= above
        found.append(Line(row, infos[row.bot], trend(board.history, row.bot), tier))
        worst = max(worst, row.worst)
    return found


class Cell(Struct, frozen=True):
    """How often one bot finished ahead of another."""

    bot: str
    opponent: str
    ahead: int
    games: int
    share: float
    low: float
    """The 95 % interval of the share (Wilson's)."""
    high: float

    @property
    def tint(self) -> str:
        """Return the colour class: none where the interval holds one half."""
        if self.low <= 0.5 <= self.high:
            return "even"
        strength = min(_TINTS, 1 + int(10 * abs(self.share - 0.5)))
        return f"{'ahead' if self.share > 0.5 else 'behind'}-{strength}"


def cell(board: Leaderboard, bot: str, opponent: str) -> Cell | None:
    """Return the cell for two bots, or None where they never met."""
    duel = board.duels.get((bot, opponent))
    return duel and _cell(bot, opponent, *duel)


def _cell(bot: str, opponent: str, ahead: int, games: int) -> Cell:
    return Cell(bot, opponent, ahead, games, ahead / games, *wilson(ahead, games))


def against(board: Leaderboard, bot: str) -> list[Cell]:
    """Return how often a bot finished ahead of each that it met, the best one first."""
    met = [row.bot for row in board.rows if (bot, row.bot) in board.duels]
    return [_cell(bot, rival, *board.duels[bot, rival]) for rival in met]


def cells(board: Leaderboard) -> list[Cell]:
    """Return all pairs that met, row by row, best bot first."""
    return [cell for row in board.rows for cell in against(board, row.bot)]


class MatrixRow(Struct, frozen=True):
    """A bot's line in a head-to-head table."""

    bot: str
    cells: tuple[Cell | None, ...]


def pairs(board: Leaderboard, most: int | None = None) -> list[Cell]:
    """Return each pair that met once, as the better placed sees it; of the first `most` bots."""
    names = [row.bot for row in board.rows[:most]]
    found = (cell(board, bot, rival) for bot, rival in combinations(names, 2))
    return [one for one in found if one is not None]


def matrix(board: Leaderboard, most: int | None = None) -> list[MatrixRow]:
    """Return the head-to-head table of the first `most` bots, in the leaderboard's order."""
    names = [row.bot for row in board.rows[:most]]
    return [MatrixRow(bot, tuple(cell(board, bot, rival) for rival in names)) for bot in names]


class Chance(Struct, frozen=True):
    """The probability that one bot is better than another."""

    value: float
    decided: bool
    """Whether the two count as told apart."""

    @property
    def tint(self) -> str:
        """Return the colour class: none where the two are not told apart."""
        if not self.decided:
            return "even"
        return "ahead-3" if self.value > 0.5 else "behind-3"


class BetterRow(Struct, frozen=True):
    """A bot's line in the table of who is better than whom."""

    bot: str
    chances: tuple[Chance | None, ...]
    """None for the bot itself."""


def better_matrix(board: Leaderboard, most: int | None = None) -> list[BetterRow]:
    """Return who of the first `most` bots is better than whom, in the leaderboard's order."""
    names = [row.bot for row in board.rows[:most]]
    low, high = indistinct_range(len(board.rows))
    found = []
    for bot in names:
        values = [board.better[bot, rival] if rival != bot else None for rival in names]
        chances = [None if v is None else Chance(v, not low <= v <= high) for v in values]
        found.append(BetterRow(bot, tuple(chances)))
    return found
