"""The build of a bot: run in the sandbox, watched, and its result checked and taken over."""

import os
import shutil
import stat
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from arena.bots.bot import Bot
from arena.bots.folder import BotLimits, check_size, exceeds, walk
from arena.bots.manifest import errors_name_source
from arena.bots.sandboxes.base import MIB, Program, Sandbox
from arena.bots.sandboxes.run_once import RunResult, end_of, last_line, run_to_end, started
from arena.io.errors import ArenaError, ShortageError, shortage_in
from arena.io.files import remove_tree

BUILD_FACTOR = 4
"""While a bot is built, its folder may hold this many times a bot's limits."""
_LOST_FACTOR = 1.5
"""While a bot is built, the disk may lose this many times the space that the build may take."""
_LINES = 5
"""Lines of a build's output that an error shows."""
_LINE = 200
"""Characters of each of them."""
_LEADS_OUT = "a bot's folder may hold no link that leads out of it"


class BuildFailedError(ArenaError):
    """A build that ended with an error, or took too long; the hint is the end of its output."""


OnBuild = Callable[[str, float], None]
"""Gets the end of a build's output, which says how much came before it, and its seconds."""


def build(
    bot: Bot, program: Program, sandbox: Sandbox, limits: BotLimits, on_build: OnBuild | None
) -> None:
    """Run a bot's build, which is `program`, in its folder.

    Raises ArenaError if it fails, takes too much, or leaves what a bot's folder may not hold, and
    ShortageError if the sandbox cannot start it.
    """
    with ExitStack() as stack:
        running = stack.enter_context(started(sandbox, program, space=BUILD_FACTOR * limits.size))
        if (folder := running.open_folder()) is not None:
            stack.callback(os.close, folder)
        watch = _watch(bot, program.folder, folder, limits)
        ran = run_to_end(running, limits.build_seconds, watch=watch)
        if not ran.ran:
            words = last_line(ran.stderr)
            what = f"the sandbox '{sandbox.name}' could not start a build: {words}"
            raise shortage_in(words) or ShortageError(what, hint="see what it lacks: arena doctor")
        _check_space(bot, program.folder, folder, limits)
        _check_result(ran, bot, program, limits, on_build)
        prefix = f"after the build of '{bot.name}': "
        if folder is not None:
            inside = Path(f"/proc/self/fd/{folder}")
            with errors_name_source(inside, bot.source, prefix):
                _take_over(inside, program.folder, limits)
        with errors_name_source(program.folder, bot.source, prefix):
            check_built(program.folder, limits)


def _watch(bot: Bot, path: Path, folder: int | None, limits: BotLimits) -> Callable[[], None]:
    """Return a function that raises ArenaError if a running build takes too much."""
    most = _LOST_FACTOR * BUILD_FACTOR * limits.size
    free_before = _free(path)

    def watch() -> None:
        _check_space(bot, path, folder, limits)
        # Deleted files take space, too, while the build holds them open. Other programs may write
        # meanwhile.
        if folder is None and (lost := free_before - _free(path)) > most:
            what = f"the disk lost {lost // MIB} MiB while '{bot.name}' was built"
            raise ArenaError(what, _command(bot), "if other programs wrote that, run it again")

    return watch


def _check_space(bot: Bot, path: Path, folder: int | None, limits: BotLimits) -> None:
    """Raise ArenaError if a build's folder has more than fits, or cannot be read."""
    entries, size = BUILD_FACTOR * limits.entries, BUILD_FACTOR * limits.size
    if folder is None:
        try:
            full = exceeds(path, entries, size)
        except PermissionError:
            what = f"the build of '{bot.name}' made a folder that cannot be read"
            hint = "keep it readable: it may hold too much"
            raise ArenaError(what, _command(bot), hint) from None
    else:
        used = os.fstatvfs(folder)
        full = not used.f_bfree or used.f_files - used.f_ffree > entries
    if full:
        what = f"the build of '{bot.name}' filled its folder"
        hint = f"at most {size // MIB} MiB and {entries:,} files while it runs"
        raise ArenaError(what, _command(bot), hint)


def _command(bot: Bot) -> str:
    return " ".join(bot.build or ())


def _free(path: Path) -> int:
    stats = os.statvfs(path)
    return stats.f_bfree * stats.f_frsize


def _check_result(
    ran: RunResult, bot: Bot, program: Program, limits: BotLimits, on_build: OnBuild | None
) -> None:
    """Raise ArenaError with the end of a build's output if it failed."""
    code, output = ran.code, ran.output.decode("utf-8", "replace").strip()
    if on_build is not None:
        on_build(end_of(output, ran.size, "the build's output"), ran.seconds)
    if code == 0:
        return
    how = f"failed (exit code {code})" if code else f"took longer than {limits.build_seconds:g} s"
    lines = [line.strip() for line in output.splitlines() if line.strip()][-_LINES:]
    end = " | ".join(line[:_LINE] for line in lines)
    raise BuildFailedError(f"the build of '{bot.name}' {how}", " ".join(program.command), end)


def _take_over(source: Path, target: Path, limits: BotLimits) -> None:
    """Replace a folder by the copy that a build changed; follow no link there, trust nothing."""
    remove_tree(target)
    target.mkdir()
    source.chmod(0o755)
    total = 0
    sizes: dict[str, int] = {}
    by_inode: dict[int, Path] = {}
    for path, info in walk(source, limits):
        copied = target / path.relative_to(source)
        kind = stat.S_IFMT(info.st_mode)
        if kind == stat.S_IFDIR:
            # Before its contents are read: it may be closed to its owner.
            path.chmod(0o755)
            copied.mkdir()
        elif kind == stat.S_IFLNK:
            copied.symlink_to(path.readlink())
        elif kind != stat.S_IFREG:
            raise _special_file(path)
        elif known := by_inode.get(info.st_ino):
            copied.hardlink_to(known)
        else:
            sizes[str(path.relative_to(source))] = info.st_size
            total += info.st_size
            if total > limits.size:
                check_size(sizes, source, limits)
            path.chmod(0o600 | info.st_mode & 0o100)
            shutil.copyfile(path, copied, follow_symlinks=False)
            copied.chmod(info.st_mode & 0o777)
            by_inode[info.st_ino] = copied


def _special_file(path: Path) -> ArenaError:
    what = "a bot's folder may hold nothing but files and folders"
    return ArenaError(what, str(path), "have the build remove it")


def check_built(folder: Path, limits: BotLimits) -> None:
    """Make the folders of a built bot readable; raises ArenaError for what it may not hold."""
    folder.chmod(0o755)
    inside = os.path.realpath(folder)
    hard_links: dict[int, tuple[int, Path]] = {}
    """By inode, how many names of a file were not found yet, and one that was."""
    sizes: dict[int, tuple[str, int]] = {}
    """By inode: a file with several names takes its space once."""
    for path, info in walk(folder, limits):
        sizes[info.st_ino] = str(path.relative_to(folder)), info.st_size
        kind = stat.S_IFMT(info.st_mode)
        if kind == stat.S_IFDIR:
            # Before its contents are read: it may be closed to its owner.
            path.chmod(0o755)
        elif kind == stat.S_IFLNK:
            if not Path(os.path.realpath(path)).is_relative_to(inside):
                raise ArenaError(_LEADS_OUT, str(path), "make it a copy, or a relative link")
        elif kind != stat.S_IFREG:
            raise _special_file(path)
        elif info.st_nlink > 1:
            missing = hard_links.get(info.st_ino, (info.st_nlink, path))[0] - 1
            hard_links[info.st_ino] = missing, path
    check_size(dict(sizes.values()), folder, limits)
    if outside := next((path for missing, path in hard_links.values() if missing), None):
        raise ArenaError(_LEADS_OUT, str(outside), "make it a copy")
