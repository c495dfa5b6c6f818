"""Tables that people fill in: CSV files whatever program wrote them, with columns by name."""

import csv
import io
import unicodedata
from collections.abc import Mapping, Sequence
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
    """The file and the line, as errors name them."""
    cells: Mapping[str, str]
    """A cell for each column that was asked for; "" if the file does not have it."""


def composed(text: str) -> str:
    """Return a text in Unicode's composed form, NFC (Macs write another), with single spaces."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def same_key(text: str) -> str:
    """Return a key that is equal for names that differ only by case, spaces or Unicode form."""
    return folded(composed(text))


def read_table(path: Path, columns: Mapping[str, Titles], needed: Sequence[str]) -> list[Row]:
    """Return the lines of a CSV file that have a cell in one of these columns.

    `columns` has each column's title by its name in `Row.cells`. Commas, semicolons or tabs
    separate cells. Raises ArenaError, with the line, if the file is not a table, or lacks a column
    that is `needed` or whose title is not its name.
    """
    head, *lines = _lines(path)
    known = {title: at for at, title in reversed([*enumerate(map(same_key, head))])}
    places: dict[str, list[int]] = {}
    for name, titles in columns.items():
        wanted = [titles] if isinstance(titles, str) else titles
        places[name] = [known[same_key(title)] for title in wanted if same_key(title) in known]
        for title in wanted:
            if same_key(title) not in known and title != name:
                what = f"there is no column '{title}'"
                raise ArenaError(what, f"{path}:1", did_you_mean(title, filter(None, known)))
    for name in needed:
        if not places[name]:
            hint = did_you_mean(name, [*filter(None, map(composed, head))]) if head else ""
            what = f"there is no column '{name}'"
            raise ArenaError(what, f"{path}:1", hint or f"name one column {name}")
    rows = []
    for number, line in enumerate(lines, 2):
        cells = {
            name: composed(" ".join(line[at] for at in joined if at < len(line)))
            for name, joined in places.items()
        }
        if any(cells.values()):
            rows.append(Row(f"{path}:{number}", cells))
    return rows


def titles_of(path: Path) -> list[str]:
    """Return the titles of a CSV file's columns, as `same_key` makes them; raises ArenaError."""
    return [*map(same_key, _lines(path)[0])]


def has_columns(titles: Sequence[str], given: Titles) -> bool:
    """Return whether a file with these titles has a column, or all columns that it is made of."""
    return all(same_key(one) in titles for one in ([given] if isinstance(given, str) else given))


def titled(
    titles: Sequence[str], alternatives: Mapping[str, Sequence[str]]
) -> dict[str, Titles] | None:
    """Return the title that each column has in a file; None if the file lacks one of them.

    `alternatives` has the titles that a column may have, by its name.
    """
    found: dict[str, Titles] = {}
    for name, names in alternatives.items():
        known = [title for title in names if same_key(title) in titles]
        if not known:
            return None
        found[name] = known[0]
    return found


def _lines(path: Path) -> list[list[str]]:
    text = decoded(read_limited(path, _MAX_BYTES), path)
    head = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=head.count)
    try:
        lines = [*csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)]
    except csv.Error as error:
        raise ArenaError(f"not a CSV file: {error}", str(path)) from None
    return lines or [[]]
