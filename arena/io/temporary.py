"""The folder for temporary files: another one where no program may run in that of TMPDIR."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir

from arena.io.files import user_cache

HOW_TO_RUN = "set TMPDIR to a folder that is not mounted noexec"
_SYSTEM = (Path("/tmp"), Path("/var/tmp"))
_OWN = "run"
"""The folder of bots that are made ready, in the user's cache."""
_ROOM = 256 * 1024 * 1024
"""Bytes that must be free in another folder: as much as a build may take."""
_OTHERS_PASS = 0o001


def program_folder() -> Path:
    """Return the folder for temporary files, or another if it is mounted `noexec`.

    What is put there can be run, unless `is_noexec` says that no folder would do.
    """
    usual = Path(gettempdir())
    if not is_noexec(usual):
        return usual
    return next((folder for folder in _others() if _is_usable(folder)), usual)


def program_folder_note() -> str:
    """Return what to say of a folder for temporary files that is mounted `noexec`; "" otherwise."""
    usual, taken = Path(gettempdir()), program_folder()
    if not is_noexec(usual):
        return ""
    what = f"no program can run in {usual} (TMPDIR), which is mounted noexec"
    if taken != usual:
        return f"{what}: bots are made ready in {taken}"
    return f"warning: {what}, and there is no other folder: {HOW_TO_RUN}"


def is_noexec(folder: Path) -> bool:
    """Return whether no program can run in a folder, as it is mounted; false if it is not there."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_NOEXEC)
    except OSError:
        return False


def _others() -> Iterator[Path]:
    """Yield the folders that are tried; the one of this user is made."""
    yield from _SYSTEM
    with suppress(OSError, RuntimeError):  # without a home, or one that cannot be written to
        own = user_cache(_OWN)
        own.mkdir(parents=True, exist_ok=True)
        yield own
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime)


def _is_usable(folder: Path) -> bool:
    """Return whether bots can be made ready in a folder, and run there."""
    try:
        stats = os.statvfs(folder)
    except OSError:
        return False
    free = stats.f_bavail * stats.f_frsize
    runs = not stats.f_flag & os.ST_NOEXEC
    return runs and free >= _ROOM and os.access(folder, os.W_OK | os.X_OK) and _is_open(folder)


def _is_open(folder: Path) -> bool:
    """Return whether the users as whom bots run reach a folder: if the arena is root, others."""
    parents = (folder, *folder.parents)
    return os.geteuid() != 0 or all(path.stat().st_mode & _OTHERS_PASS for path in parents)
