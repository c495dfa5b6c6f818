"""Turns plain data into structs, with errors a person can act on."""

import re
from typing import Any, TypeVar, get_args

import msgspec

from arena.io.errors import ArenaError, did_you_mean

S = TypeVar("S", bound=msgspec.Struct)

_AT = re.compile(r" - at `(?:key in )?(?P<path>\$[^`]*)`$")
_UNKNOWN = re.compile(r"unknown field `(?P<name>[^`]*)`")
_ENUM = re.compile(r"Invalid enum value '(?P<value>.*)'", re.DOTALL)
_NO_TEXT = re.compile(r"Expected `str`, got `(?:int|float|bool)`")
_QUOTES = 'put it in quotes, as in "1.0"'
_MISSING = re.compile(r"missing required field `(?P<name>[^`]*)`")


def convert(data: Any, kind: type[S]) -> S:
    """Turn plain data into a struct; raises ArenaError, where: a path ("$.limits.answer")."""
    try:
        return msgspec.convert(data, kind, strict=True)
    except msgspec.ValidationError as error:
        raise _explained(str(error), kind) from None


def _explained(message: str, kind: type[msgspec.Struct]) -> ArenaError:
    at = _AT.search(message)
    path = at["path"] if at else "$"
    if unknown := _UNKNOWN.search(message):
        name, known = unknown["name"], _keys_at(kind, path)
        hint = did_you_mean(name, known) if known else ""
        return ArenaError(f"unknown key '{name}'", f"{path}.{name}", hint)
    if missing := _MISSING.search(message):
        return ArenaError(f"missing key '{missing['name']}'", path)
    if (wrong := _ENUM.search(message)) and (choices := get_args(_type_at(kind, path))):
        what = f"unknown {path.rpartition('.')[2]} '{wrong['value']}'"
        return ArenaError(what, path, did_you_mean(wrong["value"], map(str, choices)))
    key, what = path.removeprefix("$").lstrip("."), _AT.sub("", message)
    hint = _QUOTES if _NO_TEXT.match(what) else ""
    return ArenaError(f"{key}: {what}" if key else what, path, hint)


def _keys_at(kind: type[msgspec.Struct], path: str) -> list[str]:
    struct = _struct_in(_type_at(kind, path))
    return [field.encode_name for field in msgspec.structs.fields(struct)] if struct else []


def _type_at(kind: Any, path: str) -> Any:
    for name in re.findall(r"\.([^.\[]+)", path):
        struct = _struct_in(kind)
        fields = msgspec.structs.fields(struct) if struct else ()
        kind = next((field.type for field in fields if field.encode_name == name), None)
    return kind


def _struct_in(kind: Any) -> Any:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    structs = (_struct_in(part) for part in getattr(kind, "__args__", ()))
    return next((struct for struct in structs if struct is not None), None)
