"""YAML files with errors that name the line and the column."""

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from arena.errors import ArenaError, did_you_mean

S = TypeVar("S", bound=msgspec.Struct)
Marks = dict[str, str]
"""Where each value stands: "$.limits.answer" -> "4:11"."""

_AT = re.compile(r" - at `(?:key in )?(?P<path>\$[^`]*)`$")
_UNKNOWN = re.compile(r"unknown field `(?P<name>[^`]*)`")
_MISSING = re.compile(r"missing required field `(?P<name>[^`]*)`")


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
        _mark(node, "$", marks, path, set())
    return data, marks


def convert(data: Any, marks: Marks, path: Path, kind: type[S]) -> S:
    """Turn plain data into a struct; raises ArenaError that names the place and the nearest key."""
    try:
        return msgspec.convert(data, kind, strict=True)
    except msgspec.ValidationError as error:
        message = str(error)
    at = _AT.search(message)
    spot = at["path"] if at else "$"
    what = _AT.sub("", message)
    if unknown := _UNKNOWN.search(message):
        name = unknown["name"]
        known = _fields_at(kind, spot)
        hint = did_you_mean(name, known) if known else ""
        raise ArenaError(f"unknown key '{name}'", place(path, marks, f"{spot}.{name}"), hint)
    if missing := _MISSING.search(message):
        raise ArenaError(f"the key '{missing['name']}' is missing", place(path, marks, spot))
    key = spot.removeprefix("$").lstrip(".")
    raise ArenaError(f"{key}: {what}" if key else what, place(path, marks, spot))


def place(path: Path, marks: Marks, spot: str) -> str:
    """Return file:line:column of a value, or of the nearest one around it."""
    while spot not in marks and spot != "$":
        spot = re.sub(r"(\.[^.\[]*|\[[^\]]*\])$", "", spot) or "$"
    return f"{path}:{marks[spot]}" if spot in marks else str(path)


def _mark(node: yaml.Node, spot: str, marks: Marks, path: Path, seen: set[int]) -> None:
    if id(node) in seen:
        # An alias: marked where it was written. Aliases of aliases could go on without end.
        return
    seen.add(id(node))
    mark = node.start_mark
    marks.setdefault(spot, f"{mark.line + 1}:{mark.column + 1}")
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = f"{spot}.{key.value}"
            at = f"{key.start_mark.line + 1}:{key.start_mark.column + 1}"
            if inner in marks:
                raise ArenaError(f"the key '{key.value}' stands twice", f"{path}:{at}")
            marks[inner] = at
            _mark(value, inner, marks, path, seen)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _mark(value, f"{spot}[{index}]", marks, path, seen)


def _fields_at(kind: type[msgspec.Struct], spot: str) -> list[str]:
    """Return the keys known at a place, following the struct's own types."""
    known: Any = kind
    for name in re.findall(r"\.([^.\[]+)", spot):
        known = next((f.type for f in msgspec.structs.fields(known) if f.encode_name == name), None)
        known = _struct_in(known)
        if known is None:
            return []
    return [field.encode_name for field in msgspec.structs.fields(known)]


def _struct_in(kind: Any) -> Any:
    """Return the struct type inside a list or a union, if any."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    inner = (_struct_in(part) for part in getattr(kind, "__args__", ()))
    return next((found for found in inner if found is not None), None)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
