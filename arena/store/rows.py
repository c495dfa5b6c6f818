"""A fixture as a row of the store: packed, read again, and hashed so that no bit can change."""

import zlib
from collections.abc import Iterable
from hashlib import sha256
from typing import Annotated, Any, NamedTuple

import msgspec

from arena.records import Fixture, GameRecord, LeagueInfo, PlayedFixture


class Record(msgspec.Struct, frozen=True):
    """What must come out the same when it is played again: a fixture and its games."""

    fixture: Fixture
    games: list[GameRecord]


class Row(NamedTuple):
    """What is stored of a fixture, column by column; a damaged store may hold any types."""

    position: int
    id: str
    record: bytes
    """A Record as JSON, compressed."""
    sandbox: str
    clock: Any
    decisions: int
    seconds: float
    stderr: bytes
    """A list of texts as JSON, compressed."""
    stored_at: float | None
    """Seconds since 1970; None in stores that were begun before version 3."""


_Moment = Annotated[float, msgspec.Meta(ge=0, le=1e11)]
"""Seconds that a calendar can hold, whatever a damaged store says."""

_encode = msgspec.json.Encoder().encode
_records = msgspec.json.Decoder(Record)
_texts = msgspec.json.Decoder(tuple[str, ...])


def pack(played: PlayedFixture, now: float) -> Row:
    """Return the row of a fixture that is stored at the time `now` (seconds since 1970)."""
    fixture = played.fixture
    return Row(
        position=fixture.index,
        id=fixture.id,
        record=zlib.compress(_encode(Record(fixture, list(played.games))), 1),
        sandbox=played.sandbox,
        clock=played.clock,
        decisions=played.decisions,
        seconds=played.seconds,
        stderr=zlib.compress(_encode(played.stderr), 1),
        stored_at=now,
    )


def unpack(row: Row) -> PlayedFixture:
    """Return the fixture of a row; raises zlib.error or msgspec.MsgspecError if it is damaged."""
    record = _records.decode(zlib.decompress(row.record))
    return PlayedFixture(
        fixture=record.fixture,
        games=record.games,
        sandbox=row.sandbox,
        clock=row.clock,
        decisions=row.decisions,
        seconds=msgspec.convert(row.seconds, _Moment),
        stderr=_texts.decode(zlib.decompress(row.stderr)),
        stored_at=msgspec.convert(row.stored_at, _Moment | None),
    )


def row_hash(row: Iterable[object]) -> bytes:
    """Return the SHA-256 of all that is stored of a fixture or a league, types included."""
    digest = sha256()
    for value in row:
        data = _bytes(value)
        digest.update(f"{type(value).__name__} {len(data)} ".encode())
        digest.update(data)
    return digest.digest()


def pin(row: Row) -> bytes:
    """Return the SHA-256 of what comes out the same when the fixture is played again.

    Raises zlib.error where the record is damaged.
    """
    record = zlib.decompress(row.record)
    return row_hash((row.id, record, row.sandbox, row.clock, row.decisions))


def root(info: LeagueInfo, pins: Iterable[bytes]) -> str:
    """Return one SHA-256 over the conditions and all fixtures in schedule order, hexadecimal.

    The machine is no part of it: who plays the league again, anywhere, comes to the same.
    """
    same = {key: getattr(info, key) for key in info.__struct_fields__ if key != "machine"}
    digest = sha256(row_hash([_encode(same)]))
    for one in pins:
        digest.update(one)
    return digest.hexdigest()


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return repr(value).encode()
