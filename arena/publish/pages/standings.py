"""One row builder for all tables of standings, and who may be first."""

from msgspec import Struct
from msgspec.structs import replace

from arena.publish.drawing.axis import Axis, axis_of
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow, Overall, OverallRow


class StandingRow(Struct, frozen=True):
    """A bot's place in a table, and the share of its rivals that it finished ahead of."""

    bot: str
    may_be_first: bool
    """Whether it is among those of which one is the best, with 95 % confidence."""
    best: int
    """The ends of its range of ranks; it begins at 2 if the bot may not be first."""
    worst: int
    low: float
    """The ends of the 95 % interval of the share."""
    share: float
    high: float
    games: int
    provisional: bool = False


class Standings(Struct, frozen=True):
    """A table of standings, the best first."""

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
    return Standings(tuple(map(_overall_row, overall.rows)))


def _overall_row(row: OverallRow) -> StandingRow:
    return StandingRow(row.bot, *_ranks(row), row.low, row.score, row.high, row.games)


def _ranks(row: LeaderboardRow | OverallRow) -> tuple[bool, int, int]:
    """Return whether a bot may be first, and its range of ranks as pages show it."""
    return row.may_be_first, max(row.best, 1 if row.may_be_first else 2), row.worst


def in_order_of_ranks(standings: Standings) -> Standings:
    """Return standings by rank; of equal ranks the one first that beat more of its rivals."""
    rows = sorted(standings.rows, key=lambda row: (row.best, -row.share, row.worst, row.bot))
    return replace(standings, rows=tuple(rows))


def board_standings(board: Leaderboard) -> Standings:
    """Return the standings of one leaderboard, in the order of its ratings."""
    rows = tuple(standing(row, board.players) for row in board.rows)
    return Standings(rows, (board.variant, board.players))


def standing(row: LeaderboardRow, players: int) -> StandingRow:
    """Return a bot's line on a leaderboard: a mean place is a share of rivals beaten."""
    low, share, high = (
        (players - place) / (players - 1)
        for place in (row.place_high, row.mean_place, row.place_low)
    )
    return StandingRow(row.bot, *_ranks(row), low, share, high, row.games, row.provisional)
