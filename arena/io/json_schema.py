"""JSON Schemas of types, the same on every version of Python."""

from collections.abc import Iterable
from inspect import cleandoc
from typing import Any

from msgspec.json import schema_components

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
