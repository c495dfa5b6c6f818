"""Hold what commands print with --json against what is declared of them."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator

from tests.compatibility.declared import schema_of
from tests.compatibility.printed import ERROR, PRINTED

_MOST = 20
"""Documents of a command that are looked at: each line of a table is like the others."""


def hold(words: Sequence[str], out: str) -> None:
    """Check what a command printed: no key that is not declared, and none with another type."""
    plain = [word for word in words if not word.startswith("-")]
    command = next((c for n in (3, 2, 1) if (c := " ".join(plain[:n])) in PRINTED), None)
    if command is None or "--json" not in words:
        return
    for document in islice(_documents(out), _MOST):
        if isinstance(document, dict) and {*document} == {"error"}:
            _validator(None).validate(document)
        else:
            _validator(command).validate(document)


def _documents(out: str) -> Iterator[Any]:
    """Yield the JSON documents of a text, one after another."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(out):
        if out[at].isspace():
            at += 1
            continue
        document, at = decoder.raw_decode(out, at)
        yield document


@cache
def _validator(command: str | None) -> Draft202012Validator:
    kinds = (ERROR,) if command is None else PRINTED[command]
    return Draft202012Validator(_closed(schema_of(*kinds)))


def _closed(schema: Any) -> Any:
    """Return a schema by which an object has no key but those that are declared."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict):
        closed.setdefault("additionalProperties", False)
    return closed
