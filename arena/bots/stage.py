"""Bots ready to run: copied to a folder of the run, built, and readable by the sandbox's user."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from msgspec.structs import replace

from arena.bots.batch import run_to_end
from arena.bots.manifest import Bot, files_of
from arena.bots.sandbox import Sandbox, find_command
from arena.errors import ArenaError

BUILD_SECONDS = 120.0
_INSTALL = {
    "python": "sudo apt-get install python3",
    "node": "sudo apt-get install nodejs",
    "c": "sudo apt-get install gcc libc6-dev",
}


@contextmanager
def staging() -> Iterator[Path]:
    """Yield a folder for bots that are about to run; it goes when they are done."""
    runs = Path(mkdtemp(prefix="perudo-arena-"))
    runs.chmod(0o755)
    try:
        yield runs
    finally:
        shutil.rmtree(runs, ignore_errors=True)


def missing_program(bot: Bot) -> str:
    """Return the program that a bot needs and this machine lacks; "" when all is here."""
    for command in (bot.build, bot.command if bot.build is None else None):
        if command and not find_command(command, bot.folder):
            return command[0]
    return ""


def install_hint(bot: Bot) -> str:
    """Say how to get what a bot's runtime needs."""
    return _INSTALL.get(bot.info.runtime, "install it, or mend the command in bot.yaml")


def stage(bot: Bot, runs: Path, sandbox: Sandbox) -> Bot:
    """Copy a bot below the folder `runs` and build it there; returns the bot that can be started.

    Raises ArenaError where its program is missing, its build fails, or there is no space for it.
    """
    if program := missing_program(bot):
        raise ArenaError(
            f"'{bot.name}' needs '{program}', which is not here", str(bot.folder), install_hint(bot)
        )
    target = runs / bot.info.digest[:16]
    try:
        _copy(bot.folder, target)
    except OSError as error:
        what = f"'{bot.name}' cannot be made ready: {error.strerror}"
        hint = "free some space, or set TMPDIR to a folder that has some"
        raise ArenaError(what, str(error.filename2 or error.filename or target), hint) from None
    staged = replace(bot, folder=target)
    if bot.build is not None:
        _open_to_all(target, writable=True)
        _build(staged, bot.build, sandbox)
    _open_to_all(target, writable=False)
    return staged


def _copy(folder: Path, target: Path) -> None:
    for path in files_of(folder):
        copy = target / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)


def _build(bot: Bot, command: tuple[str, ...], sandbox: Sandbox) -> None:
    program = bot.program._replace(command=command)
    code, out, err = run_to_end(sandbox, program, BUILD_SECONDS, writable=True)
    if code is None:
        what = f"the build of '{bot.name}' took longer than {BUILD_SECONDS:g} s"
        raise ArenaError(what, " ".join(command))
    if code:
        said = (err + out).decode("utf-8", "replace").strip().splitlines()
        what = f"the build of '{bot.name}' failed (exit code {code})"
        raise ArenaError(what, " ".join(command), said[0] if said else "")


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
