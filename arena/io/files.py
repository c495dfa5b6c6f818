"""Files and folders: read up to a limit, written whole or not at all, locked and removed.

Also the user's cache, and the folder for temporary files from which programs can run.
"""

import fcntl
import os
import shutil
import stat
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import BinaryIO, TypeVar

import msgspec

from arena.io.errors import ArenaError

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""The byte order marks of UTF-16."""
_MAKE_ROOM = "free some space, or make the folder writable"
_Data = TypeVar("_Data")


def read_limited(path: Path, max_bytes: int) -> bytes:
    """Return a file's content; raises ArenaError if it is no plain file, or too large."""
    try:
        # Opening a FIFO would wait for a writer, and a device may never end.
        with open(path, "rb", opener=_open) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ArenaError("not a file", str(path), "name a file")
            content = file.read(max_bytes + 1)
    except FileNotFoundError:
        raise ArenaError("no such file", str(path)) from None
    except (OSError, ValueError) as error:
        raise ArenaError(f"cannot be read: {reason(error)}", str(path)) from None
    if len(content) > max_bytes:
        raise ArenaError(f"larger than {max_bytes // 1024:,} KiB", str(path))
    return content


def decoded(content: bytes, path: Path) -> str:
    """Return a file's text without a byte order mark; raises ArenaError with the line.

    What is not UTF-8 is shown as Windows-1252 has it, in which it most often is.
    """
    table = path.suffix.lower() in {".csv", ".tsv", ".txt"}
    hint = "save it as UTF-8" + (", which Excel calls 'CSV UTF-8'" if table else "")
    if content.startswith(_UTF_16) or content[1:2] == b"\0":
        raise ArenaError("cannot be read: it is in UTF-16", str(path), hint)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        byte = error.object[error.start : error.start + 1]
        shown = byte.decode("cp1252", "replace")
        what = f"cannot be read: it is not in UTF-8 (one character may be '{shown}')"
        raise ArenaError(what, f"{path}:{line}", hint) from None


def read_json(path: Path, kind: type[_Data]) -> _Data | None:
    """Return what a file of JSON holds; None if it is not there, or holds something else."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError):
        return None


def stat_of(path: Path) -> os.stat_result | None:
    """Return what the disk says of a file; None if it is not there."""
    try:
        return path.stat()
    except OSError:
        return None


def changed_at(path: Path) -> int:
    """Return when a file was written last, in nanoseconds since 1970; 0 if it is not there."""
    return found.st_mtime_ns if (found := stat_of(path)) else 0


def reason(error: Exception) -> str:
    """Return why a system call failed, without the path."""
    return getattr(error, "strerror", None) or " ".join(str(error).split())


@contextmanager
def os_errors(what: str, where: object, hint: str = "") -> Iterator[None]:
    """Raise an OSError as the ArenaError that says what cannot be done, and why."""
    try:
        yield
    except OSError as error:
        raise ArenaError(f"{what}: {reason(error)}", str(where), hint) from None


@contextmanager
def part_of(path: Path) -> Iterator[Path]:
    """Yield a name beside `path` for a new file, link or folder, which then takes its name.

    A file or link that is there is replaced. If anything goes wrong, the new one is removed.
    Raises OSError.
    """
    part = path.with_name(f".{path.name}.{token_hex(4)}.part")
    try:
        yield part
        part.replace(path)
    except BaseException:
        if part.is_dir() and not part.is_symlink():
            remove_tree(part)
        else:
            part.unlink(missing_ok=True)
        raise


@contextmanager
def replacing(path: Path, mode: int | None = None, *, durable: bool = False) -> Iterator[BinaryIO]:
    """Yield a file that takes the name of `path` when it is whole; a pipe or device is written to.

    Without a `mode`, the umask decides. A durable file survives a power failure. Raises OSError.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    with part_of(path) as part, part.open("xb") as file:
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        yield file
        file.flush()
        if durable:
            os.fsync(file.fileno())
    if durable:
        _sync(path.parent)


def write_file(
    path: Path,
    content: bytes,
    mode: int | None = 0o600,
    *,
    durable: bool = False,
    parents: bool = False,
) -> None:
    """Write a file as `replacing` does, with its parents on request; raises ArenaError."""
    with os_errors("it cannot be written", path, _MAKE_ROOM):
        if parents:
            path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, mode, durable=durable) as file:
            file.write(content)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    """Let new files and folders lack these permissions, in the whole process and what it starts."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def place_durably(part: Path, path: Path) -> None:
    """Give a file that is on the disk its name, to stay; raises ArenaError if it cannot be."""
    with os_errors("it cannot be written", path, _MAKE_ROOM):
        part.replace(path)
        _sync(path.parent)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file, which is removed if anything goes wrong.

    Raises ArenaError if there is a file already, or it cannot be written.
    """
    try:
        with path.open("xb") as file:
            try:
                yield file
                file.flush()
            except BaseException:
                path.unlink()
                raise
    except FileExistsError:
        raise exists(path) from None
    except OSError as error:
        raise ArenaError(f"it cannot be written: {reason(error)}", str(path)) from None


def exists(path: Path) -> ArenaError:
    """Return the error for a file that is there already."""
    return ArenaError("it exists already", str(path), "name a new file")


def remove_tree(folder: Path) -> None:
    """Remove a folder, if it exists, whatever is in it; files that cannot be removed stay."""
    if not folder.is_dir():
        return
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        # Folders without permissions, or nested thousands deep, which Python cannot walk.
        for tool in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            with suppress(OSError):  # no process, or no descriptor, is left for it
                subprocess.run([*tool, "--", folder], stderr=subprocess.DEVNULL, check=False)


def user_cache(name: str) -> Path:
    """Return the folder of this user for a cache of the arena; it need not exist."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home, "perudo-arena", name)


def user_state(name: str) -> Path:
    """Return the file of this user for what the arena remembers; it need not exist."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(home, "perudo-arena", name)


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def _sync(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def inflate(data: bytes, most: int) -> bytes:
    """Return what zlib compressed.

    Raises zlib.error if it is damaged, cut off, or unpacks to more than `most` bytes.
    """
    decoder = zlib.decompressobj()
    content = decoder.decompress(data, most + 1)
    if len(content) > most:
        raise zlib.error(f"it unpacks to more than {most:,} bytes")
    if not decoder.eof:
        raise zlib.error("it is cut off")
    return content


_ATTEMPTS = 100
"""How often locking is tried while others only ask whether a file is locked."""


def lock_exclusively(file: int) -> bool:
    """Lock a file by its descriptor; returns False if another process has locked it.

    The lock ends when the descriptor is closed, at the latest with the process.
    """
    for _ in range(_ATTEMPTS):
        if _lock(file, fcntl.LOCK_EX):
            return True
        # `is_locked_exclusively` in another process holds a shared lock for a moment.
        if is_locked_exclusively(file):
            return False
    return False


def is_locked_exclusively(file: int) -> bool:
    """Tell whether another process has locked a file; locks it shared until it is closed if not."""
    return not _lock(file, fcntl.LOCK_SH)


def _lock(file: int, operation: int) -> bool:
    try:
        fcntl.flock(file, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


HOW_TO_RUN = "set TMPDIR to a folder that is not mounted noexec"
_SYSTEM = (Path("/tmp"), Path("/var/tmp"))
_OWN = "run"
"""The folder of bots that are made ready, in the user's cache."""
_ROOM = 256 * 1024 * 1024
"""Bytes that must be free in another folder: as much as a build may take."""
_OTHERS_PASS = 0o001


def program_folder() -> Path:
    """Return the folder for temporary files, or another if it is mounted `noexec`.

    What is put there can be run, unless `is_noexec` says that no folder would do.
    """
    usual = Path(gettempdir())
    if not is_noexec(usual):
        return usual
    return next((folder for folder in _others() if _is_usable(folder)), usual)


def program_folder_note() -> str:
    """Return what to say of a folder for temporary files that is mounted `noexec`; "" otherwise."""
    usual, taken = Path(gettempdir()), program_folder()
    if not is_noexec(usual):
        return ""
    what = f"no program can run in {usual} (TMPDIR), which is mounted noexec"
    if taken != usual:
        return f"{what}: bots are made ready in {taken}"
    return f"warning: {what}, and there is no other folder: {HOW_TO_RUN}"


def is_noexec(folder: Path) -> bool:
    """Return whether no program can run in a folder, as it is mounted; false if it is not there."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_NOEXEC)
    except OSError:
        return False


def _others() -> Iterator[Path]:
    """Yield the folders that are tried; the one of this user is made."""
    yield from _SYSTEM
    with suppress(OSError, RuntimeError):  # without a home, or one that cannot be written to
        own = user_cache(_OWN)
        own.mkdir(parents=True, exist_ok=True)
        yield own
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime)


def _is_usable(folder: Path) -> bool:
    """Return whether bots can be made ready in a folder, and run there."""
    try:
        stats = os.statvfs(folder)
    except OSError:
        return False
    free = stats.f_bavail * stats.f_frsize
    runs = not stats.f_flag & os.ST_NOEXEC
    if not runs or free < _ROOM or not os.access(folder, os.W_OK | os.X_OK):
        return False
    # If the arena is root, bots run as other users.
    parents = (folder, *folder.parents)
    return os.geteuid() != 0 or all(path.stat().st_mode & _OTHERS_PASS for path in parents)
