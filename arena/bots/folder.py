"""A bot's folder, which someone else filled: its files, their digest, a copy and an archive."""

import io
import os
import shutil
import stat
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from arena.bots.archives.entry import ENVIRONMENT, MAX_DEPTH, MAX_PATH, instead_of_link
from arena.bots.bot import Bot
from arena.bots.sandboxes.base import MIB
from arena.io.container import LEFT
from arena.io.errors import ArenaError
from arena.io.files import os_errors

_IGNORED = frozenset({".git", "__pycache__", "__MACOSX", ".DS_Store", LEFT})
_MAC_PREFIX = "._"
"""The prefix of files in which macOS keeps attributes of other files."""
_ENVIRONMENT_FILE = "pyvenv.cfg"
_LARGEST = 3
"""Files that an error names if all together are too large."""
_MAX_SHOWN = 250
"""Characters of a long path that an error shows."""


class BotLimits(Struct, frozen=True):
    """The largest bot that is accepted."""

    entries: int = 10_000
    """Files and folders."""
    size: int = 64 * MIB
    """Bytes of all its files."""
    build_seconds: float = 120.0


BOT_LIMITS = BotLimits()


def walk(
    folder: Path, limits: BotLimits, ignore: Callable[[str], bool] = lambda _: False
) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield everything below a folder, links as links, without names that `ignore` refuses.

    A folder is yielded before its contents are read. Raises ArenaError for too many entries, for
    paths beyond MAX_DEPTH or MAX_PATH, and for folders that cannot be read.
    """
    count = 0
    waiting = [folder]
    while waiting:
        for path, info in _entries(waiting.pop()):
            if ignore(path.name):
                continue
            count += 1
            if count > limits.entries:
                what = f"a bot's folder may hold {limits.entries:,} files and folders at most"
                raise ArenaError(what, str(folder))
            is_folder = stat.S_ISDIR(info.st_mode)
            _check_path(path, folder, is_folder=is_folder)
            yield path, info
            if is_folder:
                waiting.append(path)


def exceeds(folder: Path, entries: int, size: int) -> bool:
    """Return whether a folder takes more entries or bytes of disk, while others change it.

    Raises PermissionError for a folder that cannot be read: it may hold any number.
    """
    count = total = 0
    waiting = [str(folder)]
    while waiting and count <= entries and total <= size:
        try:
            with suppress(FileNotFoundError), os.scandir(waiting.pop()) as items:
                for item in items:
                    count += 1
                    total += item.stat(follow_symlinks=False).st_blocks * 512
                    if item.is_dir(follow_symlinks=False):
                        waiting.append(item.path)
        except PermissionError:
            raise
        except OSError:
            # Nested too deeply for a path.
            return True
    return count > entries or total > size


def refuse_link(path: Path) -> None:
    """Raise ArenaError for a link in place of a folder or an archive that someone handed in."""
    if path.is_symlink():
        raise ArenaError("a hand-in may hold no links", str(path), instead_of_link(path))


def files_of(folder: Path, limits: BotLimits = BOT_LIMITS) -> list[Path]:
    """Return the bot's files, sorted.

    Raises ArenaError for a link, a virtual environment of Python, and too many bytes.
    """
    files: list[Path] = []
    sizes: dict[str, int] = {}
    for path, info in walk(folder, limits, is_ignored):
        is_link = stat.S_ISLNK(info.st_mode)
        in_environment = is_link and (path.parent / _ENVIRONMENT_FILE).is_file()
        if path.name == _ENVIRONMENT_FILE or in_environment:
            what = "a bot's folder may hold no virtual environment"
            raise ArenaError(what, str(path.parent), ENVIRONMENT)
        if is_link:
            hint = instead_of_link(path.relative_to(folder))
            raise ArenaError("a bot's folder may hold no links", str(path), hint)
        if stat.S_ISREG(info.st_mode):
            files.append(path)
            sizes[str(path.relative_to(folder))] = info.st_size
    check_size(sizes, folder, limits)
    return sorted(files)


def check_size(sizes: Mapping[str, int], folder: Path, limits: BotLimits) -> None:
    """Raise ArenaError if a bot's folder holds too many bytes; `sizes` are in bytes, by path."""
    if sum(sizes.values()) > limits.size:
        what = f"a bot's folder may hold {limits.size // MIB} MiB at most"
        largest = sorted(sizes.items(), key=lambda item: item[1], reverse=True)[:_LARGEST]
        named = ", ".join(f"{name} ({size / MIB:,.1f} MiB)" for name, size in largest)
        raise ArenaError(what, str(folder), f"its largest files: {named}")


def digest(folder: Path, limits: BotLimits = BOT_LIMITS) -> str:
    """Return the SHA-256 over the names and contents of the bot's files, hexadecimal."""
    try:
        return _digest(folder, limits, Path.read_bytes)
    except OSError as error:
        where = str(error.filename or folder)
        raise ArenaError(f"cannot be read: {error.strerror}", where) from None


def copy(folder: Path, target: Path, limits: BotLimits = BOT_LIMITS) -> str:
    """Copy the bot's files to a new folder; returns the digest of the copy. Raises OSError."""

    def read_and_copy(path: Path) -> bytes:
        content = path.read_bytes()
        copied = target / path.relative_to(folder)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(content)
        shutil.copymode(path, copied)
        return content

    return _digest(folder, limits, read_and_copy)


def open_to_all(folder: Path, *, writable: bool) -> None:
    """Let the sandbox's user read a folder and, if `writable`, change it, as builds do."""
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


def _digest(folder: Path, limits: BotLimits, read: Callable[[Path], bytes]) -> str:
    total = sha256()
    for path in files_of(folder, limits):
        name = os.fsencode(path.relative_to(folder).as_posix())
        total.update(b"%b\0%b\n" % (name, sha256(read(path)).hexdigest().encode()))
    return total.hexdigest()


def is_ignored(name: str) -> bool:
    """Return whether files and folders with this name are never part of a bot."""
    return name in _IGNORED or name.startswith(_MAC_PREFIX)


def _entries(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    with os_errors("cannot be read", folder), os.scandir(folder) as items:
        for item in items:
            yield Path(item), item.stat(follow_symlinks=False)


def _check_path(path: Path, folder: Path, *, is_folder: bool) -> None:
    inner = path.relative_to(folder)
    what = ""
    if len(inner.parts) - (not is_folder) > MAX_DEPTH:
        what = f"a bot's folder may be {MAX_DEPTH} folders deep at most"
    elif len(os.fsencode(inner)) > MAX_PATH:
        what = f"a path in a bot's folder may have {MAX_PATH:,} bytes at most"
    if what:
        text = str(path)
        raise ArenaError(what, text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}...")


def canonical(bot: Bot) -> bytes:
    """Return the files of a bot as a tar archive without times and owners, sorted by name.

    Raises ArenaError if they cannot be read.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in files_of(bot.folder):
            with os_errors("cannot be read", path):
                content = path.read_bytes()
            entry = tarfile.TarInfo(path.relative_to(bot.folder).as_posix())
            entry.size = len(content)
            entry.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()
