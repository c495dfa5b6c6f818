"""The progress of a league: fixtures still to be played, and divisions that have stopped."""

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence, Set
from itertools import chain
from statistics import fmean
from typing import NamedTuple

from msgspec import Struct

from arena.game.records import Division, Fixture, GameRecord, GameResult
from arena.league.changes import playing
from arena.league.schedule.playoff import Places, Playoff
from arena.league.schedule.schedule import Schedule
from arena.ratings.leaderboard_rows import PlayedGames
from arena.ratings.maths.connected import parts
from arena.ratings.sequential import Block, TableMeans, separated, tied

AHEAD = 8
"""How many blocks of an endless league may be begun before their results matter: the schedule must
not depend on which fixture ends first, and no worker must wait for the slowest."""


class Verdict(Struct, frozen=True):
    """The standing of a division of a league with `until`."""

    division: Division
    blocks: int
    """Completed blocks."""
    tied: tuple[tuple[str, str], ...]
    """Neighbours on the leaderboard that are not separated, best first; empty if all are."""
    parts: tuple[tuple[str, ...], ...]
    """The parts of the field that no table links; one if all bots can be compared."""


class LeagueProgress:
    """The schedule of a league, and the fixtures played so far.

    With `until` each division stops on its own. That is decided after complete blocks only: the
    same results lead to the same decisions, in one run or in ten. In an endless league the blocks
    are due that were begun, or requested by `look_ahead`.
    """

    def __init__(self, schedule: Schedule, before: "LeagueProgress | None" = None) -> None:
        """Follow a schedule; `before` is its progress up to its last change."""
        self.schedule = schedule
        self._results: dict[str, TableMeans] = {}
        if before:
            self._results = before._results  # noqa: SLF001 - of this class
        self._places: dict[str, Places] = {}
        """The places in the games of all fixtures that were added, if there is a playoff."""
        if before:
            self._places = before._places  # noqa: SLF001 - of this class
        self._playoff: Playoff | None = None
        self._given_up: set[str] = set()
        tracks: Mapping[Division, _Track] = {}
        if before and schedule.conditions.endless:
            tracks = before._tracks  # noqa: SLF001 - of this class
        self._tracks: dict[Division, _Track] = {
            division: _Track(
                schedule, division, self._results, self._given_up, tracks.get(division)
            )
            for division in schedule.blocks
        }

    @property
    def played(self) -> Collection[str]:
        """The ids of all fixtures that were added, also of those that do not count."""
        return self._results.keys()

    @property
    def tables(self) -> Mapping[str, TableMeans]:
        """Everyone's mean places in all fixtures that were added, by id."""
        return self._results

    def __len__(self) -> int:
        """Return the number of fixtures in the schedule, with those that `until` may save.

        Those of a playoff are among them as far as they were due.
        """
        playoff = self.playoff()
        return sum(map(self.scheduled, self._tracks)) + (len(playoff.wanted()) if playoff else 0)

    def is_complete(self, division: Division, block: int) -> bool:
        """Tell whether no table of a block is left to be played: its dice may be seen then."""
        track = self._tracks.get(division)
        return track is not None and track.blocks.is_complete(block)

    def scheduled(self, division: Division) -> int:
        """Return the number of a division's fixtures."""
        return sum(map(len, self._tracks[division].scheduled()))

    def begun(self, division: Division) -> int:
        """Return how many blocks of a division were begun or are due; earlier ones among them."""
        return len(self._tracks[division].wanted())

    def add(self, played: PlayedGames[GameRecord | GameResult]) -> None:
        """Take a played fixture into account; it is remembered if it does not count now."""
        fixture = played.fixture
        if fixture.id in self._results:
            return
        if self.schedule.conditions.playoff and len(played.games) == fixture.games:
            self._places[fixture.id] = [game.places for game in played.games]
        by_seat = zip(*(game.places for game in played.games), strict=True)
        self._results[fixture.id] = TableMeans(fixture.seats, tuple(map(fmean, by_seat)))
        if self.schedule.counts(fixture.id):
            self._tracks[fixture.division].blocks.add(fixture)

    def give_up(self, id_: str) -> None:
        """Let nothing wait for a fixture that cannot be played in this run."""
        self._given_up.add(id_)

    def due(self) -> list[Fixture]:
        """Return the fixtures to play next, with `until` those of each division's next block."""
        due = [*self._due()]
        if not due and (playoff := self.playoff()):
            return playoff.due()
        return sorted(due, key=lambda fixture: fixture.index)

    def _due(self) -> Iterator[Fixture]:
        return chain.from_iterable(track.due() for track in self._tracks.values())

    def playoff(self) -> Playoff | None:
        """Return the playoff; None before all blocks are played, or in a league without one."""
        terms = self.schedule.conditions.playoff
        if self._playoff is None and terms and not any(self._due()):
            self._playoff = Playoff(self.schedule, terms, self._places)
        return self._playoff

    def wanted(self) -> list[Fixture]:
        """Return the fixtures that were due so far, played or not."""
        blocks = chain.from_iterable(track.wanted() for track in self._tracks.values())
        wanted = [*chain.from_iterable(blocks)]
        if playoff := self.playoff():
            wanted += playoff.wanted()
        return sorted(wanted, key=lambda fixture: fixture.index)

    def look_ahead(self, more: Callable[[Division], bool]) -> bool:
        """Let one more block of an endless league be due; returns whether there is one.

        It is the next in the schedule of the divisions that want `more`.
        """
        coming = [
            (index, division)
            for division, track in self._tracks.items()
            if (index := track.coming()) >= 0
        ]
        for _, division in sorted(coming):
            if more(division):
                self._tracks[division].begin()
                return True
        return False

    def verdicts(self) -> list[Verdict]:
        """Return the verdict on each division; none in a league without `until`."""
        until = self.schedule.conditions.until
        return [self.verdict(division, until) for division in self._tracks] if until else []

    def verdict(self, division: Division, confidence: float) -> Verdict:
        """Return the verdict on a division, by its blocks before the first incomplete one."""
        return self._tracks[division].verdict(confidence)

    def undecided(self, division: Division, confidence: float) -> bool:
        """Tell whether a division of an endless league needs another block to tell its bots apart.

        That follows from the results of all but the last `AHEAD` blocks that were begun: False
        until those are complete, so that the answer is the same however fast they were played.
        """
        return self._tracks[division].undecided(confidence)


class _Answer(NamedTuple):
    """What `undecided` returned last: it takes long after many games."""

    blocks: int
    confidence: float
    undecided: bool


class _Blocks:
    """The blocks of one division: what is left to play in each, and how many were begun."""

    def __init__(
        self,
        drawn: Sequence[Sequence[Fixture]],
        played: Container[str],
        begun: int,
        complete: frozenset[int],
    ) -> None:
        """Follow blocks that are `drawn` by others; those known as `complete` are not looked at."""
        self.drawn = drawn
        self.begun = begun
        """How many blocks were begun, or asked for."""
        self._played = played
        self._known = complete
        self._looked_at = 0
        """How many of the drawn blocks `_left` knows."""
        self._left: dict[int, dict[str, Fixture]] = {}
        """The fixtures left of each block that is not complete, by its number and their ids."""
        self.look()

    def look(self) -> None:
        """Find what is left of the blocks that were drawn since the last call."""
        for number, block in enumerate(self.drawn[self._looked_at :], self._looked_at):
            if number in self._known:
                continue
            left = {fixture.id: fixture for fixture in block if fixture.id not in self._played}
            if left:
                self._left[number] = left
            if len(left) < len(block):
                self.begun = max(self.begun, number + 1)
        self._looked_at = len(self.drawn)

    def add(self, fixture: Fixture) -> None:
        """Take a fixture for played."""
        self.begun = max(self.begun, fixture.block + 1)
        if left := self._left.get(fixture.block):
            left.pop(fixture.id, None)
            if not left:
                del self._left[fixture.block]

    def is_complete(self, number: int) -> bool:
        """Tell whether a block was drawn, and nothing is left of it to play."""
        return 0 <= number < self._looked_at and number not in self._left

    def complete(self) -> frozenset[int]:
        """Return the blocks with nothing left to play, those without fixtures among them."""
        return frozenset(range(self._looked_at)) - self._left.keys()

    def left(self, first: int) -> Iterator[Mapping[str, Fixture]]:
        """Yield what is left of each of the first blocks that is not complete."""
        for number, left in self._left.items():
            if number >= first:
                return
            yield left


class _Track:
    """The progress of one division, and its decision to stop."""

    def __init__(
        self,
        schedule: Schedule,
        division: Division,
        results: Mapping[str, TableMeans],
        given_up: Set[str],
        before: "_Track | None",
    ) -> None:
        """Follow a division; `before` followed it under the same terms, to the last change."""
        self._schedule = schedule
        self._division = division
        self._results = results
        self._given_up = given_up
        self._conditional = schedule.earlier_blocks[division]
        """The first block that need not be played if the division is decided."""
        known = before.blocks.complete() if before else frozenset[int]()
        self.blocks: _Blocks = _Blocks(schedule.blocks[division], results, self._conditional, known)
        self._judged = 0
        """How many blocks were judged: those before the first that is not complete."""
        self._complete: list[Block] = []
        """The judged blocks that have a fixture that counts."""
        self._stopped = False
        self._last_answer: _Answer | None = None

    def due(self) -> Iterator[Fixture]:
        """Yield the fixtures to play next, block by block."""
        for left in self.blocks.left(self._window()):
            yield from left.values()

    def wanted(self) -> Sequence[Sequence[Fixture]]:
        """Return the blocks that are due or over."""
        return self.blocks.drawn[: self._window()]

    def scheduled(self) -> Sequence[Sequence[Fixture]]:
        """Return the blocks of the schedule; of an endless league those that were begun."""
        blocks = self.blocks
        return blocks.drawn[: blocks.begun] if self._schedule.conditions.endless else blocks.drawn

    def coming(self) -> int:
        """Return the place of the next block of an endless league in the schedule, or -1."""
        if not self._schedule.conditions.endless:
            return -1
        if self.blocks.begun < len(self.blocks.drawn):
            return self.blocks.drawn[self.blocks.begun][0].index
        return self._schedule.next_index(self._division)

    def begin(self) -> None:
        """Let the next block of an endless league be due."""
        if self.blocks.begun == len(self.blocks.drawn):
            self._schedule.draw(self._division)
            self.blocks.look()
        self.blocks.begun += 1

    def verdict(self, confidence: float) -> Verdict:
        """Return the verdict by the blocks before the first that is not complete."""
        self._judge()
        conditions = self._schedule.conditions
        bots, resting = len(playing(conditions)), frozenset(conditions.resting)
        pairs = tuple(tied(self._complete, bots, confidence, resting))
        field = parts(table.bots for block in self._complete for table in block)
        return Verdict(self._division, len(self._complete), pairs, tuple(field))

    def undecided(self, confidence: float) -> bool:
        """Answer as `LeagueProgress.undecided` does."""
        early = max(0, self.blocks.begun - AHEAD)
        if any(not left.keys() <= self._given_up for left in self.blocks.left(early)):
            return False
        if self._last_answer and self._last_answer[:2] == (early, confidence):
            return self._last_answer.undecided
        self._judge()
        counting = sum(map(bool, self.blocks.drawn[: min(early, self._judged)]))
        undecided = not self._separated(self._complete[:counting], confidence)
        self._last_answer = _Answer(early, confidence, undecided)
        return undecided

    def _window(self) -> int:
        """Return the number of blocks that are due or over."""
        conditions = self._schedule.conditions
        if conditions.endless:
            return self.blocks.begun
        if not conditions.until:
            return len(self.blocks.drawn)
        self._judge()
        return self._judged + (not self._stopped)

    def _judge(self) -> None:
        """Judge each block that was completed since the last call, until one stops the league."""
        conditions = self._schedule.conditions
        until = None if conditions.endless else conditions.until
        while not self._stopped and self.blocks.is_complete(self._judged):
            tables = [self._results[fixture.id] for fixture in self.blocks.drawn[self._judged]]
            self._judged += 1
            self._complete += [tables] if tables else []
            if until and self._judged >= self._conditional:
                self._stopped = self._separated(self._complete, until)

    def _separated(self, blocks: Sequence[Block], confidence: float) -> bool:
        conditions = self._schedule.conditions
        bots, resting = len(playing(conditions)), frozenset(conditions.resting)
        return separated(blocks, bots, confidence, resting)
