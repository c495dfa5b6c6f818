"""The progress of a league: fixtures still to be played, and divisions that have stopped."""

from collections.abc import Callable, Collection, Iterator, Mapping, Set
from itertools import chain
from statistics import fmean

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
        self._schedule = schedule
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
        return track is not None and block in track.complete_blocks()

    def scheduled(self, division: Division) -> int:
        """Return the number of a division's fixtures."""
        return sum(map(len, self._tracks[division].scheduled()))

    def begun(self, division: Division) -> int:
        """Return how many blocks of a division were begun or are due; earlier ones among them."""
        return len(self._tracks[division].wanted())

    def counts(self, id_: str) -> bool:
        """Tell whether a fixture is in the schedule as it is now."""
        return self._schedule.counts(id_)

    def belongs(self, id_: str) -> bool:
        """Tell whether a fixture counts, or is one of the playoff as far as that was due."""
        return self._schedule.counts(id_) or self._schedule.is_playoff(id_)

    def add(self, played: PlayedGames[GameRecord | GameResult]) -> None:
        """Take a played fixture into account; it is remembered if it does not count now."""
        fixture = played.fixture
        if fixture.id in self._results:
            return
        if self._schedule.conditions.playoff and len(played.games) == fixture.games:
            self._places[fixture.id] = [game.places for game in played.games]
        by_seat = zip(*(game.places for game in played.games), strict=True)
        self._results[fixture.id] = TableMeans(fixture.seats, tuple(map(fmean, by_seat)))
        if self.counts(fixture.id):
            self._tracks[fixture.division].add(fixture)

    def give_up(self, id_: str) -> None:
        """Let nothing wait for a fixture that cannot be played in this run."""
        self._given_up.add(id_)

    def due(self) -> list[Fixture]:
        """Return the fixtures to play next, with `until` those of each division's next block."""
        due = [*chain.from_iterable(track.due() for track in self._tracks.values())]
        if not due and (playoff := self.playoff()):
            return playoff.due()
        return sorted(due, key=lambda fixture: fixture.index)

    def playoff(self) -> Playoff | None:
        """Return the playoff; None before all blocks are played, or in a league without one."""
        terms = self._schedule.conditions.playoff
        if self._playoff is None and terms and not any(map(_Track.has_due, self._tracks.values())):
            self._playoff = Playoff(self._schedule, terms, self._places)
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
        until = self._schedule.conditions.until
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


class _Track:
    """The blocks of one division, and its decision to stop."""

    def __init__(
        self,
        schedule: Schedule,
        division: Division,
        results: Mapping[str, TableMeans],
        given_up: Set[str],
        before: "_Track | None" = None,
    ) -> None:
        """Follow a division; `before` followed it under the same terms, to the last change."""
        self._schedule, self._division, self._results = schedule, division, results
        self._given_up = given_up
        self._blocks = schedule.blocks[division]
        conditions = schedule.conditions
        self._resting = frozenset(conditions.resting)
        self._bots = len(playing(conditions))
        self._until = conditions.until
        self._endless = conditions.endless
        self._unconditional = schedule.earlier_blocks[division]
        """The first blocks, which are played in any case."""
        self._left: dict[int, dict[str, Fixture]] = {}
        """The fixtures that are not played, by id, of the blocks that are not complete."""
        self._begun = self._unconditional
        """In an endless league, how many blocks were begun or asked for."""
        self._seen = 0
        """The first block that `_left` does not know."""
        self._known = before.complete_blocks() if before else frozenset[int]()
        """Blocks that are complete by `before`."""
        self._complete: list[Block] = []
        """Complete blocks that have a fixture that counts, before the first that is not."""
        self._next = 0
        """The first block that is not complete."""
        self._stopped = False
        self._judged: tuple[tuple[int, float], bool] | None = None
        """The arguments and the answer of the last `undecided`: it takes long after many games."""
        self._see()

    def add(self, fixture: Fixture) -> None:
        """Take a fixture that counts for played."""
        self._begun = max(self._begun, fixture.block + 1)
        if missing := self._left.get(fixture.block):
            missing.pop(fixture.id, None)
            if not missing:
                del self._left[fixture.block]

    def complete_blocks(self) -> frozenset[int]:
        """Return the blocks with no fixture left to play, those without fixtures among them."""
        return frozenset(range(self._seen)) - self._left.keys()

    def due(self) -> Iterator[Fixture]:
        window = self._window()
        for number, missing in self._left.items():
            if number >= window:
                return
            yield from missing.values()

    def has_due(self) -> bool:
        """Tell whether a fixture is due."""
        return next(self.due(), None) is not None

    def wanted(self) -> list[list[Fixture]]:
        return self._blocks[: self._window()]

    def scheduled(self) -> list[list[Fixture]]:
        return self._blocks[: self._begun] if self._endless else self._blocks

    def coming(self) -> int:
        """Return the place of the next block of an endless league in the schedule, or -1."""
        if not self._endless:
            return -1
        if self._begun < len(self._blocks):
            return self._blocks[self._begun][0].index
        return self._schedule.next_index(self._division)

    def begin(self) -> None:
        """Let the next block of an endless league be due."""
        if self._begun == len(self._blocks):
            self._schedule.draw(self._division)
            self._see()
        self._begun += 1

    def verdict(self, confidence: float) -> Verdict:
        self._decide()
        pairs = tuple(tied(self._complete, self._bots, confidence, self._resting))
        field = parts(table.bots for block in self._complete for table in block)
        return Verdict(self._division, len(self._complete), pairs, tuple(field))

    def undecided(self, confidence: float) -> bool:
        blocks = max(0, self._begun - AHEAD)
        early = (missing for number, missing in self._left.items() if number < blocks)
        if any(not missing.keys() <= self._given_up for missing in early):
            return False
        key = blocks, confidence
        judged_key, answer = self._judged or (None, False)
        if judged_key != key:
            self._decide()
            counting = sum(map(bool, self._blocks[: min(blocks, self._next)]))
            complete = self._complete[:counting]
            answer = not separated(complete, self._bots, confidence, self._resting)
            self._judged = key, answer
        return answer

    def _see(self) -> None:
        """Note the unplayed fixtures of the blocks that were drawn since the last call."""
        for number, block in enumerate(self._blocks[self._seen :], self._seen):
            if number in self._known:
                continue
            missing = {fixture.id: fixture for fixture in block if fixture.id not in self._results}
            if missing:
                self._left[number] = missing
            if len(missing) < len(block):
                self._begun = max(self._begun, number + 1)
        self._seen = len(self._blocks)

    def _window(self) -> int:
        """Return the number of blocks that are due or over."""
        if self._endless:
            return self._begun
        if not self._until:
            return len(self._blocks)
        self._decide()
        return self._next + (not self._stopped)

    def _decide(self) -> None:
        """Judge each block that was completed since the last call, until one stops the league."""
        until = None if self._endless else self._until
        while not self._stopped and self._next < len(self._blocks) and self._next not in self._left:
            tables = [self._results[fixture.id] for fixture in self._blocks[self._next]]
            self._next += 1
            self._complete += [tables] if tables else []
            if until and self._next >= self._unconditional:
                self._stopped = separated(self._complete, self._bots, until, self._resting)
