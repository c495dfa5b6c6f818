"""One game to watch at a time: which it is, what of it is public, and when it is shown."""

import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from arena.game.records import CallMade, Event, Faulted, Fixture, Placed, RoundStarted
from arena.game.rules.books import Rules
from arena.game.rules.round import wild_face
from arena.ladder.book.book import Book
from arena.ladder.book.shown import (
    END_STAYS,
    LIVE_GAME_FACT,
    LiveGame,
    PublicEvent,
    RoundBegun,
    WasCalled,
    WasOut,
    paced,
)
from arena.ladder.season.season import Season
from arena.league.table.play_fixture import read_watched
from arena.publish.links import bot_pages, identities

_PACE = 1.0
"""Seconds between two steps that are shown, at least."""
_LOOK = 0.5
"""Seconds between looks at the game."""
_GONE = 600.0
"""Seconds without a step after which another game is chosen."""
_CHOOSY = 3.0
"""Seconds in which only a table that is as strong as the best one of late is chosen."""
_OF_LATE = 50
"""How many tables are of late."""


class LiveGames:
    """Chooses a game, follows it, and hands over what is public of it.

    The file that a worker writes has the dice: it is where the season's seed is.
    """

    def __init__(
        self, folder: Path, season: Season, book: Book, variants: Mapping[str, Rules]
    ) -> None:
        """`variants` are the rules of the season, by label."""
        self._file = folder / "watched"
        self._season = season
        self._book = book
        self._variants = variants
        self._strengths = deque[float](maxlen=_OF_LATE)
        self._fixture: Fixture | None = None
        self._game: LiveGame | None = None
        """What is shown of it; None before its first step."""
        self._free_at = self._next_look = time.monotonic()
        """When the next game may be chosen, and when this one is looked at."""
        self._file.unlink(missing_ok=True)

    def file_for(self, fixture: Fixture) -> str:
        """Return the file for the events of a fixture's first game, if that is watched, or ""."""
        strength = sum(map(self._season.strength, fixture.seats)) / len(fixture.seats)
        self._strengths.append(strength)
        if self._fixture and fixture.id == self._fixture.id:
            return str(self._file)  # its worker died: it is played again
        waited = time.monotonic() - self._free_at
        if waited < 0 or (waited < _CHOOSY and strength < max(self._strengths)):
            return ""
        self._fixture = fixture
        self._game = None
        self._free_at = time.monotonic() + _GONE
        self._file.unlink(missing_ok=True)
        return str(self._file)

    def step(self) -> None:
        """Show what happened since the last look."""
        now = time.monotonic()
        if self._fixture is None or now < self._next_look:
            return
        self._next_look = now + _LOOK
        if not self._game or not self._game.is_over:
            self._follow(self._fixture, time.time())
        elif not self._game.dice and self._season.may_show_dice(self._fixture):
            events = read_watched(self._file)
            dice = tuple(event.dice for event in events if isinstance(event, RoundStarted))
            self._publish(replace(self._game, dice=dice))

    def _follow(self, fixture: Fixture, now: float) -> None:
        rules = self._variants[fixture.variant]
        events = tuple(_public(event, rules) for event in read_watched(self._file))
        before = self._game
        if not events or (before and events == before.events):
            return
        if before is None or events[: len(before.events)] != before.events:
            entered = [version.name for version in self._book.versions()]
            before = LiveGame(
                id=fixture.id,
                variant=fixture.variant,
                seats=fixture.seats,
                marks=tuple(mark.classes for mark in identities(fixture.seats, entered).values()),
                pages=tuple(bot_pages(fixture.seats)),
                began=now,
            )
        shown_at = tuple(paced(before.shown_at, len(events), now, _PACE))
        stays = END_STAYS if isinstance(events[-1], Placed) else _GONE
        self._free_at = time.monotonic() + shown_at[-1] - now + stays
        self._publish(replace(before, events=events, shown_at=shown_at))

    def _publish(self, game: LiveGame) -> None:
        self._game = game
        self._book.set_fact(LIVE_GAME_FACT, msgspec.json.encode(game).decode())


def _public(event: Event | Placed, rules: Rules) -> PublicEvent:
    match event:
        case RoundStarted():
            wild = wild_face(rules, event.palifico_seat) is not None
            return RoundBegun(event.palifico_seat, tuple(map(len, event.dice)), wild)
        case CallMade():
            return WasCalled(event.seat, event.call, event.loser, event.gainer)
        case Faulted():
            return WasOut(event.seat, event.cause)
    return event
