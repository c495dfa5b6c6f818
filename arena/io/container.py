"""The arena in its own image (deploy/Dockerfile): what is different there."""

import os
from pathlib import Path
from tempfile import gettempdir

_VARIABLE = "ARENA_CONTAINER"
"""The image sets it: nothing else tells whose container this is."""
LEFT = ".perudo-arena"
"""The folder of what commands leave in a container; never part of a bot."""


def in_container() -> bool:
    """Return whether the arena runs in its own image."""
    return bool(os.environ.get(_VARIABLE))


def own_address() -> str:
    """Return the address at which pages for this machine alone listen.

    The engine reaches a container from outside, and decides which of its ports are published.
    """
    return "0.0.0.0" if in_container() else "127.0.0.1"  # noqa: S104 (of the container)


def own_port() -> int:
    """Return the port of such a page: any, or one that can be published before it is known."""
    return 8500 if in_container() else 0


def left_files(what: str) -> Path:
    """Return the folder for files that a command leaves to be looked at; it need not exist.

    It is among the user's temporary files. Those of a container end with the command, so there it
    is below the current folder if anything can be written there.
    """
    if in_container() and os.access(Path.cwd(), os.W_OK):
        return Path.cwd() / LEFT / what
    return Path(gettempdir(), f"perudo-arena-{what}-{os.getuid()}")


def closed_folder() -> str:
    """Return what to do if the mounted folder is closed to the container's user; "" otherwise."""
    folder = Path.cwd()
    if not in_container() or not folder.is_mount() or os.access(folder, os.W_OK):
        return ""
    owner = folder.stat()
    if owner.st_uid == os.geteuid():  # it was mounted so
        return ""
    user = f"docker run --user {owner.st_uid}:{owner.st_gid}"
    return f"warning: {folder} belongs to another user, nothing can be written there: {user}"
