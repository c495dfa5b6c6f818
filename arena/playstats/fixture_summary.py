"""The statistics of one fixture: small, cacheable, independent of other fixtures."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import Fixture, FixtureResult, GameResult, PlayedFixture
from arena.game.results import fixture_result
from arena.game.rules.books import Rules
from arena.playstats.fault_entry import FaultEntry
from arena.playstats.highlights import Highlight
from arena.playstats.mistakes import Mistake
from arena.playstats.scan.fixtures import FixtureCounts, scan
from arena.playstats.style import Calibration, Style

STDERR_SHOWN = 4000
"""Characters of standard error that are kept of a seat that faulted."""


class SeatSummary(Struct, frozen=True):
    """The statistics of one seat in a fixture."""

    style: Style
    calibration: Calibration
    mistakes: tuple[Mistake, ...]
    """Its worst moves."""
    highlights: tuple[Highlight, ...]
    """Its best highlights, kind by kind."""
    stderr: str = ""
    """The end of its standard error if it faulted and wrote any."""


class FixtureSummary(Struct, frozen=True):
    """One fixture."""

    result: FixtureResult
    seats: tuple[SeatSummary, ...]
    faults: tuple[FaultEntry, ...] = ()
    """By game, then by step."""
    luck: tuple[int, ...] = ()
    """How lucky the dice of each game were for seat 0, in thousandths of a win; empty if that is
    not measured."""

    @property
    def fixture(self) -> Fixture:
        """The table."""
        return self.result.fixture

    @property
    def games(self) -> Sequence[GameResult]:
        """All of its games."""
        return self.result.games

    @property
    def rated(self) -> FixtureResult:
        """The result as it is rated: with luck, unless other fixtures share the dice."""
        return self.result if self.fixture.dice else replace(self.result, luck=self.luck)


def summarize_fixture(played: PlayedFixture, rules: Rules) -> FixtureSummary:
    """Scan the games of a fixture, played by `rules`; equal games have equal summaries.

    Raises ForbiddenEventError if the rules forbid an event of a game.
    """
    [summary] = summarize_fixtures([played], rules)
    return summary


def summarize_fixtures(played: Sequence[PlayedFixture], rules: Rules) -> Iterator[FixtureSummary]:
    """Yield the summaries of fixtures of one division; many at a time take less time."""
    for one, counts in zip(played, scan(played, rules), strict=True):
        yield FixtureSummary(
            result=fixture_result(one, one.stored_at),
            seats=_seats(one, counts),
            faults=counts.faults,
            luck=counts.luck,
        )


def summarize_result(result: FixtureResult, luck: Sequence[int]) -> FixtureSummary:
    """Return the summary of a fixture whose logs were pruned: no more than who won is known."""
    unknown = SeatSummary(Style(), Calibration(), (), ())
    return FixtureSummary(result, (unknown,) * len(result.fixture.seats), luck=tuple(luck))


def _seats(played: PlayedFixture, counts: FixtureCounts) -> tuple[SeatSummary, ...]:
    faulty = {fault.seat for fault in counts.faults}
    return tuple(
        SeatSummary(*counted, _stderr(played, seat) if seat in faulty else "")
        for seat, counted in enumerate(counts.seats)
    )


def _stderr(played: PlayedFixture, seat: int) -> str:
    text = played.stderr[seat] if seat < len(played.stderr) else ""
    return tail(text, STDERR_SHOWN) if text.strip() else ""


def tail(text: str, limit: int) -> str:
    """Return the last `limit` characters, in whole lines if possible."""
    if len(text) <= limit:
        return text
    end = text[-limit:]
    return "…\n" + (end.partition("\n")[2] or end)
