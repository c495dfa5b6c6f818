"""What may go wrong with a store's files, and what to do about it, in one line."""

import os
import resource
import sqlite3
import zlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from arena.io.errors import ArenaError, FindingError
from arena.io.sqlite_file import ENDLESS, ENDS, DamageError

DAMAGE = (
    sqlite3.Error,
    zlib.error,
    msgspec.MsgspecError,
    TypeError,
    ValueError,
    LookupError,
    OverflowError,
    RecursionError,
)
"""What reading a damaged file may raise: any column may hold any type."""

FREE_SPACE = "free some space and run again: what was stored is safe"
MAKE_WRITABLE = "make the folder writable, or choose another with --store"
_PUT_BACK = "put back a copy of the store, or let them be played again: arena mend"
_SHOWN = 3
"""Damaged fixtures that are named in one line."""
MARGIN = 1 << 16
"""Bytes that must be free beyond what is written. SQLite maps a file of 32 KiB into memory that may
have holes, and a process that cannot fill one is killed (SIGBUS)."""


def store_failure(error: Exception, path: Path) -> ArenaError:
    """Return what to raise when a file of a store fails."""
    if getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
        error = DamageError(ENDLESS)
    return ArenaError(f"the store fails: {error}", str(path), _hint(str(error), path))


def endless(path: Path) -> ArenaError:
    """Return what to raise when the same rows of a file come again and again."""
    return store_failure(DamageError(ENDLESS), path)


def damaged_fixtures(ids: Sequence[object], path: Path) -> FindingError:
    """Return what to raise when stored fixtures are not what was written there.

    Damage may have made an id anything that a column can hold.
    """
    number = "1 stored fixture is" if len(ids) == 1 else f"{len(ids)} stored fixtures are"
    shown = ", ".join(map(str, ids[:_SHOWN])) + (" ..." if len(ids) > _SHOWN else "")
    hint = "arena mend drops what is damaged, to be played again; arena verify says more"
    return FindingError(f"{number} damaged: {shown}", str(path), hint)


def lost_logs(number: int, path: Path) -> FindingError:
    """Return what to raise when fixtures have rows, but neither logs nor what pruning leaves."""
    of = "1 stored fixture" if number == 1 else f"{number} stored fixtures"
    return FindingError(f"the logs of {of} are gone", str(path), _PUT_BACK)


def lost_fixtures(number: int, path: Path) -> FindingError:
    """Return what to raise when fixtures are gone that were reported as stored."""
    what = f"{number} {'fixture that was' if number == 1 else 'fixtures that were'} stored "
    return FindingError(f"{what}{'is' if number == 1 else 'are'} gone", str(path), _PUT_BACK)


def pruned_logs(fixture: int, path: Path) -> ArenaError:
    """Return what to raise when somebody wants to see games whose logs were pruned."""
    what = f"the logs of fixture {fixture} were pruned: only its results are left"
    return ArenaError(what, str(path), "name a later fixture, or a copy from before: --store FILE")


def free_space(path: Path) -> int:
    """Return the bytes that are free on a file's disk."""
    disk = os.statvfs(path.parent)
    return disk.f_bavail * disk.f_frsize


def check_space(path: Path, size: int = 0) -> None:
    """Raise ArenaError if there is no room for so many bytes in a file, and for SQLite's own."""
    try:
        free = free_space(path)
    except OSError:  # whatever is wrong shows when the file is written
        return
    if free < MARGIN + 2 * size:
        raise ArenaError("the store fails: the disk is full", str(path), FREE_SPACE)


def _hint(text: str, path: Path) -> str:
    if not path.parent.is_dir():
        return "its folder is missing: put it back, or choose another with --store"
    if "full" in text:
        return FREE_SPACE
    if "disk I/O" in text:
        return _hint_of_failed_write(path)
    if "readonly" in text or "unable to open" in text:
        return MAKE_WRITABLE
    if "locked" in text:
        return "another arena is writing to it: wait, or choose another with --store"
    return "the file is damaged or not a store: choose another with --store"


def _hint_of_failed_write(path: Path) -> str:
    """Say why SQLite could not read or write; it does not tell itself."""
    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    sizes = [beside.stat().st_size for end in ENDS if (beside := Path(f"{path}{end}")).exists()]
    if limit != resource.RLIM_INFINITY and max(sizes, default=0) + MARGIN > limit:
        return "raise the limit on the size of files (ulimit -f): what was stored is safe"
    if free_space(path) < MARGIN:
        return FREE_SPACE
    return "the disk fails, or a quota is used up: what was stored is safe; copy it: arena backup"
