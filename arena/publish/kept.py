"""Which games can be watched: with faults, upsets, each bot's newest, and those pages point to."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from math import erfc, sqrt
from typing import Literal

from arena.ratings.table import Leaderboard, Row
from arena.ratings.trueskill import BETA
from arena.records import Faulted, Fixture, GameRecord, PlayedFixture

Choice = Literal["all", "none"] | int
"""Every game, none, or how many of each bot's newest beside those with faults and upsets."""

NEWEST = 50
UPSET = 0.1
"""A game is an upset where its winner was less likely than this to beat the best-rated rival."""

Kept = dict[int, list[GameRecord]]
"""The games to watch, by the place of their fixture in the schedule; none is empty."""

_Strengths = dict[tuple[str, int], dict[str, Row]]


def choose(
    played: Sequence[PlayedFixture],
    boards: Sequence[Leaderboard],
    choice: Choice,
    moments: Collection[tuple[int, int]] = frozenset(),
) -> Kept:
    """Return the games that the site keeps a replay of, in schedule order.

    `moments` are games that pages point to, by fixture and game.
    """
    if choice == "none":
        return {}
    if choice == "all":
        return {one.fixture.index: list(one.games) for one in played if one.games}
    strengths: _Strengths = {
        (board.variant, board.players): {row.bot: row for row in board.rows} for board in boards
    }
    newest = _newest(played, choice).union(moments)
    kept = {
        one.fixture.index: [
            game
            for game in one.games
            if (one.fixture.index, game.game) in newest or _is_telling(one.fixture, game, strengths)
        ]
        for one in played
    }
    return {index: games for index, games in kept.items() if games}


def _newest(played: Sequence[PlayedFixture], most: int) -> set[tuple[int, int]]:
    """Return the last games of each bot in the schedule: fixture and game."""
    found: set[tuple[int, int]] = set()
    taken: Counter[str] = Counter()
    for one, game in _last_first(played):
        if any(taken[bot] < most for bot in one.fixture.seats):
            taken.update(one.fixture.seats)
            found.add((one.fixture.index, game.game))
    return found


def _last_first(played: Sequence[PlayedFixture]) -> Iterator[tuple[PlayedFixture, GameRecord]]:
    for one in reversed(played):
        for game in reversed(one.games):
            yield one, game


def _is_telling(fixture: Fixture, game: GameRecord, strengths: _Strengths) -> bool:
    """Tell whether a game has a fault, or is an upset."""
    if any(isinstance(event, Faulted) for event in game.events):
        return True
    rows = strengths.get((fixture.variant, len(fixture.seats)), {})
    return is_upset(fixture.seats, game.places, rows)


def is_upset(seats: Sequence[str], places: Sequence[int], rows: dict[str, Row]) -> bool:
    """Tell whether the winner was unlikely to beat the best of its rivals, by their ratings."""
    if not all(bot in rows for bot in seats):
        return False
    winner = rows[seats[places.index(1)]]
    best = max((rows[bot] for bot in seats if bot != winner.bot), key=lambda row: row.mu)
    return beats(winner, best) < UPSET


def beats(one: Row, other: Row) -> float:
    """Return the probability that one bot finishes a game ahead of another, by their ratings."""
    spread = sqrt(2 * BETA**2 + one.sigma**2 + other.sigma**2)
    return 0.5 * erfc((other.mu - one.mu) / spread / sqrt(2))
