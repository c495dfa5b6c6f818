"""The lab: environments for policies that learn, equilibria, and how far a bot is from them."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.lab.stored import games, imitation

__all__ = ["games", "imitation"]


def __getattr__(name: str) -> Any:
    """Import what reads stores only when it is asked for: most of the lab needs no store."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arena.lab import stored

    return getattr(stored, name)
