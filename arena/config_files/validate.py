"""Turns plain data into structs, with errors a person can act on."""

import re
from typing import Any, TypeVar

import msgspec

from arena.errors import ArenaError, did_you_mean

S = TypeVar("S", bound=msgspec.Struct)

_AT = re.compile(r" - at `(?:key in )?(?P<path>\$[^`]*)`$")
_UNKNOWN = re.compile(r"unknown field `(?P<name>[^`]*)`")
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
    key, what = path.removeprefix("$").lstrip("."), _AT.sub("", message)
    return ArenaError(f"{key}: {what}" if key else what, path)


def _keys_at(kind: type[msgspec.Struct], path: str) -> list[str]:
    struct: Any = kind
    for name in re.findall(r"\.([^.\[]+)", path):
        fields = msgspec.structs.fields(struct)
        struct = _struct_in(next((f.type for f in fields if f.encode_name == name), None))
        if struct is None:
            return []
    return [field.encode_name for field in msgspec.structs.fields(struct)]


def _struct_in(kind: Any) -> Any:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    structs = (_struct_in(part) for part in getattr(kind, "__args__", ()))
    return next((struct for struct in structs if struct is not None), None)
