"""Names that readers can tell apart: visible, of one script, and no two that look alike.

`unicode.json` has what Unicode says of scripts and of confusable characters (UTS #39);
`python -m tests.bots.unicode_tables` makes it.
"""

import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

_TABLES = Path(__file__).with_name("unicode.json")
_MIXED = (
    frozenset({"Han", "Hiragana", "Katakana"}),
    frozenset({"Han", "Hangul"}),
    frozenset({"Han", "Bopomofo"}),
)
"""Scripts that one language is written in together (UTS #39, section 5.1)."""
_ANY = frozenset({"Common", "Inherited"})
"""Unicode's names for signs and marks of all scripts."""
_BLANK_BRAILLE = "\u2800"
_STAND_IN = "bot"
"""The suggestion for a text without an acceptable character."""


class _Tables(Struct, frozen=True):
    """The tables in `unicode.json`; ranges are lists of first, last, first, last and so on."""

    ignorable: list[int]
    prototypes: dict[str, str]
    """Texts, and the characters that look like each."""
    scripts: dict[str, list[int]]


def flaw(text: str) -> str:
    """Return why readers could take a text for another one; "" if they could not."""
    for character in text:
        if _is_unseen(character):
            return f"has a character that does not show (U+{ord(character):04X})"
    if text != " ".join(text.split(" ")).strip() or "  " in text:
        return "has spaces at an end, or several in a row"
    if text and unicodedata.category(text[0]).startswith("M"):
        return "begins with a combining mark"
    if not unicodedata.is_normalized("NFC", text):
        return "is not composed (Unicode's form NFC)"
    scripts = _scripts(text)
    if len(scripts) > 1 and not any(scripts <= together for together in _MIXED):
        return f"mixes {' and '.join(sorted(scripts))} characters"
    return ""


def acceptable(text: str) -> str:
    """Return the nearest text without a flaw."""
    shown = (char for char in text if char.isspace() or not _is_unseen(char))
    seen = "".join(" " if char.isspace() else char for char in shown)
    for candidate in (_composed(seen), _composed(_in_mainscript(_composed(seen)))):
        if candidate and not flaw(candidate):
            return candidate
    return _STAND_IN


def skeleton(text: str) -> str:
    """Return a text that is the same for all texts that look alike (UTS #39, section 4).

    Beyond the standard, wide, raised and circled forms of a character equal the character.
    """
    while (simpler := _with_prototypes(text)) != text:
        text = simpler
    return text


def looks_like(name: str, others: Collection[str]) -> str:
    """Return one of the others that looks like a name, "" if none does.

    Names that differ by case, or by 0 in place of o, look alike, too.
    """
    skeletons = _caseless_skeletons(name)
    alike = (other for other in sorted(others) if skeletons & _caseless_skeletons(other))
    return next(alike, "")


@lru_cache(maxsize=10_000)
def _caseless_skeletons(name: str) -> frozenset[str]:
    """Return the skeletons of a name, as it is written and in small letters.

    The first matters because I looks like l. The skeleton of 0 is O.
    """
    return frozenset(skeleton(text).lower() for text in (name, name.lower()))


def _with_prototypes(text: str) -> str:
    prototypes = _prototypes()
    decomposed = unicodedata.normalize("NFKD", text)
    mapped = "".join(prototypes.get(char, char) for char in decomposed if not _is_ignorable(char))
    return unicodedata.normalize("NFD", mapped)


def _in_mainscript(text: str) -> str:
    """Replace characters of other scripts than the most frequent by those that look like them."""
    counts = Counter(name for name in map(script, text) if name not in _ANY)
    main = counts.most_common(1)[0][0] if counts else "Latin"
    allowed = {main, *_ANY}
    alike = ((char, skeleton(char)) for char in text)
    return "".join(
        char if script(char) in allowed else other
        for char, other in alike
        if script(char) in allowed or _scripts(other) <= {main}
    )


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


def _is_unseen(character: str) -> bool:
    """Tell whether a character shows nothing, or not the same everywhere; a space does."""
    category = unicodedata.category(character)
    blank = character == _BLANK_BRAILLE or (category[0] == "Z" and character != " ")
    return blank or category[0] == "C" or _is_ignorable(character)


def _scripts(text: str) -> frozenset[str]:
    return frozenset(map(script, text)) - _ANY


def script(character: str) -> str:
    """Return the script of a character in Unicode's words, as "Latin" or "Common"."""
    starts, scripts = _script_ranges()
    return scripts[bisect_right(starts, ord(character)) - 1]


def _is_ignorable(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _pairs(_tables().ignorable))


@cache
def _tables() -> _Tables:
    return msgspec.json.decode(_TABLES.read_bytes(), type=_Tables)


@cache
def _prototypes() -> dict[str, str]:
    pairs = _tables().prototypes.items()
    return {character: prototype for prototype, alike in pairs for character in alike}


@cache
def _script_ranges() -> tuple[list[int], list[str]]:
    """Return where runs of characters of a script begin, and which script each is."""
    runs = [(0, "Common")]
    for name, ends in _tables().scripts.items():
        for first, last in _pairs(ends):
            runs += [(first, name), (last + 1, "")]
    # Where one ends and another begins, the other stays: it is sorted after "".
    ordered = dict(sorted(runs))
    return list(ordered), [name or "Unknown" for name in ordered.values()]


def _pairs(ends: Sequence[int]) -> Iterable[tuple[int, int]]:
    return zip(ends[::2], ends[1::2], strict=True)
