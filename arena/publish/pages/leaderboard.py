"""Page models of leaderboards: their lines, all bots across them, who beats whom.

A column of a leaderboard is declared with its field in `arena/ratings/leaderboard_rows.py`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Generic, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import BotInfo, Conditions
from arena.publish.charts import Axis, axis_of
from arena.publish.data.results import HeadToHeadRow, by_opponent
from arena.publish.pages.models import ModelsRow, model_rows
from arena.publish.site_state import BotModels
from arena.ratings.columns import PageColumn, page_columns
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow, Overall, OverallRow, trend
from arena.ratings.league_ratings import Ratings
from arena.ratings.maths.intervals import CONFIDENCE


class StandingRow(Struct, frozen=True):
    """A bot's place in a table, and the share of its rivals that it finished ahead of."""

    bot: str
    may_be_first: bool
    """Whether it is among those of which one is the best, with 95 % confidence."""
    best: int
    """The ends of its range of ranks."""
    worst: int
    low: float
    """The ends of the 95 % interval of the share."""
    share: float
    high: float
    games: int
    provisional: bool = False


class Standings(Struct, frozen=True):
    """A table of standings by rank, as its leaderboard has them."""

    rows: tuple[StandingRow, ...]
    division: tuple[str, int] | None = None
    """The variant and the players of its tables; None for all tables together."""

    @property
    def first(self) -> tuple[str, ...]:
        """The bots that may be first, the likeliest first."""
        return tuple(row.bot for row in self.rows if row.may_be_first)

    @property
    def axis(self) -> Axis:
        """The scale of the shares."""
        return axis_of([(row.low, row.high) for row in self.rows])


def overall_standings(overall: Overall) -> Standings:
    """Return the standings over all divisions."""
    return Standings(
        tuple(
            StandingRow(
                row.bot,
                row.may_be_first,
                row.best,
                row.worst,
                row.low,
                row.score,
                row.high,
                row.games,
            )
            for row in overall.rows
        )
    )


def without_first(standings: Standings, left_out: Collection[str]) -> Standings:
    """Return standings in which some bots cannot be first: they are no measure of their models.

    Of the others those may be first of which only such bots are surely ahead. If there are no
    others, the standings stay as they are.
    """
    ahead = [row.best for row in standings.rows if row.bot in left_out]
    ranks = {
        row.bot: row.best - sum(best < row.best for best in ahead)
        for row in standings.rows
        if row.bot not in left_out
    }
    if not ahead or not ranks:
        return standings
    first = max(1, min(ranks.values()))
    rows = [
        replace(row, may_be_first=ranks.get(row.bot, first + 1) <= first) for row in standings.rows
    ]
    return replace(standings, rows=tuple(rows))


def board_standings(board: Leaderboard) -> Standings:
    """Return the standings of one leaderboard."""
    rows = tuple(standing(row, board.players) for row in board.rows)
    return Standings(rows, (board.variant, board.players))


def standing(row: LeaderboardRow, players: int) -> StandingRow:
    """Return a bot's line on a leaderboard: a mean place is a share of rivals beaten."""
    low, share, high = (
        (players - place) / (players - 1)
        for place in (row.place_high, row.mean_place, row.place_low)
    )
    return StandingRow(
        row.bot,
        row.may_be_first,
        row.best,
        row.worst,
        low,
        share,
        high,
        row.games,
        row.provisional,
    )


TOP = 30
"""Bots whose head-to-head is a table; those of more are a picture and data files."""

_TINTS = 4
Cell = TypeVar("Cell")

CELLS = 2300
"""Cells of the overview at most, so that the page stays small; each table's own page has all."""


class LeaderboardPage(Struct, frozen=True):
    """The page of a leaderboard."""

    board: Leaderboard
    columns: tuple[PageColumn, ...]
    lines: list["BoardLine"]
    standings: Standings
    axis: Axis
    use_columns: tuple[PageColumn, ...]
    """The columns about language models; empty in a league without any."""
    uses: Mapping[str, ModelsRow]
    """What bots used of language models, by name."""


def leaderboard_page(
    board: Leaderboard, conditions: Conditions, used: BotModels, left_out: Collection[str]
) -> LeaderboardPage:
    """Return what a leaderboard's page shows; `left_out` are no measure of their models."""
    standings = without_first(board_standings(board), left_out)
    return LeaderboardPage(
        board=board,
        columns=page_columns(LeaderboardRow),
        lines=lines(board, conditions, left_out),
        standings=standings,
        axis=standings.axis,
        use_columns=page_columns(ModelsRow) if conditions.models else (),
        uses={row.bot: row for row in model_rows(board, used, left_out)},
    )


class HeadToHeadPage(Struct, frozen=True):
    """The head-to-head page of a leaderboard."""

    board: Leaderboard
    matrix: list["MatrixRow[HeadToHeadRow]"]
    better: list["MatrixRow[PairVerdict]"]
    tint: Callable[[HeadToHeadRow], str]


def head_to_head_page(board: Leaderboard) -> HeadToHeadPage:
    """Return what the head-to-head page of a leaderboard shows."""
    return HeadToHeadPage(board, list(matrix(board, TOP)), better_matrix(board, TOP), tint)


class OverallPage(Struct, frozen=True):
    """The page of the overall table."""

    overall: Overall
    columns: tuple[PageColumn, ...]
    standings: Standings
    axis: Axis
    infos: dict[str, BotInfo]


def overall_page(
    overall: Overall, conditions: Conditions, left_out: Collection[str]
) -> OverallPage:
    """Return what the page of the overall table shows; `left_out` as for a leaderboard."""
    infos = {bot.name: bot for bot in conditions.bots}
    standings = without_first(overall_standings(overall), left_out)
    columns = page_columns(OverallRow)
    return OverallPage(overall, columns, standings, standings.axis, infos)


class BoardLine(Struct, frozen=True):
    """A bot's line as a leaderboard shows it."""

    row: LeaderboardRow
    standing: StandingRow
    info: BotInfo
    trend: float | None
    """By how much mu changed over the last third of the games; None if unknown."""
    tier: bool
    """Whether those above it are the best ones, with 95 % confidence."""


def lines(
    board: Leaderboard, conditions: Conditions, left_out: Collection[str] = ()
) -> list[BoardLine]:
    """Return the lines of a leaderboard, best first; `left_out` as for its page."""
    infos = {bot.name: bot for bot in conditions.bots}
    standings = without_first(board_standings(board), left_out)
    listed, worst = [], 0
    for above, (row, stands) in enumerate(zip(board.rows, standings.rows, strict=True)):
        tier = above > 0 and worst <= above
        past = trend(board.history, row.bot)
        listed.append(BoardLine(row, stands, infos[row.bot], past, tier))
        worst = max(worst, row.worst)
    return listed


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


def matrix(board: Leaderboard, most: int | None = None) -> Iterator[MatrixRow[HeadToHeadRow]]:
    """Yield the head-to-head table of the first `most` bots, in the leaderboard's order."""
    names = [row.bot for row in board.rows[:most]]
    for bot in names:
        met = {row.opponent: row for row in by_opponent(board, bot, names)}
        yield MatrixRow(bot, tuple(map(met.get, names)))


class PairVerdict(Struct, frozen=True):
    """Whether one bot is better than another, as the statement about their table has it."""

    words: Literal["better", "worse", "too close to call"]
    sure: float
    """The largest confidence at which the two are told apart; from 95 % on, it is said."""

    @property
    def tint(self) -> str:
        """The colour class."""
        return {"better": "ahead-3", "worse": "behind-3"}.get(self.words, "even")


def better_matrix(board: Leaderboard, most: int | None = None) -> list[MatrixRow[PairVerdict]]:
    """Return who of the first `most` bots is better than whom, in the leaderboard's order."""
    names = [row.bot for row in board.rows[:most]]
    return [MatrixRow(bot, tuple(map(verdicts(board, bot, names).get, names))) for bot in names]


def verdicts(board: Leaderboard, bot: str, rivals: Iterable[str]) -> dict[str, PairVerdict]:
    """Return whether a bot is better than each of some rivals, as far as that was computed."""
    better, sure = board.better_of(bot), board.sure_of(bot)
    return {rival: _verdict(better[rival], sure[rival]) for rival in rivals if rival in better}


def _verdict(probability: float, sure: float) -> PairVerdict:
    if sure < CONFIDENCE:
        return PairVerdict("too close to call", sure)
    return PairVerdict("better" if probability > 0.5 else "worse", sure)


class OverviewRow(Struct, frozen=True):
    """A bot across all tables."""

    info: BotInfo
    overall: StandingRow | None
    cells: tuple[StandingRow | None, ...]
    """One for each leaderboard; None if the bot did not play."""


class BotsPage(Struct, frozen=True):
    """The page of all bots."""

    overview: "Overview"


class Overview(Struct, frozen=True):
    """The table over all leaderboards."""

    rows: list[OverviewRow]
    total: int
    """How many bots there are, shown or not."""

    @property
    def provisional(self) -> bool:
        """Whether any of the ratings shown is provisional."""
        return any(cell.provisional for row in self.rows for cell in row.cells if cell)


def overview(conditions: Conditions, ratings: Ratings) -> Overview:
    """Return all bots in the order of the overall table, else of the first leaderboard."""
    whole = overall_standings(ratings.overall).rows if ratings.overall else ()
    overall = {row.bot: row for row in whole}
    boards = [{row.bot: row for row in board_standings(board).rows} for board in ratings.boards]
    infos = {bot.name: bot for bot in conditions.bots}
    order = dict.fromkeys(chain(overall, *boards, infos))
    most = CELLS // (len(boards) + 1)
    rows = [
        OverviewRow(infos[name], overall.get(name), tuple(board.get(name) for board in boards))
        for name in list(order)[:most]
    ]
    return Overview(rows, len(order))
