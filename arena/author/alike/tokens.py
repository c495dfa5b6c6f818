"""Source as tokens that stay the same when names, literals, comments and layout change.

With the lexers of Pygments, the pairs of sample bots, of kits and of the tests' copies share the
same places, and one more of 18 tokens; but they take 6 to 12 times as long, and `arena alike` of
two bots with 200 KB each 2.7 s instead of 1.0 s (`python -m benchmarks.alike --sizes 200`).
"""

import re
from functools import cache
from typing import NamedTuple

from arena.author.alike.languages import Language

NAME, NUMBER, STRING = "x", "0", "s"
"""Stand for all names but keywords, all numbers and all strings."""
_LAYOUT = frozenset("{};,\\")
"""Signs that a formatter adds and removes."""


class Token(NamedTuple):
    """A token, and the line that it begins in, from 1."""

    text: str
    line: int


def tokenize(source: str, language: Language) -> list[Token]:
    """Return the tokens of any text, also of one that is no valid source."""
    tokens, line, counted = list[Token](), 1, 0
    for match in _pattern(language).finditer(source):
        text = _normal(match, language)
        if text:
            line += source.count("\n", counted, match.start())
            counted = match.start()
            tokens.append(Token(text, line))
    return tokens


def _normal(match: re.Match[str], language: Language) -> str:
    text = match.group()
    match match.lastgroup:
        case "string":
            return STRING
        case "number":
            return NUMBER
        case "name":
            return text if text in language.keywords else NAME
        case "sign":
            return "" if text in _LAYOUT else text
        case _:
            return ""


@cache
def _pattern(language: Language) -> re.Pattern[str]:
    """Return what a token is; comments come first, since a string may begin in one."""
    return re.compile(
        f"(?P<comment>{'|'.join(language.comments)})"
        f"|(?P<string>{'|'.join(language.strings)})"
        r"|(?P<number>\d[\w.]*)|(?P<name>[^\W\d]\w*)|(?P<sign>[^\w\s])"
    )
