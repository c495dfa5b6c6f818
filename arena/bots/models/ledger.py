"""What workers share about models: what was spent, what was answered, whose turn it is to ask."""

import fcntl
import os
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Protocol

import msgspec
from msgspec import Struct

from arena.game.records import Exchange


class Recorded:
    """The exchanges of a fixture, each of which answers the same request to the same model.

    If a request has several answers, the one of the same game and turn is taken, else the first one
    left. The last answer left is taken any number of times, unless each is taken `once`. `new` is
    how many requests had no answer, `repeated` how many had one.
    """

    def __init__(self, exchanges: Iterable[Exchange] = (), *, once: bool = False) -> None:
        self._once = once
        self.new = 0
        self.repeated = 0
        self._left: dict[tuple[str, str], list[Exchange]] = {}
        micros: list[int] = []
        for exchange in exchanges:
            if exchange.request:  # words that were too long are not kept
                key = exchange.model, exchange.request
                self._left.setdefault(key, []).append(exchange)
            if not exchange.refused:
                micros.append(exchange.micros)
        self.mean_micros = sum(micros) / len(micros) if micros else 0.0
        """What a request cost on average, in millionths."""

    def take(self, model: str, request: str, game: int, turn: int) -> Exchange | None:
        """Return the exchange that answers a request, None if it is new."""
        left = self._left.get((model, request))
        if not left:
            self.new += 1
            return None
        self.repeated += 1
        same = [number for number, one in enumerate(left) if (one.game, one.turn) == (game, turn)]
        place = same[0] if same else 0
        return left.pop(place) if self._once or len(left) > 1 else left[place]

    def left(self) -> Iterator[Exchange]:
        """Yield the exchanges that could still be taken."""
        for exchanges in self._left.values():
            yield from exchanges


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

    def put_off(self) -> None:
        """Take note that the fixture is broken off now: its file is changed. Raises OSError."""
        if self._keep:
            self._keep(b"")

    def left(self) -> Iterator[Exchange]:
        """Yield the answers that were not taken."""
        for recorded in self._seats:
            yield from recorded.left()


def file_journal(file: Path, bots: Sequence[str]) -> Journal:
    """Return the journal of a fixture in a file, which need not exist. Raises OSError."""
    return Journal(bots, [*read_journal(file)], partial(append_to_journal, file))


def append_to_journal(file: Path, line: bytes) -> None:
    """Write a line of a journal to the disk. Raises OSError."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb", buffering=0) as out:
        # A process that was killed may have left a part of a line.
        out.write(b"\n" + line)
        os.fsync(fd)


def journal_file(folder: Path, fixture: str) -> Path:
    """Return the file for a fixture of that id."""
    return folder / f"{fixture}{_SUFFIX}"


def journals_in(folder: Path) -> list[Path]:
    """Return the files in a folder, which need not exist; each is named by its fixture."""
    return sorted(folder.glob(f"*{_SUFFIX}"))


def read_journal(file: Path) -> Iterator[Paid]:
    """Yield the answers in a file, if it exists, without half-written ones. Raises OSError."""
    yield from read_journal_lines(file.read_bytes() if file.exists() else b"")


def read_journal_lines(content: bytes) -> Iterator[Paid]:
    """Yield the answers in the lines of a journal, without half-written ones."""
    for line in content.splitlines():
        with suppress(msgspec.MsgspecError):
            yield _decode(line)


def read_journals(folder: Path, stored: Container[str]) -> Iterator[Paid]:
    """Yield the answers in all files of a folder, if it exists. Raises OSError.

    Files of `stored` fixtures, left by a process that was killed, are removed.
    """
    for file in journals_in(folder):
        if file.stem in stored:
            file.unlink()
        else:
            yield from read_journal(file)


_POLL_SECONDS = 0.02
_FILE = "spent.json"


class Spent(Struct, frozen=True, array_like=True):
    """Tokens and money that were used."""

    tokens: int = 0
    micros: int = 0
    """Money, in millionths."""

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.tokens + other.tokens, self.micros + other.micros)


Spending = dict[str, dict[str, Spent]]
"""By model and bot."""
_spending = msgspec.json.Decoder(Spending)


def spent_on(exchange: Exchange) -> Spent:
    """Return what an answer cost."""
    return Spent(exchange.tokens_in + exchange.tokens_out, exchange.micros)


def add_spent(spending: Spending, model: str, bot: str, spent: Spent) -> None:
    """Add what a bot spent on a model."""
    bots = spending.setdefault(model, {})
    bots[bot] = bots.get(bot, Spent()) + spent


def total(spending: Spending, model: str) -> Spent:
    """Return what all bots spent on a model."""
    return sum(spending.get(model, {}).values(), start=Spent())


class Shared(Protocol):
    """Spending, places at servers and journals of a league, for workers wherever they are."""

    def add(self, model: str, bot: str, spent: Spent) -> None:
        """Add what an answer cost."""

    def spending(self) -> Spending:
        """Return what was spent in this run so far."""

    def place(
        self, model: str, places: int, stopped: Callable[[], bool]
    ) -> AbstractContextManager[None]:
        """Wait for one of so many places at a server; raises InterruptedError if stopped."""

    def journal(self, fixture: str, bots: Sequence[str]) -> Journal:
        """Return the journal of a fixture with that id. Raises OSError."""


class Ledger:
    """A folder that workers of a machine share; locks end with the process that holds them."""

    def __init__(self, folder: Path, journals: Path | None = None) -> None:
        """`journals` is the folder of the journals; without one, none are written."""
        self._folder = folder
        self._journals = journals
        folder.mkdir(parents=True, exist_ok=True)

    def journal(self, fixture: str, bots: Sequence[str]) -> Journal:
        """Return the journal of a fixture with that id. Raises OSError."""
        if not self._journals:
            return Journal(bots)
        return file_journal(journal_file(self._journals, fixture), bots)

    def add(self, model: str, bot: str, spent: Spent) -> None:
        """Add what an answer cost."""
        with self._locked() as file:
            spending = _read(file)
            add_spent(spending, model, bot, spent)
            os.ftruncate(file, 0)
            os.pwrite(file, msgspec.json.encode(spending), 0)

    def spending(self) -> Spending:
        """Return what was spent so far."""
        with self._locked() as file:
            return _read(file)

    @contextmanager
    def place(self, model: str, places: int, stopped: Callable[[], bool]) -> Iterator[None]:
        """Wait for one of so many places at a server; raises InterruptedError if stopped."""
        while True:
            for number in range(places):
                fd = self._open(f"{model}.{number}")
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(fd)
                    continue
                try:
                    yield
                finally:
                    os.close(fd)
                return
            if stopped():
                raise InterruptedError
            time.sleep(_POLL_SECONDS)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        fd = self._open(_FILE)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield fd
        finally:
            os.close(fd)

    def _open(self, name: str) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        return os.open(self._folder / name, flags, 0o600)


def _read(fd: int) -> Spending:
    content = os.pread(fd, os.fstat(fd).st_size, 0)
    return _spending.decode(content) if content else {}
