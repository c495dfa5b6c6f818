"""Where a site's games come from: counts and results at once, whole games on demand."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeVar

from arena.game.records import FixtureResult, PlayedFixture
from arena.playstats.faults import FaultEntry
from arena.playstats.league_summary import LeagueSummary

Made = TypeVar("Made")
Work = Callable[[PlayedFixture, Any], Made]
"""Makes something of some games of a fixture; a function at the top of a module, for other
processes to find."""


class Job(NamedTuple):
    """Work on a fixture."""

    fixture: int
    """The index of the fixture."""
    games: Collection[int]
    """The numbers of those that the work needs."""
    given: Any
    """What it needs beside them."""


class GameSource(Protocol):
    """The fixtures that a site is about."""

    @property
    def summary(self) -> LeagueSummary:
        """The statistics of all games."""

    @property
    def faults(self) -> Iterable[FaultEntry]:
        """Every fault, in schedule order; each iteration reads them again."""

    @property
    def results(self) -> Sequence[FixtureResult]:
        """In schedule order."""

    @property
    def without_logs(self) -> Collection[int]:
        """The indexes of fixtures whose games cannot be shown: their logs were pruned."""

    @property
    def hashes(self) -> Mapping[int, str]:
        """By fixture index, a digest of the fixture's games."""

    def each(self, work: Work[Made], jobs: Sequence[Job]) -> Iterator[Made]:
        """Yield the result of the work for each job, in order."""

    def cached(self, name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        """Return the result of `make`, perhaps as made for an earlier report with this key."""

    def beside(self, call: Callable[[], Made]) -> AbstractContextManager[Callable[[], Made]]:
        """Begin a call, in another process if a core is free; yield a function for its result."""
