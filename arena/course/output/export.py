"""A school's export: a table in the encoding and form of its program, changed cell by cell."""

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from arena.course.table import composed, same_key
from arena.io.errors import ArenaError, did_you_mean
from arena.io.files import read_limited

_MAX_BYTES = 64 << 20
_MAX_COLUMNS = 10_000
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_NAMES = {"cp1252": "Windows-1252"}
_SEPARATORS = ",;\t:"
"""The separators that Moodle has; Canvas has two of them."""
_LINE_END = re.compile(r"\r\n?|\n")


class Cell(NamedTuple):
    """A cell as it is written, and its place in the text of the file."""

    start: int
    end: int
    raw: str

    @property
    def text(self) -> str:
        """The content, without quotes and without spaces around it."""
        raw = self.raw.strip()
        if raw.startswith('"'):
            raw = raw[1 : raw.rfind('"')].replace('""', '"')
        return raw.strip()


class Line(NamedTuple):
    """A record of the table, which may have several lines in the file."""

    number: int
    """The line of the file in which it begins, from 1."""
    cells: list[Cell]

    def has(self, at: int) -> bool:
        """Return whether the record has a cell at this place."""
        return at < len(self.cells)

    def text(self, at: int) -> str:
        """Return the text of a cell; "" if the record does not have it."""
        return self.cells[at].text if self.has(at) else ""


class Export:
    """A table whose first line names its columns."""

    def __init__(self, path: Path, columns: Iterable[str]) -> None:
        """Read a file with columns of these titles.

        Raises ArenaError if it is not a text, or lacks a column, or has one twice.
        """
        self._path = path
        content = read_limited(path, _MAX_BYTES)
        self._mark, self._encoding = _encoding(content)
        self._text = self._decoded(content)
        names = [*columns]
        self._separator = self._separator_for(names)
        first = next(self._all_lines(self._separator), Line(1, []))
        self.head = [cell.text for cell in first.cells]
        self.places = [_place(self.head, name, path) for name in names]

    def lines(self) -> Iterator[Line]:
        """Yield the records below the titles; raises ArenaError for one with too many cells."""
        lines = self._all_lines(self._separator)
        next(lines)
        for line in lines:
            if len(line.cells) > len(self.head):
                what = f"line {line.number} has more cells than the first one has names"
                hint = "a quote in one of its cells may not be doubled"
                raise ArenaError(what, str(self._path), hint)
            yield line

    def changed(self, texts: Mapping[Cell, str]) -> bytes:
        """Return the file with new texts in some cells, given in the order of the file.

        Raises ArenaError if its encoding lacks a character of them.
        """
        parts, at = [], 0
        for cell, text in texts.items():
            quoted = cell.raw.strip().startswith('"') or any(
                sign in text for sign in (self._separator, '"', "\r", "\n")
            )
            new = '"' + text.replace('"', '""') + '"' if quoted else text
            parts += [self._text[at : cell.start], new]
            at = cell.end
        try:
            return self._encoded("".join([*parts, self._text[at:]]))
        except UnicodeEncodeError as error:
            name = _NAMES.get(self._encoding, self._encoding)
            what = f"'{error.object[error.start]}' cannot be written in {name}"
            raise ArenaError(what, str(self._path), "export it as UTF-8") from None

    def _decoded(self, content: bytes) -> str:
        hint = "export it as CSV, in UTF-8"
        try:
            text = content[len(self._mark) :].decode(self._encoding, self._errors)
        except UnicodeDecodeError:
            raise ArenaError("it is not readable as text", str(self._path), hint) from None
        if "\0" in text or self._encoded(text) != content:
            raise ArenaError("it is not a text file", str(self._path), hint)
        return text

    def _encoded(self, text: str) -> bytes:
        return self._mark + text.encode(self._encoding, self._errors)

    @property
    def _errors(self) -> str:
        """Keep bytes that are no characters in the encoding, unless characters have two bytes."""
        return "strict" if self._encoding.startswith("utf-16") else "surrogateescape"

    def _separator_for(self, names: list[str]) -> str:
        """Return the separator of cells with which the first line has these titles."""
        wanted = {*map(key, names)}
        for separator in _SEPARATORS:
            try:
                first = next(self._all_lines(separator), Line(1, []))
            except ArenaError:
                continue
            if wanted <= {key(cell.text) for cell in first.cells}:
                return separator
        return max(_SEPARATORS, key=_LINE_END.split(self._text, maxsplit=1)[0].count)

    def _all_lines(self, separator: str) -> Iterator[Line]:
        """Yield the records, with any separator and any ends of lines."""
        text = self._text
        at, number = 0, 1
        plain = rf"[^{separator}\r\n]*+"
        cell = re.compile(rf'"[^"]*+(?:""[^"]*+)*+"{plain}|(?!"){plain}')
        cells: list[Cell] = []
        while at < len(text):
            match = cell.match(text, at)
            if match is None:
                where = f"{self._path}:{number + _line_ends(cells)}"
                raise ArenaError("a quote that does not end", where, "export it again")
            cells.append(Cell(match.start(), match.end(), match[0]))
            if len(cells) > _MAX_COLUMNS:
                what = f"more than {_MAX_COLUMNS:,} columns"
                raise ArenaError(what, f"{self._path}:{number}", "leave the others out")
            at = match.end()
            if text[at : at + 1] == separator:
                at += 1
                if at < len(text):
                    continue
                cells.append(Cell(at, at, ""))
            at += 2 if text[at : at + 2] == "\r\n" else 1
            yield Line(number, cells)
            number += 1 + _line_ends(cells)
            cells = []


def key(text: str) -> str:
    """Return a key that is equal for names that look alike, in any case."""
    if not text.isascii():
        # Browsers copy characters of no width.
        text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return same_key(text)


def _line_ends(cells: Iterable[Cell]) -> int:
    return sum(len(_LINE_END.findall(cell.raw)) for cell in cells if cell.raw.startswith('"'))


def _encoding(content: bytes) -> tuple[bytes, str]:
    """Return the byte order mark of a file, or b"", and its encoding."""
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return mark, encoding
    if b"\0" in content:
        # The higher of the two bytes of an ASCII character is 0.
        little = content[1::2].count(0) > content[::2].count(0)
        return b"", "utf-16-le" if little else "utf-16-be"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return b"", "cp1252"
    return b"", "utf-8"


def _place(head: list[str], name: str, path: Path) -> int:
    """Return the place of a column, from 0: its very title, or else one that looks like it."""
    exact = [at for at, title in enumerate(head) if title == name.strip()]
    found = exact or [at for at, title in enumerate(head) if key(title) == key(name)]
    if not found:
        raise ArenaError(f"no column is called '{name}'", f"{path}:1", _nearest(name, head))
    if len(found) > 1:
        which = " and ".join(str(at + 1) for at in found)
        what = f"{len(found)} columns are called '{name}': {which}"
        raise ArenaError(what, f"{path}:1", "rename one")
    return found[0]


def _nearest(name: str, head: list[str]) -> str:
    """Return a hint with the columns that may be meant: Canvas and Moodle extend titles."""
    titles = {key(title): composed(title) for title in head if key(title)}
    if not titles:
        return "its first line must name the columns"
    longer = [title for title in titles if key(name) in title]
    likely = longer if len(longer) < 5 else []
    likely = likely or get_close_matches(key(name), titles, n=1)
    named = " or ".join(f"'{titles[title]}'" for title in likely)
    return f"did you mean {named}?" if named else did_you_mean(name, titles.values())
