"""How far a league has come: what is still to be played, and which divisions have stopped."""

from itertools import chain
from statistics import fmean

from msgspec import Struct

from arena.league.schedule import Schedule
from arena.ratings.parts import parts
from arena.ratings.sequential import Block, TableMeans, separated, tied
from arena.ratings.table import PlayedGames
from arena.records import Division, Fixture, GameRecord, GameResult


class Verdict(Struct, frozen=True):
    """How a division of a league with `until` stands."""

    division: Division
    rounds: int
    """Completed blocks."""
    tied: tuple[tuple[str, str], ...]
    """Neighbours on the leaderboard that are not separated, best first; empty if all are."""
    parts: tuple[tuple[str, ...], ...]
    """The parts of the field that no table links; one if all bots can be compared."""


class LeagueProgress:
    """The schedule of a league, and what was played of it.

    With `until` each division stops on its own. That is decided after complete blocks only: the
    same results lead to the same decisions, in one run or in ten.
    """

    def __init__(self, schedule: Schedule) -> None:
        self._tracks = [_Track(schedule, division) for division in schedule.blocks]
        self._track_of = {one.id: track for track in self._tracks for one in track.fixtures()}

    def __len__(self) -> int:
        """Return the number of fixtures in the schedule, with those that `until` may save."""
        return len(self._track_of)

    def counts(self, id_: str) -> bool:
        """Tell whether a fixture is in the schedule as it is now."""
        return id_ in self._track_of

    def add(self, played: PlayedGames[GameRecord | GameResult]) -> None:
        """Take a played fixture into account; one that no longer counts is ignored."""
        track = self._track_of.get(played.fixture.id)
        if track:
            track.add(played)

    def due(self) -> list[Fixture]:
        """Return the fixtures to play next, with `until` those of each division's next block."""
        return [one for one in self.wanted() if one.id not in self._track_of[one.id].results]

    def wanted(self) -> list[Fixture]:
        """Return the fixtures that were due so far, played or not."""
        wanted = chain.from_iterable(track.wanted() for track in self._tracks)
        return sorted(wanted, key=lambda fixture: fixture.index)

    def verdicts(self) -> list[Verdict]:
        """Return how each division stands; none in a league without `until`."""
        return [track.verdict(track.until) for track in self._tracks if track.until]


class _Track:
    """The blocks of one division, and its decision to stop."""

    def __init__(self, schedule: Schedule, division: Division) -> None:
        self._division = division
        self._blocks = schedule.blocks[division]
        self._bots = len(schedule.conditions.bots)
        self.until = schedule.conditions.until
        self._unconditional = schedule.earlier_blocks[division]
        """The first blocks, which are played in any case."""
        self.results: dict[str, TableMeans] = {}
        self._complete: list[Block] = []
        """Complete blocks that have a fixture that counts."""
        self._next = 0
        """The first block that is not complete."""
        self._stopped = False

    def fixtures(self, blocks: int | None = None) -> list[Fixture]:
        return [fixture for block in self._blocks[:blocks] for fixture in block]

    def add(self, played: PlayedGames[GameRecord | GameResult]) -> None:
        fixture, by_seat = played.fixture, zip(*(one.places for one in played.games), strict=True)
        self.results[fixture.id] = TableMeans(fixture.seats, tuple(map(fmean, by_seat)))

    def wanted(self) -> list[Fixture]:
        if not self.until:
            return self.fixtures()
        self._decide(self.until)
        return self.fixtures(self._next + (not self._stopped))

    def verdict(self, confidence: float) -> Verdict:
        self._decide(confidence)
        pairs = tuple(tied(self._complete, self._bots, confidence))
        field = parts(table.bots for block in self._complete for table in block)
        return Verdict(self._division, len(self._complete), pairs, tuple(field))

    def _decide(self, confidence: float) -> None:
        """Look at each block that was completed since the last call, until one stops the league."""
        while not self._stopped and self._next < len(self._blocks):
            block = self._blocks[self._next]
            tables = [self.results[one.id] for one in block if one.id in self.results]
            if len(tables) < len(block):
                return
            self._next += 1
            self._complete += [tables] if tables else []
            if self._next >= self._unconditional:
                self._stopped = separated(self._complete, self._bots, confidence)
