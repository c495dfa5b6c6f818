"""What the workers of a cluster share of language models: their scheduler has it during a run."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from arena.bots.models.journal import Journal, read_lines
from arena.bots.models.ledger import Spending, Spent, add_spent

_POLL_SECONDS = 0.05
_MOST_KEPT = 1 << 28
"""Bytes of journals; beyond, the oldest goes. Those of fixtures under way are the newest."""
Call = Callable[..., Any]
"""Calls the method of a `Desk` with that name, and fields."""
_encode = msgspec.json.Encoder().encode
_spending = msgspec.json.Decoder(Spending)


class Desk:
    """The scheduler's part: what was spent, who asks, and what was answered.

    `keep` gets the id of a fixture and a line of its journal, for the machine that stores.
    """

    def __init__(self, journals: dict[str, bytes], keep: Callable[[str, bytes], None]) -> None:
        self._spent: Spending = {}
        self._inside: dict[str, list[str]] = {}
        """By model, the workers that ask its server, each as often as it does."""
        self._journals = OrderedDict(journals)
        self._size = sum(map(len, journals.values()))
        self._keep = keep

    def call(self, worker: str, method: str, fields: dict[str, Any]) -> Any:
        """Do what a worker asks for."""
        calls = (self.add, self.spending, self.enter, self.leave, self.journal, self.keep)
        known = {call.__name__: call for call in calls}
        return known[method](worker, **fields)

    def add(self, _: str, model: str, bot: str, tokens: int, micros: int) -> None:
        """Add what an answer cost."""
        add_spent(self._spent, model, bot, Spent(tokens, micros))

    def spending(self, _: str) -> bytes:
        """Return what was spent."""
        return _encode(self._spent)

    def enter(self, worker: str, model: str, places: int) -> bool:
        """Give a worker one of so many places at a server, if one is free."""
        inside = self._inside.setdefault(model, [])
        if len(inside) >= places:
            return False
        inside.append(worker)
        return True

    def leave(self, worker: str, model: str) -> None:
        """Take a worker's place back."""
        if worker in self._inside.get(model, ()):
            self._inside[model].remove(worker)

    def left(self, worker: str) -> None:
        """Take back the places of a worker that is gone."""
        for model, inside in self._inside.items():
            self._inside[model] = [one for one in inside if one != worker]

    def journal(self, _: str, fixture: str) -> bytes:
        """Return what was answered in a fixture so far."""
        return self._journals.get(fixture, b"")

    def keep(self, _: str, fixture: str, line: bytes) -> None:
        """Keep an answer."""
        self._journals[fixture] = self._journals.get(fixture, b"") + line
        self._journals.move_to_end(fixture)
        self._size += len(line)
        while self._size > _MOST_KEPT:
            _, oldest = self._journals.popitem(last=False)
            self._size -= len(oldest)
        self._keep(fixture, line)


class AtDesk:
    """A worker's part (see `arena.bots.models.ledger.Shared`)."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def add(self, model: str, bot: str, spent: Spent) -> None:
        """Add what an answer cost."""
        self._call("add", model=model, bot=bot, tokens=spent.tokens, micros=spent.micros)

    def spending(self) -> Spending:
        """Return what was spent in this run so far."""
        return _spending.decode(bytes(self._call("spending")))

    @contextmanager
    def place(self, model: str, places: int, stopped: Callable[[], bool]) -> Iterator[None]:
        """Wait for one of so many places at a server; raises InterruptedError if stopped."""
        while not self._call("enter", model=model, places=places):
            if stopped():
                raise InterruptedError
            time.sleep(_POLL_SECONDS)
        try:
            yield
        finally:
            self._call("leave", model=model)

    def journal(self, fixture: str, bots: Sequence[str]) -> Journal:
        """Return the journal of a fixture with that id."""

        def keep(line: bytes) -> None:
            self._call("keep", fixture=fixture, line=line)

        earlier = bytes(self._call("journal", fixture=fixture))
        return Journal(bots, [*read_lines(earlier)], keep)
