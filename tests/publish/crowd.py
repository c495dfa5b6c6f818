"""Leagues of many bots: results drawn by strength, so that ratings, ranks and upsets are real."""

from functools import cache
from random import Random
from typing import Any

from arena.game.records import (
    BidMade,
    BotInfo,
    CallMade,
    Cause,
    Conditions,
    Faulted,
    GameRecord,
    PlayedFixture,
    RoundStarted,
)
from arena.ratings.league_ratings import Ratings
from tests.support import factory, records

TAGS = ("python", "c", "rust", "search", "bluffing", "learning", "baseline")
AUTHORS = ("Ada Lovelace", "Émilie du Châtelet", "Grace Hopper", "Kurt Gödel", "Srinivasa R.")


def infos(number: int) -> tuple[BotInfo, ...]:
    """Bots in falling strength, with authors and tags."""
    chance = Random(number)
    return tuple(
        BotInfo(
            f"bot-{at:03d}",
            chance.choice(AUTHORS),
            "1",
            "python",
            f"{at:064x}",
            tuple(chance.sample(TAGS, chance.randrange(4))),
        )
        for at in range(number)
    )


def _game(number: int, seats: tuple[int, ...], field: int, chance: Random) -> GameRecord:
    """A game of one bid; the first bots of the field do best, and a few fault."""
    luck = [chance.gauss(-3 * bot / field, 1) for bot in seats]
    order = sorted(range(len(seats)), key=lambda seat: -luck[seat])
    dice = tuple((1, 2, 3, 4, 5) for _ in seats)
    last: CallMade | Faulted = CallMade(1, "dudo", 2 * len(seats), 1, None)
    if chance.random() < 0.01:
        last = Faulted(order[-1], Cause.TIMEOUT, "no answer within 2 s")
    places = tuple(order.index(seat) + 1 for seat in range(len(seats)))
    return GameRecord(number, places, [RoundStarted(0, 0, None, dice), BidMade(0, 2, 3), last])


def _fixture(index: int, label: str, field: int, players: int, games: int) -> PlayedFixture:
    chance = Random(f"{index} {label} {players}")
    start = index % field
    others = chance.sample([bot for bot in range(field) if bot != start], players - 1)
    seats = (start, *others)
    names = tuple(f"bot-{bot:03d}" for bot in seats)
    fixture = records.fixture(
        names, games, id=f"{index:016x}", index=index, variant=label, block=index // field
    )
    played = [_game(game, seats, field, chance) for game in range(games)]
    return records.played(fixture, played, sandbox="bubblewrap", decisions=100, seconds=1.0)


@cache
def crowd(
    field: int,
    blocks: int = 4,
    kinds: tuple[tuple[str, int], ...] = (("bga", 2),),
    games: int = 4,
    **options: Any,
) -> tuple[Conditions, Ratings, list[PlayedFixture]]:
    """A league of `field` bots; `blocks` blocks of each kind, in which each bot starts once.

    Nobody changes it: all tests get the same one.
    """
    many = field * blocks
    played = [
        _fixture(at * many + number, label, field, players, games)
        for at, (label, players) in enumerate(kinds)
        for number in range(many)
    ]
    rules = factory.league(()).variants["bga"]
    league = factory.league(
        (),
        name="A crowded league",
        bots=infos(field),
        variants=dict.fromkeys((label for label, _ in kinds), rules),
        players=tuple(dict.fromkeys(players for _, players in kinds)),
    )
    return league, factory.ratings(played, **options), played
