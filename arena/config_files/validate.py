"""What is wrong with plain data that does not fit a struct, in words."""

import re
from typing import Any, NamedTuple, NoReturn, TypeVar

import msgspec

from arena.errors import did_you_mean

S = TypeVar("S", bound=msgspec.Struct)

_AT = re.compile(r" - at `(?:key in )?(?P<path>\$[^`]*)`$")
_UNKNOWN = re.compile(r"unknown field `(?P<name>[^`]*)`")
_MISSING = re.compile(r"missing required field `(?P<name>[^`]*)`")


class Misfit(NamedTuple):
    """What is wrong, where ("$.limits.answer"), and what would mend it."""

    what: str
    spot: str
    hint: str


class ShapeError(Exception):
    """Data that does not fit; `misfit` says why."""

    def __init__(self, misfit: Misfit) -> None:
        super().__init__("; ".join(part for part in (misfit.what, misfit.hint) if part))
        self.misfit = misfit


def convert(data: Any, kind: type[S]) -> S:
    """Turn plain data into a struct; raises ShapeError, with the nearest key for an unknown one."""
    try:
        return msgspec.convert(data, kind, strict=True)
    except msgspec.ValidationError as error:
        _refuse(str(error), kind)


def _refuse(message: str, kind: type[msgspec.Struct]) -> NoReturn:
    at = _AT.search(message)
    spot = at["path"] if at else "$"
    if unknown := _UNKNOWN.search(message):
        name = unknown["name"]
        known = _fields_at(kind, spot)
        hint = did_you_mean(name, known) if known else ""
        raise ShapeError(Misfit(f"unknown key '{name}'", f"{spot}.{name}", hint)) from None
    if missing := _MISSING.search(message):
        what = f"the key '{missing['name']}' is missing"
    else:
        key = spot.removeprefix("$").lstrip(".")
        what = _AT.sub("", message)
        what = f"{key}: {what}" if key else what
    raise ShapeError(Misfit(what, spot, "")) from None


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
