"""The data tables about play, for pages and for files.

`docs/reference/statistics.md` defines the terms.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import asdict

from arena.game.records import Cause, Division
from arena.playstats.highlights import Highlight, HighlightKind
from arena.playstats.league_summary import LeagueSummary
from arena.playstats.mistakes import Mistake
from arena.playstats.style import BINS, MILLION, Calibration, Rate, Style
from arena.publish.data.schema import DataTable, LeagueHead, TableRow, table
from arena.publish.links import Links
from arena.ratings.columns import (
    Bot,
    GameNumber,
    GamesPlayed,
    Index,
    Players,
    Positive,
    Share,
    Variant,
    Whole,
    WilsonHigh,
    WilsonLow,
    Wins,
    WinShare,
    doc,
)
from arena.ratings.leaderboard_rows import History, Leaderboard
from arena.ratings.maths.intervals import wilson

Seat = Annotated[Whole, doc("From 0.")]
StyleLow = Annotated[float | None, doc("The lower end of its 95 % interval (Wilson's).")]
StyleHigh = Annotated[float | None, doc("The upper end.")]


@table("calibration")
class CalibrationRow(TableRow, frozen=True, kw_only=True):
    """How often bids were true, by how likely their bidders knew them."""

    # Keyword-only fields come after those of a subclass.
    at_least: Annotated[Share, doc("The lower end of the bin: how likely, as the bidder knew it.")]
    below: Annotated[Share, doc("The upper end; the last bin includes certainty.")]
    bids: Annotated[Positive, doc("Bids in the bin.")]
    said: Annotated[Share, doc("The mean of their probabilities.")]
    held: Annotated[Whole, doc("How many were true.")]
    share: Annotated[Share, doc("held / bids.")]
    low: WilsonLow
    high: WilsonHigh


@table("calibration-bots")
class BotCalibrationRow(CalibrationRow, frozen=True):
    """How often each bot's bids were true, by how likely the bot knew them."""

    bot: Bot


@table("game-length")
class GameLengthRow(TableRow, frozen=True):
    """Games by how many rounds they took."""

    players: Players
    rounds: Annotated[Whole, doc("Rounds, void ones included.")]
    games: Annotated[Positive, doc("Games of so many rounds.")]
    share: Annotated[Share, doc("Their share of all games of that table size.")]


@table("seat-advantage")
class SeatAdvantageRow(TableRow, frozen=True):
    """How often each seat won."""

    players: Players
    seat: Seat
    games: GamesPlayed
    wins: Wins
    share: WinShare
    low: WilsonLow
    high: WilsonHigh
    chance: Annotated[Share, doc("The share of wins that chance alone gives.")]


@table("seats")
class BotSeatRow(TableRow, frozen=True):
    """Each bot's results from each seat."""

    bot: Bot
    variant: Variant
    players: Players
    seat: Seat
    games: GamesPlayed
    wins: Wins
    share: WinShare
    low: WilsonLow
    high: WilsonHigh
    mean_place: Annotated[float, doc("The mean place, 1 is best.")]

    @property
    def division(self) -> Division:
        """The division that the games count for."""
        return Division(self.variant, self.players)


@table("style")
class StyleRow(TableRow, frozen=True):
    """How each bot plays, by variant and table size; over all of them if no variant is named."""

    bot: Bot
    variant: Annotated[str | None, doc("The league's label of the rules; null: all tables.")]
    players: Annotated[Players | None, doc("How many sit at a table; null: all tables.")]
    openings: Annotated[Whole, doc("Bids that opened a round.")]
    boldness: Annotated[
        float | None, doc("The mean of quantity / dice to be expected, over openings.")
    ]
    boldness_low: Annotated[float | None, doc("The lower end of its 95 % interval.")]
    boldness_high: Annotated[float | None, doc("The upper end.")]
    bids: Annotated[Whole, doc("Bids, openings among them.")]
    bluffs: Annotated[Whole, doc("Bids less than 1/2 likely to be true, as the bidder knew it.")]
    turns_on_a_bid: Annotated[Whole, doc("Raises and dudos.")]
    dudos: Annotated[Whole, doc("Dudos.")]
    dudos_right: Annotated[Whole, doc("Dudos on bids that were false.")]
    calzas: Annotated[Whole, doc("Calls that the bid is exact.")]
    calzas_right: Annotated[Whole, doc("Those that were right.")]
    bluffs_share: Annotated[float | None, doc("bluffs / bids.")]
    bluffs_low: StyleLow
    bluffs_high: StyleHigh
    dudos_share: Annotated[float | None, doc("dudos / turns_on_a_bid.")]
    dudos_low: StyleLow
    dudos_high: StyleHigh
    dudos_right_share: Annotated[float | None, doc("dudos_right / dudos.")]
    dudos_right_low: StyleLow
    dudos_right_high: StyleHigh
    calzas_right_share: Annotated[float | None, doc("calzas_right / calzas.")]
    calzas_right_low: StyleLow
    calzas_right_high: StyleHigh


@table("highlights")
class HighlightRow(TableRow, frozen=True):
    """The best highlights of each bot."""

    bot: Bot
    kind: Annotated[HighlightKind, doc("What it is.")]
    rank: Annotated[Positive, doc("Its place among the bot's highlights of this kind.")]
    score: Annotated[float, doc("Bits of surprise times dice on the table.")]
    variant: Variant
    players: Players
    index: Index
    game: GameNumber
    round: Annotated[Whole, doc("From 0.")]
    step: Annotated[Whole, doc("Its place among the events of its game, from 0.")]
    seat: Seat
    chance: Annotated[
        Share,
        doc(
            "That the bid was true or the call right, as the bot knew it; its share of the dice "
            "before a comeback; its chance of an upset; its share of games faulted."
        ),
    ]
    dice: Annotated[int, Meta(ge=2, description="Dice on the table.")]
    own: Annotated[Positive | None, doc("The bot's own dice, before a comeback.")]
    quantity: Annotated[Positive | None, doc("The bid made or called: how many dice.")]
    face: Annotated[Positive | None, doc("Its face; 1 is a paco.")]
    cause: Annotated[Cause | None, doc("Of a fault.")]
    opponent: Annotated[str | None, doc("The best-rated bot that lost, in an upset.")]


@table("mistakes")
class MistakeRow(TableRow, frozen=True):
    """The worst moves of each bot."""

    bot: Bot
    rank: Annotated[Positive, doc("Its place on the list.")]
    variant: Variant
    players: Players
    index: Index
    game: GameNumber
    round: Annotated[Whole, doc("From 0.")]
    step: Annotated[Whole, doc("The move's place among the events of its game, from 0.")]
    seat: Seat
    action: Annotated[Literal["bid", "dudo", "calza"], doc("What the bot did.")]
    quantity: Annotated[Positive, doc("The bid that lay on the table: how many dice.")]
    face: Annotated[Positive, doc("Its face; 1 is a paco.")]
    chance: Annotated[Share, doc("That the move was right, as the bot knew it.")]
    instead: Annotated[Share, doc("The same of the alternative; 1 for passing.")]
    edge: Annotated[float, doc("By how many dice, on average, it was better than the alternative.")]
    dice: Annotated[int, Meta(ge=2, description="Dice on the table.")]
    right: Annotated[bool, doc("Whether the bid was true, or the call right.")]
    raised_quantity: Annotated[Positive | None, doc("The bid made, or the best instead of a dudo.")]
    raised_face: Annotated[Positive | None, doc("Its face; null for a calza.")]


@table("history")
class HistoryRow(TableRow, frozen=True):
    """The ratings of each bot at points on the way."""

    bot: Bot
    table_games: Annotated[Positive, doc("Games of this variant and table size so far.")]
    games: Annotated[Positive, doc("The bot's own among them.")]
    mu: Annotated[
        float, doc("Mean of the skill, relative to those who had played, or to the anchor.")
    ]
    sigma: Annotated[float, doc("The standard deviation by the model.")]


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
    for made in (
        DataTable(CalibrationRow, head, calibration(summary.calibration())),
        DataTable(GameLengthRow, head, lines),
        DataTable(SeatAdvantageRow, head, won),
        DataTable(BotSeatRow, head, [row for bot in bots for row in bot_seats(summary, bot)]),
        DataTable(BotCalibrationRow, head, bids),
        DataTable(
            StyleRow, head, [_style(bot, *at) for bot in bots for at in styles(summary, bot)]
        ),
        DataTable(
            HighlightRow,
            head,
            [
                _highlight(rank, highlight)
                for bot in bots
                for _, of_kind in groupby(highlights.get(bot, ()), lambda one: one.kind)
                for rank, highlight in enumerate(of_kind, 1)
            ],
        ),
        DataTable(
            MistakeRow,
            head,
            [
                _mistake(bot, rank, move)
                for bot in bots
                for rank, move in enumerate(summary.mistakes.get(bot, ()), 1)
            ],
        ),
    ):
        yield f"data/{made.type.name}", made
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


def _highlight(rank: int, highlight: Highlight) -> HighlightRow:
    row = asdict(highlight)
    for name in ("own", "quantity", "face", "opponent"):
        row[name] = row[name] or None
    return HighlightRow(rank=rank, **row)


def _mistake(bot: str, rank: int, move: Mistake) -> MistakeRow:
    row = asdict(move)
    row["raised_quantity"], row["raised_face"] = row.pop("raised") or (None, None)
    return MistakeRow(bot=bot, rank=rank, **row)
