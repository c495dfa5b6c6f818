"""Bots made ready to run: copied to a run folder, built, readable by the sandbox's user."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from arena.errors import ArenaError
from arena.sandboxes.base import MIB, Program, Sandbox
from arena.sandboxes.run_folder import remove_tree
from arena.sandboxes.run_once import run_once
from arena.submissions.bot import Bot, StagedBot, install_hint, missing_program
from arena.submissions.folder import BOT_LIMITS, BotLimits, check_size, copy, exceeds, walk
from arena.submissions.manifest import errors_name_source

BUILD_FACTOR = 4
"""How much more than a bot's folder may hold fits into it while it is built."""
_LINES, _LINE = 5, 200
"""Lines of a build's output that an error shows, and characters of each."""
_LEADS_OUT = "a bot's folder may hold no link that leads out of it"
OnBuild = Callable[[Bot, str], None]
"""Gets a bot and the end of its build's output."""


def stage(
    bot: Bot,
    runs: Path,
    sandbox: Sandbox,
    on_build: OnBuild | None = None,
    limits: BotLimits = BOT_LIMITS,
) -> StagedBot:
    """Copy a bot below the folder `runs` and build it there; returns the bot that can be started.

    `on_build` is called whether the build succeeds or not. Raises ArenaError if the bot's program
    is missing, if its build fails or leaves what a bot's folder may not hold, or if there is no
    space for it.
    """
    staged = StagedBot(bot.info, runs / bot.info.digest[:16], bot.command)
    if not staged.folder.exists():
        try:
            _copy(bot, staged.folder, sandbox, limits)
            if bot.build is not None:
                _open_to_all(staged.folder, writable=True)
                _build(staged.program._replace(command=bot.build), bot, sandbox, on_build, limits)
                prefix = f"after the build of '{bot.name}': "
                with errors_name_source(staged.folder, bot.source, prefix):
                    _check_built(staged.folder, limits)
            _open_to_all(staged.folder, writable=False)
        except BaseException:
            # A refused bot must not be taken for a staged one.
            remove_tree(staged.folder)
            raise
    return staged


def no_space(bot: str, error: OSError, folder: Path) -> ArenaError:
    """Return the error for a bot whose files cannot be written."""
    hint = "free some space, or set TMPDIR to a folder that has some"
    where = str(error.filename2 or error.filename or folder)
    return ArenaError(f"{bot} cannot be staged: {error.strerror}", where, hint)


def _copy(bot: Bot, target: Path, sandbox: Sandbox, limits: BotLimits) -> None:
    try:
        digest = copy(bot.folder, target, limits)
    except OSError as error:
        raise no_space(f"'{bot.name}'", error, target) from None
    if digest != bot.info.digest:
        what = f"the files of '{bot.name}' changed while they were read"
        raise ArenaError(what, str(bot.source), "run it again")
    missing = sandbox.uses_host_programs and missing_program(bot.build or bot.command, target)
    if missing:
        what = f"'{bot.name}' needs '{missing}', which was not found"
        raise ArenaError(what, str(bot.source), install_hint(bot.info.runtime))


def _build(
    program: Program, bot: Bot, sandbox: Sandbox, on_build: OnBuild | None, limits: BotLimits
) -> None:
    """Run a bot's build; raises ArenaError with the end of its output if it fails."""
    command = " ".join(program.command)

    def watch() -> None:
        entries, size = BUILD_FACTOR * limits.entries, BUILD_FACTOR * limits.size
        if exceeds(program.folder, entries, size):
            what = f"the build of '{bot.name}' filled its folder"
            hint = f"at most {size // MIB} MiB and {entries:,} files while it runs"
            raise ArenaError(what, command, hint)

    ran = run_once(sandbox, program, limits.build_seconds, watch=watch, writable=True)
    code, output = ran.code, ran.output.decode("utf-8", "replace").strip()
    if on_build is not None:
        on_build(bot, output)
    if code == 0:
        return
    how = f"failed (exit code {code})" if code else f"took longer than {limits.build_seconds:g} s"
    lines = [line.strip() for line in output.splitlines() if line.strip()][-_LINES:]
    end = " | ".join(line[:_LINE] for line in lines)
    raise ArenaError(f"the build of '{bot.name}' {how}", command, end)


def _check_built(folder: Path, limits: BotLimits) -> None:
    """Refuse what a bot's folder may not hold after a build; make its folders readable."""
    folder.chmod(0o755)
    inside = os.path.realpath(folder)
    hard_links: dict[int, tuple[int, Path]] = {}
    """By inode, how many names of a file were not found yet, and one that was."""
    total = 0
    for path, info in walk(folder, limits):
        total += info.st_size
        kind = stat.S_IFMT(info.st_mode)
        if kind == stat.S_IFDIR:
            # Before its contents are read: it may be closed to its owner.
            path.chmod(0o755)
        elif kind == stat.S_IFLNK:
            if not Path(os.path.realpath(path)).is_relative_to(inside):
                raise ArenaError(_LEADS_OUT, str(path), "make it a copy, or a relative link")
        elif kind != stat.S_IFREG:
            what = "a bot's folder may hold nothing but files and folders"
            raise ArenaError(what, str(path), "have the build remove it")
        elif info.st_nlink > 1:
            missing = hard_links.get(info.st_ino, (info.st_nlink, path))[0] - 1
            hard_links[info.st_ino] = missing, path
    check_size(total, folder, limits)
    if outside := next((path for missing, path in hard_links.values() if missing), None):
        raise ArenaError(_LEADS_OUT, str(outside), "make it a copy")


def _open_to_all(folder: Path, *, writable: bool) -> None:
    """Let the sandbox's user read the bot, and write it while it is built."""
    for path in (folder, *folder.rglob("*")):
        if path.is_symlink():
            # A build may make links; a target outside the folder must not be opened.
            continue
        execute = path.is_dir() or path.stat().st_mode & 0o100
        path.chmod(
            (0o666 if writable else 0o444)
            | (0o111 if execute else 0)
            | (0o200 if path.is_dir() else 0)
        )
