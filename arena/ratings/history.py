"""How ratings came to be what they are: mu and sigma on the way through a table's games."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from msgspec import Struct

from arena.ratings.trueskill import Rating, rate_all

POINTS = 20
"""Points of a history, evenly spaced in the canonical order of games."""


class Then(Struct, frozen=True):
    """A bot's rating at one point."""

    mu: float
    """Relative to the mean of those that had played by then, or to the anchor."""
    sigma: float
    """TrueSkill's own: it takes all games as independent."""
    games: int
    """The bot's own games so far."""


class Point(Struct, frozen=True):
    """The ratings after so many of a table's games; who had not played by then is left out."""

    games: int
    bots: dict[str, Then]


History = Sequence[Point]
"""First to last; the last point is the leaderboard's own."""


class Snapshot(Struct, frozen=True):
    """Ratings as TrueSkill has them, after so many games."""

    games: int
    skill: dict[str, Rating]
    played: dict[str, int]


def snapshots(orders: Sequence[Sequence[str]]) -> list[Snapshot]:
    """Rate games, given as the bots in finishing order, and look at the ratings now and then."""
    found: list[Snapshot] = []
    skill: dict[str, Rating] = {}
    played: Counter[str] = Counter()
    done = 0
    for stop in stops(len(orders)):
        skill = rate_all(orders[done:stop], skill)
        played.update(chain.from_iterable(orders[done:stop]))
        found.append(Snapshot(stop, skill, dict(played)))
        done = stop
    return found


def stops(games: int) -> list[int]:
    """Return after how many games to look: so that the points are evenly spaced."""
    return sorted({-(-games * point // POINTS) for point in range(1, POINTS + 1)} - {0})


def relative(found: Sequence[Snapshot], anchor: str | None) -> History:
    """Set the field's mean to 0, or the bot that `anchor` names, where it played."""
    if not found or anchor not in found[-1].skill:
        anchor = None
    return tuple(Point(one.games, _bots(one, _zero(one.skill, anchor))) for one in found)


def _zero(skill: Mapping[str, Rating], anchor: str | None) -> float:
    if anchor is not None:
        return skill.get(anchor, Rating()).mu
    return sum(rating.mu for rating in skill.values()) / len(skill)


def _bots(one: Snapshot, zero: float) -> dict[str, Then]:
    return {
        bot: Then(rating.mu - zero, rating.sigma, one.played[bot])
        for bot, rating in one.skill.items()
    }


def trend(course: History, bot: str) -> float | None:
    """Return by how much a bot's mu changed over the last third of the games.

    None where that cannot be told: fewer than three points, or the bot came later.
    """
    if len(course) < 3:
        return None
    last = course[-1]
    before = next(point for point in reversed(course) if 3 * point.games <= 2 * last.games)
    if bot not in before.bots or bot not in last.bots:
        return None
    return last.bots[bot].mu - before.bots[bot].mu
