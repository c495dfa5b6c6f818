"""The PNG pictures of a site: its verdict for other sites, the head-to-head of many bots."""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from struct import pack
from typing import TYPE_CHECKING, Literal

from arena.io import shipped
from arena.publish.data.results import HeadToHeadRow
from arena.publish.links import ascii_name
from arena.publish.pages.leaderboard import MatrixRow, tint

if TYPE_CHECKING:  # slow to import, and only a site with an address has a picture
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

RGB, INDEXED = 2, 3
"""The colour types: pixels are colours, or numbers of colours."""


def png(width: int, height: int, colours: int, chunks: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return a picture of 8 bits a channel; the chunks between its head and its end are given."""
    head = pack(">IIBBBBB", width, height, 8, colours, 0, 0, 0)
    whole = [(b"IHDR", head), *chunks, (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in whole)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data))


PICTURE = "podium.png"
WIDTH = 1200
HEIGHT = 630
EDGE = 72
"""Pixels left free on all sides."""
GROUND = (252, 251, 248)
INK = (28, 29, 34)
DICE = (168, 40, 58)
STEP = (231, 239, 248)
_PIPS = {1: "e", 2: "ai", 3: "aei", 4: "acgi", 5: "acegi", 6: "acdfgi"}
"""Which of the nine places of a die's face hold a pip, from a to i."""
DIE = 72
GAP = 12
_LINE = 96
_FIRST = 32
"""The code of the first glyph; the last is the tilde."""


def podium(league: str, verdict: str, bots: Sequence[str], dice: Sequence[int] = ()) -> bytes:
    """Return the picture: names are written in ASCII as well as they can be.

    `dice` are the faces of at most six dice that stand at the top, a moment of a game.
    """
    import numpy as np

    pixels = np.full((HEIGHT, WIDTH, 3), GROUND, np.uint8)
    pixels[:16] = DICE
    faces = WIDTH - EDGE - (DIE + GAP) * len(dice)
    write(pixels, EDGE, 48, league, faces)
    for place, face in enumerate(dice):
        draw_die(pixels, faces + GAP + (DIE + GAP) * place, 48, face)
    for line, words in enumerate(lines(verdict)):
        write(pixels, EDGE, 144 + 68 * line, words)
    for place, bot in enumerate(bots[:3], 1):
        top = 306 + (place - 1) * _LINE
        pixels[top - 8 : top + 80, EDGE - 24 : WIDTH - EDGE + 24] = STEP
        draw_die(pixels, EDGE, top, place)
        write(pixels, EDGE + 104, top, bot)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return png(WIDTH, HEIGHT, RGB, [(b"IDAT", zlib.compress(rows, 9))])


def lines(words: str) -> list[str]:
    """Return a text in at most two lines."""
    lines = [""]
    for word in ascii_name(words).split():
        longer = f"{lines[-1]} {word}".strip()
        width = sum(glyph.shape[1] for glyph in _shown(longer))
        if width <= WIDTH - 2 * EDGE:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines[:2]


@cache
def _glyphs() -> "dict[str, Pixels]":
    """Return how much of each pixel a letter covers, 0 to 255; reports/fonts/ has them."""
    import numpy as np

    data = zlib.decompress((shipped.folder("reports") / "fonts/glyphs.z").read_bytes())
    height = data[0]
    widths = data[1:96]
    at = 96
    glyphs = {}
    for number, width in enumerate(widths):
        rows = np.frombuffer(data, np.uint8, height * width, at)
        glyphs[chr(_FIRST + number)] = rows.reshape(height, width)
        at += height * width
    return glyphs


def _shown(words: str) -> "list[Pixels]":
    glyphs = _glyphs()
    return [glyphs.get(letter, glyphs["?"]) for letter in ascii_name(words) or "?"]


def write(pixels: "Pixels", left: int, top: int, words: str, right: int = WIDTH - EDGE) -> None:
    """Write as much of a text as fits."""
    import numpy as np

    ink = np.array(INK, np.uint16)
    for glyph in _shown(words):
        height, width = glyph.shape
        if left + width > right:
            return
        below = pixels[top : top + height, left : left + width]
        cover = glyph[:, :, None].astype(np.uint16)
        below[:] = (below * (255 - cover) + ink * cover) // 255
        left += width


def draw_die(
    pixels: "Pixels", left: int, top: int, face: int, colour: tuple[int, int, int] = DICE
) -> None:
    """Draw a die; the face 0 has no pips."""
    import numpy as np

    y, x = np.mgrid[:DIE, :DIE]
    edge = np.maximum(abs(x - 35.5), abs(y - 35.5)) <= 36
    corner = np.hypot(np.maximum(abs(x - 35.5) - 22, 0), np.maximum(abs(y - 35.5) - 22, 0)) <= 14
    part = pixels[top : top + DIE, left : left + DIE]
    part[edge & corner] = colour
    for name in _PIPS.get(face, ""):
        row, column = divmod("abcdefghi".index(name), 3)
        part[np.hypot(x - 17.5 - 18 * column, y - 17.5 - 18 * row) <= 7] = (255, 255, 255)


Scheme = Literal["light", "dark"]
Matrix = Iterable[MatrixRow[HeadToHeadRow]]

HEATMAP_WIDTH = 800
"""About so many pixels across, however many bots there are."""
_LARGEST = 16
"""Pixels of a pair's square at most."""
_FOOT = 5
"""One of so many of its lines is the bar of who is behind."""

_TINTS = "never self even behind-1 behind-2 behind-3 behind-4 ahead-1 ahead-2 ahead-3 ahead-4 bar"
"""By number of colour; pairs that never met are clear, so that the page shows through."""
_PALETTES: dict[Scheme, str] = {
    "light": "bdb8ab f4f1ea fbeedd f7dcb9 f1c48c e9a95c e6eff8 cbdff1 a6c9e8 7eb0dc 8f4a00",
    "dark": "4b5159 1d2026 2e251a 46341f 634521 835820 1b2733 1f374e 23496d 275d8e e8a860",
}
"""Orange to blue, which no common colour blindness confuses; the same as in style.css.

In grey the bar tells them apart: it is at the foot of every square of the orange ones.
"""
COLOURS = {
    scheme: dict(zip(_TINTS.split()[1:], palette.split(), strict=True))
    for scheme, palette in _PALETTES.items()
}


def heatmaps(matrix: Matrix, bots: int) -> dict[Scheme, bytes]:
    """Return the head-to-head table of so many bots as a PNG for each scheme, in its order."""
    block = max(1, min(_LARGEST, HEATMAP_WIDTH // bots))
    pixels = b"".join(b"\0" + line for line in chain.from_iterable(_pixel_lines(matrix, block)))
    drawn, width = zlib.compress(pixels, 9), bots * block
    pictures: dict[Scheme, bytes] = {}
    for scheme, colours in COLOURS.items():
        # Pixels are numbers of colours from 1; colour 0 is clear.
        palette = bytes(3) + bytes.fromhex("".join(colours.values()))
        chunks = [(b"PLTE", palette), (b"tRNS", b"\0"), (b"IDAT", drawn)]
        pictures[scheme] = png(width, width, INDEXED, chunks)
    return pictures


def _pixel_lines(matrix: Matrix, block: int) -> Iterator[list[bytes]]:
    """Yield the lines of pixels of each row of the table."""
    foot = block // _FOOT
    numbers = {name: number for number, name in enumerate(_TINTS.split())}
    squares = [bytes([number]) * block for number in numbers.values()]
    for at, row in enumerate(matrix):
        line = bytearray(len(row.cells))  # of pairs that never met
        for column, cell in enumerate(row.cells):
            if cell is not None:
                line[column] = numbers[tint(cell)]
        line[at] = numbers["self"]
        whole = b"".join(map(squares.__getitem__, line))
        barred = b"".join(
            squares[numbers["bar"]]
            if numbers["behind-1"] <= number <= numbers["behind-4"]
            else squares[number]
            for number in line
        )
        yield [whole] * (block - foot) + [barred] * foot
