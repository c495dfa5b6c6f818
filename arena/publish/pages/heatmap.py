"""The head-to-head of many bots as one picture: a square per pair, in the tints of the table."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from struct import pack
from typing import Literal

from arena.publish.pages.leaderboard import MatrixRow, tint

Scheme = Literal["light", "dark"]

WIDTH = 800
"""About so many pixels across, however many bots there are."""
_LARGEST = 16
"""Pixels of a pair's square at most."""
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_INDEXED = 3
"""The colour type of a PNG whose pixels are numbers of colours."""

COLOURS: dict[Scheme, dict[str, str]] = {
    "light": {
        "self": "#b9bab4",
        "even": "#f3f3ef",
        "behind-1": "#fbeedd",
        "behind-2": "#f7dcb9",
        "behind-3": "#f1c48c",
        "behind-4": "#e9a95c",
        "ahead-1": "#e6eff8",
        "ahead-2": "#cbdff1",
        "ahead-3": "#a6c9e8",
        "ahead-4": "#7eb0dc",
    },
    "dark": {
        "self": "#4a5057",
        "even": "#1e2125",
        "behind-1": "#2e251a",
        "behind-2": "#46341f",
        "behind-3": "#634521",
        "behind-4": "#835820",
        "ahead-1": "#1b2733",
        "ahead-2": "#1f374e",
        "ahead-3": "#23496d",
        "ahead-4": "#275d8e",
    },
}
"""Orange to blue, which no common colour blindness confuses; the same as in style.css."""
_TINTS = ["never", *COLOURS["light"]]
"""Colours by number; pairs that never met are clear, so that the page shows through."""


def heatmaps(matrix: Sequence[MatrixRow]) -> dict[Scheme, bytes]:
    """Return a head-to-head table as a PNG for each scheme, rows and columns in its order."""
    block = max(1, min(_LARGEST, WIDTH // len(matrix)))
    pixels = b"".join(b"\0" + line for line in chain.from_iterable(_lines(matrix, block)))
    drawn, width = zlib.compress(pixels, 9), len(matrix) * block
    return {scheme: _png(width, drawn, colours) for scheme, colours in COLOURS.items()}


def _lines(matrix: Sequence[MatrixRow], block: int) -> Iterator[list[bytes]]:
    """Yield the lines of pixels of each row of the table."""
    for at, row in enumerate(matrix):
        tints = ["never" if cell is None else tint(cell) for cell in row.cells]
        tints[at] = "self"
        yield [b"".join(bytes([_TINTS.index(name)]) * block for name in tints)] * block


def _rgb(colour: str) -> bytes:
    return bytes.fromhex(colour.removeprefix("#"))


def _png(width: int, drawn: bytes, colours: Mapping[str, str]) -> bytes:
    """Return a square PNG of compressed pixels, numbers of colours from 1; colour 0 is clear."""
    return b"".join(
        [
            _SIGNATURE,
            _chunk(b"IHDR", pack(">IIBBBBB", width, width, 8, _INDEXED, 0, 0, 0)),
            _chunk(b"PLTE", bytes(3) + b"".join(map(_rgb, colours.values()))),
            _chunk(b"tRNS", b"\0"),
            _chunk(b"IDAT", drawn),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data))
