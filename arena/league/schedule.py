"""The schedule: a pure function of the league and its bots."""

import random
from collections.abc import Iterator
from hashlib import sha256

import msgspec

from arena.league.design import blocks
from arena.perudo.seeds import fixture_seed
from arena.records import Fixture, LeagueInfo


def schedule(info: LeagueInfo) -> list[Fixture]:
    """Return all fixtures in the order in which they are played and rated.

    They come in blocks: in each, every bot sits in every seat of its table size once, so a league
    that is stopped early is still nearly even.
    """
    key = schedule_key(info)
    fixtures: list[Fixture] = []
    for block, together in enumerate(zip(*_tables(info), strict=True)):
        for variant, tables in together:
            for seats in tables:
                fixtures.append(_fixture(info, key, len(fixtures), variant, seats, block))
    return fixtures


def _tables(info: LeagueInfo) -> Iterator[list[tuple[str, list[tuple[str, ...]]]]]:
    """Yield, for each variant and table size, its blocks of tables by bot name."""
    count = len(info.bots)
    designs = {
        players: blocks(count, players, count - 1, f"{info.seed}/schedule/{players}")
        for players in info.players
    }
    for variant in info.variants:
        for players, found in designs.items():
            names = [bot.name for bot in info.bots]
            random.Random(f"{info.seed}/schedule/{players}/{variant}").shuffle(names)
            yield [(variant, [tuple(names[i] for i in table) for table in b]) for b in found]


def schedule_key(info: LeagueInfo) -> str:
    """Return a hash of everything that decides the games: rules, bots, sizes, seed."""
    decisive = (info.variants, info.bots, info.players, info.games, info.seed)
    return sha256(msgspec.json.encode(decisive)).hexdigest()


def _fixture(
    info: LeagueInfo, key: str, index: int, variant: str, seats: tuple[str, ...], block: int
) -> Fixture:
    id_ = sha256(f"{key}/{index}".encode()).hexdigest()[:16]
    return Fixture(id_, index, variant, seats, fixture_seed(info.seed, id_), info.games, block)
