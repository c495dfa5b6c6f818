"""Which games can be watched: with faults, upsets, each bot's newest, and those pages point to."""

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterator, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from arena.game.records import FixtureResult
from arena.ratings.league_ratings import Favourites

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
    expected: Favourites,
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
        return _newest_of(select_replays(results, expected, NEWEST, linked), choice.games)
    else:
        wanted: dict[int, set[int]] = defaultdict(set)
        for index, game in chain(_newest(results, choice), linked):
            wanted[index].add(game)
        selection = {
            result.fixture.index: _selected(
                result,
                wanted.get(result.fixture.index, frozenset()),
                expected.upsets(result.fixture),
            )
            for result in results
        }
    return {index: games for index, games in selection.items() if games}


def _newest_of(selection: Selection, most: int) -> Selection:
    """Return the last of some games in the schedule."""
    games = [(index, game) for index in sorted(selection) for game in selection[index]]
    newest: Selection = {}
    for index, game in games[max(0, len(games) - most) :]:
        newest.setdefault(index, []).append(game)
    return newest


def _selected(result: FixtureResult, wanted: Collection[int], upset: Sequence[bool]) -> list[int]:
    nobody = (None,) * len(upset)
    return [
        game.game
        for game in result.games
        if upset[game.places.index(1)] or game.faults != nobody or game.game in wanted
    ]


def _newest(results: Sequence[FixtureResult], most: int) -> Iterator[tuple[int, int]]:
    """Yield the last games of each bot in the schedule: fixture and game."""
    taken: Counter[str] = Counter()
    for result in reversed(results):
        seats = result.fixture.seats
        lacking = max(most - taken[bot] for bot in seats)
        for game in list(result.games)[-lacking:] if lacking > 0 else ():
            taken.update(seats)
            yield result.fixture.index, game.game
