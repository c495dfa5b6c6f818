"""What bots wrote in a fixture beside its games: standard error, and lines with which they faulted.

It is no part of a store's root, and goes when it is pruned. A list as JSON, compressed: a text for
each seat, then the lines with which bots faulted, each a list of game, seat and text.
"""

import zlib
from typing import TypedDict

import msgspec

from arena.game.records import PlayedFixture

_Line = tuple[int, int, str]
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(tuple[str | _Line, ...]).decode


class Texts(TypedDict):
    """Fields of a `PlayedFixture`."""

    stderr: tuple[str, ...]
    answered: tuple[_Line, ...]


def pack_texts(played: PlayedFixture) -> bytes:
    """Return what is stored of them."""
    return zlib.compress(_encode([*played.stderr, *played.answered]), 1)


def unpack_texts(packed: bytes) -> Texts:
    """Return them again; raises a zlib or msgspec error if they are damaged."""
    found = _decode(zlib.decompress(packed)) if packed else ()
    return {
        "stderr": tuple(one for one in found if isinstance(one, str)),
        "answered": tuple(one for one in found if not isinstance(one, str)),
    }
