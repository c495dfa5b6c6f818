"""What the door and the ladder hand each other of tables with visitors: clicks and pages.

The door writes what was asked and clicked into a folder of its own, the ladder the pages of the
tables into another. A table is named by the SHA-256 of the secret in its address.
"""

import os
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.io.files import changed_at, read_json, remove_tree, stat_of, write_file
from arena.ladder.folder import Folder, make_shared

FACT = "humans"
"""The fact with the names of the versions that play against people, as JSON."""
MOST_CLICKS = 64 * 1024
"""Bytes of the clicks at a table."""
_FOR_THE_DOOR = 0o750
_OLD = 86_400.0
"""Seconds after which what was asked is forgotten."""


class Asked(Struct, frozen=True):
    """A table that a visitor asks for."""

    versions: tuple[str, ...]
    """`name@number` of those to play against."""
    at: float


class GuestPage(Struct, frozen=True, kw_only=True):
    """The page of a table, as it is now."""

    number: int = 0
    """It grows with every change."""
    html: str = ""
    why: str = ""
    """Why the table is no more; "" while it is there."""
    replay: bool = False
    """Whether there is a replay."""


def strength_file(folder: Folder) -> Path:
    """Return the file of `strength`."""
    return folder.guests / "strength.json"


def strength(folder: Folder) -> dict[str, tuple[int, int]]:
    """Return the games of people against each version, and how many the person was ahead in."""
    return read_json(strength_file(folder), dict[str, tuple[int, int]]) or {}


class GuestSpool:
    """The two folders."""

    def __init__(self, folder: Folder) -> None:
        self._clicks, self._pages = folder.door.parent / "guests", folder.guests

    # ------------------------------------------------------------ the door's

    def ask(self, id_: str, asked: Asked) -> None:
        """Ask for a table; what was asked long ago is forgotten."""
        make_shared(self._clicks)
        for old in self._clicks.iterdir():
            if time.time() - old.stat().st_mtime > _OLD:
                remove_tree(old)
        make_shared(self._clicks / id_)
        write_file(self._clicks / id_ / "asked", msgspec.json.encode(asked), 0o640)

    def asked_for(self, id_: str) -> Asked | None:
        """Return what was asked for a table; None if nothing was."""
        return read_json(self._clicks / id_ / "asked", Asked)

    def click(self, id_: str, number: int, move: str) -> bool:
        """Hand over what was clicked on the page of a number; False if that was too much."""
        line = f"{number} {move}\n".encode("ascii", "replace")
        file = os.open(
            self._clicks / id_ / "clicks",
            os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC,
            0o640,
        )
        try:
            return os.fstat(file).st_size < MOST_CLICKS and os.write(file, line) > 0
        finally:
            os.close(file)

    def visit(self, id_: str) -> None:
        """Note that the page was asked for: who is gone for long loses the table."""
        (self._clicks / id_ / "visited").touch(0o640)

    def version(self, id_: str) -> tuple[int, int]:
        """Return what changes whenever the page of a table does."""
        page = stat_of(self._pages / f"{id_}.json")
        return (page.st_ino, page.st_mtime_ns) if page else (0, 0)

    def page(self, id_: str) -> GuestPage | None:
        """Return the page of a table; None if there is none yet."""
        return read_json(self._pages / f"{id_}.json", GuestPage)

    # ------------------------------------------------------------ the ladder's

    def begin(self) -> None:
        """Forget the tables of a ladder that was killed."""
        self._pages.mkdir(exist_ok=True)
        self._pages.chmod(_FOR_THE_DOOR)
        for path in self._pages.glob("*.json"):
            path.unlink()

    def ids(self) -> set[str]:
        """Return the tables that were asked for and are not forgotten."""
        try:
            return set(os.listdir(self._clicks))  # noqa: PTH208 - looked at all the time
        except OSError:
            return set()

    def forget(self, id_: str) -> None:
        """Remove the page of a table."""
        (self._pages / f"{id_}.json").unlink(missing_ok=True)

    def clicks(self, id_: str, after: int) -> tuple[list[tuple[int, str]], int]:
        """Return the clicks after so many bytes, by the page they were made on, and all bytes."""
        path = self._clicks / id_ / "clicks"
        try:
            with path.open("rb") as file:
                file.seek(after)
                whole, newline, _ = file.read(MOST_CLICKS).rpartition(b"\n")
        except OSError:
            return [], after
        words = [line.split(" ", 1) for line in whole.decode("ascii", "replace").splitlines()]
        clicks = [(int(word[0]), word[1]) for word in words if len(word) == 2 and word[0].isdigit()]
        return clicks, after + len(whole) + len(newline)

    def visited(self, id_: str) -> int:
        """Return when the page was asked for last, as `changed_at`."""
        return changed_at(self._clicks / id_ / "visited")

    def show(self, id_: str, page: GuestPage) -> None:
        """Hand over the page of a table."""
        write_file(self._pages / f"{id_}.json", msgspec.json.encode(page), 0o640)
