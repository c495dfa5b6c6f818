"""Keys, options and names that were renamed: the old one works on for a while, and says so.

An entry is the whole of it for files and for commands. A Python module whose name was changed also
gets the line `__getattr__ = renamed.getter(__name__)`.
"""

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from arena.io.errors import ArenaError


class Renamed(NamedTuple):
    """An old name and its new one."""

    where: str
    """The struct of a file's keys (`LeagueFile`), a command (`arena run`), or a Python module."""
    old: str
    """A key with those around it (`limits.answer`), an option (`--games`), a command, a name."""
    new: str
    ends: str
    """The version from which on the old name is unknown: a minor version later, or more."""

    def __str__(self) -> str:
        return f"'{self.old}' is called '{self.new}' now, and ends with version {self.ends}"


RENAMED: tuple[Renamed, ...] = ()
"""Every name that was changed, and still works."""
_said = set[str]()


def with_new_keys(
    data: Any, positions: dict[str, str], path: Path, struct: str
) -> tuple[Any, dict[str, str]]:
    """Return a file's data and the positions in it, with old keys called by their new names.

    `struct` is the name of the struct of its keys. Raises ArenaError if both names are there.
    """
    for entry in _of(struct):
        *around, old = entry.old.split(".")
        new = entry.new.rpartition(".")[2]
        inside = data
        for key in around:
            inside = inside.get(key) if isinstance(inside, dict) else None
        if not isinstance(inside, dict) or old not in inside:
            continue
        at = f"$.{entry.old}"
        where = f"{path}:{positions[at]}"
        if new in inside:
            raise ArenaError(f"'{old}' is the old name of '{new}'", where, "leave it out")
        inside[new] = inside.pop(old)
        now = at.removesuffix(old) + new
        moved = {p.replace(at, now, 1): p for p in positions if p == at or p.startswith(f"{at}.")}
        positions = positions | {to: positions[source] for to, source in moved.items()}
        _say(f"{where}: {entry}")
    return data, positions


def with_new_options(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of `arena`, with old options and commands called by their new names."""
    words = list(arguments)
    for entry in RENAMED:
        program, *command = entry.where.split()
        if program != "arena" or words[: len(command)] != command:
            continue
        end = words.index("--") if "--" in words else len(words)
        for at in range(len(command), end if entry.old.startswith("-") else len(command) + 1):
            name, is_set, value = words[at].partition("=") if at < end else ("", "", "")
            if name == entry.old:
                words[at] = f"{entry.new}{is_set}{value}"
                _say(f"{entry.where}: {entry}")
    return words


def getter(module: str) -> Callable[[str], Any]:
    """Return what finds the old names of a module: its `__getattr__`."""

    def find(name: str) -> Any:
        for entry in _of(module):
            if entry.old == name:
                warnings.warn(f"{module}: {entry}", DeprecationWarning, stacklevel=2)
                return getattr(import_module(module), entry.new)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return find


def _of(where: str) -> Iterator[Renamed]:
    return (entry for entry in RENAMED if entry.where == where)


def _say(text: str) -> None:
    """Print a warning on stderr, once: a file may be read by many."""
    if text not in _said:
        _said.add(text)
        sys.stderr.write(f"warning: {text}\n")
