"""A cache of ratings between reports; each entry has a digest of its inputs as a key."""

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from hashlib import sha256
from typing import NamedTuple, TypeVar

import msgspec

from arena.game.records import Division
from arena.io.job import Beside
from arena.ratings.model.games import Games

_T = TypeVar("_T")
Remember = Callable[[str, bytes, Callable[[], bytes]], bytes]
"""Calls a function, or returns its earlier result with the same name and key.

The key need not cover the code."""


class Entry(NamedTuple):
    """A result to be remembered."""

    name: str
    key: bytes
    data: bytes


Begin = Callable[[Callable[[], list[Entry]]], Callable[[], list[Entry]]]
"""Begins a call in another process; returns a function that waits for its result."""


class Work(NamedTuple):
    """How ratings are made: how much of them, from which cache, and in which processes."""

    remember: Remember | None = None
    """The cache; None to make everything anew."""
    begin: Begin | None = None
    """Begins to rate the past elsewhere, when the cache has nothing of it."""
    beside: Beside = nullcontext
    """Runs a part of the work in a copy of this process, if it can."""
    brief: bool = False
    """Whether to leave out the history, suspicions, and TrueSkill's usual pass."""

    def within(self, division: Division) -> "Work":
        """Return the same for one division: other divisions may use the same names."""
        remember = self.remember
        if remember is None:
            return self

        def remember_division(name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
            return remember(f"{name} {division.players} {division.variant!a}", key, make)

        return self._replace(remember=remember_division)


def recall(
    remember: Remember | None, name: str, key: bytes, make: Callable[[], _T], kind: type[_T]
) -> _T:
    """Return what `make` returns, plain data of this kind, or what it returned for this key."""
    if remember is None:
        return make()
    return unpack(remember(name, key, lambda: pack(make())), kind)


def pack(value: object) -> bytes:
    """Return plain data as bytes; names may hold half a character, which only JSON can escape."""
    return json.dumps(msgspec.to_builtins(value)).encode()


def unpack(data: bytes, kind: type[_T]) -> _T:
    """Return what was packed."""
    return msgspec.convert(json.loads(data), kind)


class Stop(NamedTuple):
    """A place in the schedule."""

    games: int
    """How many games come before it."""
    key: bytes
    """A digest of these games and of the field."""


def stops(games: Games, counts: Sequence[int]) -> list[Stop]:
    """Return the stops after so many games each, which rise."""
    known, done = games.luck is not None, 0
    digest = sha256(repr((games.bots, games.order.shape[1], known)).encode())
    passed = []
    for count in counts:
        digest.update(games.order[done:count].tobytes())
        if games.luck is not None:
            digest.update(games.luck[done:count].tobytes())
        passed.append(Stop(count, digest.digest()))
        done = count
    return passed


def decided_by(games: Games, *others: object) -> bytes:
    """Return a digest of the games of a division and of the other values."""
    luck = () if games.luck is None else (games.luck,)
    arrays = (games.order, games.block, games.fixture, games.game, games.seats, games.faulted)
    digest = sha256(repr((games.bots, others)).encode())
    for array in (*arrays, *luck):
        digest.update(f" {array.dtype} {array.shape} ".encode())
        digest.update(array.tobytes())
    return digest.digest()
