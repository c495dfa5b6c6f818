"""The numbers behind charts and statistics of play: made once, for pages and for data tables."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from msgspec.structs import asdict

from arena.game.records import Division
from arena.playstats.highlights import Highlight
from arena.playstats.league_summary import LeagueSummary
from arena.playstats.style import BINS, MILLION, Calibration, Rate, Style
from arena.publish.data.play_rows import (
    BotCalibrationRow,
    BotSeatRow,
    CalibrationRow,
    GameLengthRow,
    HighlightRow,
    HistoryRow,
    MistakeRow,
    SeatAdvantageRow,
    StyleRow,
)
from arena.publish.data.schema import DataTable, LeagueHead
from arena.publish.links import Links
from arena.ratings.history import History
from arena.ratings.leaderboard_rows import Leaderboard
from arena.ratings.maths.intervals import wilson

DivisionStyle = tuple[Division | None, Style]
"""How a bot plays in one division, or in all of them if it is None."""


def calibration(bids: Calibration) -> list[CalibrationRow]:
    """Return the bins that hold bids, the least likely first."""
    rows = []
    for at, (count, said, held) in enumerate(zip(bids.bids, bids.said, bids.held, strict=True)):
        if count:
            low, high = wilson(held, count)
            row = CalibrationRow(
                at_least=at / BINS,
                below=(at + 1) / BINS,
                bids=count,
                said=said / MILLION / count,
                held=held,
                share=held / count,
                low=low,
                high=high,
            )
            rows.append(row)
    return rows


def lengths(players: int, rounds: Mapping[int, int]) -> list[GameLengthRow]:
    """Return games by how many rounds they took, the shortest first."""
    games = sum(rounds.values())
    return [
        GameLengthRow(players, count, rounds[count], rounds[count] / games)
        for count in sorted(rounds)
    ]


def seats(players: int, wins: Sequence[Rate]) -> list[SeatAdvantageRow]:
    """Return how often each seat won; nothing without games."""
    return [
        SeatAdvantageRow(
            players,
            seat,
            rate.trials,
            rate.hits,
            rate.hits / rate.trials,
            *wilson(rate.hits, rate.trials),
            1 / players,
        )
        for seat, rate in enumerate(wins)
        if rate.trials
    ]


def history(points: History, bot: str) -> list[HistoryRow]:
    """Return the points of a history from the bot's first game on."""
    return [
        HistoryRow(bot, point.games, then.games, then.mu, then.sigma)
        for point in points
        if (then := point.bots.get(bot))
    ]


def bot_seats(summary: LeagueSummary, bot: str) -> list[BotSeatRow]:
    """Return a bot's results by division and seat."""
    return [
        BotSeatRow(
            bot,
            *division,
            seat,
            result.games,
            result.wins,
            result.wins / result.games,
            *wilson(result.wins, result.games),
            result.mean_place,
        )
        for division, at in sorted(summary.bots.get(bot, {}).items())
        for seat, result in sorted(at.seats.items())
        if result.games
    ]


def styles(summary: LeagueSummary, bot: str) -> list[DivisionStyle]:
    """Return a bot's style in each division, and first over all if there are several."""
    tables = sorted(summary.bots.get(bot, {}).items())
    by_division: list[DivisionStyle] = [(division, at.style) for division, at in tables]
    if len(by_division) < 2:
        return by_division
    total = Style()
    for _, style in by_division:
        total.add(style)
    return [(None, total), *by_division]


def bot_calibration(summary: LeagueSummary, bot: str) -> list[CalibrationRow]:
    """Return the bids of one bot by how likely they were to be true."""
    total = Calibration()
    for at in summary.bots.get(bot, {}).values():
        total.add(at.calibration)
    return calibration(total)


def tables(
    head: LeagueHead,
    summary: LeagueSummary,
    bots: Sequence[str],
    boards: Sequence[Leaderboard],
    links: Links,
    highlights: Mapping[str, Sequence[Highlight]],
) -> Iterator[tuple[str, DataTable]]:
    """Yield the data tables of all this, each with its path without suffix."""
    lines = [row for size, rounds in summary.rounds().items() for row in lengths(size, rounds)]
    won = [row for size, wins in summary.seat_wins().items() for row in seats(size, wins)]
    bids = [
        BotCalibrationRow(bot, **asdict(row))
        for bot in bots
        for row in bot_calibration(summary, bot)
    ]
    for table in (
        DataTable(CalibrationRow, head, calibration(summary.calibration())),
        DataTable(GameLengthRow, head, lines),
        DataTable(SeatAdvantageRow, head, won),
        DataTable(BotSeatRow, head, [row for bot in bots for row in bot_seats(summary, bot)]),
        DataTable(BotCalibrationRow, head, bids),
        DataTable(
            StyleRow, head, [_style(bot, *at) for bot in bots for at in styles(summary, bot)]
        ),
        DataTable(
            HighlightRow, head, [_highlight(*of) for bot in bots for of in _ranked(highlights, bot)]
        ),
        DataTable(MistakeRow, head, list(_mistakes(summary, bots))),
    ):
        yield f"data/{table.type.name}", table
    for board in boards:
        points = [point for row in board.rows for point in history(board.history, row.bot)]
        yield links.data_stem(board, "history"), DataTable(HistoryRow, head, points)


def _style(bot: str, division: Division | None, style: Style) -> StyleRow:
    variant, players = division or (None, None)
    mean = style.mean_boldness()
    row = {name: count for name, count in asdict(style).items() if name != "boldness_squared"}
    row |= {
        "turns_on_a_bid": style.turns_on_a_bid,
        "boldness": mean and mean.mean,
        "boldness_low": mean and mean.low,
        "boldness_high": mean and mean.high,
    }
    for name, rate in style.rates().items():
        low, high = rate.interval or (None, None)
        row |= {f"{name}_share": rate.share, f"{name}_low": low, f"{name}_high": high}
    return StyleRow(bot=bot, variant=variant, players=players, **row)


def _ranked(
    highlights: Mapping[str, Sequence[Highlight]], bot: str
) -> Iterator[tuple[int, Highlight]]:
    """Yield the highlights of a bot, each with its place among those of its kind."""
    for _, of_kind in groupby(highlights.get(bot, ()), lambda highlight: highlight.kind):
        yield from enumerate(of_kind, 1)


def _highlight(rank: int, highlight: Highlight) -> HighlightRow:
    row = asdict(highlight)
    for name in ("own", "quantity", "face", "rival"):
        row[name] = row[name] or None
    return HighlightRow(rank=rank, **row)


def _mistakes(summary: LeagueSummary, bots: Sequence[str]) -> Iterator[MistakeRow]:
    for bot in bots:
        for rank, move in enumerate(summary.mistakes.get(bot, ()), 1):
            row = asdict(move)
            row["raised_quantity"], row["raised_face"] = row.pop("raised") or (None, None)
            yield MistakeRow(bot=bot, rank=rank, **row)
