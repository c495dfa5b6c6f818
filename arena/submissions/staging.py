"""Bots ready to run: copied to a folder of the run, built, and readable by the sandbox's user."""

import os
import shutil
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from arena.errors import ArenaError
from arena.sandboxes.base import MIB, Sandbox, command_exists
from arena.sandboxes.bubblewrap import GET_BUBBLEWRAP
from arena.sandboxes.run_folder import remove_tree
from arena.sandboxes.run_once import run_once
from arena.submissions import folder, manifest
from arena.submissions.folder import walk
from arena.submissions.manifest import Bot, check_size, digest, files_of, opened, places_named

BUILD_SECONDS = 120.0
ROOM = 4
"""How often what a bot's folder may hold there is room for while it is built."""
_LINES, _LINE = 5, 200
"""Lines of a build's output that an error shows, and characters of each."""
_LEADS_OUT = "a bot's folder may hold no link that leads out of it"
Told = Callable[[Bot, str], None]
"""Takes a bot and the end of what its build printed."""
_INSTALL = {
    "python": "sudo apt-get install python3",
    "node": "sudo apt-get install nodejs",
    "c": "sudo apt-get install gcc libc6-dev",
}


def check_trust(sandbox: Sandbox, bots: Sequence[Bot], *, trusted: bool) -> None:
    """Refuse to run bots that nobody vouched for in a sandbox that does not isolate them."""
    strangers = [bot for bot in bots if not bot.shipped]
    if strangers and not sandbox.isolates and not trusted:
        raise ArenaError(
            f"the sandbox '{sandbox.name}' does not isolate bots that did not come with the arena",
            str(strangers[0].folder),
            f"{GET_BUBBLEWRAP}, or --trust-bots if you trust them with your account",
        )


def runtimes_of(bots: Sequence[Bot]) -> frozenset[str]:
    """Return what bots are written for, as bot.yaml names it."""
    return frozenset(bot.info.runtime for bot in bots)


def missing_program(bot: Bot) -> str:
    """Return the program that a bot needs and this machine lacks; "" when all is here."""
    command = bot.build or bot.command
    if "/" in command[0] and bot.folder.is_file():
        # Whether an archive holds it shows when it is unpacked.
        return ""
    return "" if command_exists(command, bot.folder) else command[0]


def install_hint(bot: Bot) -> str:
    """Say how to get what a bot's runtime needs."""
    return _INSTALL.get(bot.info.runtime, "install it, or mend the command in bot.yaml")


def stage(bot: Bot, runs: Path, sandbox: Sandbox, told: Told | None = None) -> Bot:
    """Copy a bot below the folder `runs` and build it there; returns the bot that can be started.

    `told`, if given, gets the end of what its build printed, whether it succeeds or not.
    Raises ArenaError where its program is missing, its build fails or leaves what a bot's folder
    may not hold, or there is no space for it.
    """
    staged = replace(bot, folder=runs / bot.info.digest[:16])
    if not staged.folder.exists():
        try:
            _make(staged, bot, runs, sandbox, told)
        except BaseException:
            # What was refused once must not be taken for ready.
            remove_tree(staged.folder)
            raise
    return staged


def _make(staged: Bot, given: Bot, runs: Path, sandbox: Sandbox, told: Told | None) -> None:
    if sandbox.uses_host_programs:
        _check_program(given, given)
    _copy(given, staged.folder, runs)
    if sandbox.uses_host_programs:
        _check_program(staged, given)
    if staged.build is not None:
        _open_to_all(staged.folder, writable=True)
        _build(staged, staged.build, sandbox, told)
        _check_built(staged, given)
    _open_to_all(staged.folder, writable=False)


def _check_program(bot: Bot, given: Bot) -> None:
    if program := missing_program(bot):
        what = f"'{bot.name}' needs '{program}', which is not here"
        raise ArenaError(what, str(given.folder), install_hint(bot))


def _copy(bot: Bot, target: Path, runs: Path) -> None:
    try:
        with opened(bot.folder, runs) as folder:
            for path in files_of(folder):
                copy = target / path.relative_to(folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
    except OSError as error:
        what = f"'{bot.name}' cannot be made ready: {error.strerror}"
        hint = "free some space, or set TMPDIR to a folder that has some"
        raise ArenaError(what, str(error.filename2 or error.filename or target), hint) from None
    if digest(target) != bot.info.digest:
        what = f"the files of '{bot.name}' changed while they were read"
        raise ArenaError(what, str(bot.folder), "run it again")


def _build(bot: Bot, command: tuple[str, ...], sandbox: Sandbox, told: Told | None) -> None:
    """Run a bot's build; raises ArenaError with the end of its output where it fails."""

    def watch() -> None:
        entries, size = ROOM * folder.MAX_ENTRIES, ROOM * manifest.MAX_FOLDER_BYTES
        if folder.holds_more(bot.folder, entries, size):
            what = f"the build of '{bot.name}' filled its folder"
            hint = f"at most {size // MIB} MiB and {entries:,} files while it runs"
            raise ArenaError(what, " ".join(command), hint)

    program = bot.program._replace(command=command)
    ran = run_once(sandbox, program, BUILD_SECONDS, watch=watch, writable=True)
    code, text = ran.code, ran.output.decode("utf-8", "replace").strip()
    if told is not None:
        told(bot, text)
    if code == 0:
        return
    how = f"failed (exit code {code})" if code else f"took longer than {BUILD_SECONDS:g} s"
    lines = [line.strip() for line in text.splitlines() if line.strip()][-_LINES:]
    end = " | ".join(line[:_LINE] for line in lines)
    raise ArenaError(f"the build of '{bot.name}' {how}", " ".join(command), end)


def _check_built(bot: Bot, given: Bot) -> None:
    """Refuse what a build left that a bot's folder may not hold; open its folders to be read."""
    try:
        with places_named(bot.folder, given.folder):
            _check_tree(bot.folder)
    except ArenaError as error:
        what = f"after the build of '{bot.name}': {error.what}"
        raise ArenaError(what, error.where, error.hint) from None


def _check_tree(folder: Path) -> None:
    folder.chmod(0o755)
    inside = os.path.realpath(folder)
    links: dict[int, tuple[int, Path]] = {}
    total = 0
    for path, info in walk(folder):
        total += info.st_size
        kind = stat.S_IFMT(info.st_mode)
        if kind == stat.S_IFDIR:
            # Before it is looked into: it may be closed to its owner.
            path.chmod(0o755)
        elif kind == stat.S_IFLNK:
            if not Path(os.path.realpath(path)).is_relative_to(inside):
                raise ArenaError(_LEADS_OUT, str(path), "make it a copy, or a relative link")
        elif kind != stat.S_IFREG:
            what = "a bot's folder may hold nothing but files and folders"
            raise ArenaError(what, str(path), "have the build remove it")
        elif info.st_nlink > 1:
            links[info.st_ino] = (links.get(info.st_ino, (info.st_nlink, path))[0] - 1, path)
    check_size(total, folder)
    if outside := next((path for missing, path in links.values() if missing), None):
        raise ArenaError(_LEADS_OUT, str(outside), "make it a copy")


def _open_to_all(folder: Path, *, writable: bool) -> None:
    """Let the sandbox's user read the bot, and write it while it is built."""
    for path in (folder, *folder.rglob("*")):
        if path.is_symlink():
            # A build may make links; what they point at outside is not the bot's to open.
            continue
        execute = path.is_dir() or path.stat().st_mode & 0o100
        path.chmod(
            (0o666 if writable else 0o444)
            | (0o111 if execute else 0)
            | (0o200 if path.is_dir() else 0)
        )
