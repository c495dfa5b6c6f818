"""What bots wrote in a fixture beside its games: standard error, faulty lines, questions to models.

It is no part of a store's root, and goes when it is pruned. A list as JSON, compressed: a text for
each seat, then the lines with which bots faulted, each a list of game, seat and text, then what
bots asked language models, each an object. If that were too much, lines and words are left out.
"""

import zlib
from typing import TypedDict

import msgspec

from arena.game.exchanges import Exchange, without_words
from arena.game.records import PlayedFixture
from arena.io.inflate import inflate

_MOST = 1 << 25
"""Bytes of the texts of a fixture: standard error takes 2.4 MB at most, escaped; a line 48 KB."""
_Line = tuple[int, int, str]
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(tuple[str | _Line | Exchange, ...]).decode


class Texts(TypedDict):
    """Fields of a `PlayedFixture`."""

    stderr: tuple[str, ...]
    answered: tuple[_Line, ...]
    exchanges: tuple[Exchange, ...]


def pack_texts(played: PlayedFixture) -> bytes:
    """Return what is stored of them."""
    texts = _encode([*played.stderr, *played.answered, *played.exchanges])
    if len(texts) > _MOST:  # thousands of faults, each with a long line, or of long requests
        texts = _encode([*played.stderr, *map(without_words, played.exchanges)])
    return zlib.compress(texts, 1)


def unpack_texts(packed: bytes) -> Texts:
    """Return them again; raises a zlib or msgspec error if they are damaged."""
    texts = _decode(inflate(packed, _MOST)) if packed else ()
    return {
        "stderr": tuple(text for text in texts if isinstance(text, str)),
        "answered": tuple(text for text in texts if isinstance(text, tuple)),
        "exchanges": tuple(text for text in texts if isinstance(text, Exchange)),
    }
