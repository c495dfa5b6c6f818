"""A game that is followed while it is played: its events in a file, for another process to read."""

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from arena.game.records import Event
from arena.game.referee import Referee
from arena.game.results import Placed

_MOST_EVENTS = 2_000
"""Events that are written; a longer game is followed up to there."""


_decode = msgspec.json.Decoder(Event | Placed).decode


class WatchedGame:
    """Writes the events of one game down as they happen; that it fails disturbs no game."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._referee: Referee | None = None
        self._written = 0
        self._over = False

    def see(self, referee: Referee) -> None:
        """Write what happened since the last call; a game that begins again is written anew."""
        begins = referee is not self._referee
        if begins:
            self._referee, self._written, self._over = referee, 0, False
        lines: list[Event | Placed] = [*referee.events[self._written : _MOST_EVENTS]]
        self._written += len(lines)
        if not referee.waiting and not self._over:
            self._over = True
            lines.append(Placed(referee.places))
        if lines:
            self._write(lines, os.O_TRUNC if begins else os.O_APPEND)

    def _write(self, lines: list[Event | Placed], how: int) -> None:
        text = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        with suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | how, 0o600)
            try:
                os.write(file, text)
            finally:
                os.close(file)


def read_watched(path: Path) -> list[Event | Placed]:
    """Return the events that were written so far; none if there is no such file."""
    try:
        whole, _, _ = path.read_bytes().rpartition(b"\n")
    except OSError:
        return []
    return [_decode(line) for line in whole.splitlines()]
