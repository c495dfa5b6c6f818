"""Filling in the marks in a school's own export: one column of a table, and no other byte."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from arena.course.output.export import Export, Line, key
from arena.course.roster import Student, StudentIndex
from arena.io.errors import ArenaError, first_of

_NUMBER = re.compile(
    r"""'?[-+\u2212]?
    (?: (?P<whole>[0-9]+)
      | [0-9]{1,3} (?P<groups>[.,'\u2019\ ]) [0-9]{3} (?: (?P=groups) [0-9]{3} )* )
    (?: (?P<sign>[.,]) (?P<decimals>[0-9]+) )?
    (?: \ ?% )?""",
    re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
_MOST = {"maximum grade", "bestwertung", "max points", "points possible", "points_available"}
"""Titles of the column with the most points that can be reached."""
_MAX_LINES = 5
_AS_TEXT = re.compile(r"""="(?P<formula>.*)"|['#](?P<rest>.*)""", re.DOTALL)
"""A text with signs that keep a spreadsheet from reading a number; # is Brightspace's."""
_PARTICIPANT = re.compile(r"(?:participant|participante|teilnehmer/in|deelnemer) ?([0-9]+)")
"""Moodle's name of a participant, in some languages in which it exports files."""
_WHOLE = re.compile(r"[0-9]+")


class Decimals:
    """The decimal signs in a table, column by column."""

    def __init__(self, head: Sequence[str], id_at: int, mark_at: int) -> None:
        """Take the titles of the columns, and the places of ids and marks among them."""
        self._most = [at for at, name in enumerate(head) if key(name) in _MOST]
        self._mark_at = mark_at
        self._lines: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._other = {*range(len(head))} - {id_at}

    def add(self, line: Line) -> None:
        """Note the signs in the numbers of a line."""
        for at in {self._mark_at, *self._most, *self._other}:
            text = " ".join(line.text(at).split())
            match = _NUMBER.fullmatch(text)
            if match is None:
                if _DIGIT.search(text):
                    self._other.discard(at)
            elif sign := _decimal_sign(match):
                self._lines[at][sign].append(line.number)

    def sign(self, path: Path) -> str | None:
        """Return the decimal sign of a table; None if no number shows one.

        The column of marks decides, or else that of the most points, or else all columns of
        numbers. Raises ArenaError, with the lines, if those that decide have both signs.
        """
        for columns in ([self._mark_at], self._most, sorted(self._other)):
            lines = defaultdict[str, list[int]](list)
            for at in columns:
                for sign, numbers in self._lines[at].items():
                    lines[sign] += numbers
            if len(lines) > 1:
                what = (
                    f"its numbers have decimal commas in {_named(lines[','])}, "
                    f"and points in {_named(lines['.'])}"
                )
                hint = "export it again, or write all numbers in the column of marks in one way"
                raise ArenaError(what, str(path), hint)
            if lines:
                return next(iter(lines))
        return None


def with_sign(text: str, sign: str) -> str:
    """Return a number with this decimal sign, and any other text unchanged."""
    return re.sub("[.,]", sign, text) if is_decimal(text) else text


def is_decimal(text: str) -> bool:
    """Return whether a text is a number with a decimal sign."""
    return re.fullmatch("[0-9]+[.,][0-9]+", text) is not None


def _decimal_sign(match: re.Match[str]) -> str | None:
    """Return the decimal sign of a number; None without one, or if it may separate thousands."""
    whole, decimals = match["whole"], match["decimals"]
    if not decimals or match["sign"] == match["groups"]:
        return None
    thousands = whole and whole[0] != "0" and len(whole) <= 3 and len(decimals) == 3
    return None if thousands else match["sign"]


def _named(lines: list[int]) -> str:
    once = sorted({*lines})
    numbers = ", ".join(first_of([*map(str, once)], _MAX_LINES))
    return f"lines {numbers}" if len(once) > 1 else f"line {numbers}"


class Whose:
    """Students by what an export may call them: id, e-mail address or account."""

    def __init__(self, students: Sequence[Student]) -> None:
        """Take the students of the roster."""
        self._names = StudentIndex()
        self._numbers = StudentIndex()
        self._participants = StudentIndex()
        ids = {key(student.id) for student in students}
        for student in students:
            for name in (student.id, student.email, student.account):
                self._names.add(key(name), student)
            for name in (student.id, student.account):
                number = _number(key(name)) or _participant(key(name))
                self._numbers.add(number, student)
                # Without its zeros, the account of one student may be the id of another.
                self._names.add(number if number not in ids else "", student)
            account = key(student.account)
            for name in (_participant(key(student.id)), _participant(account), _number(account)):
                self._participants.add(name, student)

    def find(self, text: str) -> list[str]:
        """Return the ids of the students whom a cell may mean; [] for nobody.

        It may be a name of the roster, or one behind a sign that makes it a text, or Moodle's
        number of a participant, or a number without its leading zeros: the first that fits counts.
        """
        match = _AS_TEXT.fullmatch(text)
        plain = key(match["formula"] or match["rest"] or "") if match else key(text)
        found = (
            self._names[key(text)]
            or self._names[plain]
            or self._participants[_participant(plain)]
            or self._numbers[_number(plain)]
        )
        return [student.id for student in found]


def _number(name: str) -> str:
    """Return a number without its leading zeros; "" if the name is not a number."""
    return (name.lstrip("0") or "0") if _WHOLE.fullmatch(name) else ""


def _participant(name: str) -> str:
    match = _PARTICIPANT.fullmatch(name)
    return _number(match[1]) if match else ""


class At(Struct, frozen=True):
    """A line of an export, and the id in it."""

    line: int
    id: str


class Filled(Struct, frozen=True):
    """An export with marks in it, and what is missing in it."""

    content: bytes
    filled: list[str]
    """The ids of the students whose marks were filled in, in the order of the file."""
    known: int
    """The number of students of the roster who have a line."""
    strangers: list[At]
    """Lines with the id of nobody on the roster, such as guests."""
    no_cell: list[At]
    """Lines of students with a mark that are too short to have a cell for it."""
    no_id: list[int]
    """Lines without an id, such as that of the points possible."""
    missing: list[str]
    """The ids of students with a mark who have no line."""

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
    """Return an export with marks, given by the id on the roster; "" stands for no mark.

    The column of ids has ids, e-mail addresses or accounts. Numbers get the decimal sign of the
    file. Raises ArenaError if the file is not a table or lacks a column, if a line has too many
    cells, if an id may be that of two students, if a student with a mark has two lines, and if the
    file has both decimal signs.
    """
    export = Export(path, [id_column, mark_column])
    id_at, mark_at = export.places
    if id_at == mark_at:
        raise ArenaError(f"'{id_column}' is the column of ids", str(path), "name that of marks")
    decimals = Decimals(export.head, id_at, mark_at)
    read = _read(export, Whose(students), decimals, path)
    marked: dict[str, Line] = {}
    for id_, lines in read.known.items():
        if marks.get(id_):
            if len(lines) > 1:
                what = f"'{id_}' is there twice, in lines {lines[0].number} and {lines[1].number}"
                raise ArenaError(what, str(path), "leave one of them out")
            [marked[id_]] = lines
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
    """The lines of an export by whose they are."""

    known: dict[str, list[Line]]
    """Lines of students of the roster, by id, in the order of the file."""
    strangers: list[At]
    no_id: list[int]


def _read(export: Export, whose: Whose, decimals: Decimals, path: Path) -> _Read:
    """Read the lines: whose they are, and which decimal signs they have."""
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
