"""The machine on which a league is played."""

from msgspec import Struct


class MachineInfo(Struct, frozen=True):
    """The machine that a league began on; it decides no die, but how long answers take."""

    processor: str
    cores: int
    """How many of its cores the arena may use."""
    memory: int
    """Bytes."""
    system: str
    """The kernel and its release."""
    python: str
    numpy: str = ""
    """The arena's own, which Python bots import unless an image has theirs; "" if unknown."""
