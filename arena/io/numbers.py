"""Whole numbers as others wrote them."""


def whole_number(text: str, digits: int = 9) -> int | None:
    """Return the number that so many ASCII digits write at most; None for any other text."""
    short = text.isascii() and text.isdecimal() and len(text) <= digits
    return int(text) if short else None
