"""YAML files with errors that name the line and the column."""

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from arena.errors import ArenaError
from arena.wire import shape
from arena.wire.shape import ShapeError

S = TypeVar("S", bound=msgspec.Struct)
Marks = dict[str, str]
"""Where each value stands: "$.limits.answer" -> "4:11"."""


def load_yaml(path: Path, kind: type[S]) -> S:
    """Read a YAML file into a struct; raises ArenaError with line and column for what is wrong."""
    return convert(*parse_yaml(path), path, kind)


def parse_yaml(path: Path) -> tuple[Any, Marks]:
    """Read a YAML file; returns its plain data and where each value stands."""
    try:
        text = path.read_text(encoding="utf-8")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except FileNotFoundError:
        raise ArenaError("no such file", str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ArenaError(f"cannot be read: {error}", str(path)) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise ArenaError(f"bad YAML: {error.problem}", where) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ArenaError(f"bad YAML: {_one_line(error)}", str(path)) from None
    marks: Marks = {}
    if node is not None:
        _mark(node, "$", marks, path)
    return data, marks


def convert(data: Any, marks: Marks, path: Path, kind: type[S]) -> S:
    """Turn plain data into a struct; raises ArenaError that names the place and the nearest key."""
    try:
        return shape.convert(data, kind)
    except ShapeError as error:
        what, spot, hint = error.misfit
        raise ArenaError(what, place(path, marks, spot), hint) from None


def place(path: Path, marks: Marks, spot: str) -> str:
    """Return file:line:column of a value, or of the nearest one around it."""
    while spot not in marks and spot != "$":
        spot = re.sub(r"(\.[^.\[]*|\[[^\]]*\])$", "", spot) or "$"
    return f"{path}:{marks[spot]}" if spot in marks else str(path)


def _mark(node: yaml.Node, spot: str, marks: Marks, path: Path) -> None:
    mark = node.start_mark
    marks.setdefault(spot, f"{mark.line + 1}:{mark.column + 1}")
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = f"{spot}.{key.value}"
            at = f"{key.start_mark.line + 1}:{key.start_mark.column + 1}"
            if inner in marks:
                raise ArenaError(f"the key '{key.value}' stands twice", f"{path}:{at}")
            marks[inner] = at
            _mark(value, inner, marks, path)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _mark(value, f"{spot}[{index}]", marks, path)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
