"""What models answered in fixtures whose results are not stored yet, so that nothing is lost.

A fixture that is broken off (a server fails, a worker dies, the arena is killed) is played again;
what it asked before was paid for, and is not asked again.
"""

import os
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import msgspec

from arena.bots.models.recorded import Recorded
from arena.game.exchanges import Exchange

_SUFFIX = ".jsonl"


class Paid(NamedTuple):
    """An answer, and the bot that got it."""

    bot: str
    exchange: Exchange


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Paid).decode


class Journal:
    """The answers of one fixture, in a file that has each of them before a bot has it.

    The same request in the same seat gets the same answer, each once. Without a file, there are
    none.
    """

    def __init__(self, file: Path | None = None, bots: Sequence[str] = ()) -> None:
        """`bots` are names by seat. Raises OSError."""
        self._file = file
        self._bots = bots
        self._lock = Lock()
        earlier = [*read_journal(file)] if file else []
        self._seats = [
            Recorded([one for name, one in earlier if (name, one.seat) == (bot, seat)], once=True)
            for seat, bot in enumerate(bots)
        ]

    def take(self, seat: int, model: str, request: str, game: int, turn: int) -> Exchange | None:
        """Return what a model answered a seat before, None if it was not asked that."""
        with self._lock:
            return self._seats[seat].take(model, request, game, turn) if self._file else None

    def add(self, exchange: Exchange) -> None:
        """Write an answer to the disk. Raises OSError."""
        if not self._file:
            return
        line = _encode(Paid(self._bots[exchange.seat], exchange)) + b"\n"
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        fd = os.open(self._file, flags, 0o600)
        with self._lock, os.fdopen(fd, "wb", buffering=0) as file:
            # Whoever was killed may have left a part of a line.
            file.write(b"\n" + line)
            os.fsync(fd)

    def left(self) -> Iterator[Exchange]:
        """Yield the answers that were not taken."""
        for recorded in self._seats:
            yield from recorded.left()


def journal_file(folder: Path, fixture: str) -> Path:
    """Return the file for a fixture of that id."""
    return folder / f"{fixture}{_SUFFIX}"


def read_journal(file: Path) -> Iterator[Paid]:
    """Yield the answers in a file, if it exists; not what was half written. Raises OSError."""
    content = file.read_bytes() if file.exists() else b""
    for line in content.splitlines():
        with suppress(msgspec.MsgspecError):
            yield _decode(line)


def read_journals(folder: Path, stored: Container[str]) -> Iterator[Paid]:
    """Yield the answers in all files of a folder, if it exists. Raises OSError.

    Whoever stored some fixtures may have been killed before their files went: they go now.
    """
    for file in sorted(folder.glob(f"*{_SUFFIX}")):
        if file.stem in stored:
            file.unlink()
        else:
            yield from read_journal(file)
