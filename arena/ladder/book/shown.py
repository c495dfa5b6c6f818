"""What a ladder shows and its door reads: the published boards, live standings, and one game.

Games of programs take milliseconds, so the game is shown more slowly than it is played. Its dice
are not here before every table of its block is played: they share their dice.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.game.records import BidMade, Placed
from arena.game.rules.dice import Hand
from arena.io.files import read_json, write_file
from arena.ladder.folder import Folder

_READABLE = 0o644
LIVE_GAME_FACT = "live_game"
"""The fact in the book."""
END_STAYS = 5.0
"""Seconds for which the end of a game is shown."""


class PublishedRow(Struct, frozen=True):
    """A bot on a leaderboard."""

    bot: str
    rank: int
    best: int
    worst: int
    games: int
    beats_average: float


class PublishedBoard(Struct, frozen=True):
    """The leaderboard of a rule book and a table size."""

    variant: str
    players: int
    rows: list[PublishedRow]


def published_boards(site: Path) -> Iterator[tuple[str, PublishedBoard]]:
    """Yield the boards with the names of their divisions in addresses.

    The one of all divisions is left out, and one that cannot be read, as it is being replaced.
    """
    for path in sorted(site.glob("data/leaderboard-*.json")):
        if board := read_json(path, PublishedBoard):
            yield path.stem.removeprefix("leaderboard-"), board


class PublishedCase(Struct, frozen=True):
    """A suspicion: a bot that changed, or that lost too often to a rival."""

    bot: str
    opponent: str | None
    """None for a bot that changed."""
    games: int
    expected: float
    """The share of the games in which it should be ahead of the opponent."""
    observed: float
    """The share in which it is."""


class _PublishedCases(Struct, frozen=True):
    rows: list[PublishedCase]


def published_pairs(site: Path) -> list[PublishedCase]:
    """Return the pairs of which the published site says that one loses too often, clearest first.

    There are none while the file is being replaced.
    """
    found = read_json(site / "data" / "suspicions.json", _PublishedCases)
    return [case for case in found.rows if case.opponent] if found else []


class PublishedStyle(Struct, frozen=True):
    """How a bot played in a division, in counts."""

    bot: str
    bids: int
    bluffs: int
    """Bids that were false."""


class _Styles(Struct, frozen=True):
    rows: list[PublishedStyle]


def published_bluffs(site: Path) -> dict[str, float]:
    """Return which share of its bids was false, for each version that bid at all."""
    styles = read_json(site / "data/style.json", _Styles)
    bids, bluffs = Counter[str](), Counter[str]()
    for row in styles.rows if styles else ():
        bids[row.bot] += row.bids
        bluffs[row.bot] += row.bluffs
    return {bot: bluffs[bot] / count for bot, count in bids.items() if count}


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
    """The rows over all tables if there are several divisions, else those of the only one."""
    recent: Sequence[LiveResult]
    """The newest first."""
    sentence: str
    """The verdict in a sentence, as plain text."""
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


class RoundBegun(Struct, frozen=True, array_like=True, tag="round"):
    """A round begins: the dice are rolled."""

    palifico_seat: int | None
    counts: tuple[int, ...]
    """The dice of each seat."""
    wild: bool = True
    """Whether pacos are wild."""


class WasCalled(Struct, frozen=True, array_like=True, tag="call"):
    """A call, and the die that it cost or gave back; not how many dice there were."""

    seat: int
    call: str
    loser: int | None
    gainer: int | None


class WasOut(Struct, frozen=True, array_like=True, tag="fault"):
    """A seat faulted and is out."""

    seat: int
    cause: str


PublicEvent = RoundBegun | BidMade | WasCalled | WasOut | Placed


class LiveGame(Struct, frozen=True, kw_only=True):
    """A game as everybody may see it; times in seconds since 1970."""

    id: str
    """That of its fixture."""
    variant: str
    seats: tuple[str, ...]
    marks: tuple[str, ...]
    """The classes of the marks of each seat's version."""
    pages: tuple[str, ...] = ()
    """Where the site has the page of each seat's version, once that is published."""
    began: float
    """When it began to be played."""
    events: tuple[PublicEvent, ...] = ()
    shown_at: tuple[float, ...] = ()
    """When each event is shown."""
    dice: tuple[tuple[Hand, ...], ...] = ()
    """The hands of each round; empty while a table of the block is still to be played."""

    @property
    def is_over(self) -> bool:
        """Whether its end is among the events."""
        return bool(self.events) and isinstance(self.events[-1], Placed)

    def steps(self, now: float) -> int:
        """Return how many events are shown at a time: after its end a game is shown again."""
        if self.is_shown_again(now):
            began, ended = self.shown_at[0], self.shown_at[-1]
            now = began + (now - began) % (ended + END_STAYS - began)
        return bisect_right(self.shown_at, now)

    def is_shown_again(self, now: float) -> bool:
        """Tell whether all of it was shown before, and no other game came."""
        return self.is_over and now >= self.shown_at[-1] + END_STAYS


_game_decoder = msgspec.json.Decoder(LiveGame).decode


def decoded_game(fact: str) -> LiveGame | None:
    """Return the game that a fact holds; None for "" and for one that another arena wrote."""
    try:
        return _game_decoder(fact)
    except msgspec.DecodeError:
        return None


def paced(before: Sequence[float], count: int, now: float, pace: float) -> Iterator[float]:
    """Yield when each of `count` events is shown: those before as they were, others in their turn.

    Two events are at least `pace` seconds apart.
    """
    yield from before
    last = before[-1] if before else now - pace
    for _ in range(count - len(before)):
        last = max(last + pace, now)
        yield last
