"""Results of games without their events, and their ratings."""

from collections.abc import Collection, Iterable, Sequence

from arena.game.records import FixtureResult, PlayedFixture, RatingsInfo, fixture_result
from arena.ratings.league_ratings import Ratings, by_division, rate_results
from tests.support import records


def result(
    bots: tuple[str, ...],
    places: Sequence[tuple[int, ...]],
    faulted: Collection[int] = (),
    block: int = 0,
    index: int = 0,
    first: int = 0,
) -> FixtureResult:
    """A fixture's results, a game for each entry of `places`; the `faulted` seats crashed in all.

    `first` is the number of the first game.
    """
    fixture = records.fixture(
        bots, len(places), id=f"{index:016x}", index=index, seed="seed", block=block
    )
    return records.result(fixture, places, faulted, first)


def rate_league(
    played: Iterable[PlayedFixture | FixtureResult], options: RatingsInfo | None = None
) -> Ratings:
    """Rate fixtures, given in any order."""
    results = [fixture_result(one) if isinstance(one, PlayedFixture) else one for one in played]
    return rate_results(by_division(results), options)
