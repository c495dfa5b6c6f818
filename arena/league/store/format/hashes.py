"""The SHA-256 of what is stored: changed bits are found by them."""

from collections.abc import Iterable
from functools import reduce
from hashlib import sha256

import msgspec

from arena.league.changes import History

_encode = msgspec.json.Encoder().encode


def row_hash(row: Iterable[object]) -> bytes:
    """Return the SHA-256 of stored values and their types."""
    digest = sha256()
    for value in row:
        data = _bytes(value)
        digest.update(f"{type(value).__name__} {len(data)} ".encode())
        digest.update(data)
    return digest.digest()


def root_hash(history: History, content_hashes: Iterable[bytes]) -> str:
    """Return one SHA-256 over the conditions, their changes and all fixtures in order, as hex.

    The machine is left out, so that the league has the same root wherever it is played again.
    """
    start = history.start
    fields = ((key, getattr(start, key)) for key in start.__struct_fields__ if key != "machine")
    same = {key: value for key, value in fields if value is not msgspec.UNSET}
    last = reduce(link_hash, map(_encode, history.changes), row_hash([_encode(same)]))
    return sha256(last + b"".join(content_hashes)).hexdigest()


def link_hash(before: bytes, change: bytes) -> bytes:
    """Return the SHA-256 of a change and of the hash before it: that of a link of the chain."""
    return row_hash([before, change])


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return repr(value).encode()


def log_hash(fixture: str, game: int, log: bytes) -> bytes:
    """Return the SHA-256 of a log and of the game that it belongs to."""
    return row_hash((fixture, game, log))
