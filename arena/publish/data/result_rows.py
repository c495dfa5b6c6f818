"""The data tables about ratings, fixtures and the league itself: their rows and columns."""

from typing import Annotated, Literal

from msgspec import Struct

from arena.game.records import Division
from arena.playstats.fault_entry import FaultEntry
from arena.publish.data.schema import LeagueHead, TableHead, TableRow, table
from arena.ratings.columns import (
    Bot,
    FixtureId,
    GamesPlayed,
    Index,
    LowerEnd,
    Players,
    Positive,
    Seats,
    Share,
    UpperEnd,
    Variant,
    Whole,
    WilsonHigh,
    WilsonLow,
    doc,
)
from arena.ratings.leaderboard_rows import LeaderboardRow, OverallRow, Suspicion

Opponent = Annotated[str, doc("The other bot's name.")]


class DiceGainValues(Struct, frozen=True, forbid_unknown_fields=True):
    """How many times smaller sharing dice made the variance of a mean place."""

    ratio: Annotated[
        float, doc("Variance with dice of each game's own over the variance as it is.")
    ]
    low: LowerEnd
    high: UpperEnd


class DivisionHead(TableHead, frozen=True):
    """The head of the tables of a division."""

    variant: Variant
    players: Players
    chance: Annotated[Share, doc("The share of wins that chance alone gives.")]
    blocks: Annotated[Whole, doc("How many blocks were played, or begun.")]
    intervals_by: Annotated[
        Literal["blocks", "dice", "games"], doc("What the intervals take to vary independently.")
    ]
    parts: Annotated[
        list[list[str]],
        doc("The bots that games link, at least by way of others; one list if all are linked."),
    ]
    dice_gain: Annotated[
        DiceGainValues | None,
        doc("How many times smaller sharing dice made the variance; null with too few games."),
    ]
    luck_slope: Annotated[
        float | None,
        doc("Wins of an even bot for each win of luck, without which mu is; null if luck stays."),
    ]


class PairsHead(DivisionHead, frozen=True):
    """The head of the tables of pairs of bots."""

    all_pairs: Annotated[
        str | None,
        doc("The command that writes all pairs; null unless these are of the first bots alone."),
    ]


table("leaderboard", DivisionHead, "A leaderboard, best first")(LeaderboardRow)


@table("head-to-head", PairsHead)
class HeadToHeadRow(TableRow, frozen=True):
    """Who finished ahead of whom, for each ordered pair that met."""

    bot: Bot
    opponent: Opponent
    ahead: Annotated[Whole, doc("Games in which the bot finished ahead of the other.")]
    games: Annotated[Positive, doc("Games in which both sat at one table.")]
    share: Annotated[Share, doc("ahead / games.")]
    low: WilsonLow
    high: WilsonHigh


@table("better", PairsHead)
class BetterRow(TableRow, frozen=True):
    """Who is better than whom, for each ordered pair."""

    bot: Bot
    opponent: Opponent
    probability: Annotated[Share, doc("That the bot is better than the other.")]


table("overall", TableHead, "The overall table, best first")(OverallRow)
table("faults", title="All faults, in schedule order")(FaultEntry)


class SuspicionsHead(LeagueHead, frozen=True):
    """The head of the suspicions."""

    alpha: Annotated[Share, doc("The chance of any false suspicion of a kind in a fair league.")]


table(
    "suspicions",
    SuspicionsHead,
    "Results that neither chance nor the ratings explain, the clearest first",
)(Suspicion)


@table("fixtures")
class FixtureResultRow(TableRow, frozen=True):
    """The results of a stretch of the schedule."""

    index: Index
    variant: Variant
    players: Players
    seats: Seats
    games: GamesPlayed
    wins: Annotated[tuple[int, ...], doc("Games won, by seat.")]
    places: Annotated[tuple[float, ...], doc("Mean finishing places, by seat; 1 is best.")]
    faults: Annotated[tuple[int, ...], doc("Games in which the bot faulted, by seat.")]
    upsets: Annotated[Whole, doc("Games whose winner was unlikely to win, by the ratings now.")]
    luck: Annotated[
        float | None,
        doc("Wins that the dice gave seat 0 and took from seat 1; null where it is not measured."),
    ]
    watch: Annotated[tuple[int, ...], doc("The games that can be watched.")]

    @property
    def division(self) -> Division:
        """The division that its games count for."""
        return Division(self.variant, self.players)


@table("quarantined")
class QuarantinedRow(TableRow, frozen=True):
    """Fixtures that were quarantined, because every worker that played them died."""

    fixture: FixtureId
    index: Index
    variant: Variant
    players: Players
    seats: Seats
    deaths: Annotated[Positive, doc("Workers that were lost.")]
    why: Annotated[str, doc("What is known about it.")]


@table("bots")
class BotRow(TableRow, frozen=True):
    """The bots as they entered."""

    name: Bot
    author: Annotated[str, doc("Who wrote it.")]
    version: Annotated[str, doc("As its author calls it.")]
    runtime: Annotated[str, doc("What it is written for.")]
    tags: Annotated[tuple[str, ...], doc("What its author sorts it under.")]
    digest: Annotated[str, doc("SHA-256 over the bot's files, hexadecimal.")]


@table("rules")
class RuleRow(TableRow, frozen=True):
    """Every rule switch and option of every variant."""

    variant: Variant
    book: Annotated[str, doc("The rule book that the variant started from.")]
    switch: Annotated[str, doc("The switch's or option's name.")]
    value: Annotated[str, doc("What is played.")]
    changed_from: Annotated[str | None, doc("The rule book's value if the league changed it.")]
    clauses: Annotated[tuple[str, ...], doc("The clauses of the rules that it is about.")]


@table("limits")
class LimitRow(TableRow, frozen=True):
    """The limits of bots."""

    name: Annotated[str, doc("The limit's name in league.yaml.")]
    value: Annotated[str, doc("Its value, with the unit.")]
    words: Annotated[str, doc("What is limited.")]


@table("played")
class PlayedRow(TableRow, frozen=True):
    """How much was played."""

    variant: Variant
    players: Players
    fixtures: Annotated[Whole, doc("Fixtures played.")]
    games: Annotated[Whole, doc("Games played.")]
    decisions: Annotated[Whole, doc("Answers asked of bots.")]
