"""The plan of blocks that each division plays between two changes of a league: an epoch.

Newcomers get joining blocks, in which they meet all bots that were there before; each in turn gets
one. After every two joining blocks, and when there are no more, comes a block for the whole field.
Pairs meet as evenly as possible over all of these.

A joining block of a newcomer that has a predecessor is played twice: each of its tables has a twin,
at which the predecessor sits in the newcomer's place. An endless league keeps bots of one author
apart at tables of three or more.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count, islice
from math import ceil, floor, inf
from statistics import median_low
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import Conditions, Division, Fixture
from arena.league.changes import playing
from arena.league.schedule.block_design import Design, Seats, TableOfNumbers, kept_apart

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
        """Fixtures that count in which each bot sits."""
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
"""How many joining blocks come one after another, at most, while blocks for all are wanted."""
_design = lru_cache(maxsize=1024)(Design)
"""Divisions and epochs with as many bots have their design in common: names are shuffled for
each."""


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
        """How many joining blocks it counts as; one with twins counts as two."""
        return (self.newcomer is not None) + (self.predecessor is not None)


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
        self.plans = {
            division: DivisionPlan(conditions, arrived, twins, division, tally, design_seed)
            for division, tally in tallies.items()
        }
        self._coming = {division: plan.blocks() for division, plan in self.plans.items()}
        self._planned: dict[Division, list[Planned]] = {division: [] for division in tallies}
        self._index = index
        self._ended = False

    def planned(self, division: Division, number: int) -> Planned | None:
        """Return the plan of a division's block of this epoch, from 0; None if it has fewer."""
        planned = self._planned[division]
        while len(planned) <= number and not self._ended:
            self._ended = True
            for each, coming in self._coming.items():
                if block := next(coming, None):
                    self._ended = False
                    self._planned[each].append(replace(block, index=self._index))
                    self._index += block.size
        return planned[number] if number < len(planned) else None


class _Field(Struct, frozen=True):
    """The bots of a division in an epoch, and what decides how many blocks they get."""

    names: list[str]
    players: int
    """Seats at a table."""
    wanted: float
    """Fixtures that each bot is to have in all; infinite in an endless league."""
    capped: bool
    """Whether the number of blocks is open: nobody then gets more joining blocks than seats."""
    joined: Counter[str]
    """How many joining blocks each bot had."""
    twins: Mapping[str, str]
    """The predecessors of newcomers whose joining tables are played twice."""
    owners: Mapping[str, Hashable]
    """The owner of each bot if bots are kept apart, else nothing."""

    def lack(self, name: str, met: int, others: int, level: int) -> int:
        """Return how many joining blocks a bot lacks until it has about as many tables as others.

        It `met` bots at so many tables, the others at `level`. There are at most as many as seats,
        unless the number of blocks is fixed: then nobody waits for what comes after them. A bot
        that has a predecessor gets as many in any case.
        """
        gain = others - self.players + 1
        if gain < 1:
            return 0
        if name in self.twins:
            return max(0, self.players - self.joined[name])
        share = min((self.wanted - met) / others, (level - met) / gain)
        lack = ceil(share) if 2 * met < level else floor(share)
        return max(0, min(lack, self.players - self.joined[name]) if self.capped else lack)

    def apart(self, name: str, others: list[str]) -> list[str]:
        """Return the bots that a newcomer meets: none of its author, if the rest fill a table."""
        owner = self.owners.get(name)
        apart = [bot for bot in others if owner is None or self.owners[bot] != owner]
        return apart if len(apart) >= self.players else others


class Joining(NamedTuple):
    """The joining blocks that a newcomer gets in an epoch."""

    blocks: int
    others: list[str]
    """The bots that it meets there."""


def _plan_joining(field: _Field, arrived: Sequence[str], met: Counter[str]) -> dict[str, Joining]:
    """Let newcomers join those who have played; what they meet there is added to `met`.

    In a league with blocks each joins those before it, too, so that all have met when the last one
    has joined; else newcomers meet each other in blocks for all.
    """
    enough = field.players if field.capped else 1
    new = {name for name in arrived if field.joined[name] < enough}
    settled = [name for name in field.names if met[name] and name not in new]
    level = median_low([met[name] for name in settled]) if settled else 0
    late = [name for name in arrived if field.lack(name, met[name], len(settled), level)]
    others = [name for name in field.names if met[name] and name not in late]
    joining: dict[str, Joining] = {}
    if len(others) < field.players:
        return joining
    for name in late:
        if lack := field.lack(name, met[name], len(others), level):
            joining[name] = Joining(lack, field.apart(name, others))
            if not field.capped:
                others = [*others, name]
                level += lack * (field.players - 1)
    for name, (blocks, their_others) in joining.items():
        met[name] += blocks * len(their_others)
        met.update(dict.fromkeys(their_others, blocks * (field.players - 1)))
    return joining


class DivisionPlan:
    """The blocks of one division in an epoch: who joins, what is played when, who sits where."""

    def __init__(
        self,
        conditions: Conditions,
        arrived: Sequence[str],
        twins: Mapping[str, str],
        division: Division,
        tally: Tally,
        design_seed: str,
    ) -> None:
        names, players = playing(conditions), division.players
        endless = conditions.endless
        self._field = _Field(
            names=names,
            players=players,
            wanted=inf if endless else conditions.blocks * players,
            capped=endless or conditions.until is not None,
            joined=tally.joined,
            twins=twins if endless else {},
            owners=_owners(conditions, names) if endless and players > 2 else {},
        )
        self._joining_before = tally.joining
        self._met = Counter({name: tally.met[name] for name in names})
        self.joining: dict[str, Joining] = {}
        """The joining blocks of each newcomer."""
        if len(names) >= players:
            self.joining = _plan_joining(self._field, arrived, self._met)
        epoch = f"/epoch {conditions.changes}" if conditions.changes else ""
        self._design_seed = f"{design_seed}/schedule/{players}"
        self._shuffle = f"{conditions.seed}/schedule/{players}{epoch}/{division.variant}"

    def blocks(self) -> Iterator[Planned]:
        """Yield the blocks in order of play, each with index 0.

        Newcomers with the fewest joining blocks so far come first.
        """
        field = self._field
        numbers: Iterable[int] = ()
        if len(field.names) >= field.players:
            left = field.wanted - min(self._met.values())
            numbers = count() if left == inf else range(ceil(left / field.players))
        whole = (Planned(0, len(field.names), None, number) for number in numbers)
        in_turn = sorted(
            (field.joined[name] + number, order, number, name)
            for order, (name, joining) in enumerate(self.joining.items())
            for number in range(joining.blocks)
        )
        since_whole = self._joining_before
        for _, _, number, name in in_turn:
            predecessor = field.twins.get(name)
            tables = len(self.joining[name].others) * (1 if predecessor is None else 2)
            block = Planned(0, tables, name, number, predecessor)
            if since_whole + block.joining > _JOINING:
                yield from islice(whole, 1)
                since_whole = 0
            yield block
            since_whole += block.joining
        yield from whole

    def tables(self, block: Planned) -> list[Seats]:
        """Draw the tables of a planned block."""
        if block.newcomer is None:
            return self._whole(block.number)
        tables = self._join(block.newcomer, block.number)
        if block.predecessor is None:
            return tables
        with_twins: list[Seats] = []
        for table in tables:
            twin = tuple([block.predecessor if bot == block.newcomer else bot for bot in table])
            with_twins += [table, twin]
        return with_twins

    def _whole(self, number: int) -> list[Seats]:
        """Draw a block for all.

        At tables for two each pass is even by itself, so it is one design with bots shuffled anew.
        So it is where bots are kept apart, or the same pairs would be exchanged in each pass.
        """
        names, players = self._field.names, self._field.players
        seed, first = self._shuffle, 0
        if (players == 2 or self._field.owners) and number >= len(names) - 1:
            first = number - number % (len(names) - 1)
            seed = f"{seed}/pass {first}"
        design = _design(len(names), players, self._design_seed)
        block = _named(design.block(number - first), _shuffled(names, seed))
        return self._kept_apart(block, f"{seed}/{number}")

    def _join(self, newcomer: str, number: int) -> list[Seats]:
        """Draw a joining block; those of a bot that was interrupted by a change go on."""
        players = self._field.players
        others = _shuffled(self.joining[newcomer].others, f"{self._shuffle}/{newcomer}")
        number += self._field.joined[newcomer]
        first = random.Random(f"{self._design_seed}/{newcomer}").randrange(players)
        tables: Sequence[TableOfNumbers] = [(bot,) for bot in range(len(others))]
        if players > 2:
            design = _design(len(others), players - 1, f"{self._design_seed}/joining")
            tables = design.block(number)
        seat = (first + number) % players
        apart = self._kept_apart(_named(tables, others), f"{self._shuffle}/{newcomer}/{number}")
        return [(*table[:seat], newcomer, *table[seat:]) for table in apart]

    def _kept_apart(self, block: list[Seats], seed: str) -> list[Seats]:
        owners = self._field.owners
        return kept_apart(block, owners, f"{seed}/apart") if owners else block


def whole_pass(
    names: Sequence[str], players: int, design_seed: str, seed: str
) -> list[list[Seats]]:
    """Return the blocks of a pass for these bots; a function of the arguments alone."""
    design = _design(len(names), players, f"{design_seed}/{players}")
    shuffled = _shuffled(names, seed)
    return [_named(design.block(number), shuffled) for number in range(len(names) - 1)]


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
