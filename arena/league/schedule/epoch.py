"""The plan of blocks that each division plays between two changes of a league: an epoch.

Newcomers get joining blocks, in which they meet all bots that were there before; each in turn gets
one. After every two joining blocks, and when there are no more, comes a block for the whole field.
These blocks follow each other in passes, after which all pairs have met as evenly as possible.

A joining block of a newcomer that has a predecessor is played twice: each of its tables has a twin,
at which the predecessor sits in the newcomer's place. An endless league keeps bots of one author
apart at tables of three or more.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from itertools import count as endless
from math import ceil, floor, inf
from operator import itemgetter
from statistics import median_low

from msgspec import Struct

from arena.game.records import Conditions, Division, Fixture
from arena.league.changes import playing
from arena.league.schedule.block_design import Pass, Seats, TableOfNumbers, kept_apart

Terms = Hashable
"""The terms of a division's games, to be compared with others."""
_COMMON_TERMS = ("games", "limits", "sandbox", "memory_across_fixtures", "shared_dice")
"""Terms that hold for every division."""


def terms_of(division: Division, conditions: Conditions) -> Terms:
    """Return the terms of a division now; games under other terms do not count."""
    common = (getattr(conditions, key) for key in _COMMON_TERMS)
    return (conditions.variants[division.variant], *common)


class Tally:
    """The fixtures of earlier epochs under the same terms.

    A strike takes time for the fixtures of the struck bots alone.
    """

    def __init__(self) -> None:
        self.met: Counter[str] = Counter()
        """In how many fixtures that count each bot sits."""
        self.joined: Counter[str] = Counter()
        """How many joining blocks each bot had."""
        self.joining = 0
        """How many joining blocks came since the last block for all."""
        self._struck: frozenset[str] = frozenset()
        self._of_bot: defaultdict[str, list[Fixture]] = defaultdict(list)
        self._left_out: set[str] = set()

    def add(self, fixtures: list[Fixture], newcomer: str | None, joining: int) -> None:
        """Add the fixtures of a block; those of a newcomer count as so many joining blocks."""
        for fixture in fixtures:
            for bot in fixture.seats:
                self._of_bot[bot].append(fixture)
        counting = self.counting(fixtures)
        self.met.update(chain.from_iterable(fixture.seats for fixture in counting))
        self.joining = self.joining + joining if joining else 0
        if newcomer is not None:
            self.joined[newcomer] += 1

    def leave_out(self, fixture: Fixture) -> None:
        """Take a fixture out that was added."""
        if self.counts(fixture):
            self.met.subtract(fixture.seats)
        self._left_out.add(fixture.id)

    def strike(self, struck: frozenset[str]) -> None:
        """Set the struck bots, in place of those before: their fixtures do not count."""
        differing = chain.from_iterable(self._of_bot[bot] for bot in self._struck ^ struck)
        by_id = {fixture.id: fixture for fixture in differing if fixture.id not in self._left_out}
        concerned = list(by_id.values())
        before = self.counting(concerned)
        self._struck = struck
        self.met.subtract(chain.from_iterable(fixture.seats for fixture in before))
        after = self.counting(concerned)
        self.met.update(chain.from_iterable(fixture.seats for fixture in after))

    def counting(self, fixtures: list[Fixture]) -> list[Fixture]:
        """Return the fixtures without those of struck bots."""
        if not self._struck:
            return fixtures
        return [fixture for fixture in fixtures if self.counts(fixture)]

    def counts(self, fixture: Fixture) -> bool:
        """Tell whether no bot of a fixture is struck."""
        return self._struck.isdisjoint(fixture.seats)


_JOINING = 2
"""How many joining blocks come one after another, at most, while blocks for all are wanted; one
with twins counts as two."""
_design = lru_cache(maxsize=1024)(Pass)
"""Divisions, passes and epochs with as many bots have their design in common: names are shuffled
for each."""


class Planned(Struct, frozen=True):
    """A block, before it is drawn."""

    index: int
    """The place of its first fixture in the schedule."""
    size: int
    """How many tables it has."""
    newcomer: str | None
    """The bot that joins in it; None in a block for all."""
    number: int
    """Its number among the newcomer's blocks, or those for all in this epoch, from 0."""
    predecessor: str | None = None
    """The bot in the newcomer's seat at every second table."""

    @property
    def joining(self) -> int:
        """How many joining blocks it counts as."""
        return _weight(self.newcomer, self.predecessor)


class Epoch:
    """The plans of all divisions, side by side: a block of each in turn."""

    def __init__(
        self,
        conditions: Conditions,
        arrived: Sequence[str],
        twins: Mapping[str, str],
        tallies: Mapping[Division, Tally],
        index: int,
        design_seed: str,
    ) -> None:
        """Plan for the bots that play; the first fixture gets the index.

        Those that `arrived` after the start are named in that order, and `twins` has the
        predecessors of some.
        """
        self._parts = {
            division: _Part(conditions, arrived, twins, division, tally, design_seed)
            for division, tally in tallies.items()
        }
        self._items = {division: part.items() for division, part in self._parts.items()}
        self._planned: dict[Division, list[Planned]] = {division: [] for division in tallies}
        self._index = index
        self._ended = False

    def planned(self, division: Division, number: int) -> Planned | None:
        """Return the plan of a division's block of this epoch, from 0; None if it has fewer."""
        blocks = self._planned[division]
        while len(blocks) <= number and not self._ended:
            self._plan_round()
        return blocks[number] if number < len(blocks) else None

    def tables(self, division: Division, block: Planned) -> list[Seats]:
        """Draw the tables of a planned block."""
        part = self._parts[division]
        if block.newcomer is None:
            return part.whole(block.number)
        tables = part.joining(block.newcomer, block.number)
        if block.predecessor is None:
            return tables
        with_twins: list[Seats] = []
        for table in tables:
            twin = tuple([block.predecessor if bot == block.newcomer else bot for bot in table])
            with_twins += [table, twin]
        return with_twins

    def joining_blocks(self, division: Division, newcomer: str) -> int:
        """Return how many joining blocks a newcomer gets in this epoch."""
        return self._parts[division].joining_blocks(newcomer)

    def newcomers(self, division: Division) -> Collection[str]:
        """Return the bots that have joining blocks in this epoch."""
        return self._parts[division].newcomers

    def _plan_round(self) -> None:
        self._ended = True
        for division, items in self._items.items():
            if (item := next(items, None)) is not None:
                self._ended = False
                self._planned[division].append(Planned(self._index, *item))
                self._index += item[0]


class _Part:
    """The plan of one division."""

    def __init__(
        self,
        conditions: Conditions,
        arrived: Sequence[str],
        twins: Mapping[str, str],
        division: Division,
        tally: Tally,
        design_seed: str,
    ) -> None:
        names = playing(conditions)
        self._twins = twins if conditions.endless else {}
        self._owners = (
            _owners(conditions, names) if conditions.endless and division.players > 2 else {}
        )
        self._names, self._players, self._joined = names, division.players, tally.joined
        self._joining = tally.joining
        part = f"/epoch {conditions.changes}" if conditions.changes else ""
        self._design_seed = f"{design_seed}/schedule/{self._players}"
        self._shuffle = f"{conditions.seed}/schedule/{self._players}{part}/{division.variant}"
        self._met = Counter({name: tally.met[name] for name in names})
        self._wanted = inf if conditions.endless else conditions.blocks * self._players
        self._capped = conditions.endless or conditions.until is not None
        self._counts: dict[str, int] = {}
        """Joining blocks of each newcomer."""
        self._others: dict[str, list[str]] = {}
        """The bots that each newcomer meets there."""
        if len(names) >= self._players:
            self._plan_newcomers(arrived)

    def _plan_newcomers(self, arrived: Sequence[str]) -> None:
        """Let newcomers join those who have played.

        In a league with blocks each joins those before it, too, so that all have met when the
        last one has joined; else newcomers meet each other in blocks for all.
        """
        met, enough = self._met, self._players if self._capped else 1
        new = {name for name in arrived if self._joined[name] < enough}
        settled = [name for name in self._names if met[name] and name not in new]
        level = median_low([met[name] for name in settled]) if settled else 0
        late = [name for name in arrived if self._lack(name, len(settled), level)]
        others = [name for name in self._names if met[name] and name not in late]
        if len(others) < self._players:
            return
        for name in late:
            if lack := self._lack(name, len(others), level):
                self._counts[name], self._others[name] = lack, self._apart(name, others)
                if not self._capped:
                    others, level = [*others, name], level + lack * (self._players - 1)
        for name, lack in self._counts.items():
            met[name] += lack * len(self._others[name])
            met.update(dict.fromkeys(self._others[name], lack * (self._players - 1)))

    def _apart(self, name: str, others: list[str]) -> list[str]:
        """Return the bots that a newcomer meets: none of its author, if the rest fill a table."""
        owner = self._owners.get(name)
        apart = [bot for bot in others if owner is None or self._owners[bot] != owner]
        return apart if len(apart) >= self._players else others

    def _lack(self, name: str, others: int, level: int) -> int:
        """Return how many joining blocks a bot lacks until it has about as many tables as others.

        There are at most as many as seats, unless the number of blocks is fixed: then nobody waits
        for what comes after them. A bot that has a predecessor gets as many in any case.
        """
        met, gain = self._met[name], others - self._players + 1
        if gain < 1:
            return 0
        if name in self._twins:
            return max(0, self._players - self._joined[name])
        share = min((self._wanted - met) / others, (level - met) / gain)
        lack = ceil(share) if 2 * met < level else floor(share)
        return max(0, min(lack, self._players - self._joined[name]) if self._capped else lack)

    def items(self) -> Iterator[tuple[int, str | None, int, str | None]]:
        """Yield the blocks in order of play: the fields of `Planned` after the first."""
        whole = ((len(self._names), None, number, None) for number in self._whole())
        joining = self._joining
        for name, number in self._in_turn():
            predecessor = self._twins.get(name)
            weight = _weight(name, predecessor)
            if joining + weight > _JOINING:
                yield from islice(whole, 1)
                joining = 0
            yield weight * len(self._others[name]), name, number, predecessor
            joining += weight
        yield from whole

    def joining_blocks(self, newcomer: str) -> int:
        return self._counts.get(newcomer, 0)

    @property
    def newcomers(self) -> Collection[str]:
        return self._counts.keys()

    def _in_turn(self) -> Iterator[tuple[str, int]]:
        """Yield newcomers and the numbers of their blocks; those with the fewest come first."""
        blocks = (
            (self._joined[name] + number, name, number)
            for name, lack in self._counts.items()
            for number in range(lack)
        )
        for _, name, number in sorted(blocks, key=itemgetter(0)):
            yield name, number

    def _whole(self) -> Iterator[int]:
        """Yield the numbers of the blocks for all: as many as are still wanted."""
        if len(self._names) < self._players:
            return iter(())
        if self._wanted == inf:
            return endless()
        short = self._wanted - min(self._met.values())
        return iter(range(ceil(short / self._players)))

    def whole(self, number: int) -> list[Seats]:
        """Draw a block for all; each pass through the design shuffles the bots again."""
        size = len(self._names)
        first = number - number % (size - 1)
        seed = f"{self._shuffle}/pass {first}" if first else self._shuffle
        design = _design(size, self._players, self._design_seed)
        block = _named(design.block(number - first), _shuffled(self._names, seed))
        return self._kept_apart(block, f"{seed}/{number}")

    def joining(self, newcomer: str, number: int) -> list[Seats]:
        """Draw a joining block; those of a bot that was interrupted by a change go on."""
        others = _shuffled(self._others[newcomer], f"{self._shuffle}/{newcomer}")
        number += self._joined[newcomer]
        first = random.Random(f"{self._design_seed}/{newcomer}").randrange(self._players)
        tables: Sequence[TableOfNumbers] = [(bot,) for bot in range(len(others))]
        if self._players > 2:
            design = _design(len(others), self._players - 1, f"{self._design_seed}/joining")
            tables = design.block(number % (len(others) - 1))
        seat = (first + number) % self._players
        apart = self._kept_apart(_named(tables, others), f"{self._shuffle}/{newcomer}/{number}")
        return [(*table[:seat], newcomer, *table[seat:]) for table in apart]

    def _kept_apart(self, block: list[Seats], seed: str) -> list[Seats]:
        return kept_apart(block, self._owners, f"{seed}/apart") if self._owners else block


def whole_pass(
    names: Sequence[str], players: int, design_seed: str, seed: str
) -> list[list[Seats]]:
    """Return the blocks of a pass for these bots; a function of the arguments alone."""
    design = _design(len(names), players, f"{design_seed}/{players}")
    shuffled = _shuffled(names, seed)
    return [_named(design.block(number), shuffled) for number in range(len(names) - 1)]


def _weight(newcomer: str | None, predecessor: str | None) -> int:
    """Return how many joining blocks a block counts as, in its tables."""
    return (newcomer is not None) + (predecessor is not None)


def _owners(conditions: Conditions, names: Collection[str]) -> dict[str, Hashable]:
    """Return each bot's owner: its author, or itself; nothing if no two bots have the same."""
    owners: dict[str, Hashable]
    owners = {bot.name: bot.author or (bot.name,) for bot in conditions.bots if bot.name in names}
    return owners if len(set(owners.values())) < len(owners) else {}


def _shuffled(names: Sequence[str], seed: str) -> list[str]:
    shuffled = list(names)
    random.Random(seed).shuffle(shuffled)
    return shuffled


def _named(block: Iterable[TableOfNumbers], names: Sequence[str]) -> list[Seats]:
    return [tuple([names[n] for n in table]) for table in block]
