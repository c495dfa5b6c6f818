"""The names that bots have at the tables of a comparison."""

from arena.game.records import Fixture

OLD, NEW = VERSIONS = ("old", "new")
"""What the two versions are called at their tables."""


def in_field(name: str) -> str:
    """Return what a bot of the field is called at a table: no name is OLD or NEW."""
    return f"field/{name}"


def from_field(name: str) -> str:
    """Return the name of a bot of the field by what it is called at a table."""
    return name.removeprefix(in_field(""))


def version_seat(fixture: Fixture) -> tuple[str, int]:
    """Return which version plays at a table, and in which seat."""
    version = NEW if NEW in fixture.seats else OLD
    return version, fixture.seats.index(version)
