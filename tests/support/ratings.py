"""Leaderboards from some games, and from none."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from arena.game.records import Division, FixtureResult, RatingsInfo
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow
from arena.ratings.league_ratings import rate_results


def leaderboard_row(bot: str, mu: float, sigma: float) -> LeaderboardRow:
    """A bot that played one game, and lost it; columns that no such test needs are None."""
    columns: dict[str, Any] = dict.fromkeys(LeaderboardRow.__struct_fields__)
    columns |= {"rank": 1, "best": 1, "worst": 2, "may_be_first": True}
    columns |= {"bot": bot, "provisional": False, "sensitive": False, "faults": 0}
    columns |= {"mu": mu, "sigma": sigma, "low": mu - 2 * sigma, "high": mu + 2 * sigma}
    columns |= {"conservative": mu - 3 * sigma, "mu_sequential": mu, "beats_average": 0.5}
    columns |= {"games": 1, "wins": 0, "win_share": 0.0}
    columns |= {"mean_place": 1.0, "place_low": 1.0, "place_high": 1.5}
    return LeaderboardRow(**columns)


def board(*rows: LeaderboardRow, players: int = 2) -> Leaderboard:
    """A leaderboard of these rows, which knows nothing of pairs."""
    unknown: dict[str, Any] = {
        "duels": {},
        "better": {},
        "sure": {},
        "dice_gain": None,
        "parts": (),
    }
    return Leaderboard("bga", players, rows, blocks=1, method="games", **unknown)


def rated_board(
    variant: str,
    players: int,
    results: Sequence[FixtureResult],
    options: RatingsInfo | None = None,
) -> Leaderboard:
    """Return the leaderboard of a division; nothing is tested for suspicions."""
    options = replace(options or RatingsInfo(), alpha=0.0)
    return rate_results({Division(variant, players): results}, options).boards[0]
