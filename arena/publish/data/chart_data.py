"""The numbers behind charts and tables of style: made once, for pages and for data files."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import asdict

from arena.playstats.key_moves import KeyMove, KeyMoves
from arena.playstats.league_summary import LeagueSummary
from arena.playstats.style import BINS, MILLION, Calibration, Mean, Rate, Style
from arena.publish.data import play_columns as sheets
from arena.publish.data.schema import Sheet
from arena.publish.data.tables import Record, Table
from arena.publish.pages.links import Links
from arena.ratings.history import History
from arena.ratings.intervals import wilson
from arena.ratings.table import Leaderboard


class CalibrationRow(Struct, frozen=True):
    """Bids that were about as likely to be true, as their bidders knew it."""

    at_least: float
    below: float
    """The last bin holds certainty, too."""
    bids: int
    said: float
    """The mean of their probabilities."""
    held: int
    """How many were true."""
    share: float
    low: float
    high: float


class LengthRow(Struct, frozen=True):
    """Games of so many rounds."""

    players: int
    rounds: int
    games: int
    share: float


class SeatRow(Struct, frozen=True):
    """How often a seat won."""

    players: int
    seat: int
    games: int
    wins: int
    share: float
    low: float
    high: float
    chance: float


class HistoryRow(Struct, frozen=True):
    """A bot's rating at one point."""

    bot: str
    table_games: int
    """Games at the table so far, and the bot's own among them."""
    games: int
    mu: float
    sigma: float


class BotSeatRow(Struct, frozen=True):
    """What a bot reached from one seat of one kind of table."""

    bot: str
    variant: str
    players: int
    seat: int
    games: int
    wins: int
    share: float
    low: float
    high: float
    mean_place: float

    @property
    def table(self) -> tuple[str, int]:
        """The variant and the table size."""
        return self.variant, self.players


class StyleRow(Struct, frozen=True):
    """How a bot plays at one kind of table, or at all of them where no variant is named."""

    bot: str
    variant: str | None
    players: int | None
    style: Style

    @property
    def rates(self) -> dict[str, Rate]:
        """What is said of it as shares, by name."""
        return self.style.rates()

    @property
    def boldness(self) -> Mean | None:
        """The mean boldness of its openings."""
        return self.style.mean_boldness()


def calibration(found: Calibration) -> list[CalibrationRow]:
    """Return the bins that hold bids, the least likely first."""
    return [_bin(found, at) for at in range(BINS) if found.bids[at]]


def _bin(found: Calibration, at: int) -> CalibrationRow:
    bids, held = found.bids[at], found.held[at]
    said = found.said[at] / MILLION / bids
    return CalibrationRow(
        at / BINS, (at + 1) / BINS, bids, said, held, held / bids, *wilson(held, bids)
    )


def lengths(players: int, rounds: Mapping[int, int]) -> list[LengthRow]:
    """Return games by how many rounds they took, the shortest first."""
    games = sum(rounds.values())
    return [
        LengthRow(players, count, rounds[count], rounds[count] / games) for count in sorted(rounds)
    ]


def seats(players: int, wins: Sequence[Rate]) -> list[SeatRow]:
    """Return how often each seat won; nothing where there are no games."""
    return [
        SeatRow(
            players,
            seat,
            rate.trials,
            rate.hits,
            rate.hits / rate.trials,
            *wilson(rate.hits, rate.trials),
            chance=1 / players,
        )
        for seat, rate in enumerate(wins)
        if rate.trials
    ]


def history(course: History, bot: str) -> list[HistoryRow]:
    """Return the points of a history from where the bot had played."""
    return [
        HistoryRow(
            bot, point.games, point.bots[bot].games, point.bots[bot].mu, point.bots[bot].sigma
        )
        for point in course
        if bot in point.bots
    ]


def bot_seats(facts: LeagueSummary, bot: str) -> list[BotSeatRow]:
    """Return a bot's results by kind of table and seat."""
    return [
        BotSeatRow(
            *(bot, variant, players, seat, one.games, one.wins, one.wins / one.games),
            *wilson(one.wins, one.games),
            mean_place=one.mean_place,
        )
        for (variant, players), at in sorted(facts.bots.get(bot, {}).items())
        for seat, one in sorted(at.seats.items())
        if one.games
    ]


def styles(facts: LeagueSummary, bot: str) -> list[StyleRow]:
    """Return a bot's style at each kind of table, and first over all where there are several."""
    tables = sorted(facts.bots.get(bot, {}).items())
    rows = [StyleRow(bot, *kind, at.style) for kind, at in tables]
    if len(rows) < 2:
        return rows
    whole = Style()
    for row in rows:
        whole.add(row.style)
    return [StyleRow(bot, None, None, whole), *rows]


def bot_calibration(facts: LeagueSummary, bot: str) -> list[CalibrationRow]:
    """Return the bids of one bot by how likely they were to be true."""
    whole = Calibration()
    for at in facts.bots.get(bot, {}).values():
        whole.add(at.calibration)
    return calibration(whole)


def tables(
    facts: LeagueSummary, bots: Sequence[str], boards: Sequence[Leaderboard], links: Links
) -> Iterator[tuple[str, Table]]:
    """Yield the data files of all this: a path without suffix, and the table."""
    yield "data/calibration", _table(sheets.CALIBRATION, calibration(facts.calibration()))
    lines = [row for size, rounds in facts.rounds().items() for row in lengths(size, rounds)]
    yield "data/game-length", _table(sheets.GAME_LENGTH, lines)
    won = [row for size, wins in facts.seat_wins().items() for row in seats(size, wins)]
    yield "data/seat-advantage", _table(sheets.SEAT_ADVANTAGE, won)
    seated = [row for bot in bots for row in bot_seats(facts, bot)]
    yield "data/seats", _table(sheets.SEATS, seated)
    yield "data/calibration-bots", _calibrations(facts, bots)
    yield "data/style", Table(sheets.STYLE, list(_styles(facts, bots)))
    yield "data/moments", Table(sheets.MOMENTS, list(_moments(facts, bots)))
    for board in boards:
        rows = [row for one in board.rows for row in history(board.history, one.bot)]
        yield links.data_stem(board, "history"), _table(sheets.HISTORY, rows)


def _table(sheet: Sheet, rows: Sequence[Struct]) -> Table:
    return Table(sheet, [asdict(row) for row in rows])


def _calibrations(facts: LeagueSummary, bots: Sequence[str]) -> Table:
    rows = [{"bot": bot, **asdict(row)} for bot in bots for row in bot_calibration(facts, bot)]
    return Table(sheets.CALIBRATION_BOTS, rows)


def _styles(facts: LeagueSummary, bots: Sequence[str]) -> Iterator[Record]:
    yield from (_style(row) for bot in bots for row in styles(facts, bot))


def _style(row: StyleRow) -> Record:
    mean = row.boldness
    record = {
        **asdict(row.style),
        "bot": row.bot,
        "variant": row.variant,
        "players": row.players,
        "turns_on_a_bid": row.style.doubtable,
        "boldness": mean and mean.mean,
        "boldness_low": mean and mean.low,
        "boldness_high": mean and mean.high,
    }
    for name, rate in row.rates.items():
        low, high = rate.interval or (None, None)
        record |= {f"{name}_share": rate.share, f"{name}_low": low, f"{name}_high": high}
    return record


def _moments(facts: LeagueSummary, bots: Sequence[str]) -> Iterator[Record]:
    for bot in bots:
        for end in ("best", "worst"):
            found = getattr(facts.moments.get(bot, KeyMoves()), end)
            for rank, one in enumerate(found, 1):
                yield _moment(one) | {"bot": bot, "end": end, "rank": rank}


def _moment(one: KeyMove) -> Record:
    quantity, face = one.raised or (None, None)
    return {**asdict(one), "raised_quantity": quantity, "raised_face": face}
