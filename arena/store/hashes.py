"""The SHA-256 of what is stored: changed bits are found by them."""

from collections.abc import Iterable
from hashlib import sha256

import msgspec

from arena.records import LeagueInfo

_encode = msgspec.json.Encoder().encode


def row_hash(row: Iterable[object]) -> bytes:
    """Return the SHA-256 of stored values and their types."""
    digest = sha256()
    for value in row:
        data = _bytes(value)
        digest.update(f"{type(value).__name__} {len(data)} ".encode())
        digest.update(data)
    return digest.digest()


def root_hash(info: LeagueInfo, content_hashes: Iterable[bytes]) -> str:
    """Return one SHA-256 over the conditions and all fixtures in schedule order, as hex.

    The machine is left out, so that the league has the same root wherever it is played again.
    """
    fields = ((key, getattr(info, key)) for key in info.__struct_fields__ if key != "machine")
    same = {key: value for key, value in fields if value is not msgspec.UNSET}
    return sha256(row_hash([_encode(same)]) + b"".join(content_hashes)).hexdigest()


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return repr(value).encode()


def log_hash(fixture: str, game: int, log: bytes) -> bytes:
    """Return the SHA-256 of a log and of the game that it belongs to."""
    return row_hash((fixture, game, log))
