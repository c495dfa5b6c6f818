"""What a JSON Schema promises, as lines: a later version may have more of them, and none less."""

from collections.abc import Iterator, Mapping
from typing import Any

Schema = dict[str, Any]
_ABOUT = {"description", "examples", "title"}
_NAMED = {"$defs", "properties"}
"""What is below them has names of its own, which may be `title`."""


def plain(schema: Any, *, named: bool = False) -> Any:
    """Return a schema without what is said about it, which may change."""
    if isinstance(schema, list):
        return [plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if named or key not in _ABOUT}
    return {key: plain(value, named=not named and key in _NAMED) for key, value in kept.items()}


def lines(schema: Schema, *, read: bool) -> set[str]:
    """Return what a schema promises: each key with its path, its types and the texts it may be.

    What is `read` in later versions, as league.yaml and stores are, also keeps its defaults.
    """
    return {*_Reader(schema.get("$defs", {}), read).all(schema, "$", ())}


def lost(kept: Schema, now: Schema, *, read: bool) -> list[str]:
    """Return the promises of a kept schema that one of this version does not keep."""
    before, after = lines(kept, read=read), lines(now, read=read)
    needed = {line for line in after - before if read and line.endswith(" must be there")}
    new = {line.removesuffix(" must be there") for line in needed}
    # Whoever wrote a file with an older version did not know of a key that must be there now.
    parents = {line.rpartition(": ")[0] for line in before}
    refused = {line for line in new if line.rpartition(".")[0] in parents}
    gone = {line for line in before - after if not line.endswith(" must be there")}
    return sorted(gone | {f"{line}: must be there now" for line in refused})


class _Reader:
    """Reads the lines of a schema, whose named parts are given."""

    def __init__(self, parts: Mapping[str, Schema], read: bool) -> None:
        self._parts, self._read = parts, read

    def all(self, schema: Schema, path: str, inside: tuple[str, ...]) -> Iterator[str]:
        """Yield all that is promised at a path and below, inside of the parts of these names."""
        if name := _name(schema):
            if name in inside:
                yield f"{path}: again"
                return
            inside, schema = (*inside, name), self._parts[name]
        yield from self._forms(schema, path, inside)
        kinds = schema.get("type", ())
        yield from (f"{path}: {kind}" for kind in ([kinds] if isinstance(kinds, str) else kinds))
        values = [schema["const"]] if "const" in schema else schema.get("enum", ())
        yield from (f"{path}: {value!r}" for value in values)
        yield from self._keys(schema, path, inside)
        items = {f"[{at}]": item for at, item in enumerate(schema.get("prefixItems", ()))}
        items |= {"[]": schema.get("items"), ".*": schema.get("additionalProperties")}
        for at, item in items.items():
            if isinstance(item, dict):
                yield from self.all(item, f"{path}{at}", inside)

    def _forms(self, schema: Schema, path: str, inside: tuple[str, ...]) -> Iterator[str]:
        """Yield what is promised of each of several forms."""
        forms = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
        several = sum("$ref" in form for form in forms) > 1
        for form in forms:
            tag = self._tag(form) or (_name(form) if several else "")
            yield from self.all(form, f"{path}({tag})" if tag else path, inside)

    def _keys(self, schema: Schema, path: str, inside: tuple[str, ...]) -> Iterator[str]:
        needed = {*schema.get("required", ())}
        for key, value in schema.get("properties", {}).items():
            inner = f"{path}.{key}"
            yield f"{inner}: known"
            if key in needed:
                yield f"{inner} must be there"
            # What is left out within an object that is left out has the defaults of its keys.
            if self._read and "default" in value and not isinstance(value["default"], dict):
                yield f"{inner}: {value['default']!r} if it is left out"
            yield from self.all(value, inner, inside)

    def _tag(self, schema: Schema) -> str:
        """Return the text that tells a form from the others, as `bid`; "" if none does."""
        schema = self._parts.get(_name(schema), schema)
        parts = [*schema.get("properties", {}).values(), *schema.get("prefixItems", ())[:1]]
        return next(filter(None, map(_only_text, parts)), "")


def _name(schema: Schema) -> str:
    """Return the name of the part that a schema refers to; "" if it is one itself."""
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _only_text(part: Schema) -> str:
    """Return the only text that a value may be; "" if it may be others."""
    values = [part["const"]] if "const" in part else part.get("enum", ())
    return values[0] if len(values) == 1 and isinstance(values[0], str) else ""
