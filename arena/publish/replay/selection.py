"""Which games can be watched: with faults, upsets, each bot's newest, and those pages point to."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from arena.playstats.fixture_summary import FixtureSummary
from arena.ratings.prediction import upsets
from arena.ratings.table import Leaderboard, Row

ReplayChoice = Literal["all", "none"] | int
"""Every game, none, or how many of each bot's newest beside those with faults and upsets."""

NEWEST = 50

Selection = dict[int, list[int]]
"""The games to watch, by the place of their fixture in the schedule; none is empty."""

_Strengths = dict[tuple[str, int], dict[str, Row]]


def select_replays(
    played: Sequence[FixtureSummary],
    boards: Sequence[Leaderboard],
    choice: ReplayChoice,
    moments: Collection[tuple[int, int]] = frozenset(),
) -> Selection:
    """Return the numbers of the games that the site keeps a replay of, in schedule order.

    `moments` are games that pages point to, by fixture and game.
    """
    if choice == "none":
        return {}
    if choice == "all":
        found = {one.fixture.index: [game.game for game in one.games] for one in played}
        return {index: games for index, games in found.items() if games}
    strengths: _Strengths = {
        (board.variant, board.players): {row.bot: row for row in board.rows} for board in boards
    }
    newest = _newest(played, choice).union(moments)
    kept = {one.fixture.index: list(_kept(one, newest, strengths)) for one in played}
    return {index: games for index, games in kept.items() if games}


def _kept(
    one: FixtureSummary, newest: set[tuple[int, int]], strengths: _Strengths
) -> Iterator[int]:
    """Yield a fixture's games that are new, have a fault, or are upsets."""
    fixture = one.fixture
    rows = strengths.get((fixture.variant, len(fixture.seats)), {})
    upset = upsets(fixture.seats, rows)
    for game in one.games:
        if upset[game.places.index(1)] or game.faulted or (fixture.index, game.game) in newest:
            yield game.game


def _newest(played: Sequence[FixtureSummary], most: int) -> set[tuple[int, int]]:
    """Return the last games of each bot in the schedule: fixture and game."""
    found: set[tuple[int, int]] = set()
    taken: Counter[str] = Counter()
    for one in reversed(played):
        seats = one.fixture.seats
        for game in reversed(one.games):
            if all(taken[bot] >= most for bot in seats):
                break
            taken.update(seats)
            found.add((one.fixture.index, game.game))
    return found
