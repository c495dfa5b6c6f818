"""The schedule: a pure function of a league's conditions, present and past."""

import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import chain, product, zip_longest
from math import ceil

import msgspec
from msgspec import UNSET
from msgspec.structs import asdict, replace

from arena.league.block_design import Table, blocks, joining_blocks
from arena.perudo.round_limit import max_rounds
from arena.perudo.rules import Rules
from arena.records import BotInfo, Division, Fixture, LeagueInfo, Terms
from arena.seeds import block_seed, fixture_seed

Seats = tuple[str, ...]
"""Bot names, seat 0 first."""
_COMMON_TERMS = ("games", "limits", "sandbox", "memory_across_fixtures", "shared_dice")
"""Terms that hold for every division."""


class Schedule:
    """All fixtures of a league, drawn epoch by epoch.

    Drawing a large league takes seconds: make one schedule per set of conditions and pass it on.
    """

    def __init__(self, conditions: LeagueInfo) -> None:
        self.conditions = conditions
        self.drawn: dict[str, tuple[Fixture, Rules]] = {}
        """Every fixture that was ever in the schedule, by id, with its rules."""
        self._epoch: LeagueInfo | None = None
        """The epoch that was drawn last."""
        self._blocks: dict[Division, list[_Block]] = {}
        self._tallies: dict[tuple[Division, Hashable], _Tally] = {}
        """One for the terms that a division had at some time."""
        for epoch in epochs(conditions):
            self._add_epoch(epoch)
        self._count()

    def change(self, conditions: LeagueInfo) -> None:
        """Go on to new conditions, in which those of now are the last of the earlier epochs."""
        self.conditions = conditions
        self._add_epoch(conditions)
        self._count()

    def _count(self) -> None:
        """Tell which fixtures count under the conditions of now."""
        conditions = self.conditions
        self.blocks = {one: self._counting(one) for one in divisions(conditions)}
        """The blocks of each division, in order, without fixtures of bots that left or changed and
        of other terms: a block may be empty."""
        self.earlier_blocks = {
            one: sum(block.tally is not None for block in self._blocks[one]) for one in self.blocks
        }
        """How many of the blocks of each division are from earlier epochs."""
        fixtures = chain.from_iterable(chain.from_iterable(self.blocks.values()))
        self.fixtures = sorted(fixtures, key=lambda fixture: fixture.index)
        """All fixtures that count, in the order in which they are played and rated."""

    def _add_epoch(self, epoch: LeagueInfo) -> None:
        """Drop the blocks that were not kept from the epoch before, and draw what is missing."""
        if self._epoch:
            self._end_epoch(self._epoch, epoch.earlier[-1].kept)
        self._epoch = epoch
        present = frozenset(epoch.bots)
        drawn = {}
        for division in divisions(epoch):
            self._blocks.setdefault(division, [])
            tally = self._tally(division, epoch)
            tally.seat(present)
            drawn[division] = _missing(epoch, division, Counter(tally.met))
        key = schedule_key(epoch)
        for next_blocks in zip_longest(*drawn.values()):
            for division, tables in zip(drawn, next_blocks, strict=True):
                if tables is not None:
                    block = list(self._fixtures(epoch, division, tables, key))
                    self._blocks[division].append(_Block(block))

    def _end_epoch(self, epoch: LeagueInfo, kept: Sequence[int]) -> None:
        """Drop the blocks that are not kept; count the fixtures of those that are."""
        bots = {bot.name: bot for bot in epoch.bots}
        for division, size in zip(divisions(epoch), kept, strict=True):
            blocks, tally = self._blocks[division], self._tally(division, epoch)
            for block in blocks[size:]:
                block.drop()
            del blocks[size:]
            for block in reversed(blocks):
                if block.tally:
                    break
                block.count_in(tally, bots)

    def _tally(self, division: Division, epoch: LeagueInfo) -> "_Tally":
        return self._tallies.setdefault((division, _division_terms(division, epoch)), _Tally())

    def _counting(self, division: Division) -> list[list[Fixture]]:
        """Return the blocks of a division without fixtures of other bots and terms than now."""
        now = self._tally(division, self.conditions)
        return [block.counting(now) for block in self._blocks[division]]

    def _fixtures(
        self, epoch: LeagueInfo, division: Division, tables: Sequence[Seats], key: str
    ) -> Iterator[Fixture]:
        """Yield a block's tables as fixtures: number them and give them their seeds."""
        variant, players = division
        block = len(self._blocks[division])
        name = f"{variant}/{players}/{len(epoch.earlier)}/{block}"
        dice = block_seed(epoch.seed, name) if epoch.shared_dice else ""
        rules, per_die = epoch.variants[variant], epoch.rounds_per_die
        rounds = max_rounds(rules, players, per_die) if per_die else UNSET
        for seats in tables:
            index = len(self.drawn)
            id_ = sha256(f"{key}/{index}".encode()).hexdigest()[:16]
            seed = fixture_seed(epoch.seed, id_)
            games = epoch.games, block, dice, rounds
            fixture = Fixture(id_, index, variant, seats, seed, *games)
            self.drawn[id_] = fixture, rules
            yield fixture


class _Seated:
    """A fixture of an earlier epoch, and its bots as they were."""

    __slots__ = ("absent", "bots", "seats")

    def __init__(self, seats: Seats, bots: tuple[BotInfo, ...]) -> None:
        self.seats = seats
        self.bots = bots
        self.absent = 0
        """How many of its bots left or changed; it counts if none did."""


class _Tally:
    """The fixtures of earlier epochs under one division's terms, and which of them count now.

    A change costs time for the bots that come and go and their fixtures, not for all the past.
    """

    def __init__(self) -> None:
        self.met: Counter[str] = Counter()
        """In how many fixtures that count each bot sits."""
        self._present: frozenset[BotInfo] = frozenset()
        self._seated: dict[str, _Seated] = {}
        """By the fixture's id."""
        self._of_bot: defaultdict[BotInfo, set[_Seated]] = defaultdict(set)

    def seat(self, present: frozenset[BotInfo]) -> None:
        """Take these bots for those of now."""
        for bot in self._present - present:
            for seated in self._of_bot[bot]:
                if not seated.absent:
                    self.met.subtract(seated.seats)
                seated.absent += 1
        for bot in present - self._present:
            for seated in self._of_bot[bot]:
                seated.absent -= 1
                if not seated.absent:
                    self.met.update(seated.seats)
        self._present = present

    def add(self, fixture: Fixture, bots: Mapping[str, BotInfo]) -> None:
        """Add a fixture whose bots are all present."""
        seated = _Seated(fixture.seats, tuple([bots[name] for name in fixture.seats]))
        self._seated[fixture.id] = seated
        for bot in seated.bots:
            self._of_bot[bot].add(seated)
        self.met.update(fixture.seats)

    def remove(self, fixture: Fixture) -> None:
        """Remove a fixture that was added."""
        seated = self._seated.pop(fixture.id)
        for bot in seated.bots:
            self._of_bot[bot].discard(seated)
        if not seated.absent:
            self.met.subtract(seated.seats)

    def counts(self, fixture: Fixture) -> bool:
        """Tell whether a fixture was added and all its bots are present."""
        seated = self._seated.get(fixture.id)
        return seated is not None and not seated.absent


class _Block:
    """The fixtures of a block, and the tally that they are in: none in the last epoch."""

    def __init__(self, fixtures: list[Fixture]) -> None:
        self.tally: _Tally | None = None
        self._fixtures = fixtures

    def count_in(self, tally: _Tally, bots: Mapping[str, BotInfo]) -> None:
        """Add the fixtures to the tally of the epoch that is over, with its bots by name."""
        self.tally = tally
        for fixture in self._fixtures:
            tally.add(fixture, bots)

    def drop(self) -> None:
        """Remove the fixtures from their tally."""
        if self.tally:
            for fixture in self._fixtures:
                self.tally.remove(fixture)

    def counting(self, now: _Tally) -> list[Fixture]:
        """Return the fixtures that count; `now` is the tally of the terms of now."""
        if not self.tally:
            return self._fixtures
        return [one for one in self._fixtures if now.counts(one)] if self.tally is now else []


def divisions(conditions: LeagueInfo) -> list[Division]:
    """Return the divisions of a league, in its order."""
    return [Division(*one) for one in product(conditions.variants, conditions.players)]


def epochs(conditions: LeagueInfo) -> Iterator[LeagueInfo]:
    """Yield the conditions of each earlier epoch, and last those of now."""
    for number, epoch in enumerate(conditions.earlier):
        terms = asdict(epoch.terms) if epoch.terms else {}
        own = {"bots": epoch.bots, "rounds": epoch.rounds, "seed": epoch.seed or conditions.seed}
        yield replace(conditions, earlier=conditions.earlier[:number], **own, **terms)
    yield conditions


def terms_of(conditions: LeagueInfo) -> Terms:
    """Return what the games of a league are played under, besides who plays."""
    return Terms(**{key: getattr(conditions, key) for key in Terms.__struct_fields__})


def has_same_terms(division: Division, one: LeagueInfo, other: LeagueInfo) -> bool:
    """Tell whether games of a division, which `other` has, are on the same terms in both."""
    return division.variant in one.variants and (
        _division_terms(division, one) == _division_terms(division, other)
    )


def _division_terms(division: Division, conditions: LeagueInfo) -> Hashable:
    """Return the terms of a division that the league has, to compare them."""
    common = (getattr(conditions, key) for key in _COMMON_TERMS)
    return (conditions.variants[division.variant], *common)


def _missing(epoch: LeagueInfo, division: Division, met: Counter[str]) -> list[list[Seats]]:
    """Draw blocks that bring newcomers level, then whole ones up to the rounds wanted.

    `met` says in how many fixtures that count each bot sits; the newcomers' are added to it.
    """
    names = [bot.name for bot in epoch.bots]
    draw = _Draw(epoch.seed, len(epoch.earlier), division)
    wanted = epoch.rounds * division.players
    catching_up = draw.newcomers(names, met, wanted)
    short = wanted - min(met[name] for name in names)
    return catching_up + draw.whole(names, max(0, ceil(short / division.players)))


def schedule_key(conditions: LeagueInfo) -> str:
    """Return a hash of everything that decides the games of a league's last epoch."""
    keys = ("variants", "bots", "players", "games", "seed")
    decisive = [getattr(conditions, key) for key in keys]
    decisive += ["shared dice"] if conditions.shared_dice else []
    decisive += [len(conditions.earlier)] if conditions.earlier else []
    return sha256(msgspec.json.encode(decisive)).hexdigest()


class _Draw:
    """Draws the tables of one division in one epoch."""

    def __init__(self, seed: str, epoch: int, division: Division) -> None:
        self._players = division.players
        # "stage" is an epoch's name from before it was renamed: every draw depends on it.
        part = f"/stage {epoch}" if epoch else ""
        self._design = f"{seed}/schedule/{self._players}{part}"
        self._shuffle = f"{self._design}/{division.variant}"

    def newcomers(self, names: list[str], met: Counter[str], wanted: int) -> list[list[Seats]]:
        """Let bots without fixtures catch up, one after another, and count that in `met`.

        Each gets as many tables as the bot with the most, which gains tables too, or `wanted`.
        """
        present = [name for name in names if met[name]]
        drawn: list[list[Seats]] = []
        for bot in [name for name in names if not met[name]] if present else ():
            seed, level = f"{self._shuffle}/{bot}", max(met.values())
            gain = len(present) - self._players + 1
            count = ceil(min(wanted / len(present), level / gain))
            seats = [*_shuffled(present, seed), bot]
            new = _named(joining_blocks(len(present), self._players, count, seed), seats)
            met.update(chain.from_iterable(chain.from_iterable(new)))
            drawn += new
            present.append(bot)
        return drawn

    def whole(self, names: list[str], count: int) -> list[list[Seats]]:
        """Return blocks of all bots; each pass through the design shuffles the bots again."""
        drawn: list[list[Seats]] = []
        while len(drawn) < count:
            part = f"/pass {len(drawn)}" if drawn else ""
            size = min(count - len(drawn), len(names) - 1)
            design = _design(len(names), self._players, size, self._design)
            drawn += _named(design, _shuffled(names, f"{self._shuffle}{part}"))
        return drawn


_design = lru_cache(maxsize=32)(blocks)
"""The variants of a league, and its epochs, have their blocks in common."""


def _shuffled(names: Sequence[str], seed: str) -> list[str]:
    shuffled = list(names)
    random.Random(seed).shuffle(shuffled)
    return shuffled


def _named(design: Iterable[Iterable[Table]], names: Sequence[str]) -> list[list[Seats]]:
    return [[tuple([names[n] for n in table]) for table in block] for block in design]
