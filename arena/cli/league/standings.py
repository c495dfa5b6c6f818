"""The standings of a league at a terminal."""

from collections.abc import Sequence

import click

from arena.cli.numbers import fixed, percent, signed
from arena.cli.output import division_name, print_columns, say
from arena.io.errors import first_of
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow, Overall, OverallRow
from arena.ratings.league_ratings import Ratings

_PARTS_SHOWN = 4
"""Parts of a field that are named in one line."""
_NAMES_SHOWN = 5
"""Bots that are named in one line."""


def print_standings(ratings: Ratings) -> None:
    """Print all leaderboards, and the overall table if there is one."""
    for board in ratings.boards:
        _print_board(board)
    if ratings.overall:
        _print_overall(ratings.overall)


def _print_board(board: Leaderboard) -> None:
    click.echo(f"\n{division_name(*board.division)}")
    rows = [
        [
            f"{row.rank:2} {row.bot}{' (provisional)' if row.provisional else ''}",
            f"{row.best}-{row.worst}",
            percent(row.beats_average),
            signed(row.mu),
            _interval(row),
            fixed(row.mean_place),
            percent(row.win_share),
            str(row.games),
            str(row.faults),
        ]
        for row in board.rows
    ]
    chance = f"wins (chance {100 / board.players:.1f} %)"
    skill = ["beats average", "mu", "95 %"]
    head = ["   bot", "ranks", *skill, "place", chance, "games", "faults"]
    print_columns(head, rows)
    _print_first(board.rows)
    say_parts(division_name(*board.division), board.parts)


def _interval(row: LeaderboardRow) -> str:
    """Return the 95 % interval of mu, which may have no end on one side."""
    if row.low is None:
        return "unknown" if row.high is None else f"at most {signed(row.high)}"
    if row.high is None:
        return f"at least {signed(row.low)}"
    return f"{signed(row.low)} to {signed(row.high)}"


def _print_overall(overall: Overall) -> None:
    click.echo("\noverall: share of rivals finished behind, mean over the divisions")
    rows = [
        [
            f"{row.rank:2} {row.bot}",
            f"{row.best}-{row.worst}",
            percent(row.score),
            f"{percent(row.low)} to {percent(row.high)}",
            str(row.games),
        ]
        for row in overall.rows
    ]
    print_columns(["   bot", "ranks", "score", "95 %", "games"], rows)
    _print_first(overall.rows)


def _print_first(rows: Sequence[LeaderboardRow | OverallRow]) -> None:
    """Print who is best, or who may be, with 95 % confidence."""
    first = [row.bot for row in rows if row.may_be_first]
    said = f"{first[0]} is best" if len(first) == 1 else f"may be first: {shortened(first)}"
    click.echo(f"{said} (95 %)")


def say_parts(where: str, parts: Sequence[Sequence[str]]) -> None:
    """Say which bots no game compares with which others, if that is so."""
    if len(parts) > 1:
        named = " | ".join(first_of([*map(shortened, parts)], _PARTS_SHOWN))
        say(f"{where}: no games compare these parts of the field: {named}; play more blocks")


def shortened(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(names[:_NAMES_SHOWN]) + more
