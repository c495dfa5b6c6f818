"""Filling in the marks in a school's own export: one column of a table, and no other byte."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from arena.course.output.decimals import Decimals, is_decimal, with_sign
from arena.course.output.export import Export, Line
from arena.course.output.whose import Whose
from arena.course.terms.roster import Student
from arena.io.errors import ArenaError


class At(Struct, frozen=True):
    """A line of an export with an id."""

    line: int
    id: str


class Filled(Struct, frozen=True):
    """An export with marks in it, and what is missing."""

    content: bytes
    filled: list[str]
    """The ids of the students whose mark it has, in its order."""
    known: int
    """The number of its lines that are a student's of the roster, with a mark or without."""
    strangers: list[At]
    """Lines whose id is no student's: guests, test students."""
    no_cell: list[At]
    """Lines of students with a mark that are too short to have a cell for it."""
    no_id: list[int]
    """Lines without an id, such as that of the points possible."""
    missing: list[str]
    """The ids of students with a mark who are in no line."""

    @property
    def is_whole(self) -> bool:
        """Whether the file is of this course and has every mark."""
        return bool(self.known) and not self.no_cell and not self.missing


def fill(
    path: Path,
    id_column: str,
    mark_column: str,
    students: Sequence[Student],
    marks: Mapping[str, str],
) -> Filled:
    """Return an export with marks, which are given by the id on the roster; "" is no mark.

    The column of ids has ids, e-mail addresses or accounts of the students. Numbers get the decimal
    sign that the file shows. Raises ArenaError if the file is no table or lacks a column, if a line
    has too many cells, if an id may be that of two students or is there twice, and if the file
    shows both decimal signs.
    """
    export = Export(path, [id_column, mark_column])
    id_at, mark_at = export.places
    if id_at == mark_at:
        raise ArenaError(f"'{id_column}' is the column of ids", str(path), "name that of marks")
    decimals = Decimals(export.head, id_at, mark_at)
    read = _read(export, Whose(students), decimals, path)
    marked = {id_: _only(id_, lines, path) for id_, lines in read.known.items() if marks.get(id_)}
    cells = {id_: line.cells[mark_at] for id_, line in marked.items() if line.has(mark_at)}
    texts = {cell: marks[id_] for id_, cell in cells.items()}
    if any(map(is_decimal, texts.values())) and (sign := decimals.sign(path)):
        texts = {cell: with_sign(text, sign) for cell, text in texts.items()}
    return Filled(
        content=export.changed(texts),
        filled=[*cells],
        known=len(read.known),
        strangers=read.strangers,
        no_cell=[At(line.number, id_) for id_, line in marked.items() if id_ not in cells],
        no_id=read.no_id,
        missing=[id_ for id_, text in marks.items() if text and id_ not in read.known],
    )


class _Read(NamedTuple):
    known: dict[str, list[Line]]
    """Lines by the id of the student whose they are, in the order of the file."""
    strangers: list[At]
    no_id: list[int]


def _read(export: Export, whose: Whose, decimals: Decimals, path: Path) -> _Read:
    """Find out whose the lines are, and which decimal signs they have."""
    id_at = export.places[0]
    read = _Read({}, [], [])
    for line in export.lines():
        decimals.add(line)
        text = line.text(id_at)
        found = whose.find(text)
        if len(found) > 1:
            what = f"'{text}' may be '{found[0]}' or '{found[1]}'"
            hint = "correct the roster, or take another column with --id"
            raise ArenaError(what, f"{path}:{line.number}", hint)
        if found:
            read.known.setdefault(found[0], []).append(line)
        elif text:
            read.strangers.append(At(line.number, text))
        elif any(cell.text for cell in line.cells):
            read.no_id.append(line.number)
    return read


def _only(id_: str, lines: list[Line], path: Path) -> Line:
    """Return the line of a student."""
    if len(lines) > 1:
        what = f"'{id_}' is there twice, in lines {lines[0].number} and {lines[1].number}"
        raise ArenaError(what, str(path), "leave one of them out")
    return lines[0]
