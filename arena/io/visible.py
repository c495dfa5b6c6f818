"""Text that a browser or a terminal would obey, hide or stumble over, spelled out."""

import unicodedata

_KEPT = "\n\t"
_INVISIBLE = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Unicode categories that a browser or terminal would obey, hide or stumble over, not show."""


class _Visible(dict[int, str | int]):
    """A table for str.translate, filled as characters occur."""

    def __missing__(self, code: int) -> str | int:
        char = chr(code)
        if char in _KEPT or unicodedata.category(char) not in _INVISIBLE:
            self[code] = code
        else:  # an escape: any font has its letters
            self[code] = f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
        return self[code]


_TABLE = _Visible()


def visible(text: str) -> str:
    """Spell out control, format and unpaired characters, to be seen; keep line breaks and tabs."""
    # All of Python's printable characters are visible, and isprintable is much faster.
    return text if text.isprintable() else text.translate(_TABLE)
