"""Numbers at a terminal: they are rounded as on pages, and written in ASCII."""

from arena.publish import text


def percent(share: float) -> str:
    """Return a share (0 to 1) in per cent, with one decimal."""
    return text.percent(share).replace("\u202f", " ")


def signed(value: float) -> str:
    """Return a number with its sign and two decimals; zero has none."""
    return text.signed(value).replace("\u2212", "-")


def fixed(value: float) -> str:
    """Return a number with two decimals."""
    return signed(value).removeprefix("+")
