"""Plain data and the structs that it becomes: errors a person can act on, and JSON Schemas."""

import re
from collections.abc import Iterable, Iterator
from inspect import cleandoc
from types import UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec.json import schema_components
from msgspec.structs import FieldInfo

from arena.io.errors import ArenaError, did_you_mean

S = TypeVar("S", bound=msgspec.Struct)

_AT = re.compile(r" - at `(?:key in )?(?P<path>\$[^`]*)`$")
_STEP = re.compile(r"\.(?P<field>[^.\[]+)|\[(?P<index>\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"unknown field `(?P<name>[^`]*)`")
_ENUM = re.compile(r"Invalid enum value '(?P<value>.*)'", re.DOTALL)
_NO_TEXT = re.compile(r"Expected `str`, got `(?:int|float|bool)`")
_QUOTES = 'put it in quotes, as in "1.0"'
_MISSING = re.compile(r"missing required field `(?P<name>[^`]*)`")
_OUTSIDE = re.compile(r"Expected `(?:int|float)` [<>]")


class _Spot(NamedTuple):
    """A part of the data."""

    path: str
    """The place, with the keys of mappings, for which msgspec writes `[...]`."""
    value: Any
    kind: Any
    """The type that it should have."""


def convert(data: Any, kind: type[S]) -> S:
    """Turn plain data into a struct; raises ArenaError, where: a path ("$.limits.answer").

    A number outside the range of its field (`msgspec.Meta(ge=..., le=...)`) is refused with the
    range; `extra` of the field's Meta may have its `unit` and a `hint`.
    """
    try:
        return msgspec.convert(data, kind, strict=True)
    except msgspec.ValidationError as error:
        raise _explained(str(error), data, kind) from None


def _explained(message: str, data: Any, kind: type[msgspec.Struct]) -> ArenaError:
    at = _AT.search(message)
    path, value, wanted = _spot(at["path"] if at else "$", data, kind)
    if unknown := _UNKNOWN.search(message):
        name, known = unknown["name"], [field.encode_name for field in _fields_of(wanted)]
        hint = did_you_mean(name, known) if known else ""
        return ArenaError(f"unknown key '{name}'", f"{path}.{name}", hint)
    if missing := _MISSING.search(message):
        name = missing["name"]
        meta = _meta_in(_field_type(wanted, name))
        examples = (meta.examples or []) if meta else []
        hint = f"for example `{name}: {examples[0]}`" if examples else ""
        return ArenaError(f"missing key '{name}'", path, hint)
    if (wrong := _ENUM.search(message)) and (choices := get_args(wanted)):
        what = f"unknown {path.rpartition('.')[2]} '{wrong['value']}'"
        return ArenaError(what, path, did_you_mean(wrong["value"], map(str, choices)))
    key, what = path.removeprefix("$").lstrip("."), _AT.sub("", message)
    if _OUTSIDE.match(what) and (meta := _meta_in(wanted)):
        extra = meta.extra or {}
        what = f"{key} must be {_range(meta)}{extra.get('unit', '')}, not {_text(value)}"
        return ArenaError(what, path, extra.get("hint", ""))
    hint = _QUOTES if _NO_TEXT.match(what) else ""
    return ArenaError(f"{key}: {what}" if key else what, path, hint)


def _spot(path: str, data: Any, kind: Any) -> _Spot:
    """Return what is at a path as msgspec writes it."""
    spot = _Spot("$", data, kind)
    for step in _STEP.finditer(path):
        outer, value, kind = spot
        field, index = step["field"], step["index"]
        if field is not None:
            inner = value.get(field) if isinstance(value, dict) else None
            spot = _Spot(f"{outer}.{field}", inner, _field_type(kind, field))
        elif index == "...":
            key = next(key for key, each in value.items() if not _fits({key: each}, kind))
            spot = _Spot(f"{outer}.{key}", value[key], _argument(kind, dict))
        else:
            item = _argument(kind, list) or _argument(kind, tuple)
            spot = _Spot(f"{outer}[{index}]", value[int(index)], item)
    return spot


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError:
        return False
    return True


def _parts(kind: Any) -> Iterator[Any]:
    """Yield the members of a union; any other type is yielded as it is."""
    if get_origin(kind) in {Union, UnionType}:
        for part in get_args(kind):
            yield from _parts(part)
    else:
        yield kind


def _plain(kind: Any) -> Any:
    """Return a type without what is said of its values."""
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _argument(kind: Any, container: type) -> Any:
    """Return the type of the values in a container."""
    parts = [*_parts(_plain(kind))]
    arguments = [get_args(part) for part in parts if get_origin(part) is container]
    return next((types[container is dict] for types in arguments), None)


def _fields_of(kind: Any) -> tuple[FieldInfo, ...]:
    parts = (part for part in _parts(_plain(kind)) if isinstance(part, type))
    struct = next((part for part in parts if issubclass(part, msgspec.Struct)), None)
    return msgspec.structs.fields(struct) if struct else ()


def _field_type(kind: Any, name: str) -> Any:
    types = (field.type for field in _fields_of(kind) if field.encode_name == name)
    return next(types, None)


def _meta_in(kind: Any) -> msgspec.Meta | None:
    for part in _parts(kind):
        for meta in getattr(part, "__metadata__", ()):
            if isinstance(meta, msgspec.Meta):
                return meta
    return None


def _range(meta: msgspec.Meta) -> str:
    least = f"above {_text(meta.gt)}" if meta.gt is not None else _text(meta.ge)
    if meta.le is None:
        return least if meta.gt is not None else f"{least} or more"
    joint = " and up to" if meta.gt is not None else " to"
    return f"{least}{joint} {_text(meta.le)}"


def _text(number: float | None) -> str:
    return f"{number:g}" if isinstance(number, float) else str(number)


REF = "#/$defs/{name}"
"""Where a schema finds the parts that it names."""


def components(
    types: Iterable[Any], ref: str = REF
) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """Return the schema of each type, and those of the parts that they name."""
    schemas, parts = schema_components(types, ref_template=ref)
    for part in parts.values():
        # From Python 3.13 on docstrings have lost their indentation already.
        if "description" in part:
            part["description"] = cleandoc(part["description"])
    return schemas, parts
