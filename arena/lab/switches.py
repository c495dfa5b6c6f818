"""Refuses rules with a switch that code of the lab was not written for."""

from collections.abc import Collection

from msgspec import NODEFAULT
from msgspec.structs import fields

from arena.game.rules.books import Rules


def unknown_switch(rules: Rules, known: Collection[str]) -> str:
    """Return the first field that rules use and that is not `known`, or "".

    A field at its default is not in use: it plays as the rule books without it.
    """
    unknown = [field for field in fields(rules) if field.name not in known]
    used = [
        field.name
        for field in unknown
        if field.default is NODEFAULT or getattr(rules, field.name) != field.default
    ]
    return used[0] if used else ""
