"""The schedule: a pure function of the league, its bots, and how its field changed."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import chain, zip_longest
from math import ceil

import msgspec
from msgspec.structs import asdict, replace

from arena.league.block_design import Table, blocks, joining_blocks
from arena.records import Division, Fixture, LeagueInfo, Terms
from arena.seeds import block_seed, fixture_seed

Seats = tuple[str, ...]
"""Bot names, seat 0 first."""
_OF_ALL_KINDS = ("games", "limits", "sandbox", "memory_across_fixtures", "shared_dice")
"""Terms that hold for every variant and table size."""


def schedule(info: LeagueInfo) -> list[Fixture]:
    """Return all fixtures that count, in the order in which they are played and rated.

    They come in blocks: in each, every bot sits in every seat of its table size once, so a league
    that is stopped early is still nearly even.
    """
    fixtures = chain.from_iterable(chain.from_iterable(blocks_of(info).values()))
    return sorted(fixtures, key=lambda fixture: fixture.index)


def divisions(info: LeagueInfo) -> list[Division]:
    """Return every variant with every table size, in the league's order."""
    return [Division(variant, players) for variant in info.variants for players in info.players]


def epochs(info: LeagueInfo) -> Iterator[LeagueInfo]:
    """Yield the league as it was at each stage, and last as it is."""
    for number, stage in enumerate(info.earlier):
        terms = asdict(stage.terms) if stage.terms else {}
        earlier = info.earlier[:number]
        yield replace(info, bots=stage.bots, rounds=stage.rounds, earlier=earlier, **terms)
    yield info


def terms(info: LeagueInfo) -> Terms:
    """Return what the games of a league are played under."""
    return Terms(**{key: getattr(info, key) for key in Terms.__struct_fields__})


def has_same_terms(kind: Division, one: LeagueInfo, other: LeagueInfo) -> bool:
    """Tell whether games of a kind, which the second league has, are of the same terms in both."""
    variant, _ = kind
    return one.variants.get(variant) == other.variants[variant] and all(
        getattr(one, key) == getattr(other, key) for key in _OF_ALL_KINDS
    )


def blocks_of(info: LeagueInfo) -> dict[Division, list[list[Fixture]]]:
    """Return the blocks of each kind, in order.

    Fixtures of bots that left or changed since, or of other terms, are not in them: a block may be
    empty.
    """
    whole = _whole(info)
    return {kind: list(whole.counting(kind)) for kind in divisions(info)}


def blocks_of_earlier_epochs(info: LeagueInfo) -> dict[Division, int]:
    """Return how many of the blocks of each kind are from the stages before this one."""
    if not info.earlier:
        return dict.fromkeys(divisions(info), 0)
    blocks, now = _whole(info).blocks, len(info.earlier)
    return {kind: sum(stage < now for stage, _ in blocks[kind]) for kind in divisions(info)}


def schedule_key(info: LeagueInfo) -> str:
    """Return a hash of everything that decides the games of a league's last stage."""
    decisive: list[object] = [info.variants, info.bots, info.players, info.games, info.seed]
    decisive += ["shared dice"] if info.shared_dice else []
    decisive += [len(info.earlier)] if info.earlier else []
    return sha256(msgspec.json.encode(decisive)).hexdigest()


def _whole(info: LeagueInfo) -> "_Whole":
    whole = _Whole()
    for stage in epochs(info):
        whole.add(stage)
    return whole


class _Whole:
    """All blocks of a league, stage by stage, with those that do not count any more."""

    def __init__(self) -> None:
        self.blocks: dict[Division, list[tuple[int, list[Fixture]]]] = {}
        """Each with its stage."""
        self._stages: list[LeagueInfo] = []
        self._index = 0

    def add(self, stage: LeagueInfo) -> None:
        """Keep what stays of the stages before, and add what this one lacks."""
        if self._stages:
            ended = divisions(self._stages[-1])
            for kind, kept in zip(ended, stage.earlier[-1].kept, strict=True):
                del self.blocks[kind][kept:]
        self._stages.append(stage)
        for kind in divisions(stage):
            self.blocks.setdefault(kind, [])
        drawn = {kind: self._lacking(kind) for kind in divisions(stage)}
        key, number = schedule_key(stage), len(stage.earlier)
        for together in zip_longest(*drawn.values()):
            for kind, tables in zip(drawn, together, strict=True):
                if tables is not None:
                    block = list(self._fixtures(kind, tables, key))
                    self.blocks[kind].append((number, block))

    def counting(self, kind: Division) -> Iterator[list[Fixture]]:
        """Yield the blocks of a kind without fixtures of other bots and terms than the last."""
        now = self._stages[-1]
        bots = set(now.bots)
        same = [
            {bot.name for bot in then.bots if bot in bots and has_same_terms(kind, then, now)}
            for then in self._stages
        ]
        for stage, block in self.blocks[kind]:
            yield [fixture for fixture in block if same[stage].issuperset(fixture.seats)]

    def _lacking(self, kind: Division) -> list[list[Seats]]:
        """Return blocks that bring newcomers level, then whole ones up to the rounds wanted."""
        stage = self._stages[-1]
        names = [bot.name for bot in stage.bots]
        met = Counter(bot for block in self.counting(kind) for one in block for bot in one.seats)
        draw = _Draw(stage.seed, len(stage.earlier), kind)
        wanted = stage.rounds * kind[1]
        found = draw.newcomers(names, met, wanted)
        short = wanted - min(met[name] for name in names)
        return found + draw.whole(names, max(0, ceil(short / kind[1])))

    def _fixtures(self, kind: Division, tables: Sequence[Seats], key: str) -> Iterator[Fixture]:
        """Yield a block's tables as fixtures: number them and give them their seeds."""
        info, (variant, players) = self._stages[-1], kind
        block = len(self.blocks[kind])
        name = f"{variant}/{players}/{len(info.earlier)}/{block}"
        dice = block_seed(info.seed, name) if info.shared_dice else ""
        for seats in tables:
            id_ = sha256(f"{key}/{self._index}".encode()).hexdigest()[:16]
            seed = fixture_seed(info.seed, id_)
            yield Fixture(id_, self._index, variant, seats, seed, info.games, block, dice)
            self._index += 1


class _Draw:
    """Draws the tables of one kind in one stage."""

    def __init__(self, seed: str, stage: int, kind: Division) -> None:
        variant, self._players = kind
        part = f"/stage {stage}" if stage else ""
        self._design = f"{seed}/schedule/{self._players}{part}"
        self._shuffle = f"{self._design}/{variant}"

    def newcomers(self, names: list[str], met: Counter[str], wanted: int) -> list[list[Seats]]:
        """Let bots that have no fixtures catch up, one after another, and count that in `met`.

        Each sits at as many tables as who sits at most, who gains by it too, or at `wanted`.
        """
        present = [name for name in names if met[name]]
        found: list[list[Seats]] = []
        for bot in [name for name in names if not met[name]] if present else ():
            seed, level = f"{self._shuffle}/{bot}", max(met.values())
            gain = len(present) - self._players + 1
            count = ceil(min(wanted / len(present), level / gain))
            seats = [*_shuffled(present, seed), bot]
            blocks = _named(joining_blocks(len(present), self._players, count, seed), seats)
            met.update(chain.from_iterable(chain.from_iterable(blocks)))
            found += blocks
            present.append(bot)
        return found

    def whole(self, names: list[str], count: int) -> list[list[Seats]]:
        """Return blocks of the whole field; each pass through the design shuffles the bots anew."""
        found: list[list[Seats]] = []
        while len(found) < count:
            again = f"/pass {len(found)}" if found else ""
            size = min(count - len(found), len(names) - 1)
            design = _design(len(names), self._players, size, self._design)
            found += _named(design, _shuffled(names, f"{self._shuffle}{again}"))
        return found


@lru_cache(maxsize=32)
def _design(bots: int, players: int, count: int, seed: str) -> list[list[Table]]:
    return blocks(bots, players, count, seed)


def _shuffled(names: Sequence[str], seed: str) -> list[str]:
    shuffled = list(names)
    random.Random(seed).shuffle(shuffled)
    return shuffled


def _named(found: Iterable[Iterable[Table]], names: Sequence[str]) -> list[list[Seats]]:
    return [[tuple([names[n] for n in table]) for table in block] for block in found]
