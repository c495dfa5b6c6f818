"""The data tables about play: their rows and columns.

`docs/reference/statistics.md` defines the terms.
"""

from typing import Annotated, Literal

from msgspec import Meta

from arena.game.records import Cause, Division
from arena.playstats.highlights import HighlightKind
from arena.publish.data.schema import TableRow, table
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
    dudos: Annotated[Whole, doc("Doubts.")]
    dudos_right: Annotated[Whole, doc("Doubts of bids that were false.")]
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
    rival: Annotated[str | None, doc("The best-rated bot that lost, in an upset.")]


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
