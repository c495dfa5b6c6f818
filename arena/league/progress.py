"""How far a league has come: what is still to be played, and where it stops by itself."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from msgspec import Struct

from arena.league.schedule import blocks_of, blocks_of_earlier_epochs
from arena.ratings.sequential import Block, Seated, separated, tied
from arena.ratings.table import PlayedGames
from arena.records import Division, Fixture, GameRecord, GameResult, LeagueInfo


class Verdict(Struct, frozen=True):
    """Where one variant and table size stands; `tied` is empty where neighbours are separated."""

    variant: str
    players: int
    rounds: int
    """Blocks played to their end."""
    tied: tuple[tuple[str, str], ...]
    """Neighbours on the leaderboard that are not separated, best first."""


class LeagueProgress:
    """The schedule of a league, beside what was played of it.

    With `until` each variant and table size stops on its own, and whether it does is looked at
    after each block alone: the same results lead to the same decisions, in one run or in ten.
    """

    def __init__(self, info: LeagueInfo) -> None:
        first = blocks_of_earlier_epochs(info)
        self._tracks = [
            _Track(kind, blocks, info, first[kind]) for kind, blocks in blocks_of(info).items()
        ]
        self._track = {one.id: track for track in self._tracks for one in track.fixtures()}

    def __len__(self) -> int:
        """Return the number of fixtures in the schedule, with those that `until` may save."""
        return len(self._track)

    def fixtures(self) -> list[Fixture]:
        """Return the schedule, with what `until` may save, kind by kind in the league's order."""
        return [one for track in self._tracks for one in track.fixtures()]

    def counts(self, id_: str) -> bool:
        """Tell whether the fixture of an id is in the schedule as it is now."""
        return id_ in self._track

    def add(self, played: PlayedGames[GameRecord | GameResult]) -> None:
        """Take note of a stored fixture; those that do not count any more are passed over."""
        track = self._track.get(played.fixture.id)
        if track:
            track.add(played)

    def due(self) -> list[Fixture]:
        """Return the fixtures to play next, none where the league is finished.

        Without `until` these are all that are missing; with it, what is missing of the next block
        of each variant and table size that goes on.
        """
        return _in_order(one for track in self._tracks for one in track.due())

    def wanted(self) -> list[Fixture]:
        """Return the fixtures that were due so far, played or not."""
        return _in_order(one for track in self._tracks for one in track.wanted())

    def verdicts(self) -> list[Verdict]:
        """Return where each variant and table size stands; none in a league without `until`."""
        return [track.verdict(track.until) for track in self._tracks if track.until]


def _in_order(fixtures: Iterable[Fixture]) -> list[Fixture]:
    return sorted(fixtures, key=lambda fixture: fixture.index)


class _Track:
    """The blocks of one kind; the first `first` of them are played in any case."""

    def __init__(
        self, kind: Division, blocks: Sequence[Sequence[Fixture]], info: LeagueInfo, first: int
    ) -> None:
        self._kind = kind
        self._blocks = blocks
        self._bots = len(info.bots)
        self.until = info.until
        self._first = first
        self._done: dict[str, Seated] = {}
        self._judged: list[Block] = []
        """Blocks played to their end, but for those of which nothing counts any more."""
        self._next = 0
        """The first block that was not looked at."""
        self._stopped = False

    def fixtures(self, blocks: int | None = None) -> list[Fixture]:
        return [fixture for block in self._blocks[:blocks] for fixture in block]

    def add(self, played: PlayedGames[GameRecord | GameResult]) -> None:
        by_seat = zip(*(game.places for game in played.games), strict=True)
        self._done[played.fixture.id] = Seated(played.fixture.seats, tuple(map(fmean, by_seat)))

    def due(self) -> list[Fixture]:
        return [fixture for fixture in self.wanted() if fixture.id not in self._done]

    def wanted(self) -> list[Fixture]:
        if not self.until:
            return self.fixtures()
        self._judge(self.until)
        return self.fixtures(self._next + (not self._stopped))

    def verdict(self, confidence: float) -> Verdict:
        self._judge(confidence)
        ties = tuple(tied(self._judged, self._bots, confidence))
        return Verdict(*self._kind, len(self._judged), ties)

    def _judge(self, confidence: float) -> None:
        """Look at each block that was finished since; a league that stopped looks no more."""
        while not self._stopped and self._next < len(self._blocks):
            block = self._blocks[self._next]
            tables = [self._done[one.id] for one in block if one.id in self._done]
            if len(tables) < len(block):
                return
            self._next += 1
            self._judged += [tables] if tables else []
            if self._next >= self._first:
                self._stopped = separated(self._judged, self._bots, confidence)
