"""A cache of ratings between reports; each entry has a digest of its inputs as a key."""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import NamedTuple, TypeVar

import msgspec

from arena.game.records import Division
from arena.ratings.model.games import Games

_T = TypeVar("_T")
Remember = Callable[[str, bytes, Callable[[], bytes]], bytes]
"""Calls a function, or returns its earlier result with the same name and key.

The key need not cover the code."""


def forget(name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
    """Compute the result: nothing is remembered."""
    del name, key
    return make()


class Entry(NamedTuple):
    """A result to be remembered."""

    name: str
    key: bytes
    data: bytes


Begin = Callable[[Callable[[], list[Entry]]], Callable[[], list[Entry]]]
"""Begins a call in another process, and returns what waits for its result."""


def within(remember: Remember, division: Division) -> Remember:
    """Return the cache of one division: other divisions may use the same names."""

    def remember_division(name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        return remember(f"{name} {division.players} {division.variant!a}", key, make)

    return remember_division


def pack(value: object) -> bytes:
    """Return plain data as bytes; names may hold half a character, which only JSON can escape."""
    return json.dumps(msgspec.to_builtins(value)).encode()


def unpack(data: bytes, kind: type[_T]) -> _T:
    """Return what was packed."""
    return msgspec.convert(json.loads(data), kind)


class Stop(NamedTuple):
    """A index in the schedule."""

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
