"""What all workers of a machine share: what was spent on models, and whose turn it is to ask."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from arena.bots.models.journal import Journal, file_journal, journal_file
from arena.game.exchanges import Exchange

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
    """What all workers of a league share, wherever they are."""

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
                if _try_lock(fd):
                    try:
                        yield
                    finally:
                        os.close(fd)
                    return
                os.close(fd)
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


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(fd: int) -> Spending:
    content = os.pread(fd, os.fstat(fd).st_size, 0)
    return _spending.decode(content) if content else {}
