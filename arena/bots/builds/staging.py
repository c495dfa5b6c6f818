"""Bots made ready to start: copied and built, or taken from a cache or another machine's bundle."""

import os
import platform
import re
import shutil
import stat
import zlib
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path, PurePath
from weakref import WeakKeyDictionary

import msgspec
from msgspec import Struct

from arena import __version__
from arena.bots.archives.entry import MAX_PATH
from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.build import OnBuild, build, check_built
from arena.bots.builds.packages import COMPILED, add_packages, installed, wanted_by, with_packages
from arena.bots.command import check_mounted, check_runnable, how_to_get, how_to_get_in_image
from arena.bots.folder import BOT_LIMITS, BotLimits, copy, files_of, open_to_all, walk
from arena.bots.manifest import errors_name_source
from arena.bots.runtimes import PROGRAMS
from arena.bots.sandboxes.base import MIB, PATH, Program, Sandbox
from arena.bots.sandboxes.run_once import run_once
from arena.io.errors import ArenaError, ShortageError, shortage_of
from arena.io.files import inflate, remove_tree, replacing, user_cache

_MISSING = 3
"""The exit code of _LOOK if an image lacks a program."""
_LOOK = f'command -v "$1" >/dev/null || exit {_MISSING}'
_LOOK_SECONDS = 60.0
_in_images: WeakKeyDictionary[Sandbox, dict[tuple[str, str], bool]] = WeakKeyDictionary()
"""Whether the image of a runtime has a program."""
STAGED_LIMITS = BotLimits(
    entries=BOT_LIMITS.entries + COMPILED.entries, size=BOT_LIMITS.size + COMPILED.size
)
"""A bot with its packages."""
_MAX_CONTENT = STAGED_LIMITS.size + STAGED_LIMITS.entries * (MAX_PATH + 64)
"""Bytes of a bundle's content before it was compressed."""
MAX_CACHE = 1024 * MIB
"""Bytes of all files of a cache; beyond that, the files used longest ago are removed."""
_PRIVATE = 0o700
_PRIVATE_FILE = 0o600
_DIGEST = 64
"""Characters of the SHA-256 of an entry, which comes before it in its file."""
_WORD = re.compile(r"[\w.+/-]+")
_PROCESSOR = ("vendor_id", "cpu family", "model", "stepping", "flags", "CPU ", "Features")
"""The lines of /proc/cpuinfo that tell processors apart begin with these."""


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
    for which it asks are installed. Raises ArenaError if the bot's program is missing, if it asks
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
                add_packages(layer, bot, folder)
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
    commands = [command for command in (bot.build, bot.command) if command]
    if sandbox.uses_host_programs:
        for command in commands:
            check_mounted(bot.name, command)
        if missing := bot.missing_program:
            what = f"'{bot.name}' needs '{missing}', which was not found"
            raise ArenaError(what, str(bot.source), how_to_get(bot.first_command, bot.folder))
    else:
        for command in commands:
            _check_in_image(bot, sandbox, command[0])
    if bot.build is None:
        with errors_name_source(bot.folder, bot.source):
            check_runnable(bot.name, bot.command, bot.folder)


def _check_in_image(bot: Bot, sandbox: Sandbox, program: str) -> None:
    """Raise ArenaError if the image of a bot's runtime lacks a program.

    No error if its container cannot be started: that shows when the bot starts.
    """
    runtime = bot.info.runtime
    if "/" in program:
        return
    known = _in_images.setdefault(sandbox, {})
    if (runtime, program) not in known:
        look = Program(bot.folder, ["sh", "-c", _LOOK, "sh", program], runtime)
        known[runtime, program] = run_once(sandbox, look, _LOOK_SECONDS).code != _MISSING
    if not known[runtime, program]:
        what = f"'{bot.name}' needs '{program}', which the image of '{runtime}' does not have"
        raise ArenaError(what, str(bot.source), how_to_get_in_image(program))


class _BundledFile(Struct, frozen=True, array_like=True):
    """A file, a link or a folder. Paths are bytes: a name need not be UTF-8."""

    path: bytes
    kind: str
    """`file`, `program` (an executable file), `link` or `folder`."""
    content: bytes = b""
    """The content of a file, the target of a link."""


class Bundle(Struct, frozen=True):
    """All files of a staged bot, those that its build made among them."""

    digest: str
    """The SHA-256 of the content, hexadecimal."""
    content: bytes


def pack_bundle(folder: Path) -> Bundle:
    """Return all files of a staged bot, without times and owners: same files, same bundle."""
    entries = []
    for path, info in sorted(walk(folder, STAGED_LIMITS), key=lambda entry: os.fsencode(entry[0])):
        inner = os.fsencode(path.relative_to(folder))
        if stat.S_ISDIR(info.st_mode):
            entries.append(_BundledFile(inner, "folder"))
        elif stat.S_ISLNK(info.st_mode):
            entries.append(_BundledFile(inner, "link", os.fsencode(path.readlink())))
        else:
            kind = "program" if info.st_mode & stat.S_IXUSR else "file"
            entries.append(_BundledFile(inner, kind, path.read_bytes()))
    content = zlib.compress(msgspec.msgpack.encode(entries))
    return Bundle(sha256(content).hexdigest(), content)


def unpack_bundle(bundle: Bundle, folder: Path) -> None:
    """Write a bundle's files to a new folder, as readable to a sandbox's user as staged ones.

    Raises ArenaError if the content is not that of a bundle, does not match the digest, or finds no
    space.
    """
    if sha256(bundle.content).hexdigest() != bundle.digest:
        raise ArenaError("a bot was damaged on its way", bundle.digest, "run it again")
    try:
        folder.mkdir()
        folder.chmod(0o755)
        folders = {PurePath()}
        content = inflate(bundle.content, _MAX_CONTENT)
        for entry in msgspec.msgpack.decode(content, type=list[_BundledFile]):
            _write_bundled(entry, folder, folders)
    except BaseException as error:
        # An incomplete folder must not be taken for a bot.
        remove_tree(folder)
        if isinstance(error, OSError):
            raise no_space("a bot", error, folder) from None
        if isinstance(error, zlib.error | msgspec.MsgspecError):
            what = f"a bot cannot be unpacked: {error}"
            raise ArenaError(what, bundle.digest, "run it again") from None
        raise


def _write_bundled(entry: _BundledFile, folder: Path, folders: set[PurePath]) -> None:
    """Write one entry into one of the `folders` made so far, so that no link is followed."""
    inner = PurePath(os.fsdecode(entry.path))
    if inner.is_absolute() or ".." in inner.parts or inner.parent not in folders:
        raise ArenaError("a bundle's files must lie inside its folder", str(inner), "run it again")
    path = folder / inner
    if entry.kind == "link":
        path.symlink_to(os.fsdecode(entry.content))
    elif entry.kind == "folder":
        path.mkdir()
        path.chmod(0o755)
        folders.add(inner)
    else:
        path.write_bytes(entry.content)
        path.chmod(0o555 if entry.kind == "program" else 0o444)


class _CachedBuild(Struct, frozen=True, array_like=True):
    """A bot that was built."""

    bundle: Bundle
    output: str | None
    """The end of the build's output; None if only packages were installed."""


class BuildCache(Struct, frozen=True):
    """Stages bots, and builds only those that were not built before."""

    folder: Path
    """Made when it is needed; only its owner can read it."""

    def stage(
        self,
        bot: Bot,
        runs: Path,
        sandbox: Sandbox,
        on_build: OnBuild | None = None,
        *,
        packages: bool = False,
    ) -> StagedBot:
        """Make a bot ready to start, as `staging.stage` does.

        For a bot from the cache, `on_build` gets the output of its build, and 0 seconds.
        """
        hear = on_build or (lambda _output, _seconds: None)
        wanted = wanted_by(bot, bot.folder, allowed=packages)
        folder = folder_of(bot, runs)
        if folder.exists() or (bot.build is None and wanted is None):
            return stage(bot, runs, sandbox, hear, packages=packages)
        path = self.folder / _cache_key(bot, sandbox, packages=packages)
        if (entry := _read_cached(path)) and _unpacked(entry.bundle, bot, folder, sandbox):
            if entry.output is not None:
                hear(entry.output, 0.0)
            return staged_as(bot, folder)
        outputs: list[str] = []

        def note(output: str, seconds: float) -> None:
            outputs.append(output)
            hear(output, seconds)

        staged = stage(bot, runs, sandbox, note, packages=packages)
        output = outputs[0] if outputs else None
        content = msgspec.msgpack.encode(_CachedBuild(pack_bundle(staged.folder), output))
        # An entry is written whole or not at all; it matters little if that fails.
        with suppress(OSError):
            self.folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            self.folder.chmod(_PRIVATE)
            with replacing(path, _PRIVATE_FILE) as file:
                file.write(sha256(content).hexdigest().encode() + content)
            _make_room(self.folder)
        return staged


def user_builds() -> BuildCache:
    """Return the cache of the user's own commands."""
    return BuildCache(user_cache("builds"))


def _cache_key(bot: Bot, sandbox: Sandbox, *, packages: bool) -> str:
    """Return the digest of everything on which the result of a build depends."""
    executables = [
        os.fsencode(path.relative_to(bot.folder))
        for path in files_of(bot.folder)
        if path.stat().st_mode & 0o100
    ]
    toolchain = sandbox.image_id(bot.info.runtime) or list(_programs(bot))
    # Compiled programs may depend on the processor and the C library.
    processor: list[str] = []
    with suppress(OSError):
        first, _, _ = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")
        processor = [line for line in first.splitlines() if line.startswith(_PROCESSOR)]
    machine = [platform.machine(), *platform.libc_ver(), *processor]
    inputs = (__version__, sandbox.name, toolchain, machine, packages)
    return sha256(msgspec.msgpack.encode((*inputs, bot.info.digest, executables))).hexdigest()


def _programs(bot: Bot) -> Iterator[tuple[str, int, int]]:
    """Yield path, size and time of this machine's compilers, and of all that the build names."""
    words = _WORD.findall(" ".join(bot.build or ()))
    named = {word for word in words if "/" not in word or word.startswith("/")}
    for name in sorted({*PROGRAMS, *named}):
        if program := shutil.which(name, path=PATH):
            path = Path(program).resolve()
            info = path.stat()
            yield str(path), info.st_size, info.st_mtime_ns


def _unpacked(bundle: Bundle, bot: Bot, folder: Path, sandbox: Sandbox) -> bool:
    """Unpack a bot from the cache, and check it as after a build; False if it is damaged."""
    check_program(bot, sandbox)
    try:
        unpack_bundle(bundle, folder)
        check_built(folder, STAGED_LIMITS)
        check_runnable(bot.name, bot.command, folder)
    except ArenaError:
        remove_tree(folder)
        return False
    return True


def _read_cached(path: Path) -> _CachedBuild | None:
    """Return an entry and mark it as used; None if it is missing or damaged."""
    try:
        content = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    digest, packed = content[:_DIGEST], content[_DIGEST:]
    if sha256(packed).hexdigest().encode() != digest:
        return None
    try:
        return msgspec.msgpack.decode(packed, type=_CachedBuild)
    except msgspec.DecodeError:
        return None


def _make_room(folder: Path) -> None:
    """Remove the files that were used longest ago, until the others take MAX_CACHE at most."""
    used: list[tuple[int, int, Path]] = []
    for path in folder.iterdir():
        # Another process may have removed it.
        with suppress(FileNotFoundError):
            info = path.stat()
            used.append((info.st_mtime_ns, info.st_size, path))
    total = 0
    for _, size, path in sorted(used, reverse=True):
        total += size
        if total > MAX_CACHE:
            path.unlink(missing_ok=True)
