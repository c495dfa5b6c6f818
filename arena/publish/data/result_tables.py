"""The data tables about ratings, fixtures and the league itself, made from their models."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import asdict

from arena.game.records import FixtureResult, LeagueInfo, QuarantinedFixture
from arena.playstats.fault_entry import FaultEntry
from arena.playstats.league_summary import LeagueSummary
from arena.publish.data import result_rows as rows
from arena.publish.data.result_rows import DivisionHead, FixtureResultRow, HeadToHeadRow, PairsHead
from arena.publish.data.rules_and_limits import limit_rows, rule_rows
from arena.publish.data.schema import DataTable, LeagueHead, TableHead
from arena.publish.replay.selection import Selection
from arena.ratings.leaderboard_rows import (
    Leaderboard,
    LeaderboardRow,
    Overall,
    OverallRow,
    Suspicion,
)
from arena.ratings.league_ratings import Favourites
from arena.ratings.maths.intervals import wilson

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
        "dice_gain": rows.DiceGainValues(**asdict(board.dice_gain)) if board.dice_gain else None,
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
        rows.BetterRow(bot, opponent, of[opponent])
        for bot in bots
        for of in [board.better_of(bot)]
        for opponent in bots
        if bot != opponent
    ]
    return DataTable(rows.BetterRow, _pairs_head(board), pairs)


def overall(table: Overall) -> DataTable:
    """Return the overall table, best first."""
    return DataTable(OverallRow, TableHead(), table.rows)


def suspicions(head: LeagueHead, alpha: float, cases: Iterable[Suspicion]) -> DataTable:
    """Return the suspicions, the clearest first."""
    return DataTable(Suspicion, rows.SuspicionsHead(head.league, alpha), cases)


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
        rows.QuarantinedRow(
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
    return DataTable(rows.QuarantinedRow, head, lines)


def conditions(league: LeagueInfo, summary: LeagueSummary) -> list[DataTable]:
    """Return the bots, the rules, the limits and how much was played."""
    head = LeagueHead(league.name)
    fields = rows.BotRow.__struct_fields__
    bots = [rows.BotRow(**{name: getattr(bot, name) for name in fields}) for bot in league.bots]
    played = [
        rows.PlayedRow(*division, total.fixtures, total.games, total.decisions)
        for division, total in summary.played.items()
    ]
    return [
        DataTable(rows.BotRow, head, bots),
        DataTable(rows.RuleRow, head, rule_rows(league)),
        DataTable(rows.LimitRow, head, limit_rows(league)),
        DataTable(rows.PlayedRow, head, played),
    ]
