"""Leagues that change, as data: nothing is played."""

from collections import Counter
from typing import Any

from arena.game.records import Fixture
from arena.game.rules.books import BGA
from arena.league.changes import Change, History, everyone, playing
from arena.league.schedule.schedule import Schedule
from tests.support import factory

NAMES = "abcdefghij"


def league(names: str, players: int = 2, **changes: Any) -> History:
    """Return a league of bots with names of one letter, in one division."""
    fields = {"variants": {"bga": BGA}, "players": (players,), **changes}
    return History(factory.league(tuple(names), **fields))


def changed(before: History, begun: list[int] | None = None, **what: Any) -> History:
    """Return a league after a change; by default all blocks were begun that it has."""
    blocks = Schedule(*before).blocks.values()
    at = tuple([len(one) for one in blocks] if begun is None else begun)
    return History(before.start, [*before.changes, Change(at, **what)])


def then(before: History, names: str, begun: int | None = None, **terms: Any) -> History:
    """Return a league in which these bots play from now on, and the others rest."""
    now = before.now()
    known = {bot.name for bot in everyone(now)}
    was, wanted = set(playing(now)), set(names)
    field = {
        "joined": tuple(factory.bot(name) for name in sorted(wanted - known)),
        "rested": tuple(sorted(was - wanted)),
        "resumed": tuple(sorted((wanted & known) - was)),
    }
    return changed(before, None if begun is None else [begun], **field, **terms)


def games(fixtures: list[Fixture]) -> Counter[str]:
    """Return how many fixtures each bot plays."""
    return Counter(bot for one in fixtures for bot in one.seats)
