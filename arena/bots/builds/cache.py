"""A cache of built bots, from which checks, trials, seasons, courses and comparisons stage them.

It holds what can be made again on this machine: any of its files may be removed at any time.
"""

import os
import platform
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from arena import __version__
from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.build import OnBuild, check_built
from arena.bots.builds.bundle import STAGED, Bundle, pack, unpack
from arena.bots.builds.packages import wanted_by
from arena.bots.builds.staging import check_program, folder_of, stage, staged_as
from arena.bots.command import check_runnable
from arena.bots.folder import files_of
from arena.bots.runtimes import PROGRAMS
from arena.bots.sandboxes.base import MIB, PATH, Sandbox
from arena.io.errors import ArenaError
from arena.io.files import remove_tree, replacing, user_cache

MAX_SIZE = 1024 * MIB
"""Bytes of all files of a cache: beyond that, those that were used longest ago are removed."""
_PRIVATE, _PRIVATE_FILE = 0o700, 0o600
_DIGEST = 64
"""Characters of the SHA-256 of an entry, which comes before it in its file."""
_WORD = re.compile(r"[\w.+/-]+")
_PROCESSOR = ("vendor_id", "cpu family", "model", "stepping", "flags", "CPU ", "Features")
"""The lines of /proc/cpuinfo that tell processors apart begin with these."""


class _Entry(Struct, frozen=True, array_like=True):
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
        path = self.folder / _key(bot, sandbox, packages=packages)
        if (entry := _read(path)) and _unpacked(entry.bundle, bot, folder, sandbox):
            if entry.output is not None:
                hear(entry.output, 0.0)
            return staged_as(bot, folder)
        outputs: list[str] = []

        def note(output: str, seconds: float) -> None:
            outputs.append(output)
            hear(output, seconds)

        staged = stage(bot, runs, sandbox, note, packages=packages)
        self._keep(path, _Entry(pack(staged.folder), outputs[0] if outputs else None))
        return staged

    def _keep(self, path: Path, entry: _Entry) -> None:
        """Write an entry, whole or not at all, and make room; it matters little if that fails."""
        content = msgspec.msgpack.encode(entry)
        with suppress(OSError):
            self.folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            self.folder.chmod(_PRIVATE)
            with replacing(path, _PRIVATE_FILE) as file:
                file.write(sha256(content).hexdigest().encode() + content)
            _make_room(self.folder)


def user_builds() -> BuildCache:
    """Return the cache of the user's own commands."""
    return BuildCache(user_cache("builds"))


def _key(bot: Bot, sandbox: Sandbox, *, packages: bool) -> str:
    """Return the digest of all that the result of a build depends on."""
    executables = [
        os.fsencode(path.relative_to(bot.folder))
        for path in files_of(bot.folder)
        if path.stat().st_mode & 0o100
    ]
    toolchain = sandbox.image_id(bot.info.runtime) or list(_programs(bot))
    inputs = (__version__, sandbox.name, toolchain, _machine(), packages)
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


def _machine() -> list[str]:
    """Return what compiled programs may depend on: the processor and the C library."""
    lines: list[str] = []
    with suppress(OSError):
        first, _, _ = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")
        lines = [line for line in first.splitlines() if line.startswith(_PROCESSOR)]
    return [platform.machine(), *platform.libc_ver(), *lines]


def _unpacked(bundle: Bundle, bot: Bot, folder: Path, sandbox: Sandbox) -> bool:
    """Unpack a bot from the cache, and check it as after a build; False if it is damaged."""
    check_program(bot, sandbox)
    try:
        unpack(bundle, folder)
        check_built(folder, STAGED)
        check_runnable(bot.name, bot.command, folder)
    except ArenaError:
        remove_tree(folder)
        return False
    return True


def _read(path: Path) -> _Entry | None:
    """Return an entry, used just now; None if there is none, or it is damaged."""
    try:
        content = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    digest, packed = content[:_DIGEST], content[_DIGEST:]
    if sha256(packed).hexdigest().encode() != digest:
        return None
    try:
        return msgspec.msgpack.decode(packed, type=_Entry)
    except msgspec.DecodeError:
        return None


def _make_room(folder: Path) -> None:
    """Remove the files that were used longest ago, until the others are no more than MAX_SIZE."""
    used = sorted(
        ((info.st_mtime_ns, info.st_size, path) for path, info in _files(folder)), reverse=True
    )
    total = 0
    for _, size, path in used:
        total += size
        if total > MAX_SIZE:
            path.unlink(missing_ok=True)


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for path in folder.iterdir():
        # Another process may have removed it.
        with suppress(FileNotFoundError):
            yield path, path.stat()
