"""The hands of a table that a page shows."""

import re

_HAND = re.compile(r'<div class="hand">(.*?)</div>', re.DOTALL)
_FACE = re.compile(r'href="#die-(\d)"')


def hands_in(html: str) -> list[list[int]]:
    """Return the faces that each seat shows; the die of a bid belongs to no seat."""
    return [[int(face) for face in _FACE.findall(hand)] for hand in _HAND.findall(html)]
