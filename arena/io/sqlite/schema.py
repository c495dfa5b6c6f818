"""The tables that a kind of SQLite file has."""

from typing import NamedTuple


class Schema(NamedTuple):
    """The tables of a kind of file."""

    version: int
    """The `user_version` of the file; a file of another version is refused."""
    tables: tuple[str, ...]
    """The statements that create the tables of a new file."""
    optional: tuple[str, ...] = ()
    """The statements that create other tables that a file may have."""

    @property
    def known(self) -> tuple[str, ...]:
        """Return the statements of all tables that a file may have."""
        return (*self.tables, *self.optional)
