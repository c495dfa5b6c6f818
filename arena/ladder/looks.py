"""Names that readers could take for another author's."""

from collections.abc import Collection

from arena.bots.names import skeleton


def looks_like(name: str, others: Collection[str]) -> str:
    """Return one of the others that a name looks like, "" if there is none."""
    mine = skeleton(name.lower())
    return next((one for one in sorted(others) if skeleton(one.lower()) == mine), "")
