"""Bots made ready to run: copied to a run folder, built, readable by the sandbox's user."""

from pathlib import Path
from weakref import WeakKeyDictionary

from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.build import OnBuild, build
from arena.bots.builds.packages import add, installed, wanted_by, with_packages
from arena.bots.command import check_mounted, check_runnable, how_to_get, how_to_get_in_image
from arena.bots.folder import BOT_LIMITS, BotLimits, copy, open_to_all
from arena.bots.manifest import errors_name_source
from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sandboxes.run_once import run_once
from arena.io.errors import ArenaError
from arena.io.files import remove_tree
from arena.io.shortage import ShortageError, shortage_of

_MISSING = 3
_LOOK = f'command -v "$1" >/dev/null || exit {_MISSING}'
_LOOK_SECONDS = 60.0
_in_images: WeakKeyDictionary[Sandbox, dict[tuple[str, str], bool]] = WeakKeyDictionary()
"""Whether the image of a runtime has a program."""


def stage(
    bot: Bot,
    runs: Path,
    sandbox: Sandbox,
    on_build: OnBuild | None = None,
    limits: BotLimits = BOT_LIMITS,
    *,
    packages: bool = False,
) -> StagedBot:
    """Copy a bot below the folder `runs` and build it there; returns the bot that can be started.

    `on_build` is called whether the build succeeds or not. `packages`: whether the Python packages
    that it asks for are installed. Raises ArenaError if the bot's program is missing, if it asks
    for packages that it cannot have, if its build fails or leaves what a bot's folder may not hold,
    or if there is no space for it.
    """
    folder = folder_of(bot, runs)
    if not folder.exists():
        try:
            _copy(bot, folder, sandbox, limits)
            wanted = wanted_by(bot, folder, allowed=packages)
            layer = installed(wanted, bot, runs, sandbox) if wanted else None
            if bot.build is not None:
                open_to_all(folder, writable=True)
                program = Program(folder, bot.build, bot.info.runtime)
                build(bot, program, sandbox, limits, on_build)
                with errors_name_source(folder, bot.source):
                    check_runnable(bot.name, bot.command, folder)
            if layer is not None:
                add(layer, bot, folder)
            open_to_all(folder, writable=False)
        except BaseException:
            # A refused bot must not be taken for a staged one.
            remove_tree(folder)
            raise
    return staged_as(bot, folder)


def folder_of(bot: Bot, runs: Path) -> Path:
    """Return where a bot is staged below `runs`: bots with equal files share a folder."""
    return runs / bot.info.digest[:16]


def staged_as(bot: Bot, folder: Path) -> StagedBot:
    """Return the bot that can be started in its folder, where all is ready."""
    return StagedBot(bot.info, folder, with_packages(bot.command, folder))


def no_space(bot: str, error: OSError, folder: Path) -> ArenaError:
    """Return the error for a bot whose files cannot be written."""
    what = f"{bot} cannot be staged: {error.strerror}"
    where = str(error.filename2 or error.filename or folder)
    if shortage := shortage_of(error):
        return ShortageError(what, where, shortage.hint)
    return ArenaError(what, where, "set TMPDIR to a folder that can be written to")


def _copy(bot: Bot, target: Path, sandbox: Sandbox, limits: BotLimits) -> None:
    try:
        digest = copy(bot.folder, target, limits)
    except OSError as error:
        raise no_space(f"'{bot.name}'", error, target) from None
    if digest != bot.info.digest:
        what = f"the files of '{bot.name}' changed while they were read"
        raise ArenaError(what, str(bot.source), "run it again")
    check_program(bot, sandbox)


def check_program(bot: Bot, sandbox: Sandbox) -> None:
    """Raise ArenaError if what a bot is built or started with is missing, or cannot be run."""
    if not sandbox.uses_host_programs:
        _check_image(bot, sandbox)
    else:
        _check_host(bot)
    if bot.build is None:
        with errors_name_source(bot.folder, bot.source):
            check_runnable(bot.name, bot.command, bot.folder)


def _check_host(bot: Bot) -> None:
    """Raise ArenaError if this machine lacks what a bot is built or started with."""
    for command in filter(None, (bot.build, bot.command)):
        check_mounted(bot.name, command)
    if missing := bot.missing_program:
        what = f"'{bot.name}' needs '{missing}', which was not found"
        raise ArenaError(what, str(bot.source), how_to_get(bot.first_command, bot.folder))


def _check_image(bot: Bot, sandbox: Sandbox) -> None:
    """Raise ArenaError if the image of a bot's runtime lacks what it is built or started with."""
    runtime = bot.info.runtime
    for command in filter(None, (bot.build, bot.command)):
        program = command[0]
        if "/" not in program and not _is_in_image(sandbox, runtime, program, bot.folder):
            what = f"'{bot.name}' needs '{program}', which the image of '{runtime}' does not have"
            raise ArenaError(what, str(bot.source), how_to_get_in_image(program))


def _is_in_image(sandbox: Sandbox, runtime: str, program: str, folder: Path) -> bool:
    """Return whether an image has a program; true, too, if its container cannot be started."""
    known = _in_images.setdefault(sandbox, {})
    if (runtime, program) not in known:
        look = Program(folder, ["sh", "-c", _LOOK, "sh", program], runtime)
        known[runtime, program] = run_once(sandbox, look, _LOOK_SECONDS).code != _MISSING
    return known[runtime, program]
