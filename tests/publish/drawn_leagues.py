"""Leagues whose results are drawn by strength: they are stored as if they had been played."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from arena.game.records import (
    BidMade,
    CallMade,
    Conditions,
    Event,
    Fixture,
    GameRecord,
    PlayedFixture,
    RoundStarted,
)
from arena.league.schedule.schedule import Schedule
from tests.support import factory, records


class Drawn(NamedTuple):
    """A league to be drawn."""

    skills: Mapping[str, float]
    """A bot's performance in a game is its skill and normal noise of variance 1."""
    games: int
    blocks: int
    variants: Sequence[str] = ("bga",)
    players: tuple[int, ...] = (2,)
    is_played: Callable[[Fixture], bool] = lambda _: True
    options: Mapping[str, Any] = {}
    """More of its conditions."""


def store(path: Path, drawn: Drawn) -> None:
    """Store a league as if it had been played."""
    conditions = _conditions(drawn)
    played = [_played(one, drawn) for one in Schedule(conditions).fixtures if drawn.is_played(one)]
    records.stored(path, conditions, played)


def _conditions(drawn: Drawn) -> Conditions:
    rules = factory.league(()).variants["bga"]
    return factory.league(
        tuple(drawn.skills),
        variants=dict.fromkeys(drawn.variants, rules),
        players=drawn.players,
        games=drawn.games,
        blocks=drawn.blocks,
        **drawn.options,
    )


def _played(fixture: Fixture, drawn: Drawn) -> PlayedFixture:
    chance = Random(fixture.id)
    dice = tuple((1, 2, 3, 4, 5) for _ in fixture.seats)
    last = CallMade(1, "dudo", 2 * len(fixture.seats), 1, None)
    events: list[Event] = [RoundStarted(0, 0, None, dice), BidMade(0, 2, 3), last]
    games = []
    for number in range(fixture.games):
        shown = [drawn.skills[bot] + chance.gauss(0, 1) for bot in fixture.seats]
        places = tuple(1 + sum(other > own for other in shown) for own in shown)
        games.append(GameRecord(number, places, events))
    return records.played(fixture, games)
