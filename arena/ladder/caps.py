"""What a ladder may take of the disk."""

from msgspec import Struct


class Disk(Struct, frozen=True, forbid_unknown_fields=True):
    """The caps as they are written in ladder.yaml."""

    logs: str = "5GiB"
    """What the logs of all seasons may take, standard error included."""
    stderr: str = "256MiB"
    """What the standard error of a season may take."""
    replays: int = 10_000
    """Games that can be watched on a site."""
    free: str = "1GiB"
    """What must be free on the disk, or nothing is played."""


class Caps(Struct, frozen=True, kw_only=True):
    """The same; sizes in bytes."""

    logs: int
    stderr: int
    replays: int
    free: int
