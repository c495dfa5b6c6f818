"""Turns plain data into structs, with errors a person can act on."""

import re
from typing import Any, NoReturn, TypeVar

import msgspec

from arena.errors import did_you_mean

S = TypeVar("S", bound=msgspec.Struct)

_AT = re.compile(r" - at `(?:key in )?(?P<path>\$[^`]*)`$")
_UNKNOWN = re.compile(r"unknown field `(?P<name>[^`]*)`")
_MISSING = re.compile(r"missing required field `(?P<name>[^`]*)`")


class InvalidDataError(Exception):
    """Data that does not fit a struct: what is wrong, its path ("$.limits.answer"), and a hint."""

    def __init__(self, what: str, path: str, hint: str = "") -> None:
        super().__init__(f"{what}; {hint}" if hint else what)
        self.what = what
        self.path = path
        self.hint = hint


def convert(data: Any, kind: type[S]) -> S:
    """Turn plain data into a struct; raises InvalidDataError, with the nearest known key."""
    try:
        return msgspec.convert(data, kind, strict=True)
    except msgspec.ValidationError as error:
        _refuse(str(error), kind)


def _refuse(message: str, kind: type[msgspec.Struct]) -> NoReturn:
    """Raise the InvalidDataError for one of msgspec's messages."""
    at = _AT.search(message)
    path = at["path"] if at else "$"
    if unknown := _UNKNOWN.search(message):
        name, known = unknown["name"], _keys_at(kind, path)
        hint = did_you_mean(name, known) if known else ""
        raise InvalidDataError(f"unknown key '{name}'", f"{path}.{name}", hint) from None
    if missing := _MISSING.search(message):
        raise InvalidDataError(f"missing key '{missing['name']}'", path) from None
    key, what = path.removeprefix("$").lstrip("."), _AT.sub("", message)
    raise InvalidDataError(f"{key}: {what}" if key else what, path) from None


def _keys_at(kind: type[msgspec.Struct], path: str) -> list[str]:
    """Return the keys of the struct at a path."""
    struct: Any = kind
    for name in re.findall(r"\.([^.\[]+)", path):
        fields = msgspec.structs.fields(struct)
        struct = _struct_in(next((f.type for f in fields if f.encode_name == name), None))
        if struct is None:
            return []
    return [field.encode_name for field in msgspec.structs.fields(struct)]


def _struct_in(kind: Any) -> Any:
    """Return the struct type in a list or a union, if any."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    structs = (_struct_in(part) for part in getattr(kind, "__args__", ()))
    return next((struct for struct in structs if struct is not None), None)
