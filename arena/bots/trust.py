"""Which bots run without isolation: the arena's own, those of people trusted, and one's own."""

import grp
import os
import pwd
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from arena.bots.bot import Bot, runtimes_of
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import isolation_here
from arena.io.errors import ArenaError
from arena.io.files import read_json, stat_of, user_state, write_file


class UntrustedError(ArenaError):
    """Bots that are not trusted are refused in a sandbox that does not isolate them."""

    sources: tuple[Path, ...] = ()
    """Their folders and archives."""
    why: str = ""
    """Why no sandbox isolates them on this machine; "" if one does, but not the one asked for."""


def check_trust(sandbox: Sandbox, bots: Sequence[Bot], *, trusted: bool) -> None:
    """Raise UntrustedError for bots that are not trusted in a sandbox that does not isolate."""
    untrusted = [bot for bot in bots if not bot.shipped]
    if not untrusted or sandbox.isolates or trusted:
        return
    here = isolation_here(runtimes_of(bots))
    error = UntrustedError(
        f"the sandbox '{sandbox.name}' does not isolate bots that did not come with the arena",
        str(untrusted[0].source),
        f"{here.hint}, or --trust-bots if you trust them with your account",
    )
    error.sources = tuple(bot.source.resolve() for bot in untrusted)
    error.why = here.why
    raise error


class OwnFolders:
    """The folders whose bots this user has called their own: they run without isolation.

    One that was moved, replaced, or opened to other users is not among them any more.
    """

    def __init__(self) -> None:
        """Read them; a file that is missing or damaged has none."""
        self.file = user_state("own-bots.json")
        self._inodes = read_json(self.file, dict[str, int]) or {}

    def __contains__(self, folder: Path) -> bool:
        found, inode = stat_of(folder), self._inodes.get(str(folder))
        return found is not None and found.st_ino == inode and not why_not_own(folder)

    def add(self, folders: Iterable[Path]) -> None:
        """Remember folders that may be (`why_not_own`); raises ArenaError if it cannot write."""
        kept = {name: inode for name, inode in self._inodes.items() if Path(name) in self}
        self._inodes = kept | {str(folder): folder.stat().st_ino for folder in folders}
        text = msgspec.json.format(msgspec.json.encode(self._inodes))
        write_file(self.file, text + b"\n", parents=True)


def why_not_own(source: Path) -> str:
    """Return why a bot cannot be remembered as this user's own, "" if it can."""
    found = stat_of(source)
    if found is None or not stat.S_ISDIR(found.st_mode):
        return "it is not a folder"
    if found.st_uid != os.geteuid():
        return "the folder belongs to another user"
    shared = found.st_mode & stat.S_IWGRP and not _is_alone_in(found.st_gid)
    if shared or found.st_mode & stat.S_IWOTH:
        return "other users may write to the folder"
    return "" if str(source).isprintable() else "its name is not printable"


def _is_alone_in(group: int) -> bool:
    """Tell whether a group is this user's alone, as Debian makes one for each user."""
    try:
        user, found = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == user and {*found.gr_mem} <= {user}
