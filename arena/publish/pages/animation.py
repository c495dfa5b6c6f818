"""A stored game as an animated picture (GIF 89a): a frame for each step of its replay."""

from collections.abc import Iterator, Sequence
from struct import pack
from typing import TYPE_CHECKING, NamedTuple

from arena.game.rules.books import PACO
from arena.game.rules.explain import there
from arena.game.rules.round import Bid
from arena.game.table import counted_faces
from arena.publish.pages.pictures import DICE, DIE, EDGE, GAP, GROUND, STEP, WIDTH, draw_die, write
from arena.publish.replay_steps import Replay, Step

if TYPE_CHECKING:  # slow to import, and only this command draws
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

_QUIET = (140, 140, 146)
"""The colour of dice that do not count, or are not seen."""
_HALF = 2
"""It is drawn so many times as large as it is written, which smooths it."""
_TOP = 120
"""Pixels of the bid, as it is drawn."""
_ROW = 96
"""Those of each seat."""
_FOOT = 96
"""Those of the words."""
_NAME = EDGE
"""Where names begin."""
_HAND = 440
"""Where dice begin."""
_DID = 900
"""Where the seat's last bid begins."""
_SECOND = 100
"""A frame's time is in hundredths of a second."""
_TIMES = {"round": _SECOND, "bid": _SECOND, "call": 3 * _SECOND, "fault": 3 * _SECOND}
_END = 5 * _SECOND
_CODES = 4096
"""The codes of GIF have twelve bits at most."""


def animation(game: Replay, seats: Sequence[str], rounds: int | None = None) -> bytes:
    """Return a game as a picture that repeats; of the last `rounds` alone, if that is given.

    `seats` are the names, written in ASCII as well as they can be. Dice are seen once called.
    """
    import numpy as np

    frames = list(_frames(game, seats, rounds))
    colours = np.unique(np.concatenate([np.unique(frame.pixels) for frame in frames]))[:256]
    palette = bytes(17 * (int(one) >> shift & 15) for one in colours for shift in (8, 4, 0)).ljust(
        768, b"\0"
    )
    height, width = frames[0].pixels.shape
    parts = [b"GIF89a", pack("<HHBBB", width, height, 0xF7, 0, 0), palette, _REPEATS]
    before = None
    for frame in frames:
        picture = np.searchsorted(colours, frame.pixels).clip(0, len(colours) - 1).astype(np.uint8)
        parts.append(_part(picture, before, frame.time))
        before = picture
    return b"".join([*parts, b";"])


_REPEATS = b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"


class _Frame(NamedTuple):
    pixels: "NDArray[np.uint16]"
    """Four bits of each colour."""
    time: int


def _frames(game: Replay, seats: Sequence[str], rounds: int | None) -> Iterator[_Frame]:
    first = 0 if rounds is None else max(0, len(game.rounds) - rounds)
    bids: dict[int, Bid] = {}
    last: Bid | None = None
    for step in game.steps:
        if step.kind == "round":
            bids, last = {}, None
        elif step.kind == "bid":
            bids[step.seat] = last = Bid(step.quantity, step.face)
        if step.round is not None and step.round >= first:
            pixels = _halved(_drawn(game, step, seats, bids, last))
            yield _Frame(pixels, _TIMES.get(step.kind, _END))


def _drawn(
    game: Replay, step: Step, seats: Sequence[str], bids: dict[int, Bid], last: Bid | None
) -> "Pixels":
    import numpy as np

    height = _TOP + _ROW * len(seats) + _FOOT
    pixels = np.full((height, WIDTH, 3), GROUND, np.uint8)
    rolled = game.rounds[step.round or 0]
    seen = step.kind in {"call", "end"}
    counted = counted_faces(last, PACO if rolled.wild else None) if seen else set()
    write(pixels, EDGE, 32, f"Round {rolled.number + 1}")
    if last:
        _draw_bid(pixels, _HAND, 24, last)
    for seat, (name, hand) in enumerate(zip(seats, rolled.dice, strict=True)):
        top = _TOP + _ROW * seat
        if seat == step.seat:
            pixels[top : top + _ROW - 8] = STEP
        write(pixels, _NAME, top + 8, name, _HAND - GAP)
        pitch = min(DIE + GAP, (_DID - _HAND) // max(1, len(hand)))
        for place, face in enumerate(sorted(hand)):
            colour = DICE if face in counted else _QUIET
            draw_die(pixels, _HAND + pitch * place, top + 8, face if seen else 0, colour)
        if seat in bids and step.kind != "end":
            _draw_bid(pixels, _DID, top + 8, bids[seat])
    write(pixels, EDGE, _TOP + _ROW * len(seats) + 8, _words(step, seats))
    return pixels


def _draw_bid(pixels: "Pixels", left: int, top: int, bid: Bid) -> None:
    write(pixels, left, top, f"{bid.quantity} x")
    draw_die(pixels, left + 64 + 32 * len(str(bid.quantity)), top, bid.face)


def _words(step: Step, seats: Sequence[str]) -> str:
    """Return what happens, short enough for a line."""
    name = seats[step.seat]
    match step.kind:
        case "end":
            return f"{name} wins"
        case "call":
            return f"{name} calls {step.word}: {there(step.count or 0)}"
        case "fault":
            return f"{name} is out: {step.word}"
        case "bid":
            return f"{name} bids"
    return f"{name} opens"


def _halved(pixels: "Pixels") -> "NDArray[np.uint16]":
    """Return a picture of half the size, in twelve bits."""
    import numpy as np

    whole = pixels.astype(np.uint16)
    upper, lower = whole[::_HALF], whole[1::_HALF]
    sums = upper[:, ::_HALF] + upper[:, 1::_HALF] + lower[:, ::_HALF] + lower[:, 1::_HALF]
    levels = np.minimum(sums // _HALF**2 + 8, 255) >> 4
    made: NDArray[np.uint16] = (levels[..., 0] << 8) | (levels[..., 1] << 4) | levels[..., 2]
    return made


def _part(picture: "Pixels", before: "Pixels | None", time: int) -> bytes:
    """Return a frame: the rectangle in which it differs from the one before it."""
    import numpy as np

    top = left = 0
    bottom, right = picture.shape
    if before is not None:
        rows, columns = np.nonzero(picture != before)
        if len(rows):
            top, bottom = rows.min(), rows.max() + 1
            left, right = columns.min(), columns.max() + 1
        else:
            bottom, right = 1, 1
    part = np.ascontiguousarray(picture[top:bottom, left:right])
    head = pack("<BBBBHBB", 0x21, 0xF9, 4, 4, time, 0, 0)
    place = pack("<BHHHHB", 0x2C, left, top, right - left, bottom - top, 0)
    packed = lzw(part.tobytes())
    blocks = (packed[at : at + 255] for at in range(0, len(packed), 255))
    return b"".join([head, place, b"\x08", *(bytes([len(one)]) + one for one in blocks), b"\0"])


def lzw(pixels: bytes) -> bytes:
    """Return pixels in the LZW of GIF (appendix F of its specification), of bytes."""
    clear, end = 256, 257
    bits = held = 0
    width = 9
    made = bytearray()
    known: dict[int, int] = {}  # codes, by the code before a pixel and the pixel

    def put(code: int) -> None:
        nonlocal bits, held
        bits |= code << held
        held += width
        while held >= 8:
            made.append(bits & 255)
            bits >>= 8
            held -= 8

    put(clear)
    code, free = pixels[0], end + 1
    for pixel in pixels[1:]:
        longer = known.get(code << 8 | pixel)
        if longer is not None:
            code = longer
            continue
        put(code)
        if free < _CODES:
            known[code << 8 | pixel] = free
            width = max(width, free.bit_length())
            free += 1
        else:
            put(clear)
            known = {}
            free, width = end + 1, 9
        code = pixel
    put(code)
    put(end)
    if held:
        made.append(bits & 255)
    return bytes(made)
