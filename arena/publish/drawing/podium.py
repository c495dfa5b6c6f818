"""The picture that other sites show beside a link: the verdict and the first three bots, as PNG."""

import zlib
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from arena.io import shipped
from arena.publish.drawing.png import RGB, png
from arena.publish.output.ascii_names import ascii_name

if TYPE_CHECKING:  # slow to import, and only a site with an address has a picture
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

PICTURE = "podium.png"
WIDTH, HEIGHT = 1200, 630
_EDGE = 72
"""Pixels left free on all sides."""
_GROUND, _INK, _DICE, _STEP = (252, 251, 248), (28, 29, 34), (168, 40, 58), (231, 239, 248)
_PIPS = {1: ("e",), 2: ("a", "i"), 3: ("a", "e", "i")}
"""Which of the nine places of a die's face hold a pip, from a to i."""
_DIE = 72
_LINE = 96
_FIRST = 32
"""The code of the first glyph; the last is the tilde."""


def podium(league: str, verdict: str, bots: Sequence[str]) -> bytes:
    """Return the picture: names are written in ASCII as well as they can be."""
    import numpy as np

    pixels = np.full((HEIGHT, WIDTH, 3), _GROUND, np.uint8)
    pixels[:16] = _DICE
    _write(pixels, _EDGE, 48, league)
    for line, words in enumerate(_lines(verdict)):
        _write(pixels, _EDGE, 144 + 68 * line, words)
    for place, bot in enumerate(bots[:3], 1):
        top = 306 + (place - 1) * _LINE
        pixels[top - 8 : top + 80, _EDGE - 24 : WIDTH - _EDGE + 24] = _STEP
        _draw_die(pixels, _EDGE, top, place)
        _write(pixels, _EDGE + 104, top, bot)
    return _png(pixels)


def _lines(words: str) -> list[str]:
    """Return a text in at most two lines."""
    lines = [""]
    for word in ascii_name(words).split():
        longer = f"{lines[-1]} {word}".strip()
        if _width(longer) <= WIDTH - 2 * _EDGE:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines[:2]


@cache
def _glyphs() -> "dict[str, Pixels]":
    """Return how much of each pixel a letter covers, 0 to 255; reports/fonts/ has them."""
    import numpy as np

    data = zlib.decompress((shipped.folder("reports") / "fonts/glyphs.z").read_bytes())
    height, widths, at = data[0], data[1:96], 96
    glyphs = {}
    for number, width in enumerate(widths):
        rows = np.frombuffer(data, np.uint8, height * width, at)
        glyphs[chr(_FIRST + number)] = rows.reshape(height, width)
        at += height * width
    return glyphs


def _shown(words: str) -> "list[Pixels]":
    glyphs = _glyphs()
    return [glyphs.get(letter, glyphs["?"]) for letter in ascii_name(words) or "?"]


def _width(words: str) -> int:
    return sum(glyph.shape[1] for glyph in _shown(words))


def _write(pixels: "Pixels", left: int, top: int, words: str) -> None:
    """Write as much of a text as fits."""
    import numpy as np

    ink = np.array(_INK, np.uint16)
    for glyph in _shown(words):
        height, width = glyph.shape
        if left + width > WIDTH - _EDGE:
            return
        below = pixels[top : top + height, left : left + width]
        cover = glyph[:, :, None].astype(np.uint16)
        below[:] = (below * (255 - cover) + ink * cover) // 255
        left += width


def _draw_die(pixels: "Pixels", left: int, top: int, face: int) -> None:
    import numpy as np

    y, x = np.mgrid[:_DIE, :_DIE]
    edge = np.maximum(abs(x - 35.5), abs(y - 35.5)) <= 36
    corner = np.hypot(np.maximum(abs(x - 35.5) - 22, 0), np.maximum(abs(y - 35.5) - 22, 0)) <= 14
    part = pixels[top : top + _DIE, left : left + _DIE]
    part[edge & corner] = _DICE
    for name in _PIPS[face]:
        row, column = divmod("abcdefghi".index(name), 3)
        part[np.hypot(x - 17.5 - 18 * column, y - 17.5 - 18 * row) <= 7] = (255, 255, 255)


def _png(pixels: "Pixels") -> bytes:
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return png(WIDTH, HEIGHT, RGB, [(b"IDAT", zlib.compress(rows, 9))])
