"""Where a site's games come from: digests at once, whole games where they are asked for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from arena.perudo.rules import Rules
from arena.playstats.fixture_summary import FixtureSummary, summarize_fixture
from arena.records import PlayedFixture

Made = TypeVar("Made")
Work = Callable[[PlayedFixture, Any], Made]
"""Makes something of a fixture; a function at the top of a module, for other processes to find."""
Jobs = Sequence[tuple[int, Any]]
"""Places in the schedule, each with what the work needs beside the fixture."""


class GameSource(Protocol):
    """The fixtures that a site is about."""

    @property
    def digests(self) -> Sequence[FixtureSummary]:
        """In schedule order."""

    @property
    def marks(self) -> Mapping[int, str]:
        """By place in the schedule, what changes whenever a fixture's games do."""

    def each(self, work: Work[Made], jobs: Jobs) -> Iterator[Made]:
        """Yield what the work makes of each job, in their order."""

    def remember(self, name: str, mark: bytes, make: Callable[[], bytes]) -> bytes:
        """Return what `make` makes, or made for an earlier report and this mark."""


class InMemory:
    """Fixtures that are at hand, in schedule order."""

    def __init__(self, played: Sequence[PlayedFixture], variants: Mapping[str, Rules]) -> None:
        self._played = {one.fixture.index: one for one in played}
        self.digests = [summarize_fixture(one, variants[one.fixture.variant]) for one in played]
        self.marks = {index: mark_of(one) for index, one in self._played.items()}

    def each(self, work: Work[Made], jobs: Jobs) -> Iterator[Made]:
        """Yield what the work makes of each job."""
        return (work(self._played[index], given) for index, given in jobs)

    def remember(self, name: str, mark: bytes, make: Callable[[], bytes]) -> bytes:
        """Make it: there is nothing to keep it in."""
        del name, mark
        return make()


def mark_of(played: PlayedFixture) -> str:
    """Return a hash of what replays show of a fixture."""
    return sha256(repr((played.fixture, played.games)).encode()).hexdigest()
