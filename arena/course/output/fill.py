"""Filling in the marks in a school's own export: one column of a CSV file, and no other byte."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.course.marks.marks import Mark
from arena.course.marks.result import Result
from arena.io.errors import ArenaError, did_you_mean
from arena.io.files import read_limited

_MAX_BYTES = 64 << 20
_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_SEPARATORS = (b",", b";", b"\t", b":")
"""Those of Moodle, which has all four; Canvas has two of them."""


class Filled(NamedTuple):
    """An export with marks in it."""

    content: bytes
    filled: list[str]
    """The ids in the export that got a mark."""
    strangers: list[str]
    """Those that have none."""


class _Cell(NamedTuple):
    start: int
    end: int
    raw: bytes

    @property
    def text(self) -> str:
        raw = self.raw.strip()
        if raw.startswith(b'"'):
            raw = raw[1 : raw.rfind(b'"')].replace(b'""', b'"')
        return raw.decode("utf-8", "surrogateescape").strip()


def keys_of(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Return the students by what an export may call them, in lower case: id and address."""
    by_key = defaultdict[str, list[Result]](list)
    for result in results:
        for key in {result.student.id.casefold(), result.student.email.casefold()} - {""}:
            by_key[key].append(result)
    return by_key


def marks_by_key(
    keys: Mapping[str, Sequence[Result]], text: Callable[[Mark], str]
) -> dict[str, str]:
    """Return the text of each mark by what is one student's alone; who is struck has none."""
    alone = {key: results[0].mark for key, results in keys.items() if len(results) == 1}
    return {key: text(mark) for key, mark in alone.items() if mark}


def fill(path: Path, id_column: str, mark_column: str, marks: Mapping[str, str]) -> Filled:
    """Return an export with marks, given by what may stand in its column of ids, in lower case.

    Lines whose id has no mark stay as they are. Raises ArenaError if the file is no CSV file or
    lacks a column, if a line has too many cells, and if an id is there twice.
    """
    content = read_limited(path, _MAX_BYTES)
    if content.startswith(_UTF_16):
        raise ArenaError("cannot be read: it is in UTF-16", str(path), "export it as UTF-8")
    begin = len(_BOM) if content.startswith(_BOM) else 0
    separator = _separator(content, begin, {id_column, mark_column}, path)
    lines = _lines(content, begin, separator, path)
    head = [cell.text for cell in next(lines, [])]
    id_at, mark_at = (_column(head, name, path) for name in (id_column, mark_column))
    changes: list[tuple[_Cell, str]] = []
    seen: dict[str, int] = {}
    strangers = []
    for number, line in enumerate(lines, 2):
        if len(line) > len(head):
            what = f"line {number} has more cells than the first one has names"
            raise ArenaError(what, str(path), "a quote in one of its cells may not be doubled")
        if len(line) <= max(id_at, mark_at) or not (id_ := line[id_at].text):
            continue
        key = id_.casefold()
        if key not in marks:
            strangers.append(id_)
            continue
        if key in seen:
            what = f"'{id_}' is there twice, in lines {seen[key]} and {number}"
            raise ArenaError(what, str(path), "leave one of them out")
        seen[key] = number
        changes.append((line[mark_at], marks[key]))
    return Filled(_changed(content, changes, separator), [*seen], strangers)


def _changed(content: bytes, changes: list[tuple[_Cell, str]], separator: bytes) -> bytes:
    parts, at = [], 0
    for cell, text in changes:
        mark = text.replace('"', '""').encode()
        quoted = cell.raw.strip().startswith(b'"') or separator in mark or b'"' in mark
        quote = b'"' if quoted else b""
        parts += [content[at : cell.start], quote + mark + quote]
        at = cell.end
    return b"".join([*parts, content[at:]])


def _column(head: list[str], name: str, path: Path) -> int:
    columns = [at for at, title in enumerate(head) if title == name]
    if not columns:
        raise ArenaError(f"no column is called '{name}'", f"{path}:1", did_you_mean(name, head))
    if len(columns) > 1:
        raise ArenaError(f"{len(columns)} columns are called '{name}'", f"{path}:1", "rename one")
    return columns[0]


def _separator(content: bytes, at: int, names: set[str], path: Path) -> bytes:
    """Return what separates cells: that by which the first line has these names."""
    for separator in _SEPARATORS:
        with suppress(ArenaError):
            head = next(_lines(content, at, separator, path), [])
            if names <= {cell.text for cell in head}:
                return separator
    return max(_SEPARATORS, key=content[at:].partition(b"\n")[0].count)


def _lines(content: bytes, at: int, separator: bytes, path: Path) -> Iterator[list[_Cell]]:
    """Yield the cells of each record, whatever ends the lines."""
    plain = b"[^%b\r\n]*" % separator
    cell = re.compile(rb'(?:"(?:[^"]|"")*"%b|(?!")%b)' % (plain, plain))
    line: list[_Cell] = []
    while at < len(content):
        match = cell.match(content, at)
        if match is None:
            number = content.count(b"\n", 0, at) + 1
            raise ArenaError("a quote that does not end", f"{path}:{number}", "export it again")
        line.append(_Cell(match.start(), match.end(), match[0]))
        at = match.end()
        if content[at : at + 1] == separator:
            at += 1
            if at < len(content):
                continue
            line.append(_Cell(at, at, b""))
        at += 2 if content[at : at + 2] == b"\r\n" else 1
        yield line
        line = []
