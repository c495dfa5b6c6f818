"""YAML files with errors that name the line and the column."""

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from arena.config_files import validate
from arena.errors import ArenaError

S = TypeVar("S", bound=msgspec.Struct)
_SURROGATE = re.compile("[\ud800-\udfff]")
Positions = dict[str, str]
"""The line and column of each value: "$.limits.answer" -> "4:11"."""


def load_yaml(path: Path, kind: type[S]) -> S:
    """Read a YAML file into a struct; raises ArenaError with line and column."""
    return convert(*parse_yaml(path), path, kind)


def parse_yaml(path: Path) -> tuple[Any, Positions]:
    """Return a YAML file's plain data and positions; raises ArenaError with line and column."""
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
        raise ArenaError(f"bad YAML: {what}", _where(path, error.problem_mark)) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ArenaError(f"bad YAML: {' '.join(str(error).split())}", str(path)) from None
    positions: Positions = {}
    if node is not None:
        _locate_values(node, "$", positions, path)
    return data, positions


def _refuse_aliases(text: str, path: Path) -> None:
    """Refuse `*name`: a few lines of aliases can expand to more data than fits into memory."""
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            what = f"the alias *{event.anchor} is not supported"
            raise ArenaError(what, _where(path, event.start_mark), "write out what it stands for")


def convert(data: Any, positions: Positions, path: Path, kind: type[S]) -> S:
    """Turn plain data into a struct; raises ArenaError with line, column and the nearest key."""
    try:
        return validate.convert(data, kind)
    except ArenaError as error:
        raise ArenaError(error.what, locate(path, positions, error.where), error.hint) from None


def locate(path: Path, positions: Positions, value: str) -> str:
    """Return file:line:column of a value ("$.limits.answer"), or of the nearest one around it."""
    while value not in positions and value != "$":
        value = re.sub(r"(\.[^.\[]*|\[[^\]]*\])$", "", value) or "$"
    return f"{path}:{positions[value]}" if value in positions else str(path)


def _where(path: Path, mark: Any) -> str:
    return f"{path}:{_position(mark)}" if mark else str(path)


def _position(mark: Any) -> str:
    return f"{mark.line + 1}:{mark.column + 1}"


def _locate_values(node: yaml.Node, at: str, positions: Positions, path: Path) -> None:
    """Note the position of a value and of all in it; refuse duplicate keys and bad characters."""
    positions.setdefault(at, _position(node.start_mark))
    if isinstance(node, yaml.ScalarNode) and _SURROGATE.search(node.value):
        raise ArenaError("a lone surrogate is not a character", locate(path, positions, at))
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = f"{at}.{key.value}"
            if inner in positions:
                raise ArenaError(f"duplicate key '{key.value}'", _where(path, key.start_mark))
            positions[inner] = _position(key.start_mark)
            _locate_values(value, inner, positions, path)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _locate_values(value, f"{at}[{index}]", positions, path)
