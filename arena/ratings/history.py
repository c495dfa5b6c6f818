"""How ratings came to be what they are: mu and sigma on the way through a division's games."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

POINTS = 20
"""Points of a history at most; of a long one, at least half as many."""


class PastRating(Struct, frozen=True):
    """A bot's rating at one point."""

    mu: float
    """In a leaderboard relative to the mean of those that had played by then, or to the anchor."""
    sigma: float
    """The model's own, for which all games are independent."""
    games: int
    """The bot's own games so far."""


class Point(Struct, frozen=True):
    """The ratings after so many of a division's games, without bots that had not played yet."""

    games: int
    bots: dict[str, PastRating]


History = Sequence[Point]
"""First to last; the last point is the leaderboard's own."""


def checkpoints(games: int) -> list[int]:
    """Return after how many games there is a point: multiples of a power of two, and all games.

    With more games most of them stay, so that what was computed for them still holds.
    """
    step = 1
    while step * POINTS < games:
        step *= 2
    return [*range(step, games, step), games] if games else []


def relative(points: History, anchor: str | None) -> History:
    """Set the field's mean to 0, or the anchor's mu if it played."""
    anchored = anchor is not None and bool(points) and anchor in points[-1].bots
    return tuple(_relative(point, anchor if anchored else None) for point in points)


def _relative(point: Point, anchor: str | None) -> Point:
    mus = {bot: rating.mu for bot, rating in point.bots.items()}
    zero = sum(mus.values()) / len(mus) if anchor is None else mus.get(anchor, 0.0)
    bots = {bot: replace(rating, mu=rating.mu - zero) for bot, rating in point.bots.items()}
    return Point(point.games, bots)


def trend(history: History, bot: str) -> float | None:
    """Return how much a bot's mu changed over the last third of the games.

    None if there are fewer than three points, or the bot came later.
    """
    if len(history) < 3:
        return None
    last = history[-1]
    before = next(point for point in reversed(history) if 3 * point.games <= 2 * last.games)
    if bot not in before.bots or bot not in last.bots:
        return None
    return last.bots[bot].mu - before.bots[bot].mu
