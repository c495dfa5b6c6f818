"""How ratings came to be what they are: mu and sigma on the way through a division's games."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from msgspec import Struct

from arena.ratings.trueskill import Rating, rate_all

POINTS = 20
"""Points of a history, evenly spaced in the canonical order of games."""


class PastRating(Struct, frozen=True):
    """A bot's rating at one point."""

    mu: float
    """Relative to the mean of those that had played by then, or to the anchor."""
    sigma: float
    """TrueSkill's own, for which all games are independent."""
    games: int
    """The bot's own games so far."""


class Point(Struct, frozen=True):
    """The ratings after so many of a division's games, without bots that had not played yet."""

    games: int
    bots: dict[str, PastRating]


History = Sequence[Point]
"""First to last; the last point is the leaderboard's own."""


class Snapshot(Struct, frozen=True):
    """TrueSkill's own ratings after so many games."""

    games: int
    skill: dict[str, Rating]
    played: dict[str, int]


def snapshots(orders: Sequence[Sequence[str]]) -> list[Snapshot]:
    """Rate games, given as the bots in finishing order, and keep the ratings at checkpoints."""
    taken: list[Snapshot] = []
    skill: dict[str, Rating] = {}
    played: Counter[str] = Counter()
    rated = 0
    for checkpoint in checkpoints(len(orders)):
        skill = rate_all(orders[rated:checkpoint], skill)
        played.update(chain.from_iterable(orders[rated:checkpoint]))
        taken.append(Snapshot(checkpoint, skill, dict(played)))
        rated = checkpoint
    return taken


def checkpoints(games: int) -> list[int]:
    """Return the evenly spaced numbers of games after which to take a snapshot."""
    return sorted({-(-games * point // POINTS) for point in range(1, POINTS + 1)} - {0})


def relative(taken: Sequence[Snapshot], anchor: str | None) -> History:
    """Set the field's mean to 0, or the anchor's mu if it played."""
    if not taken or anchor not in taken[-1].skill:
        anchor = None
    return tuple(Point(one.games, _shifted(one, _zero(one.skill, anchor))) for one in taken)


def _zero(skill: Mapping[str, Rating], anchor: str | None) -> float:
    if anchor is not None:
        return skill.get(anchor, Rating()).mu
    return sum(rating.mu for rating in skill.values()) / len(skill)


def _shifted(one: Snapshot, zero: float) -> dict[str, PastRating]:
    return {
        bot: PastRating(rating.mu - zero, rating.sigma, one.played[bot])
        for bot, rating in one.skill.items()
    }


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
