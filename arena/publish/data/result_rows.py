"""The data tables about ratings, matches and the league itself: their rows and columns."""

from typing import Annotated, Literal

from msgspec import Struct

from arena.game.records import Cause, Division
from arena.publish.data.schema import (
    Bot,
    Index,
    LeagueHead,
    Players,
    Positive,
    Seats,
    Share,
    TableHead,
    TableRow,
    UpperEnd,
    Variant,
    Whole,
    WilsonHigh,
    WilsonLow,
    doc,
    table,
)

Rank = Annotated[Positive, doc("The place on the table, 1 is best.")]
BestRank = Annotated[
    Positive,
    doc("The better end of its range of ranks: with 95 % confidence all are right at once."),
]
WorstRank = Annotated[Positive, doc("The worse end of that range.")]
PointwiseBest = Annotated[
    Positive, doc("The better end of the 95 % interval of this bot's rank by itself.")
]
PointwiseWorst = Annotated[Positive, doc("The worse end of that interval.")]
Opponent = Annotated[str, doc("The other bot's name.")]
FixtureId = Annotated[str, doc("The fixture's id.")]
GameNumber = Annotated[Whole, doc("The game's number in the fixture, from 0.")]
GamesPlayed = Annotated[Positive, doc("Games played.")]
Wins = Annotated[Whole, doc("Games won.")]
WinShare = Annotated[Share, doc("wins / games.")]
LowerEnd = Annotated[float, doc("The lower end of its 95 % interval.")]


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
        Literal["blocks", "games"], doc("What the intervals take to vary independently.")
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


@table("leaderboard", DivisionHead)
class LeaderboardRow(TableRow, frozen=True):
    """A leaderboard, best first."""

    rank: Rank
    best: BestRank
    worst: WorstRank
    pointwise_best: PointwiseBest
    pointwise_worst: PointwiseWorst
    bot: Bot
    provisional: Annotated[bool, doc("Fewer games than the league requires of a rating.")]
    mu: Annotated[
        float, doc("Mean of the skill, relative to the mean of the field or to the anchor.")
    ]
    low: Annotated[
        float | None,
        doc("The lower end of the 95 % interval of mu; null if games do not bound it."),
    ]
    high: Annotated[
        float | None, doc("The upper end of that interval; null if games do not bound it.")
    ]
    sigma: Annotated[
        float, doc("The model's standard deviation of mu: it takes all games as independent.")
    ]
    conservative: Annotated[float, doc("mu - 3 sigma.")]
    mu_sequential: Annotated[float, doc("mu by TrueSkill's usual pass, one game after another.")]
    beats_average: Annotated[
        Share, doc("The probability of finishing ahead of an average bot of the field.")
    ]
    elo: Annotated[
        float, doc("That probability as an Elo rating: an average bot of the field has 1500.")
    ]
    luck: Annotated[
        float | None,
        doc("Wins per game that the dice gave the bot; null if luck stays in the ratings."),
    ]
    shift: Annotated[
        float | None,
        doc("By how much mu would move at most without one other bot and its results."),
    ]
    shift_without: Annotated[str | None, doc("That bot; null with fewer than three bots.")]
    sensitive: Annotated[
        bool, doc("Whether that is more than half the length of the 95 % interval of mu.")
    ]
    games: GamesPlayed
    wins: Wins
    win_share: WinShare
    mean_place: Annotated[float, doc("The mean finishing place, 1 is best.")]
    place_low: LowerEnd
    place_high: UpperEnd
    faults: Annotated[Whole, doc("Games in which the bot faulted.")]


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


@table("overall", TableHead)
class OverallTableRow(TableRow, frozen=True):
    """The overall table, best first."""

    rank: Rank
    best: BestRank
    worst: WorstRank
    pointwise_best: PointwiseBest
    pointwise_worst: PointwiseWorst
    bot: Bot
    score: Annotated[Share, doc("The mean share of rivals that the bot finished ahead of.")]
    low: LowerEnd
    high: UpperEnd
    games: GamesPlayed


@table("faults")
class FaultRow(TableRow, frozen=True):
    """All faults, in schedule order."""

    cause: Annotated[Cause, doc("Why the bot is out of the game.")]
    bot: Bot
    variant: Variant
    players: Players
    fixture: FixtureId
    index: Index
    game: GameNumber
    round: Annotated[Whole | None, doc("From 0; null before the first dice were rolled.")]
    step: Annotated[Whole, doc("The fault's place among the events of its game, from 0.")]
    seat: Annotated[Whole, doc("From 0.")]
    dice: Annotated[Positive, doc("Dice on the table.")]
    opponents: Annotated[tuple[str, ...], doc("Who else sat at the table, in the order of seats.")]
    detail: Annotated[str, doc("What exactly was wrong; it may quote the bot.")]


class SuspicionsHead(LeagueHead, frozen=True):
    """The head of the suspicions."""

    alpha: Annotated[Share, doc("The chance of any false suspicion of a kind in a fair league.")]


@table("suspicions", SuspicionsHead)
class SuspicionRow(TableRow, frozen=True):
    """Results that neither chance nor the ratings explain, the clearest first."""

    kind: Annotated[Literal["collusion", "drift"], doc("What is suspected.")]
    variant: Variant
    players: Players
    bot: Annotated[str, doc("Who lost to the rival too often, or whose strength changed.")]
    rival: Annotated[str | None, doc("Null for drift.")]
    games: Annotated[Positive, doc("The games that the finding rests on.")]
    expected: Annotated[float, doc("The share of games ahead of the rival; for drift 0.")]
    observed: Annotated[float, doc("That share as it was; for drift the change of mu.")]
    p: Annotated[Share, doc("How often a league of fair bots would show so much anywhere.")]


@table("matches")
class MatchRow(TableRow, frozen=True):
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
    """What a bot must keep to."""

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
