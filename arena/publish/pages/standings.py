"""One row builder for all tables of standings, and who may be first."""

from msgspec import Struct

from arena.publish.drawing.axis import Axis, axis_of
from arena.ratings.table import Leaderboard, LeaderboardRow, Overall, OverallRow


class Standing(Struct, frozen=True):
    """A bot's place in a table, and the share of its rivals that it finished ahead of."""

    bot: str
    best: int
    """The ends of its range of ranks."""
    worst: int
    low: float
    """The ends of the 95 % interval of the share."""
    share: float
    high: float
    games: int
    provisional: bool = False

    @property
    def may_be_first(self) -> bool:
        """Whether no other bot is clearly better."""
        return self.best == 1


class Standings(Struct, frozen=True):
    """A table of standings, the best first."""

    rows: tuple[Standing, ...]
    division: tuple[str, int] | None = None
    """The variant and the players of its tables; None for all tables together."""

    @property
    def first(self) -> tuple[str, ...]:
        """The bots that may be first: no other is clearly better; the likeliest comes first.

        Pairs decide that, not ranges that overlap.
        """
        return tuple(row.bot for row in self.rows if row.may_be_first)

    @property
    def axis(self) -> Axis:
        """The scale of the shares."""
        return axis_of([(row.low, row.high) for row in self.rows])


def overall_standings(overall: Overall) -> Standings:
    """Return the standings over all tables."""
    return Standings(tuple(map(_overall_row, overall.rows)))


def _overall_row(row: OverallRow) -> Standing:
    return Standing(row.bot, row.best, row.worst, row.low, row.score, row.high, row.games)


def board_standings(board: Leaderboard) -> Standings:
    """Return the standings of one leaderboard, in the order of its ratings."""
    rows = tuple(standing(row, board.players) for row in board.rows)
    return Standings(rows, (board.variant, board.players))


def standing(row: LeaderboardRow, players: int) -> Standing:
    """Return a bot's line on a leaderboard: a mean place is a share of rivals beaten."""
    low, share, high = (
        (players - place) / (players - 1)
        for place in (row.place_high, row.mean_place, row.place_low)
    )
    ranks = row.best, row.worst
    return Standing(row.bot, *ranks, low, share, high, row.games, row.provisional)
