"""The data tables about play: their rows and columns. The terms are defined in docs/report.md."""

from typing import Annotated, Literal

from msgspec import Meta

from arena.publish.data.schema import (
    Bot,
    Index,
    Players,
    Positive,
    Share,
    TableRow,
    TableType,
    Variant,
    Whole,
    WilsonHigh,
    WilsonLow,
    doc,
)
from arena.records import Division

AtLeast = Annotated[Share, doc("The lower end of the bin: how likely, as the bidder knew it.")]
Below = Annotated[Share, doc("The upper end; the last bin includes certainty.")]
BidsInBin = Annotated[Positive, doc("Bids in the bin.")]
MeanChance = Annotated[Share, doc("The mean of their probabilities.")]
TrueBids = Annotated[Whole, doc("How many were true.")]
TrueShare = Annotated[Share, doc("held / bids.")]
Seat = Annotated[Whole, doc("From 0.")]
SeatGames = Annotated[Whole, doc("Games played.")]
Wins = Annotated[Whole, doc("Games won.")]
WinShare = Annotated[Share, doc("wins / games.")]
StyleLow = Annotated[float | None, doc("The lower end of its 95 % interval (Wilson's).")]
StyleHigh = Annotated[float | None, doc("The upper end.")]


class CalibrationRow(TableRow, frozen=True):
    """Bids that were about equally likely to be true."""

    at_least: AtLeast
    below: Below
    bids: BidsInBin
    said: MeanChance
    held: TrueBids
    share: TrueShare
    low: WilsonLow
    high: WilsonHigh


CALIBRATION = TableType(
    "calibration",
    "How often bids were true, by how likely their bidders knew them",
    CalibrationRow,
)


class BotCalibrationRow(TableRow, frozen=True):
    """The same of one bot's bids."""

    bot: Bot
    at_least: AtLeast
    below: Below
    bids: BidsInBin
    said: MeanChance
    held: TrueBids
    share: TrueShare
    low: WilsonLow
    high: WilsonHigh


CALIBRATION_BOTS = TableType("calibration-bots", "The same of each bot's bids", BotCalibrationRow)


class GameLengthRow(TableRow, frozen=True):
    """Games of so many rounds."""

    players: Players
    rounds: Annotated[Whole, doc("Rounds, void ones included.")]
    games: Annotated[Positive, doc("Games of so many rounds.")]
    share: Annotated[Share, doc("Their share of all games of that table size.")]


GAME_LENGTH = TableType("game-length", "Games by how many rounds they took", GameLengthRow)


class SeatAdvantageRow(TableRow, frozen=True):
    """How often a seat won."""

    players: Players
    seat: Seat
    games: Annotated[Positive, doc("Games played.")]
    wins: Wins
    share: WinShare
    low: WilsonLow
    high: WilsonHigh
    chance: Annotated[Share, doc("The share of wins that chance alone gives.")]


SEAT_ADVANTAGE = TableType("seat-advantage", "How often each seat won", SeatAdvantageRow)


class BotSeatRow(TableRow, frozen=True):
    """A bot's results from one seat in one division."""

    bot: Bot
    variant: Variant
    players: Players
    seat: Seat
    games: Annotated[Positive, doc("Games played.")]
    wins: Wins
    share: WinShare
    low: WilsonLow
    high: WilsonHigh
    mean_place: Annotated[float, doc("The mean place, 1 is best.")]

    @property
    def division(self) -> Division:
        """The division that the games count for."""
        return Division(self.variant, self.players)


SEATS = TableType("seats", "Each bot's results from each seat", BotSeatRow)


class StyleRow(TableRow, frozen=True):
    """How a bot plays in one division, or in all."""

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
    dudos: Annotated[Whole, doc("Doubts.")]
    dudos_right: Annotated[Whole, doc("Doubts of bids that were false.")]
    calzas: Annotated[Whole, doc("Calls that the bid is exact.")]
    calzas_right: Annotated[Whole, doc("Those that were right.")]
    bluffs_share: Annotated[float | None, doc("bluffs / bids.")]
    bluffs_low: StyleLow
    bluffs_high: StyleHigh
    doubts_share: Annotated[float | None, doc("dudos / turns_on_a_bid.")]
    doubts_low: StyleLow
    doubts_high: StyleHigh
    doubts_right_share: Annotated[float | None, doc("dudos_right / dudos.")]
    doubts_right_low: StyleLow
    doubts_right_high: StyleHigh
    calzas_right_share: Annotated[float | None, doc("calzas_right / calzas.")]
    calzas_right_low: StyleLow
    calzas_right_high: StyleHigh


STYLE = TableType(
    "style",
    "How each bot plays, at each variant and table size; at all if no variant is named",
    StyleRow,
)


class MomentRow(TableRow, frozen=True):
    """A key move of a bot."""

    bot: Bot
    end: Annotated[Literal["best", "worst"], doc("Which list it is on.")]
    rank: Annotated[Positive, doc("Its place on the list.")]
    variant: Variant
    players: Players
    index: Index
    game: Annotated[Whole, doc("The game's number in the fixture, from 0.")]
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


MOMENTS = TableType("moments", "The best calls and the worst moves of each bot", MomentRow)


class HistoryRow(TableRow, frozen=True):
    """A bot's rating at one point."""

    bot: Bot
    table_games: Annotated[Positive, doc("Games of this variant and table size so far.")]
    games: Annotated[Positive, doc("The bot's own among them.")]
    mu: Annotated[float, doc("TrueSkill mean, relative to those who had played, or to the anchor.")]
    sigma: Annotated[float, doc("TrueSkill's standard deviation.")]


HISTORY = TableType("history", "The ratings of each bot at points on the way", HistoryRow)

PLAY_TABLES = (
    *(CALIBRATION, CALIBRATION_BOTS, GAME_LENGTH, SEAT_ADVANTAGE),
    *(SEATS, STYLE, MOMENTS, HISTORY),
)
