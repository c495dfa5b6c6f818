"""Long output of programs, of which a part is shown, with the size of the rest."""

from arena.bots.sandboxes.run_once import TAIL_BYTES
from arena.io.numbers import size_text

IN_ALL = 1_048_576
"""Bytes of all steps that are shown."""
LEAST = 200
"""Bytes of a step that are shown even if those of all steps are used up."""


class Capped:
    """Lets the beginning of each step through, and counts the bytes that it leaves out."""

    def __init__(self, per_step: int) -> None:
        self._per_step = self._room = per_step
        self._left = IN_ALL
        self._left_out = 0

    def take(self, chunk: bytes) -> bytes:
        """Return what may be shown of the next bytes of a step."""
        shown = chunk[: self._room]
        self._room -= len(shown)
        self._left -= len(shown)
        self._left_out += len(chunk) - len(shown)
        return shown

    def end_step(self) -> int:
        """Begin the next step; returns how many bytes of this one were left out."""
        left_out, self._left_out = self._left_out, 0
        self._room = max(LEAST, min(self._per_step, self._left))
        return left_out


def left_out(size: int, of: str = "") -> str:
    """Say that so many bytes are not shown."""
    return f"... {size_text(size)} more{of and f' of {of}'} left out"


def end_of(text: str, size: int, of: str) -> str:
    """Return text of which at least the last TAIL_BYTES were kept, after what is missing of it.

    `size` is how many bytes there were.
    """
    missing = size - len(text.encode("utf-8", "replace"))
    return f"{left_out(missing, of)}\n{text}" if size > TAIL_BYTES and missing > 0 else text
