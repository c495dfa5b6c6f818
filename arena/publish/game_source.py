"""Where a site's games come from: summaries at once, whole games on demand."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from arena.playstats.fixture_summary import FixtureSummary
from arena.ratings.results import Results, grouped
from arena.records import Division, PlayedFixture

Made = TypeVar("Made")
Work = Callable[[PlayedFixture, Any], Made]
"""Makes something of a fixture; a function at the top of a module, for other processes to find."""
Jobs = Sequence[tuple[int, Any]]
"""Fixture indexes, each with what the work needs beside the fixture."""


class GameSource(Protocol):
    """The fixtures that a site is about."""

    @property
    def summaries(self) -> Sequence[FixtureSummary]:
        """In schedule order."""

    @property
    def hashes(self) -> Mapping[int, str]:
        """By fixture index, what changes whenever a fixture's games do."""

    def each(self, work: Work[Made], jobs: Jobs) -> Iterator[Made]:
        """Yield the result of the work for each job, in order."""

    def cached(self, name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        """Return the result of `make`, perhaps as made for an earlier report with this key."""


def results(summaries: Iterable[FixtureSummary]) -> dict[Division, list[Results]]:
    """Return the results of each division, as the ratings take them."""
    return grouped((one.fixture, _results(one)) for one in summaries)


def _results(summary: FixtureSummary) -> Results:
    return Results(
        bots=summary.fixture.seats,
        games=[game.game for game in summary.games],
        places=[game.places for game in summary.games],
        faulted=[game.faulted for game in summary.games],
        block=summary.fixture.block,
        fixture=summary.fixture.index,
    )
