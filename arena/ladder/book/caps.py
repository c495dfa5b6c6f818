"""The caps of ladder.yaml on what a ladder takes of the disk."""

from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import asdict

from arena.io.errors import ArenaError
from arena.io.text import parse_size
from arena.io.yaml_file import Positions, locate

_LEAST_LOGS = "16MiB"
"""With less, next to every game would have others pruned."""


class Disk(Struct, frozen=True, forbid_unknown_fields=True):
    """The caps as they are written in ladder.yaml."""

    logs: str = "5GiB"
    """The most that the logs of all seasons may take, standard error included."""
    stderr: str = "256MiB"
    """The most that the standard error of a season may take."""
    replays: Annotated[int, Meta(ge=0)] = 10_000
    """Games that can be watched on a site."""
    free: str = "1GiB"
    """The space that must be free on the disk, or nothing is played and nothing taken in."""
    inbox: str = "512MiB"
    """The most that submissions may take until they are removed, an hour after their check."""
    inbox_of_author: str = "64MiB"
    """The most that those of an author may take."""
    inbox_of_address: str = "128MiB"
    """The most that those may take which came from one address."""


class Caps(Struct, frozen=True, kw_only=True):
    """The caps of `Disk`, with sizes in bytes."""

    logs: int
    stderr: int
    replays: int
    free: int
    inbox: int
    inbox_of_author: int
    inbox_of_address: int


def caps_of(disk: Disk, path: Path, marks: Positions) -> Caps:
    """Return the caps that ladder.yaml names; raises ArenaError with the line that is wrong."""
    sizes = {
        key: parse_size(value, locate(path, marks, f"$.disk.{key}"))
        for key, value in asdict(disk).items()
        if isinstance(value, str)
    }
    if sizes["logs"] < parse_size(_LEAST_LOGS, ""):
        what = f"disk.logs must be {_LEAST_LOGS} or more, not {disk.logs}"
        raise ArenaError(what, locate(path, marks, "$.disk.logs"))
    return Caps(**sizes, replays=disk.replays)
