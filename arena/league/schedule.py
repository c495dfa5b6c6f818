"""The schedule: a pure function of a league's conditions, present and past."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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
from arena.records import Division, Fixture, LeagueInfo, Terms
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
        self._epochs: list[LeagueInfo] = []
        self._blocks: dict[Division, list[tuple[int, list[Fixture]]]] = {}
        """With the number of the epoch that each block was drawn in."""
        for epoch in epochs(conditions):
            self._add_epoch(epoch)
        last = len(conditions.earlier)
        self.blocks = {one: list(self._counting(one)) for one in divisions(conditions)}
        """The blocks of each division, in order, without fixtures of bots that left or changed and
        of other terms: a block may be empty."""
        self.earlier_blocks = {
            one: sum(epoch < last for epoch, _ in self._blocks[one]) for one in self.blocks
        }
        """How many of the blocks of each division are from earlier epochs."""
        fixtures = chain.from_iterable(chain.from_iterable(self.blocks.values()))
        self.fixtures = sorted(fixtures, key=lambda fixture: fixture.index)
        """All fixtures that count, in the order in which they are played and rated."""

    def _add_epoch(self, epoch: LeagueInfo) -> None:
        """Drop the blocks that were not kept from the epoch before, and draw what is missing."""
        if self._epochs:
            ended = divisions(self._epochs[-1])
            for division, kept in zip(ended, epoch.earlier[-1].kept, strict=True):
                del self._blocks[division][kept:]
        self._epochs.append(epoch)
        for division in divisions(epoch):
            self._blocks.setdefault(division, [])
        drawn = {division: self._missing(division) for division in divisions(epoch)}
        key, number = schedule_key(epoch), len(epoch.earlier)
        for next_blocks in zip_longest(*drawn.values()):
            for division, tables in zip(drawn, next_blocks, strict=True):
                if tables is not None:
                    block = list(self._fixtures(division, tables, key))
                    self._blocks[division].append((number, block))

    def _counting(self, division: Division) -> Iterator[list[Fixture]]:
        """Yield the blocks of a division without fixtures of other bots and terms than now."""
        now = self._epochs[-1]
        bots = set(now.bots)
        unchanged = [
            {bot.name for bot in then.bots if bot in bots and has_same_terms(division, then, now)}
            for then in self._epochs
        ]
        for epoch, block in self._blocks[division]:
            yield [fixture for fixture in block if unchanged[epoch].issuperset(fixture.seats)]

    def _missing(self, division: Division) -> list[list[Seats]]:
        """Draw blocks that bring newcomers level, then whole ones up to the rounds wanted."""
        epoch = self._epochs[-1]
        names = [bot.name for bot in epoch.bots]
        fixtures = chain.from_iterable(self._counting(division))
        met = Counter(bot for fixture in fixtures for bot in fixture.seats)
        draw = _Draw(epoch.seed, len(epoch.earlier), division)
        wanted = epoch.rounds * division.players
        catching_up = draw.newcomers(names, met, wanted)
        short = wanted - min(met[name] for name in names)
        return catching_up + draw.whole(names, max(0, ceil(short / division.players)))

    def _fixtures(self, division: Division, tables: Sequence[Seats], key: str) -> Iterator[Fixture]:
        """Yield a block's tables as fixtures: number them and give them their seeds."""
        epoch, (variant, players) = self._epochs[-1], division
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


def divisions(conditions: LeagueInfo) -> list[Division]:
    """Return the divisions of a league, in its order."""
    return [Division(*one) for one in product(conditions.variants, conditions.players)]


def epochs(conditions: LeagueInfo) -> Iterator[LeagueInfo]:
    """Yield the conditions of each earlier epoch, and last those of now."""
    for number, epoch in enumerate(conditions.earlier):
        terms = asdict(epoch.terms) if epoch.terms else {}
        earlier = conditions.earlier[:number]
        yield replace(conditions, bots=epoch.bots, rounds=epoch.rounds, earlier=earlier, **terms)
    yield conditions


def terms_of(conditions: LeagueInfo) -> Terms:
    """Return what the games of a league are played under, besides who plays."""
    return Terms(**{key: getattr(conditions, key) for key in Terms.__struct_fields__})


def has_same_terms(division: Division, one: LeagueInfo, other: LeagueInfo) -> bool:
    """Tell whether games of a division, which `other` has, are on the same terms in both."""
    return one.variants.get(division.variant) == other.variants[division.variant] and all(
        getattr(one, key) == getattr(other, key) for key in _COMMON_TERMS
    )


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
