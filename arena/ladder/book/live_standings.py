"""The standings as games are played: a file that the ladder writes and the door reads.

It is made anew from the games, so it need not survive anything.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from arena.io.files import read_json, write_file
from arena.ladder.folder import Folder

_READABLE = 0o644


class LiveRow(Struct, frozen=True, kw_only=True):
    """A version in the standings; shares are those of the rivals that it finished ahead of."""

    version: str
    best: int
    """The ends of its range of ranks."""
    worst: int
    may_be_first: bool
    low: float
    """The ends of the 95 % interval of the share."""
    share: float
    high: float
    games: int
    provisional: bool


class Winner(Struct, frozen=True):
    """How many games of a table a version won."""

    version: str
    games: int


class LiveResult(Struct, frozen=True, kw_only=True):
    """A table that was played to its end."""

    at: float
    """When it was stored, in seconds since 1970."""
    variant: str
    players: int
    games: int
    seats: Sequence[Winner]
    """The one with the most wins first."""


class Live(Struct, frozen=True, kw_only=True):
    """The standings, and what was played last."""

    season: int
    at: float
    """When the standings were computed, in seconds since 1970."""
    seconds: float
    """CPU time that this took."""
    games: int
    """Games in the standings."""
    per_minute: int
    """Games of the last minute before it was written."""
    rows: Sequence[LiveRow]
    """Of all tables if there are several divisions, else of the only one."""
    recent: Sequence[LiveResult]
    """The newest first."""
    verdict: str
    """The verdict as a part of a page, in HTML."""
    table: str
    """The standings as a part of a page, in HTML."""
    cards: str
    """Who leads at each table, in HTML; "" if there is one division."""


def write_live(folder: Folder, live: Live) -> None:
    """Put standings in place of those that are there; raises ArenaError."""
    if not folder.live.parent.is_dir():
        folder.live.parent.mkdir(exist_ok=True)
        folder.live.parent.chmod(0o755)  # the door may be another user
    write_file(folder.live, msgspec.json.encode(live), _READABLE)


def read_live(folder: Folder) -> Live | None:
    """Return the standings that were written last, if there are any that this arena reads."""
    return read_json(folder.live, Live)
