"""What the machine lacks when its kernel refuses: the fault of no bot, and no bug of the arena."""

import errno
import os
from typing import NamedTuple

from arena.io.errors import ArenaError


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
