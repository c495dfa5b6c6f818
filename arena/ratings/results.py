"""Finished games as the ratings see them, in one canonical order."""

from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

from arena.records import Fixture, FixtureResult, GameResult, PlayedFixture, game_result


class Result(NamedTuple):
    """One finished game."""

    bots: tuple[str, ...]
    """Bot names, seat 0 first."""
    places: tuple[int, ...]
    """The finishing place of each seat, 1 is the winner."""
    faulted: tuple[bool, ...]
    """Whether each seat faulted."""
    block: int = 0
    """The fixture's block: what shares dice, and is resampled together."""
    fixture: int = 0
    """The fixture's place in the schedule."""
    game: int = 0
    """The game's number within its fixture."""

    @property
    def order(self) -> list[str]:
        """The bots in finishing order, the winner first."""
        return [bot for _, bot in sorted(zip(self.places, self.bots, strict=True))]


def canonical(results: Iterable[Result]) -> list[Result]:
    """Return results in the one order in which they are rated, whatever order they came in.

    The first games of all fixtures come first, then the second ones: TrueSkill strays less where
    opponents alternate than where a fixture is rated in one go.
    """
    return sorted(results, key=attrgetter("game", "fixture", "block", "bots", "places", "faulted"))


def by_table(
    played: Iterable[PlayedFixture | FixtureResult],
) -> dict[tuple[str, int], list[Result]]:
    """Return the results of each variant and table size, in the order of their first fixtures."""
    return grouped((one.fixture, _results(one)) for one in played)


def grouped(
    fixtures: Iterable[tuple[Fixture, Iterable[Result]]],
) -> dict[tuple[str, int], list[Result]]:
    """Return the same of fixtures whose results are known already."""
    first: dict[tuple[str, int], int] = {}
    kinds: dict[tuple[str, int], list[Result]] = {}
    for fixture, results in fixtures:
        kind = (fixture.variant, len(fixture.seats))
        kinds.setdefault(kind, []).extend(results)
        first[kind] = min(first.get(kind, fixture.index), fixture.index)
    return {kind: kinds[kind] for kind in sorted(kinds, key=lambda k: (first[k], k)) if kinds[kind]}


def _results(played: PlayedFixture | FixtureResult) -> Iterator[Result]:
    for game in played.games:
        faults = (game if isinstance(game, GameResult) else game_result(game)).faults
        out = [seat for seat, cause in enumerate(faults) if cause is not None]
        yield result(played.fixture, game.game, game.places, out)


def result(
    fixture: Fixture, game: int, places: tuple[int, ...], faulted: Collection[int]
) -> Result:
    """Return the result of a fixture's game; `faulted` are the seats that faulted."""
    seats = range(len(places))
    out = tuple([seat in faulted for seat in seats]) if faulted else (False,) * len(places)
    return Result(fixture.seats, places, out, fixture.block, fixture.index, game)
