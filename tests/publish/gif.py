"""Reads GIF 89a as its specification says, slowly."""

from struct import unpack
from typing import NamedTuple


class Gif(NamedTuple):
    """An animated picture."""

    width: int
    height: int
    pictures: list[bytes]
    """The colours of all pixels, by number, after each frame."""
    times: list[int]
    repeats: bool


def read(data: bytes) -> Gif:
    """Return the frames of a picture with one palette of 256 colours."""
    assert data[:6] == b"GIF89a"
    width, height, flags = unpack("<HHB", data[6:11])
    assert flags == 0xF7
    at, shown = 13 + 768, bytearray(width * height)
    gif = Gif(width, height, [], [], repeats=b"NETSCAPE2.0\x03\x01\0\0" in data)
    while data[at : at + 1] != b";":
        if data[at] == 0x21:
            if data[at + 1] == 0xF9:
                gif.times.append(unpack("<H", data[at + 4 : at + 6])[0])
            _, at = blocks(data, at + 2)
            continue
        assert data[at] == 0x2C
        left, top, across, down, _ = unpack("<HHHHB", data[at + 1 : at + 10])
        packed, at = blocks(data, at + 11)
        part = unpacked(packed)
        assert len(part) == across * down
        for row in range(down):
            begin = (top + row) * width + left
            shown[begin : begin + across] = part[row * across : (row + 1) * across]
        gif.pictures.append(bytes(shown))
    assert at == len(data) - 1
    return gif


def blocks(data: bytes, at: int) -> tuple[bytes, int]:
    """Return what blocks hold, and where they end."""
    held = b""
    while length := data[at]:
        held += data[at + 1 : at + 1 + length]
        at += 1 + length
    return held, at + 1


def unpacked(packed: bytes) -> bytes:
    """Return pixels of LZW, of bytes."""
    number, at, width = int.from_bytes(packed, "little"), 0, 9
    table: list[bytes] = []
    made: list[bytes] = []
    before = b""
    while True:
        code = number >> at & (1 << width) - 1
        at += width
        if code == 256:
            table, width, before = [bytes([one]) for one in range(256)] + [b"", b""], 9, b""
            continue
        if code == 257:
            return b"".join(made)
        entry = table[code] if code < len(table) else before + before[:1]
        if before and len(table) < 4096:
            table.append(before + entry[:1])
        if len(table) == 1 << width and width < 12:
            width += 1
        made.append(entry)
        before = entry
