"""The schedule: a pure function of the conditions at a league's start, and of its changes.

The time between two changes is an epoch: each division has a plan for it, of joining blocks for
newcomers and blocks for the whole field. The divisions draw their blocks in turn, one at a time; a
change drops the blocks that were not begun.
"""

from bisect import bisect
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, pairwise, product

import msgspec
from msgspec import UNSET, Struct

from arena.game.records import Conditions, Division, Fixture
from arena.game.rules.books import Rules
from arena.game.rules.round import max_rounds
from arena.game.seeds import block_seed, fixture_seed
from arena.league.changes import Change, changed, playing
from arena.league.schedule.epoch import Epoch, Planned, Tally, Terms, terms_of

_encode = msgspec.json.Encoder().encode


class _DrawnBlock(Struct):
    """The fixtures of a block, and their plan."""

    fixtures: list[Fixture]
    planned: Planned
    tally: Tally
    """Counts the fixtures once the epoch is over."""
    complete: bool = False
    """Whether all fixtures are known to be stored."""

    def missing(self, stored: Container[str]) -> list[Fixture]:
        """Return those that are not stored."""
        if self.complete:
            return []
        missing = [fixture for fixture in self.fixtures if fixture.id not in stored]
        self.complete = not missing
        return missing

    def is_begun(self, stored: Container[str]) -> bool:
        """Tell whether a fixture of it is stored."""
        return self.complete or any(fixture.id in stored for fixture in self.fixtures)


class Schedule:
    """All fixtures of a league, drawn change by change.

    That of a league with blocks is drawn whole. An endless one is drawn block by block, as far as
    it is asked for: `draw`, `reach`. Make one schedule per league and pass it on: it takes seconds
    to draw if the league is large.
    """

    def __init__(
        self,
        conditions: Conditions,
        changes: Sequence[Change] = (),
        encoded: Sequence[bytes] = (),
    ) -> None:
        """Draw what a `History` tells."""
        start, *rows = encoded or map(_encode, (conditions, *changes))
        self.conditions = conditions
        """The conditions in force."""
        self.drawn: dict[str, tuple[Fixture, Rules]] = {}
        """Every fixture that was or may be played, by id, with its rules."""
        self.blocks: dict[Division, list[list[Fixture]]] = {}
        """The blocks of each division, in order, without fixtures of struck bots and of other
        terms: a block may be empty."""
        self.earlier_blocks: dict[Division, int] = {}
        """How many of them were begun before the last change."""
        self._drawn: dict[Division, list[_DrawnBlock]] = {}
        self._tallies: dict[tuple[Division, Terms], Tally] = {}
        self._design_seed = conditions.seed
        self._arrived: dict[str, None] = {}
        """The bots that joined by a change, first to last."""
        self.twins: Mapping[str, str] = {}
        """Newcomers whose joining tables are played twice, and their predecessors."""
        self.key = schedule_key(start)
        """A hash of everything that decided the games so far, but for results."""
        self._playoff: set[str] = set()
        """The ids of the fixtures of a playoff."""
        self._begin_epoch(0)
        for change, row in zip(changes, rows, strict=True):
            self._apply(change, row)
        self._show()

    def change(self, change: Change) -> None:
        """Go on after a change."""
        self._apply(change, _encode(change))
        self._show()

    @property
    def fixtures(self) -> list[Fixture]:
        """All fixtures that count, as far as they are drawn, in the order of play and rating."""
        fixtures = chain.from_iterable(chain.from_iterable(self.blocks.values()))
        return sorted(fixtures, key=lambda fixture: fixture.index)

    def counts(self, id_: str) -> bool:
        """Tell whether a fixture is drawn and counts under the conditions of now."""
        fixture, _ = self.drawn.get(id_, (None, None))
        if (
            fixture is None
            or id_ in self._playoff
            or (now := self._now.get(fixture.division)) is None
        ):
            return False
        return self._drawn[fixture.division][fixture.block].tally is now and now.counts(fixture)

    def joining_left(self, division: Division, newcomer: str, begun: int | None = None) -> int:
        """Return how many joining blocks of a newcomer are planned and not drawn yet.

        With `begun` only so many blocks of the division count as drawn.
        """
        drawn = self._drawn[division][self.earlier_blocks[division] : begun]
        joining = self._epoch.plans[division].joining.get(newcomer)
        planned = joining.blocks if joining else 0
        return planned - sum(block.planned.newcomer == newcomer for block in drawn)

    def newcomers(self, division: Division) -> Collection[str]:
        """Return the bots that have joining blocks in the plan of now."""
        return self._epoch.plans[division].joining.keys()

    def twin_tables(self, division: Division, newcomer: str) -> list[tuple[Fixture, Fixture]]:
        """Return the tables of a newcomer, each with its twin, that are drawn and count.

        A table whose twin is not played or does not count is left out.
        """
        counting = (
            fixture
            for block in self._drawn[division]
            if block.planned.newcomer == newcomer and block.planned.predecessor is not None
            for fixture in block.fixtures
            if self.counts(fixture.id)
        )
        return [(table, twin) for table, twin in pairwise(counting) if table.seed == twin.seed]

    def next_index(self, division: Division) -> int:
        """Return the place of a division's next block in the schedule; -1 if it has no more."""
        planned = self._next(division)
        return planned.index if planned else -1

    def draw(self, division: Division) -> list[Fixture] | None:
        """Draw the next block of a division; returns None if it has no more."""
        block = self._draw(division)
        if block is None:
            return None
        self.blocks[division].append(block.fixtures)
        return block.fixtures

    @property
    def playoff_index(self) -> int:
        """The place of the first fixture of a playoff: after all others that were drawn."""
        drawn = (fixture for fixture, _ in self.drawn.values() if not self.is_playoff(fixture.id))
        return 1 + max((fixture.index for fixture in drawn), default=-1)

    def add_playoff(self, fixtures: Iterable[Fixture]) -> None:
        """Add fixtures of a playoff, which count for nothing else."""
        rules = self.conditions.variants
        self._playoff.update(fixture.id for fixture in fixtures)
        self.drawn |= {fixture.id: (fixture, rules[fixture.variant]) for fixture in fixtures}

    def is_playoff(self, id_: str) -> bool:
        """Tell whether a fixture belongs to a playoff, as far as that was drawn."""
        return id_ in self._playoff

    def belongs(self, id_: str) -> bool:
        """Tell whether a fixture counts, or is one of a playoff as far as that was drawn."""
        return self.counts(id_) or self.is_playoff(id_)

    def reach(self, index: int) -> None:
        """Draw the schedule up to a place."""
        for division in divisions(self.conditions):
            while 0 <= self.next_index(division) <= index:
                self.draw(division)

    def cut(
        self, stored: Container[str], leaving: Iterable[str]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return `begun` and `unplayed` of a change that is made now (`Change`).

        `stored` holds the ids of all stored fixtures, `leaving` the names of bots that play no
        more.
        """
        begun, gone = [], frozenset(leaving)
        for division, first in self.earlier_blocks.items():
            blocks = self._drawn[division]
            later = range(len(blocks), first, -1)
            begun.append(next((n for n in later if blocks[n - 1].is_begun(stored)), first))
        sizes = dict(zip(self.earlier_blocks, begun, strict=True))
        staying = chain.from_iterable(
            blocks[: sizes.get(division)] for division, blocks in self._drawn.items()
        )
        unplayed = [
            fixture.index
            for block in (staying if gone else ())
            for fixture in block.missing(stored)
            if not gone.isdisjoint(fixture.seats)
        ]
        return tuple(begun), tuple(sorted(unplayed))

    def _apply(self, change: Change, row: bytes) -> None:
        """End the epoch of now: keep what was begun, drop the rest; begin the next one.

        `row` is the change as it is stored.
        """
        for (division, first), size in zip(self.earlier_blocks.items(), change.begun, strict=True):
            blocks = self._drawn[division]
            while len(blocks) < size and self._draw(division):
                pass
            for block in blocks[size:]:
                self._forget(block.fixtures)
            del blocks[size:]
            for block in blocks[first:]:
                planned = block.planned
                block.tally.add(block.fixtures, planned.newcomer, planned.joining)
        for index in change.unplayed:
            self._leave_out(index)
        for id_ in self._playoff:
            del self.drawn[id_]
        self._playoff.clear()
        self.conditions = changed(self.conditions, change)
        self._arrived |= dict.fromkeys(bot.name for bot in change.joined)
        self.twins = self.twins if change.twins is UNSET else change.twins
        self.key = sha256(self.key.encode() + row).hexdigest()
        last = (blocks[-1].planned for blocks in self._drawn.values() if blocks)
        self._begin_epoch(max((planned.index + planned.size for planned in last), default=0))

    def _begin_epoch(self, index: int) -> None:
        """Plan the blocks under the conditions of now; their first fixture gets the index."""
        conditions = self.conditions
        struck = frozenset(bot.name for bot in conditions.struck)
        self._now = {}
        for division in divisions(conditions):
            key = division, terms_of(division, conditions)
            tally = self._now[division] = self._tallies.setdefault(key, Tally())
            tally.strike(struck)
        self.earlier_blocks = {
            division: len(self._drawn.setdefault(division, [])) for division in self._now
        }
        names = set(playing(conditions))
        arrived = [name for name in self._arrived if name in names]
        self._epoch = Epoch(conditions, arrived, self.twins, self._now, index, self._design_seed)

    def _leave_out(self, index: int) -> None:
        """Take a fixture out of the block that has it."""
        for blocks in self._drawn.values():
            place = bisect(blocks, index, key=lambda block: block.planned.index)
            for block in blocks[max(0, place - 1) : place]:
                left_out = [fixture for fixture in block.fixtures if fixture.index == index]
                for fixture in left_out:
                    block.fixtures.remove(fixture)
                    block.tally.leave_out(fixture)
                self._forget(left_out)

    def _forget(self, fixtures: Iterable[Fixture]) -> None:
        for fixture in fixtures:
            del self.drawn[fixture.id]

    def _next(self, division: Division) -> Planned | None:
        """Return the plan of the block that is drawn next."""
        number = len(self._drawn[division]) - self.earlier_blocks[division]
        return self._epoch.planned(division, number)

    def _draw(self, division: Division) -> _DrawnBlock | None:
        planned = self._next(division)
        if planned is None:
            return None
        fixtures = list(self._fixtures(division, planned))
        block = _DrawnBlock(fixtures, planned, self._now[division])
        self._drawn[division].append(block)
        return block

    def _fixtures(self, division: Division, planned: Planned) -> Iterator[Fixture]:
        """Yield a block's tables as fixtures: number them and give them their seeds."""
        conditions = self.conditions
        variant, players = division
        block = len(self._drawn[division])
        name = f"{variant}/{players}/{conditions.changes}/{block}"
        rules, per_die = conditions.variants[variant], conditions.rounds_per_die
        rounds = max_rounds(rules, players, per_die) if per_die else UNSET
        seed = dice = ""
        for index, seats in enumerate(self._epoch.plans[division].tables(planned), planned.index):
            id_ = sha256(f"{self.key}/{index}".encode()).hexdigest()[:16]
            if planned.predecessor is None or planned.predecessor not in seats:
                # Pairs of twins are compared as independent: no two share their dice.
                key = name if planned.predecessor is None else f"{name}/{index}"
                dice = block_seed(conditions.seed, key) if conditions.shared_dice else ""
                seed = fixture_seed(conditions.seed, id_)
            fixture = Fixture(
                id=id_,
                index=index,
                variant=variant,
                seats=seats,
                seed=seed,
                games=conditions.games,
                block=block,
                dice=dice,
                max_rounds=rounds,
            )
            self.drawn[id_] = fixture, rules
            yield fixture

    def _show(self) -> None:
        """Set the blocks that count under the conditions of now; draw all if there is an end."""
        self.blocks = {}
        for division, now in self._now.items():
            self.blocks[division] = [
                now.counting(block.fixtures) if block.tally is now else []
                for block in self._drawn[division]
            ]
        left = [] if self.conditions.endless else [*self.blocks]
        while left:
            left = [division for division in left if self.draw(division)]


def divisions(conditions: Conditions) -> list[Division]:
    """Return the divisions of a league, in its order."""
    pairs = product(conditions.variants, conditions.players)
    return [Division(variant, players) for variant, players in pairs]


def schedule_key(encoded: bytes) -> str:
    """Return a hash of everything that decides the games before the first change.

    It is one over the conditions as they are stored: what later versions of the arena add to them
    gives no fixture another id.
    """
    fields = msgspec.json.decode(encoded, type=dict[str, msgspec.Raw])
    keys = ("variants", "bots", "players", "games", "seed")
    decisive: list[object] = [fields[key] for key in keys]
    decisive += ["shared dice"] if bytes(fields["shared_dice"]) == b"true" else []
    return sha256(_encode(decisive)).hexdigest()
