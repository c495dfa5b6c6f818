"""The data tables about ratings, fixtures and the league itself."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from msgspec import Struct
from msgspec.structs import asdict

from arena.game.records import Division, FixtureResult, QuarantinedFixture
from arena.playstats.faults import FaultEntry
from arena.publish.data.schema import DataTable, LeagueHead, TableHead, TableRow, table
from arena.publish.replays import Selection
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
from arena.ratings.leaderboard_rows import (
    Leaderboard,
    LeaderboardRow,
    OverallRow,
    Suspicion,
)
from arena.ratings.league_ratings import Favourites, Ratings
from arena.ratings.maths.intervals import wilson

Opponent = Annotated[str, doc("The other bot's name.")]
Sure = Annotated[
    Share,
    doc(
        "The confidence at which the two are told apart, with all else that is said of the table:"
        " it is said from 0.95 on."
    ),
]


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
    probability: Annotated[
        Share, doc("That the bot is better than the other, of this pair by itself.")
    ]
    sure: Sure


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


PAIRED = 300
"""Bots of a leaderboard, from the first, whose pairs are in the data files."""
ALL_PAIRS = "arena export league.yaml --rows pairs"
"""The command that writes the pairs of more bots."""


def leaderboard(board: Leaderboard) -> DataTable:
    """Return a leaderboard, best first."""
    return DataTable(LeaderboardRow, DivisionHead(**_division(board)), board.rows)


def _division(board: Leaderboard) -> dict[str, Any]:
    return {
        "variant": board.variant,
        "players": board.players,
        "chance": 1 / board.players,
        "blocks": board.blocks,
        "intervals_by": board.method,
        "parts": [list(part) for part in board.parts],
        "dice_gain": DiceGainValues(**asdict(board.dice_gain)) if board.dice_gain else None,
        "luck_slope": board.luck_slope,
    }


def _pairs_head(board: Leaderboard) -> PairsHead:
    more = len(board.rows) > PAIRED
    return PairsHead(**_division(board), all_pairs=ALL_PAIRS if more else None)


def head_to_head(board: Leaderboard) -> DataTable:
    """Return each ordered pair that met, row by row, the best bot first."""
    bots = [row.bot for row in board.rows[:PAIRED]]
    pairs = [row for bot in bots for row in by_opponent(board, bot, bots)]
    return DataTable(HeadToHeadRow, _pairs_head(board), pairs)


def by_opponent(board: Leaderboard, bot: str, rivals: Iterable[str]) -> list[HeadToHeadRow]:
    """Return how often a bot finished ahead of each of these bots that it met."""
    duels = board.duels_of(bot)
    return [
        HeadToHeadRow(bot, rival, *duel, duel.ahead / duel.games, *wilson(*duel))
        for rival in rivals
        if (duel := duels.get(rival))
    ]


def better(board: Leaderboard) -> DataTable:
    """Return, for each ordered pair, the probability that the first is the better bot."""
    bots = [row.bot for row in board.rows[:PAIRED]]
    pairs = [
        BetterRow(bot, opponent, of[opponent], sure[opponent])
        for bot in bots
        for of, sure in [(board.better_of(bot), board.sure_of(bot))]
        for opponent in bots
        if bot != opponent
    ]
    return DataTable(BetterRow, _pairs_head(board), pairs)


def suspicions(head: LeagueHead, ratings: Ratings) -> DataTable:
    """Return the suspicions, the clearest first."""
    return DataTable(
        Suspicion, SuspicionsHead(head.league, ratings.options.alpha), ratings.suspicions
    )


def fixture_rows(
    results: Iterable[FixtureResult],
    selection: Selection,
    expected: Favourites,
    luck: Mapping[int, float],
) -> list[FixtureResultRow]:
    """Return the result of each fixture that has games, in schedule order."""
    fixtures = [
        fixture_row(result, selection, expected, luck) for result in results if result.games
    ]
    return sorted(fixtures, key=lambda fixture: fixture.index)


def fixture_row(
    result: FixtureResult,
    selection: Selection,
    expected: Favourites,
    luck: Mapping[int, float],
) -> FixtureResultRow:
    """Return the result of a fixture of at least one game."""
    fixture = result.fixture
    games = list(result.games)  # at once: each look unpacks them
    by_seat = list(zip(*[game.places for game in games], strict=True))
    wins = tuple(places.count(1) for places in by_seat)
    nobody = (None,) * len(fixture.seats)
    faulty = [game for game in games if game.faults != nobody]
    faulted = Counter(seat for game in faulty for seat in game.faulted)
    unlikely = expected.upsets(fixture)
    return FixtureResultRow(
        index=fixture.index,
        variant=fixture.variant,
        players=len(fixture.seats),
        seats=fixture.seats,
        games=len(games),
        wins=wins,
        places=tuple(sum(places) / len(games) for places in by_seat),
        faults=tuple(faulted[seat] for seat in range(len(by_seat))),
        upsets=sum(won for won, upset in zip(wins, unlikely, strict=True) if upset),
        luck=luck.get(fixture.index),
        watch=tuple(selection.get(fixture.index, ())),
    )


def quarantined(head: LeagueHead, missing: Iterable[QuarantinedFixture]) -> DataTable:
    """Return the fixtures that are missing."""
    lines = [
        QuarantinedRow(
            fixture=entry.fixture.id,
            index=entry.fixture.index,
            variant=entry.fixture.variant,
            players=len(entry.fixture.seats),
            seats=entry.fixture.seats,
            deaths=entry.deaths,
            why=entry.why,
        )
        for entry in missing
    ]
    return DataTable(QuarantinedRow, head, lines)
