"""Leagues of any size, with as many changes as are asked for."""

from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from arena.league.changes import Change, History, version_of
from arena.league.play.stored_league import StoredLeague
from arena.league.store.store import Store
from benchmarks.shared.stored import STORE, league

GAMES = 20
"""Games per fixture, as in a league that does not say."""


class Size(NamedTuple):
    """The size of a league."""

    bots: int
    games: int
    changes: int = 0
    players: int = 2

    def __str__(self) -> str:
        return f"{self.bots:6,} {self.players:8} {self.games:10,} {self.changes:8,}"


def history_of(size: Size) -> History:
    """Return a league; with changes one without end, in which a block was begun before each.

    In a change one bot after another gets a new version, and its old one rests.
    """
    games = max(1, min(GAMES, size.games // size.bots))
    info = league(size.bots, games, size.players, max(1, size.games // (size.bots * games)))
    info = replace(info, endless=size.changes > 0)
    names, changes = [bot.name for bot in info.bots], []
    for number in range(size.changes):
        at = number % size.bots
        name, version = version_of(names[at])
        old = names[at]
        names[at] = f"{name}@{version + 1}"
        new = replace(info.bots[at], name=names[at], digest=f"{number:064x}")
        changes.append(Change((number + 1,), joined=(new,), rested=(old,)))
    return History(info, changes)


def begin(size: Size, folder: Path) -> None:
    """Make the store of a league that was not played yet."""
    history = history_of(size)
    with Store(folder / STORE, create=True) as store:
        store.begin(history.start, history.changes)


def draw(folder: Path) -> None:
    """Do what comes before the first fixture is played: draw the schedule of a store."""
    with Store(folder / STORE) as store:
        StoredLeague(store).due()
