"""What models answered in fixtures whose results are not stored yet, so that nothing is lost.

A fixture that is broken off (a server fails, a worker dies, the arena is killed) is played again;
what it asked before was paid for, and is not asked again.
"""

import os
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from functools import partial
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
    """The answers of one fixture, each of which is kept before a bot has it.

    The same request in the same seat gets the same answer, each once.
    """

    def __init__(
        self,
        bots: Sequence[str],
        earlier: Sequence[Paid] = (),
        keep: Callable[[bytes], None] | None = None,
    ) -> None:
        """`bots` are names by seat, `earlier` what was kept before, `keep` keeps a line."""
        self._bots = bots
        self._keep = keep
        self._lock = Lock()
        self._seats = [
            Recorded([one for name, one in earlier if (name, one.seat) == (bot, seat)], once=True)
            for seat, bot in enumerate(bots)
        ]

    def take(self, seat: int, model: str, request: str, game: int, turn: int) -> Exchange | None:
        """Return what a model answered a seat before, None if it was not asked that."""
        with self._lock:
            return self._seats[seat].take(model, request, game, turn)

    def add(self, exchange: Exchange) -> None:
        """Keep an answer. Raises OSError."""
        if self._keep:
            self._keep(_encode(Paid(self._bots[exchange.seat], exchange)) + b"\n")

    def left(self) -> Iterator[Exchange]:
        """Yield the answers that were not taken."""
        for recorded in self._seats:
            yield from recorded.left()


def file_journal(file: Path, bots: Sequence[str]) -> Journal:
    """Return the journal of a fixture in a file, which need not exist. Raises OSError."""
    return Journal(bots, [*read_journal(file)], partial(append, file))


def append(file: Path, line: bytes) -> None:
    """Write a line of a journal to the disk. Raises OSError."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb", buffering=0) as out:
        # Whoever was killed may have left a part of a line.
        out.write(b"\n" + line)
        os.fsync(fd)


def journal_file(folder: Path, fixture: str) -> Path:
    """Return the file for a fixture of that id."""
    return folder / f"{fixture}{_SUFFIX}"


def journals_in(folder: Path) -> list[Path]:
    """Return the files in a folder, which need not exist; each is named by its fixture."""
    return sorted(folder.glob(f"*{_SUFFIX}"))


def read_journal(file: Path) -> Iterator[Paid]:
    """Yield the answers in a file, if it exists; not what was half written. Raises OSError."""
    yield from read_lines(file.read_bytes() if file.exists() else b"")


def read_lines(content: bytes) -> Iterator[Paid]:
    """Yield the answers in the lines of a journal; not what was half written."""
    for line in content.splitlines():
        with suppress(msgspec.MsgspecError):
            yield _decode(line)


def read_journals(folder: Path, stored: Container[str]) -> Iterator[Paid]:
    """Yield the answers in all files of a folder, if it exists. Raises OSError.

    Whoever stored some fixtures may have been killed before their files went: they go now.
    """
    for file in journals_in(folder):
        if file.stem in stored:
            file.unlink()
        else:
            yield from read_journal(file)
