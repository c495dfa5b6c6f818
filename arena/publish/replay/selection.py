"""Which games can be watched: with faults, upsets, each bot's newest, and those pages point to."""

from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from typing import Literal, NamedTuple

from arena.game.records import Division, FixtureResult
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow
from arena.ratings.league_ratings import upsets

NEWEST = 50


class AtMost(NamedTuple):
    """The games of `NEWEST`, but only the newest `games` of them."""

    games: int


ReplayChoice = Literal["all", "none"] | int | AtMost
"""Every game, none, or how many of each bot's newest beside those with faults and upsets."""

Selection = dict[int, list[int]]
"""The games to watch, by the index of their fixture in the schedule; none is empty."""


class Watchable(Container[tuple[int, int]]):
    """A view of a selection as a set of (fixture, game)."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection

    def __contains__(self, game: object) -> bool:
        """Tell whether a game, by its fixture's index and its number, can be watched."""
        match game:
            case (int(index), int(number)):
                return number in self._selection.get(index, ())
        return False


def select_replays(
    results: Sequence[FixtureResult],
    boards: Sequence[Leaderboard],
    choice: ReplayChoice,
    linked: Collection[tuple[int, int]] = frozenset(),
) -> Selection:
    """Return the games that have a replay; pages point to those of `shown`."""
    if choice == "none":
        return {}
    if choice == "all":
        selection = {
            result.fixture.index: [game.game for game in result.games] for result in results
        }
    elif isinstance(choice, AtMost):
        return _newest_of(select_replays(results, boards, NEWEST, linked), choice.games)
    else:
        strengths = {board.division: {row.bot: row for row in board.rows} for board in boards}
        wanted = _newest(results, choice).union(linked)
        selection = {
            result.fixture.index: _selected(result, wanted, strengths) for result in results
        }
    return {index: games for index, games in selection.items() if games}


def _newest_of(selection: Selection, most: int) -> Selection:
    """Return the last of some games in the schedule."""
    games = [(index, game) for index in sorted(selection) for game in selection[index]]
    newest: Selection = {}
    for index, game in games[max(0, len(games) - most) :]:
        newest.setdefault(index, []).append(game)
    return newest


def _selected(
    result: FixtureResult,
    wanted: set[tuple[int, int]],
    strengths: Mapping[Division, dict[str, LeaderboardRow]],
) -> list[int]:
    fixture = result.fixture
    upset = upsets(fixture.seats, strengths.get(fixture.division, {}))
    return [
        game.game
        for game in result.games
        if upset[game.places.index(1)] or any(game.faults) or (fixture.index, game.game) in wanted
    ]


def _newest(results: Sequence[FixtureResult], most: int) -> set[tuple[int, int]]:
    """Return the last games of each bot in the schedule: fixture and game."""
    newest: set[tuple[int, int]] = set()
    taken: Counter[str] = Counter()
    for result in reversed(results):
        seats = result.fixture.seats
        for game in reversed(result.games):
            if all(taken[bot] >= most for bot in seats):
                break
            taken.update(seats)
            newest.add((result.fixture.index, game.game))
    return newest
