"""The only errors that a person sees: what is wrong, where, and how to fix it."""

import errno
import os
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import NamedTuple

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
        parts = filter(None, (self.what, self.where, self.hint))
        # A part may quote far too much of what is wrong.
        cut = (part if len(part) <= _MAX_SHOWN else f"{part[:_MAX_SHOWN]}..." for part in parts)
        return " / ".join(cut)

    def __reduce__(self) -> tuple[type["ArenaError"], tuple[str, str, str]]:
        """Keep all three parts when the error comes from a worker process."""
        return type(self), (self.what, self.where, self.hint)


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


class ShortageError(ArenaError):
    """The machine lacked something: what failed may work later, and nobody is to blame."""


class _Resource(NamedTuple):
    """What ran out, as a person would call it, and what to raise or to free."""

    name: str
    hint: str


_PROCESSES = _Resource(
    "processes",
    "raise pids.max of the control group (TasksMax of a unit, --pids-limit of a container) or"
    " ulimit -u, or play with fewer --workers",
)
_MEMORY = _Resource(
    "memory", "free some, or raise memory.max of the control group (MemoryMax of a unit)"
)
_SPACE = _Resource("disk space", "free some space, or set TMPDIR to a folder that has some")
_RESOURCES = {
    errno.EAGAIN: _PROCESSES,
    errno.ENOMEM: _MEMORY,
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
    errno.EMFILE: _Resource("open files", "raise their number: ulimit -n 4096"),
    errno.ENFILE: _Resource("open files", "raise their number: sysctl fs.file-max"),
    errno.EROFS: _Resource("a folder to write to", "mount it writable, or set TMPDIR to another"),
    errno.EIO: _Resource("a disk that works", "see what failed: dmesg"),
}
_SHORT_OF = "this machine is short of {}: "
_NO_THREAD = "can't start new thread"
"""What Python says, without an errno."""


def shortage_of(error: BaseException) -> ShortageError | None:
    """Return what the machine lacked when an error was raised; None if that is another error."""
    if isinstance(error, ShortageError):
        return error
    if isinstance(error, MemoryError):
        return _shortage(_MEMORY, os.strerror(errno.ENOMEM))
    if isinstance(error, RuntimeError) and _NO_THREAD in str(error):
        return _shortage(_PROCESSES, _NO_THREAD)
    if isinstance(error, OSError) and (resource := _RESOURCES.get(error.errno or 0)):
        return _shortage(resource, error.strerror or "", str(error.filename or ""))
    return None


def shortage_in(words: str) -> ShortageError | None:
    """Return what the machine lacked by the words of a program that is no bot's; None if unsaid."""
    for number, resource in _RESOURCES.items():
        if os.strerror(number).lower() in words.lower():
            said = words.partition(_SHORT_OF.format(resource.name))[2]
            return _shortage(resource, said.partition(" / ")[0] or words)
    return None


def short_of_processes(how: str) -> ShortageError:
    """Return the error for a program that was refused a process or thread."""
    return _shortage(_PROCESSES, how)


def shortage_behind(error: BaseException) -> ShortageError | None:
    """Return what the machine lacked for an error that others were made of; None if nothing."""
    cause: BaseException | None = error
    while cause and not (shortage := shortage_of(cause)):
        cause = cause.__cause__ or cause.__context__
    return shortage if cause else None


def _shortage(resource: _Resource, how: str, where: str = "") -> ShortageError:
    return ShortageError(_SHORT_OF.format(resource.name) + how, where, resource.hint)
