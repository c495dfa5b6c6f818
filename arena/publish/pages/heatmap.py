"""The head-to-head of many bots as one picture: a square per pair, in the tints of the table."""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Literal

from arena.publish.data.result_rows import HeadToHeadRow
from arena.publish.drawing.png import INDEXED, png
from arena.publish.pages.leaderboard import MatrixRow, tint

Scheme = Literal["light", "dark"]
Matrix = Iterable[MatrixRow[HeadToHeadRow]]

WIDTH = 800
"""About so many pixels across, however many bots there are."""
_LARGEST = 16
"""Pixels of a pair's square at most."""

_TINTS = "never self even behind-1 behind-2 behind-3 behind-4 ahead-1 ahead-2 ahead-3 ahead-4"
"""By number of colour; pairs that never met are clear, so that the page shows through."""
_PALETTES: dict[Scheme, str] = {
    "light": "bdb8ab f4f1ea fbeedd f7dcb9 f1c48c e9a95c e6eff8 cbdff1 a6c9e8 7eb0dc",
    "dark": "4b5159 1d2026 2e251a 46341f 634521 835820 1b2733 1f374e 23496d 275d8e",
}
"""Orange to blue, which no common colour blindness confuses; the same as in style.css."""
COLOURS = {
    scheme: dict(zip(_TINTS.split()[1:], palette.split(), strict=True))
    for scheme, palette in _PALETTES.items()
}


def heatmaps(matrix: Matrix, bots: int) -> dict[Scheme, bytes]:
    """Return the head-to-head table of so many bots as a PNG for each scheme, in its order."""
    block = max(1, min(_LARGEST, WIDTH // bots))
    pixels = b"".join(b"\0" + line for line in chain.from_iterable(_lines(matrix, block)))
    drawn, width = zlib.compress(pixels, 9), bots * block
    return {scheme: _png(width, drawn, colours) for scheme, colours in COLOURS.items()}


def _lines(matrix: Matrix, block: int) -> Iterator[list[bytes]]:
    """Yield the lines of pixels of each row of the table."""
    numbers = {name: number for number, name in enumerate(_TINTS.split())}
    squares = [bytes([number]) * block for number in numbers.values()]
    for at, row in enumerate(matrix):
        line = bytearray(len(row.cells))  # of pairs that never met
        for column, cell in enumerate(row.cells):
            if cell is not None:
                line[column] = numbers[tint(cell)]
        line[at] = numbers["self"]
        yield [b"".join(map(squares.__getitem__, line))] * block


def _png(width: int, drawn: bytes, colours: Mapping[str, str]) -> bytes:
    """Return a square PNG of compressed pixels, numbers of colours from 1; colour 0 is clear."""
    palette = bytes(3) + bytes.fromhex("".join(colours.values()))
    chunks = [(b"PLTE", palette), (b"tRNS", b"\0"), (b"IDAT", drawn)]
    return png(width, width, INDEXED, chunks)
