"""The names that bots have at the tables of a comparison."""

from arena.game.records import Fixture

OLD, NEW = VERSIONS = ("old", "new")
"""The names of the two versions at their tables."""


def in_field(name: str) -> str:
    """Return the name of a bot of the field at a table, which is neither OLD nor NEW."""
    return f"field/{name}"


def from_field(name: str) -> str:
    """Return the own name of a bot of the field, given its name at a table."""
    return name.removeprefix(in_field(""))


def version_seat(fixture: Fixture) -> tuple[str, int]:
    """Return which version plays at a table, and in which seat."""
    version = NEW if NEW in fixture.seats else OLD
    return version, fixture.seats.index(version)
