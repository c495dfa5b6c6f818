"""The schedule: a pure function of the league and its bots."""

import random
from hashlib import sha256

import msgspec

from arena.perudo.seeds import fixture_seed
from arena.records import Fixture, LeagueInfo


def schedule(info: LeagueInfo) -> list[Fixture]:
    """Return all fixtures in the order in which they are played and rated.

    They come in blocks: in each, every bot sits in every seat of its table size once, so a league
    that is stopped early is still nearly even.
    """
    key = schedule_key(info)
    fixtures: list[Fixture] = []
    for number in range(len(info.bots) - 1):
        for variant in info.variants:
            for players in info.players:
                for seats in block(info, variant, players, number):
                    fixtures.append(_fixture(info, key, len(fixtures), variant, seats))
    return fixtures


def schedule_key(info: LeagueInfo) -> str:
    """Return a hash of everything that decides the games: rules, bots, sizes, seed."""
    decisive = (info.variants, info.bots, info.players, info.games, info.seed)
    return sha256(msgspec.json.encode(decisive)).hexdigest()


def block(info: LeagueInfo, variant: str, players: int, number: int) -> list[tuple[str, ...]]:
    """Return the tables of one block: a base table, moved round the ring of bots.

    At two-player tables the blocks number 0 to n-2 hold every ordered pair of bots exactly once.
    """
    names = [bot.name for bot in info.bots]
    count = len(names)
    draw = random.Random(f"{info.seed}/schedule/{variant}/{players}")
    draw.shuffle(names)
    if players == 2:
        base = [0, number + 1]
    else:
        draw = random.Random(f"{info.seed}/schedule/{variant}/{players}/{number}")
        base = draw.sample(range(count), players)
    return [tuple(names[(place + step) % count] for place in base) for step in range(count)]


def _fixture(
    info: LeagueInfo, key: str, index: int, variant: str, seats: tuple[str, ...]
) -> Fixture:
    id_ = sha256(f"{key}/{index}".encode()).hexdigest()[:16]
    return Fixture(id_, index, variant, seats, fixture_seed(info.seed, id_), info.games)
