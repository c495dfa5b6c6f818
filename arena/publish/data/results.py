"""The data tables about ratings, fixtures and the league itself."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, Literal

from msgspec import Struct
from msgspec.structs import asdict, fields

from arena.game.records import Conditions, Division, FixtureResult, QuarantinedFixture
from arena.game.rules.books import OPTIONS, SWITCHES, VARIANTS, Rules, changed_switches
from arena.game.rules.clauses import CLAUSES, MEANINGS
from arena.playstats.faults import FaultEntry
from arena.playstats.league_summary import LeagueSummary
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
    Overall,
    OverallRow,
    Suspicion,
)
from arena.ratings.league_ratings import Favourites
from arena.ratings.maths.intervals import wilson

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


_WITHOUT_SWITCH = {"calza": "CALZA-WHO"}
"""The clause to read on an option that no single clause is about."""


class Value(Struct, frozen=True):
    """A switch's value in one variant."""

    variant: str
    shown: str
    book: str | None = None
    """The rule book's value, if the league changed it."""


class Switch(Struct, frozen=True):
    """A switch or option across the league's variants."""

    name: str
    words: str
    values: list[Value]
    clauses: tuple[str, ...]


def switches(conditions: Conditions, names: Collection[str]) -> list[Switch]:
    """Return these switches or options, in the order of the rule books.

    Raises LookupError if one has no description, or no clause to read.
    """
    order = [field.name for field in fields(Rules)]
    return [
        Switch(name, _described(name, MEANINGS), values(conditions, name), clauses_of(name))
        for name in sorted(names, key=order.index)
    ]


def clauses_of(switch: str) -> tuple[str, ...]:
    """Return the ids of the clauses that a switch or option is about; at least one.

    Raises LookupError if there is none.
    """
    ids = tuple(clause.id for clause in CLAUSES if clause.switch == switch)
    return ids or (_described(switch, _WITHOUT_SWITCH),)


def _described(switch: str, descriptions: Mapping[str, str]) -> str:
    if switch not in descriptions:
        what = f"the site does not know the rule switch '{switch}'"
        raise LookupError(f"{what}: it needs a clause, and a description in MEANINGS of {__name__}")
    return descriptions[switch]


def values(conditions: Conditions, switch: str) -> list[Value]:
    """Return what each variant of the league sets a switch or option to."""
    return [_value(label, rules, switch) for label, rules in conditions.variants.items()]


def _value(label: str, rules: Rules, switch: str) -> Value:
    ours, book = asdict(rules)[switch], asdict(VARIANTS[rules.name])[switch]
    return Value(label, shown(ours), shown(book) if switch in changed_switches(rules) else None)


def shown(value: object) -> str:
    """Return a switch's value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("_", " ")


def rule_rows(conditions: Conditions) -> list[RuleRow]:
    """Return every switch and option of every variant."""
    return [
        RuleRow(
            value.variant,
            conditions.variants[value.variant].name,
            switch.name,
            value.shown,
            value.book,
            switch.clauses,
        )
        for switch in switches(conditions, SWITCHES) + switches(conditions, OPTIONS)
        for value in switch.values
    ]


def limit_rows(conditions: Conditions) -> list[LimitRow]:
    """Return the limits that bots played under."""
    info = conditions.limits
    rows = [
        LimitRow("start", f"{info.start:g} s", "from a bot's launch until it is ready"),
        LimitRow("answer", f"{info.answer:g} s", "for each answer"),
        LimitRow("game", f"{info.game:g} s", "for all answers of a bot in one game together"),
        LimitRow(
            "wall",
            f"{info.wall:g} times",
            "as long as that by the wall clock, if answers are timed by the bot's own CPU time",
        ),
        LimitRow("freeze", shown(info.freeze), "a bot is stopped while no answer is awaited"),
        LimitRow("restarts", f"{info.restarts}", "fresh starts of a bot within a fixture"),
        LimitRow(
            "concurrent_games",
            f"{info.concurrent_games}",
            "games of a fixture under way at a time, if all its bots can play so many",
        ),
    ]
    if info.fixture:
        what = "wall time of a bot for all its answers in a fixture together"
        rows.append(LimitRow("fixture", f"{info.fixture:g} s", what))
    if info.model:
        what = "wall time in which language models may work for one answer"
        rows.append(LimitRow("model", f"{info.model:g} s", what))
    if conditions.rounds_per_die:
        what = "per die at the start; then the dice left decide the game"
        rows.append(LimitRow("rounds", f"{conditions.rounds_per_die} rounds", what))
    return rows


PAIRED = 300
"""Bots of a leaderboard, from the first, whose pairs are in the data files."""
ALL_PAIRS = "arena export league.yaml --pairs"
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
        BetterRow(bot, opponent, of[opponent])
        for bot in bots
        for of in [board.better_of(bot)]
        for opponent in bots
        if bot != opponent
    ]
    return DataTable(BetterRow, _pairs_head(board), pairs)


def overall(table: Overall) -> DataTable:
    """Return the overall table, best first."""
    return DataTable(OverallRow, TableHead(), table.rows)


def suspicions(head: LeagueHead, alpha: float, cases: Iterable[Suspicion]) -> DataTable:
    """Return the suspicions, the clearest first."""
    return DataTable(Suspicion, SuspicionsHead(head.league, alpha), cases)


def faults(head: LeagueHead, entries: Iterable[FaultEntry]) -> DataTable:
    """Return the faults, which are gone through for each file."""
    return DataTable(FaultEntry, head, entries)


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


def conditions(conditions: Conditions, summary: LeagueSummary) -> list[DataTable]:
    """Return the bots, the rules, the limits and how much was played."""
    head = LeagueHead(conditions.name)
    fields = BotRow.__struct_fields__
    bots = [BotRow(**{name: getattr(bot, name) for name in fields}) for bot in conditions.bots]
    played = [
        PlayedRow(*division, total.fixtures, total.games, total.decisions)
        for division, total in summary.played.items()
    ]
    return [
        DataTable(BotRow, head, bots),
        DataTable(RuleRow, head, rule_rows(conditions)),
        DataTable(LimitRow, head, limit_rows(conditions)),
        DataTable(PlayedRow, head, played),
    ]
