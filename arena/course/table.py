"""Tables that people fill in: CSV files whatever program wrote them, with columns by name."""

import csv
import io
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from arena.bots.archives.entry import folded
from arena.io.errors import ArenaError, did_you_mean
from arena.io.files import decoded, read_limited

_MAX_BYTES = 16 << 20
_SEPARATORS = ",;\t"
Titles = str | list[str]
"""The title of a column, or those of several whose cells are joined by spaces."""


class Row(Struct, frozen=True):
    """A line of a table."""

    where: str
    """The file and the line."""
    cells: Mapping[str, str]
    """Every column that was asked for, "" where the file does not have it."""


def composed(text: str) -> str:
    """Return the same text for what a Mac and others write: NFC, with single spaces."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def same_key(text: str) -> str:
    """Return the same text for names that differ by case, spaces or Unicode form alone."""
    return folded(composed(text))


def read_table(path: Path, columns: Mapping[str, Titles], needed: Sequence[str]) -> list[Row]:
    """Return the lines of a CSV file that have a cell in one of these columns.

    `columns` has the titles by the names under which the cells are returned. Commas, semicolons or
    tabs separate cells. Raises ArenaError with the line for a file that is none, or that lacks a
    column that is needed or was given another title than its name.
    """
    head, *lines = _lines(path)
    places = {title: at for at, title in reversed([*enumerate(map(same_key, head))])}
    found = {name: [*_places(name, titles, places, path)] for name, titles in columns.items()}
    for name in needed:
        if not found[name]:
            hint = did_you_mean(name, [*filter(None, map(composed, head))]) if head else ""
            what = f"there is no column '{name}'"
            raise ArenaError(what, f"{path}:1", hint or f"name one column {name}")
    rows = []
    for number, line in enumerate(lines, 2):
        cells = {name: _joined(line, at) for name, at in found.items()}
        if any(cells.values()):
            rows.append(Row(f"{path}:{number}", cells))
    return rows


def titles_of(path: Path) -> list[str]:
    """Return the titles of a CSV file's columns, by `same_key`; raises ArenaError."""
    return [*map(same_key, _lines(path)[0])]


def has_columns(titles: Sequence[str], given: Titles) -> bool:
    """Return whether a file, by its titles, has a column, or all those that are joined to it."""
    return all(same_key(one) in titles for one in ([given] if isinstance(given, str) else given))


def titled(
    titles: Sequence[str], alternatives: Mapping[str, Sequence[str]]
) -> dict[str, Titles] | None:
    """Return by which of its titles each column goes in a file; None if one has none of them."""
    found: dict[str, Titles] = {}
    for name, names in alternatives.items():
        known = [title for title in names if same_key(title) in titles]
        if not known:
            return None
        found[name] = known[0]
    return found


def _places(name: str, titles: Titles, places: Mapping[str, int], path: Path) -> Iterator[int]:
    for title in [titles] if isinstance(titles, str) else titles:
        at = places.get(same_key(title))
        if at is not None:
            yield at
        elif title != name:
            what = f"there is no column '{title}'"
            raise ArenaError(what, f"{path}:1", did_you_mean(title, filter(None, places)))


def _joined(line: Sequence[str], at: Sequence[int]) -> str:
    return composed(" ".join(line[place] for place in at if place < len(line)))


def _lines(path: Path) -> list[list[str]]:
    text = decoded(read_limited(path, _MAX_BYTES), path)
    head = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=head.count)
    try:
        lines = [*csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)]
    except csv.Error as error:
        raise ArenaError(f"not a CSV file: {error}", str(path)) from None
    return lines or [[]]
