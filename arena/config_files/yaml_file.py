"""YAML files with errors that name the line and the column."""

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from arena.config_files import validate as shape
from arena.config_files.validate import ShapeError
from arena.errors import ArenaError

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
        _refuse_aliases(text, path)
        data = yaml.safe_load(text)
    except FileNotFoundError:
        raise ArenaError("no such file", str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ArenaError(f"cannot be read: {error}", str(path)) from None
    except yaml.MarkedYAMLError as error:
        what = " ".join(filter(None, (error.context, error.problem)))
        raise ArenaError(f"bad YAML: {what}", _at(path, error.problem_mark)) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ArenaError(f"bad YAML: {_one_line(error)}", str(path)) from None
    marks: Marks = {}
    if node is not None:
        _mark(node, "$", marks, path)
    return data, marks


def _refuse_aliases(text: str, path: Path) -> None:
    """Refuse `*name`: a few lines of aliases stand for more data than any memory holds."""
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            what = f"the alias *{event.anchor} is not taken here"
            raise ArenaError(what, _at(path, event.start_mark), "write out what it stands for")


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


def _at(path: Path, mark: Any) -> str:
    """Return file:line:column of one of the parser's own marks, which it may lack."""
    return f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)


def _mark(node: yaml.Node, spot: str, marks: Marks, path: Path) -> None:
    mark = node.start_mark
    marks.setdefault(spot, f"{mark.line + 1}:{mark.column + 1}")
    if isinstance(node, yaml.ScalarNode) and not _is_text(node.value):
        raise ArenaError("half a character (a lone surrogate)", place(path, marks, spot))
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


def _is_text(value: str) -> bool:
    """Tell whether a string can be written down at all."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
