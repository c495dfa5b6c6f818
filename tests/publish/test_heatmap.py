"""The picture of a head-to-head: its pixels against the table that it stands for."""

import re
import zlib
from itertools import product
from struct import unpack

import pytest

from arena.io import shipped
from arena.publish.data.results import HeadToHeadRow
from arena.publish.pages.leaderboard import MatrixRow
from arena.publish.pages.pictures import COLOURS, Scheme, heatmaps

CLEAR = "clear"


def cell(share: float, games: int = 100) -> HeadToHeadRow:
    low, high = (0.4, 0.6) if share == 0.5 else (share, share)
    return HeadToHeadRow("a", "b", round(share * games), games, share, low, high)


def decoded(data: bytes) -> list[list[str]]:
    """The colours of a PNG's pixels, line by line; every checksum is looked at."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (length,), kind = unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        chunks[kind] = data[at + 8 : at + 8 + length]
        (sum_,) = unpack(">I", data[at + 8 + length : at + 12 + length])
        assert sum_ == zlib.crc32(kind + chunks[kind])
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"]
    width, height, *rest = unpack(">IIBBBBB", chunks[b"IHDR"])
    assert rest == [8, 3, 0, 0, 0]
    colours = [chunks[b"PLTE"][n : n + 3].hex() for n in range(0, len(chunks[b"PLTE"]), 3)]
    assert chunks[b"tRNS"] == b"\0"
    colours[0] = CLEAR
    raw = zlib.decompress(chunks[b"IDAT"])
    lines = [raw[n : n + width + 1] for n in range(0, len(raw), width + 1)]
    assert len(lines) == height
    assert {line[0] for line in lines} == {0}
    return [[colours[pixel] for pixel in line[1:]] for line in lines]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_pair_is_a_square_in_the_colour_of_its_tint(scheme: Scheme) -> None:
    matrix = [
        MatrixRow("a", (None, cell(1.0), cell(0.5))),
        MatrixRow("b", (cell(0.0), None, None)),
        MatrixRow("c", (cell(0.42), None, None)),
    ]
    colours = COLOURS[scheme]
    own = colours["self"]
    expected = [
        [own, colours["ahead-4"], colours["even"]],
        [colours["behind-4"], own, CLEAR],
        [colours["behind-1"], CLEAR, own],
    ]
    pixels = decoded(heatmaps(matrix, 3)[scheme])
    assert len(pixels) == len(pixels[0]) == 3 * 16
    behind = {colours["behind-1"], colours["behind-4"]}
    for y, x in product(range(48), range(48)):
        tint = expected[y // 16][x // 16]
        in_grey = y % 16 > 12 and tint in behind
        assert pixels[y][x] == (colours["bar"] if in_grey else tint)


@pytest.mark.parametrize(("bots", "width"), [(31, 496), (200, 800), (900, 900)])
def test_heatmap_size_is_bounded(bots: int, width: int) -> None:
    matrix = [MatrixRow[HeadToHeadRow](f"{n}", (None,) * bots) for n in range(bots)]
    pixels = decoded(heatmaps(matrix, bots)["light"])
    assert len(pixels) == len(pixels[0]) == width


def test_the_picture_and_the_table_have_the_same_colours() -> None:
    css = (shipped.folder("reports") / "style.css").read_text()
    light, dark = (
        dict(re.findall(r"--((?:ahead|behind)-\d|raised|strong-line|fault): #(\w{6});", part))
        for part in css.split("prefers-color-scheme: dark", 1)
    )
    for names in (light, dark):
        names["even"], names["self"] = names.pop("raised"), names.pop("strong-line")
        names["bar"] = names.pop("fault")
    assert {"light": light, "dark": dark} == COLOURS
