"""Schemas of types: their words are the same whether Python keeps a docstring's indentation."""

import msgspec

from arena.io.structs import components


def test_descriptions_are_not_indented() -> None:
    kept = "What it is for.\n\n    More of it.\n      - indented\n    "
    described = msgspec.defstruct("Described", [("x", int)], namespace={"__doc__": kept})
    (schema,), parts = components([described])
    assert schema == {"$ref": "#/$defs/Described"}
    assert parts["Described"]["description"] == "What it is for.\n\nMore of it.\n  - indented"


def test_parts_without_words_have_none() -> None:
    bare = msgspec.defstruct("Bare", [("x", int)])
    bare.__doc__ = None
    _, parts = components([bare], "#/parts/{name}")
    assert "description" not in parts["Bare"]
