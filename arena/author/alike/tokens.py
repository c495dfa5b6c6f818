"""Source as tokens that stay the same when names, literals, comments and layout change.

With the lexers of Pygments, the pairs of sample bots, of kits and of the tests' copies share the
same places, and one more of 18 tokens; but they take 6 to 12 times as long, and `arena alike` of
two bots with 200 KB each 2.7 s instead of 1.0 s (`python -m benchmarks.alike --sizes 200`).
"""

import keyword
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

_C_COMMENTS = (r"//[^\n]*", r"/\*(?s:.*?)(?:\*/|\Z)")
_QUOTED = (r'"(?:\\.|[^"\\\n])*"?', r"'(?:\\.|[^'\\\n])*'?")
"""A string ends with its line at the latest."""
_C_LIKE = (
    "break case continue default do else enum false for if import null return static struct switch"
    " this true while"
)
_RAW = r"`[^`]*`?"
_TEMPLATE = r"`(?:\\.|[^`\\])*`?"
NAME = "x"
"""Stands for every name that is no keyword."""
NUMBER = "0"
STRING = "s"
_LAYOUT = frozenset("{};,\\")
"""Signs that a formatter adds and removes."""


class Language(Struct, frozen=True):
    """Comments and strings as regular expressions, and the keywords."""

    name: str
    comments: tuple[str, ...]
    strings: tuple[str, ...]
    keywords: frozenset[str]


def _language(name: str, keywords: str, comments: tuple[str, ...], *strings: str) -> Language:
    return Language(name, comments, (*strings, *_QUOTED), frozenset(keywords.split()))


_LANGUAGES: dict[Language, str] = {
    _language(
        "Python",
        " ".join([*keyword.kwlist, "match", "case"]),
        # A text in three quotes is nearly always one about the code.
        (r"#[^\n]*", r'(?s:""".*?(?:"""|\Z))', r"(?s:'''.*?(?:'''|\Z))"),
    ): ".py",
    _language(
        "JavaScript",
        f"{_C_LIKE} async await catch class const delete export extends finally function in"
        " instanceof interface let new of super throw try type typeof undefined var void yield",
        _C_COMMENTS,
        _TEMPLATE,
    ): ".js .mjs .cjs .jsx .ts .mts .cts .tsx",
    _language(
        "C",
        f"{_C_LIKE} auto bool catch char class const define delete double extern float goto ifdef"
        " ifndef endif include inline int long namespace new NULL private public register short"
        " signed sizeof template throw try typedef union unsigned using void volatile",
        _C_COMMENTS,
    ): ".c .h .cc .cpp .cxx .hh .hpp",
    _language(
        "Rust",
        f"{_C_LIKE} as async await const crate dyn extern fn impl in let loop match mod move mut"
        " pub ref self Self super trait type unsafe use where",
        _C_COMMENTS,
        # A lifetime is not the beginning of a text.
        r'r#"(?s:.*?)(?:"#|\Z)',
        r"'(?=\w+\b(?!'))",
    ): ".rs",
    _language(
        "Java",
        f"{_C_LIKE} abstract boolean byte catch char class double extends final finally float"
        " implements instanceof int interface long new package private protected public record"
        " short super synchronized throw throws try var void yield",
        _C_COMMENTS,
        r'"""(?s:.*?)(?:"""|\Z)',
    ): ".java",
    _language(
        "Go",
        f"{_C_LIKE} chan const defer fallthrough func go goto interface map nil package range"
        " select type var",
        _C_COMMENTS,
        _RAW,
    ): ".go",
    _language(
        "C#",
        f"{_C_LIKE} abstract as async await base bool byte catch char class const double finally"
        " float foreach in int interface internal is long namespace new object out override"
        " params private protected public readonly record ref sealed short string throw try using"
        " var virtual void yield",
        _C_COMMENTS,
    ): ".cs",
    _language(
        "shell",
        "break case continue do done echo elif else esac eval exec exit export false fi for"
        " function if in local printf read return set shift test then trap true unset until while",
        (r"(?<![^\s;])#[^\n]*",),
    ): ".sh .bash",
}
_BY_ENDING = {
    ending: language for language, endings in _LANGUAGES.items() for ending in endings.split()
}
NAMES = tuple(language.name for language in _LANGUAGES)


def language_of(path: Path) -> Language | None:
    """Return the language of a file by the ending of its name, None if it is no source."""
    return _BY_ENDING.get(path.suffix.lower())


class Token(NamedTuple):
    """A token, and the line that it begins in, from 1."""

    text: str
    line: int


def tokenize(source: str, language: Language) -> list[Token]:
    """Return the tokens of any text, also of one that is no valid source."""
    tokens = list[Token]()
    line = 1
    counted = 0
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
