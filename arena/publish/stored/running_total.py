"""What reports add up of fixtures, kept for the next one: it adds those that are new."""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from arena.game.records import FixtureResult
from arena.league.store.format.rows import FixtureHashes
from arena.playstats.league_summary import LeagueSummary
from arena.publish.stored.packed_games import PackedGames


class RunningTotal(Struct):
    """Some fixtures, added up."""

    results: list[FixtureResult] = field(default_factory=list)
    """As they are rated, with packed games."""
    faulted: list[int] = field(default_factory=list)
    """The positions of those with faults."""
    summary: LeagueSummary = field(default_factory=LeagueSummary)
    """Without faults."""


class _Kept(Struct, array_like=True, frozen=True):
    """A running total as bytes are made of it."""

    digest: bytes
    """Of the hashes of its fixtures."""
    results: list[FixtureResult]
    """Without games."""
    games: list[tuple[bytes, int]]
    """The games of each result, packed, and how many they are."""
    faulted: list[int]
    summary: LeagueSummary


def pack_total(total: RunningTotal, hashes: Mapping[int, FixtureHashes]) -> bytes:
    """Return a total as bytes; `hashes` are, by position, at least those of its fixtures."""
    packed = [PackedGames.of(result.games) for result in total.results]
    kept = _Kept(
        _digest(total.results, hashes),
        [replace(result, games=()) for result in total.results],
        [(games.data, len(games)) for games in packed],
        total.faulted,
        total.summary,
    )
    return _encode(kept)


def unpack_total(data: bytes, hashes: Mapping[int, FixtureHashes]) -> RunningTotal | None:
    """Return a total; None if any of its fixtures is not among these."""
    kept = _decode(data)
    positions = [result.fixture.index for result in kept.results]
    if not hashes.keys() >= set(positions) or kept.digest != _digest(kept.results, hashes):
        return None
    results = [
        replace(result, games=PackedGames(*games))
        for result, games in zip(kept.results, kept.games, strict=True)
    ]
    return RunningTotal(results, kept.faulted, kept.summary)


def _digest(results: Iterable[FixtureResult], hashes: Mapping[int, FixtureHashes]) -> bytes:
    digest = sha256()
    for result in results:
        digest.update(_encode(hashes[result.fixture.index]))
    return digest.digest()


def _to_plain(luck: "array[int]") -> list[int]:
    return luck.tolist()


def _counter(_: type[Any], counts: dict[Any, int]) -> Counter[Any]:
    return Counter(counts)


_encode = msgspec.msgpack.Encoder(enc_hook=_to_plain).encode
_decode = msgspec.msgpack.Decoder(_Kept, dec_hook=_counter).decode
