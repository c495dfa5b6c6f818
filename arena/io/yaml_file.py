"""YAML files under limits, with errors that name the line and the column."""

import re
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from arena.io import structs
from arena.io.errors import ArenaError
from arena.io.files import decoded, read_limited
from arena.io.renamed import with_new_keys

S = TypeVar("S", bound=msgspec.Struct)
Positions = dict[str, str]
"""The line and column of each value: "$.limits.answer" -> "4:11"."""

MAX_BYTES = 1024 * 1024
MAX_VALUES = 20_000
"""Values in one file, those that hold other values included."""
MAX_DEPTH = 8
MAX_KEY, MAX_NUMBER = 100, 100
"""Characters of a key and of a number: Python takes seconds for numbers of a million digits."""
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser of libyaml, 20 times as fast, where PyYAML has it."""
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_WRONG_KIND = re.compile(r"Expected `(?P<expected>[a-z |]+)`, got `(?P<got>[a-z]+)`$")
_KINDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "keys with values (`key: value`)",
    "null": "nothing",
}
_FOUND = {"float": "a decimal number", "bool": "yes or no", "object": "keys with values"}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


def parse_yaml(path: Path, max_bytes: int = MAX_BYTES) -> tuple[Any, Positions]:
    """Return a YAML file's plain data and positions; raises ArenaError with line and column.

    The values are those of YAML 1.2's core schema, without .inf and .nan: `12:30`, `2024-01-31`,
    `1_000` and `yes` are texts. Tags (`!!int`) and aliases (`*name`) are refused.
    """
    text = decoded(read_limited(path, max_bytes), path)
    if bad := _NOT_YAML.search(text):
        before = text[: bad.start()]
        where = f"{path}:{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
        raise ArenaError(f"bad YAML: the character {bad[0]!a}", where, "remove it")
    builder = _Builder(path, text)
    try:
        return builder.document(), builder.positions
    except yaml.MarkedYAMLError as error:
        what = " ".join(filter(None, (error.context, error.problem)))
        hint = "indent with spaces, not tabs" if _is_tab(text, error.problem_mark) else ""
        if "mapping values are not allowed" in what:
            hint = 'put a text with a colon in quotes, as in name: "a: b", or begin a new line'
        raise ArenaError(f"bad YAML: {what}", _where(path, error.problem_mark), hint) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise ArenaError(f"bad YAML: {' '.join(str(error).split())}", str(path)) from None


def convert(data: Any, positions: Positions, path: Path, kind: type[S]) -> S:
    """Turn plain data into a struct; raises ArenaError with line, column and the nearest key."""
    data, positions = with_new_keys(data, positions, path, kind.__name__)
    try:
        return structs.convert(data, kind)
    except ArenaError as error:
        raise ArenaError(
            in_words(error.what), locate(path, positions, error.where), error.hint
        ) from None


def in_words(what: str) -> str:
    """Say which kinds of values were expected and found as people who write YAML call them."""
    wrong = _WRONG_KIND.search(what)
    if not wrong:
        return what
    expected = " or ".join(_KINDS.get(kind, kind) for kind in wrong["expected"].split(" | "))
    got = {**_KINDS, **_FOUND}.get(wrong["got"], wrong["got"])
    return f"{what[: wrong.start()]}expected {expected}, not {got}"


def locate(path: Path, positions: Positions, value: str) -> str:
    """Return file:line:column of a value ("$.limits.answer"), or of the nearest one around it."""
    while value not in positions and value != "$":
        value = value[: max(value.rfind("."), value.rfind("["), 0)] or "$"
    return f"{path}:{positions[value]}" if value in positions else str(path)


def _is_tab(text: str, mark: yaml.Mark | None) -> bool:
    lines = text.splitlines()
    return (
        mark is not None and mark.line < len(lines) and lines[mark.line][mark.column :][:1] == "\t"
    )


def _where(path: Path, mark: Any) -> str:
    return f"{path}:{_position(mark)}" if mark else str(path)


def _position(mark: Any) -> str:
    return f"{mark.line + 1}:{mark.column + 1}"


class _Builder:
    """Builds a document's plain data from the parser's events, one by one.

    What is too deep or too much is refused before the parser reads on: it may take seconds for it.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.positions: Positions = {}
        self._path = path
        self._events = yaml.parse(text, Loader=LOADER)
        self._values = 0

    def document(self) -> Any:
        """Return the data of the only document; None for an empty file."""
        next(self._events)
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return None
        data = self._value(next(self._events), "$", 0)
        next(self._events)
        if not isinstance(event := next(self._events), yaml.StreamEndEvent):
            raise self._refused("bad YAML: a second document", event, "remove the line ---")
        return data

    def _value(self, event: Any, at: str, depth: int) -> Any:
        self._check(event, depth)
        self.positions.setdefault(at, _position(event.start_mark))
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(at, depth)
        items: list[Any] = []
        while not isinstance(inner := next(self._events), yaml.SequenceEndEvent):
            items.append(self._value(inner, f"{at}[{len(items)}]", depth + 1))
        return items

    def _mapping(self, at: str, depth: int) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            self._check(event, 0)
            if not isinstance(event, yaml.ScalarEvent):
                raise self._refused("bad YAML: a key that is a list or a mapping", event)
            if len(event.value) > MAX_KEY:
                raise self._refused(f"a key of more than {MAX_KEY} characters", event)
            key = self._text(event)
            if key in mapping:
                raise self._refused(f"duplicate key '{key}'", event)
            inner = f"{at}.{key}"
            self.positions[inner] = _position(event.start_mark)
            mapping[key] = self._value(next(self._events), inner, depth + 1)
        return mapping

    def _scalar(self, event: Any) -> Any:
        text, plain = self._text(event), event.implicit[0]
        if not plain:
            return text
        if text in _WORDS:
            return _WORDS[text]
        number = _INTEGER.fullmatch(text) or _DECIMAL.fullmatch(text)
        if not number:
            return text
        if len(text) > MAX_NUMBER:
            raise self._refused(f"a number of more than {MAX_NUMBER} characters", event)
        if number.re is _DECIMAL:
            value = float(text)
            if not isfinite(value):
                raise self._refused(f"the number {text} is too large", event)
            return value
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))

    def _text(self, event: Any) -> str:
        if _SURROGATE.search(event.value):
            raise self._refused("a lone surrogate is not a character", event)
        text: str = event.value
        return text

    def _check(self, event: Any, depth: int) -> None:
        """Refuse what would take too long, and what turns a value into something else."""
        self._values += 1
        if isinstance(event, yaml.AliasEvent):
            what = f"the alias *{event.anchor} is not supported"
            raise self._refused(what, event, "write out what it stands for")
        if event.tag is not None:
            what = f"the tag {event.tag} is not supported"
            raise self._refused(f"bad YAML: {what}", event, "write the value without it")
        if depth > MAX_DEPTH:
            raise self._refused(f"values more than {MAX_DEPTH} deep in one another", event)
        if self._values > MAX_VALUES:
            raise self._refused(f"more than {MAX_VALUES:,} values", event)

    def _refused(self, what: str, event: Any, hint: str = "") -> ArenaError:
        return ArenaError(what, _where(self._path, event.start_mark), hint)
