"""A workshop: where bots are made ready to start, and which may start without isolation."""

import grp
import os
import pwd
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.bots.bot import Bot, StagedBot, runtimes_of
from arena.bots.builds.build import OnBuild
from arena.bots.builds.staging import BuildCache, stage
from arena.bots.command import check_own_programs
from arena.bots.runtimes import IMAGES
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import AUTO, isolation_here, make_sandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.io.errors import ArenaError
from arena.io.files import read_json, stat_of, user_state, write_file


class UntrustedError(ArenaError):
    """Why bots that are not trusted may not run in a sandbox that does not isolate them."""

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
    """The folders that this user has called their own: bots there run without isolation.

    A folder that was moved, replaced or opened to other users does not count any more.
    """

    def __init__(self) -> None:
        """Read them; none if the file is missing or damaged."""
        self.file = user_state("own-bots.json")
        self._inodes = read_json(self.file, dict[str, int]) or {}

    def __contains__(self, folder: Path) -> bool:
        found, inode = stat_of(folder), self._inodes.get(str(folder))
        return found is not None and found.st_ino == inode and not why_not_own(folder)

    def add(self, folders: Iterable[Path]) -> None:
        """Remember folders that pass `why_not_own`; raises ArenaError if it cannot write."""
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
    """Return whether this user is alone in a group, as in the one that Debian makes for each."""
    try:
        user, found = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == user and {*found.gr_mem} <= {user}


class Workshop(Struct, frozen=True):
    """Makes bots ready to start."""

    sandbox: Sandbox
    """Where they are built, and will play."""
    folder: Path
    """Where their copies are."""
    packages: bool = False
    """Whether the Python packages that they ask for are installed."""
    builds: BuildCache | None = None
    """A cache of bots that were built before; None builds all of them."""

    def stage(self, bot: Bot, on_build: OnBuild | None = None) -> StagedBot:
        """Copy a bot and build it; raises ArenaError as `staging.stage` does.

        Raises ShortageError if its programs cannot run where the copy is.
        """
        stage_bot = self.builds.stage if self.builds else stage
        commands = [command for command in (bot.build, bot.command) if command]
        check_own_programs(bot.name, commands, bot.folder, self.folder)
        staged = stage_bot(bot, self.folder, self.sandbox, on_build, packages=self.packages)
        check_own_programs(bot.name, commands, staged.folder, self.folder)
        return staged


@contextmanager
def open_workshop(
    sandbox: Sandbox, *, packages: bool = False, builds: BuildCache | None = None
) -> Iterator[Workshop]:
    """Yield a workshop; the copies of bots in it are removed afterwards."""
    with run_folder() as folder:
        yield Workshop(sandbox, folder, packages, builds)


def sandbox_for(
    bots: Sequence[Bot],
    name: str = AUTO,
    *,
    trusted: bool,
    images: Mapping[str, str] = IMAGES,
    paths: Sequence[str] = (),
    own: Iterable[Bot] = (),
) -> Sandbox:
    """Return the sandbox with a name, if bots may run there; the arena's `own` bots always may.

    `trusted`: whether the bots may run without isolation. Raises ArenaError if the sandbox does not
    work here, and UntrustedError if it does not isolate bots that are not trusted.
    """
    sandbox = make_sandbox(name, runtimes_of([*bots, *own]), images, paths)
    check_trust(sandbox, bots, trusted=trusted)
    return sandbox
