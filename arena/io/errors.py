"""The only errors that a person sees: what is wrong, where, and how to fix it."""

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

_MAX_SHOWN = 2000
"""Characters of each part of an error that are shown."""


class ArenaError(Exception):
    """Bad input or a bad environment: one line to stderr, exit code 2, never a traceback.

    what: what is wrong. where: file, line, bot or option, as the person would name it.
    hint: how to fix it, ready to be pasted if possible; "" if there is nothing to add.
    """

    def __init__(self, what: str, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        return " / ".join(map(_shortened, filter(None, (self.what, self.where, self.hint))))

    def __reduce__(self) -> tuple[type["ArenaError"], tuple[str, str, str]]:
        """Keep all three parts when the error comes from a worker process."""
        return type(self), (self.what, self.where, self.hint)


def _shortened(part: str) -> str:
    """Cut a part that quotes far too much of what is wrong."""
    return part if len(part) <= _MAX_SHOWN else f"{part[:_MAX_SHOWN]}..."


class FindingError(ArenaError):
    """Something that was checked is not as it must be: one line to stderr, exit code 1."""


def first_of(texts: Sequence[str], most: int) -> list[str]:
    """Return the first so many texts, and behind them how many more there are."""
    more = len(texts) - most
    return [*texts[:most], f"and {more} more"] if more > 0 else list(texts)


def check_known(name: str, known: Collection[str], what: str, where: str = "") -> None:
    """Raise an ArenaError with the nearest known name, unless a name is known."""
    if name not in known:
        raise ArenaError(what, where, did_you_mean(name, known))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint with the nearest known name, else with all of them."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    return f"did you mean '{near[0]}'?" if near else f"known: {', '.join(names)}"
