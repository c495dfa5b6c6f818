"""Page model of the front page: who is best at each table, and every bot across all of them."""

from collections.abc import Sequence
from itertools import chain

from msgspec import Struct

from arena.ratings.standings import Ratings
from arena.ratings.table import OverallRow, Row
from arena.records import BotInfo, LeagueInfo

CELLS = 2400
"""Cells of the overview at most, so that the page stays small; each table's own page has all."""
NAMED = 5
"""Bots that a sentence names."""


class Leaders(Struct, frozen=True):
    """Who may be the best: the first named is the likeliest, the others may be tied with it."""

    best: str
    tied: tuple[str, ...]
    """As many as a sentence can name."""
    more: int
    """How many are tied besides."""


def leaders(rows: Sequence[Row] | Sequence[OverallRow]) -> Leaders | None:
    """Return who may be the best of a table, or None if nobody is rated."""
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
