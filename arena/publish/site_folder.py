"""Replace a published site so that a reader never meets half a page or a link to nowhere.

What changed is written to a staging folder inside the site first; then each file is moved into
place. New files come first and the front page last, so a run that is cut short leaves every link
whole. Files that did not change are left alone, with their times, so that servers and copying
programs see what is new. A manifest lists our files: nothing else is overwritten or removed.
"""

import errno
import fcntl
import filecmp
import os
import platform
import shutil
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory, TemporaryFile
from typing import NamedTuple

import msgspec

import arena
from arena.io import shipped
from arena.io.errors import ArenaError
from arena.io.files import changed_at
from arena.io.job import Beside
from arena.io.signals import handled

_LIBRARIES = ("jinja2", "msgspec", "numpy")
"""The libraries that numbers and files depend on."""


@cache
def maker() -> str:
    """Return a hash of the arena's own code, its templates and the libraries it computes with.

    It covers all code, so no constant can be forgotten. It takes some 20 ms.
    """
    return hash_of(Path(arena.__file__).parent, shipped.folder("reports"))


def hash_of(*folders: Path) -> str:
    """Return a hash of what these folders hold, and of the libraries."""
    digest = sha256(platform.python_version().encode())
    for name in _LIBRARIES:
        digest.update(f" {name} {version(name)}".encode())
    for folder in folders:
        # Neither what was compiled nor what ships beside the code.
        left_out = {"__pycache__", "_shipped"}
        paths = [path for path in folder.rglob("*.*") if left_out.isdisjoint(path.parts)]
        for path in sorted(path for path in paths if path.is_file()):
            content = path.read_bytes()
            digest.update(f" {path.relative_to(folder)} {len(content)} ".encode() + content)
    return digest.hexdigest()


MANIFEST = ".perudo-arena-site.json"

Keys = dict[str, tuple[str, str, int]]
"""By path: the key, the SHA-256 of the file, and its bytes."""


class Manifest(NamedTuple):
    """The files of earlier runs."""

    files: frozenset[str]
    keys: Keys
    """The keys of files that this arena made."""


class _Document(msgspec.Struct, frozen=True):
    """The manifest as it is stored."""

    files: list[str]
    made_by: str = ""
    """The hash of all inputs but the games (`made_by.py`)."""
    inputs: str = ""
    """A digest of all that the files are made of; empty if that is not known."""
    size: int = 0
    """The bytes of all files."""
    keys: msgspec.Raw = msgspec.Raw(b"{}")
    """To be decoded only if the maker is the same: another one's keys may have another form."""


def manifest_data(folder: Path, names: Iterable[str], keys: Keys, inputs: str) -> bytes:
    """Return what to store of a site's files, which are in their places if there are inputs."""
    files = sorted(names)
    document = {
        "written_by": "perudo-arena",
        "files": files,
        "made_by": maker(),
        "inputs": inputs,
        "size": sum((folder / name).stat().st_size for name in files) if inputs else 0,
        "keys": dict(sorted(keys.items())),
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def read_manifest(folder: Path) -> Manifest:
    """Return what earlier runs wrote; paths that lead outside are ignored."""
    try:
        document = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=_Document)
    except (FileNotFoundError, ValueError, msgspec.MsgspecError):
        return Manifest(frozenset(), {})
    files = set()
    for name in document.files:
        path = PurePosixPath(name)
        if path.parts and not path.is_absolute() and ".." not in path.parts:
            files.add(name)
    keys: Keys = {}
    if document.made_by == maker():
        with suppress(msgspec.MsgspecError):
            keys = msgspec.json.decode(document.keys, type=Keys)
    return Manifest(frozenset(files), {name: key for name, key in keys.items() if name in files})


def is_whole(folder: Path, inputs: str) -> bool:
    """Tell whether this arena made a site of these inputs, and its files are as it wrote them.

    They are taken for that if together they have their size, all are older than the manifest, and
    none was moved or renamed since it came to its place.
    """
    manifest = folder / MANIFEST
    try:
        written = manifest.stat()
        document = msgspec.json.decode(manifest.read_bytes(), type=_Document)
        if (document.made_by, document.inputs) != (maker(), inputs):
            return False
        files = [(folder / name).stat() for name in document.files]
    except (OSError, ValueError, msgspec.MsgspecError):
        return False
    older = all(
        file.st_mtime_ns < written.st_mtime_ns and file.st_ctime_ns <= written.st_ctime_ns
        for file in files
    )
    return older and sum(file.st_size for file in files) == document.size


FRONT = "index.html"
STAGING = ".perudo-arena-staging-"

_HINTS = {
    errno.ENOSPC: "free some space on the disk, then run the command again",
    errno.EDQUOT: "free some of your disk quota, then run the command again",
    errno.ENOTDIR: "name a folder; a part of this path is a file",
    errno.EEXIST: "name a folder; this is a file",
}


class File(NamedTuple):
    """A file of the site."""

    path: str
    """Relative to the site."""
    content: str | bytes | Iterable[str] | None
    """Whole or in parts; None if the file of that key exists already."""
    key: str = ""
    """A hash of the games that the content is made of: files that have one need not be made again
    by the same arena."""


@contextmanager
def locked_site(folder: Path) -> Iterator[Mapping[str, str]]:
    """Keep other reports out of `folder`, and yield the keys of the files in it, by path.

    Only files that are as they were written count: those of the same size and older than the
    manifest, or with the same content. Waits for a report that is being written. Raises ArenaError
    if the folder cannot be written.
    """
    with _translate_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        with suppress(OSError):  # some network file systems lock no folders
            fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        with _translate_errors(folder):
            keys, written = read_manifest(folder).keys, changed_at(folder / MANIFEST)
        yield {
            path: key
            for path, (key, digest, size) in keys.items()
            if _is_same(folder / path, written, digest, size)
        }
    finally:
        os.close(lock)


def _is_same(path: Path, before: int, digest: str, size: int) -> bool:
    """Tell whether a file has this content; it is read only if it was not written before then.

    Large sites have hundreds of megabytes.
    """
    try:
        status = path.stat()
        return status.st_size == size and (
            status.st_mtime_ns < before or sha256(path.read_bytes()).hexdigest() == digest
        )
    except OSError:
        return False


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def replace_site(folder: Path, files: Iterable[tuple[str, str | bytes] | File]) -> None:
    """Make `folder` hold exactly these files of ours, as `new_site` does."""
    with new_site(folder) as site:
        site.take_all(File(*file) for file in files)


@contextmanager
def new_site(folder: Path, inputs: str = "") -> "Iterator[Staging]":
    """Yield what takes files in; at the end `folder` holds exactly these of ours.

    `inputs` is as in `is_whole`. Raises ArenaError if the folder cannot be written or holds a file
    of that name which no earlier run wrote; the site is then unchanged.
    """
    with _translate_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        old = read_manifest(folder)
        for leftover in folder.glob(f"{STAGING}*"):  # of runs that were killed
            shutil.rmtree(leftover, ignore_errors=True)
        with TemporaryDirectory(dir=folder, prefix=STAGING, ignore_cleanup_errors=True) as name:
            staging = Staging(folder, Path(name), old)
            yield staging
            new = frozenset(staging.names)
            _refuse_foreign(folder, new - old.files)
            with _uninterrupted():
                # Keys say nothing of a file before it is in its place.
                in_place = {
                    name: of for name, of in staging.keys.items() if name not in staging.changed
                }
                _write_manifest(folder, staging, old.files | new, in_place)
                _move_all(folder, staging.path, staging.changed)
                _remove_stale(folder, old.files - new)
                _write_manifest(folder, staging, new, staging.keys, inputs)


def check_folder(folder: Path) -> None:
    """Raise ArenaError if a report cannot be written to `folder`: to know it before a long run."""
    with _translate_errors(folder):
        parent = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        # Without a name: a killed run leaves nothing.
        with TemporaryFile(dir=parent):
            _refuse_foreign(folder, {FRONT} - read_manifest(folder).files)


@contextmanager
def _translate_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, "choose a folder that you may write to")
        what = f"the report cannot be written: {error.strerror or error}"
        raise ArenaError(what, str(folder), hint) from error


class _Taken(NamedTuple):
    """What is known of files that were taken in."""

    names: set[str]
    changed: set[str]
    keys: Keys


class Staging:
    """The files of a report in the making; those that changed wait in a folder."""

    def __init__(self, folder: Path, path: Path, old: Manifest) -> None:
        self.path = path
        self.names: set[str] = set()
        self.changed: set[str] = set()
        self.keys: Keys = {}
        self._folder, self._old = folder, old

    def take_all(self, files: Iterable[File]) -> _Taken:
        """Take files in, and return what is known of all that were taken so far."""
        with _translate_errors(self._folder):
            for file in files:
                self._take(file)
        return _Taken(self.names, self.changed, self.keys)

    @contextmanager
    def also_taking(self, files: Iterable[File], beside: Beside) -> Iterator[None]:
        """Take files in that are made `beside` the block."""
        other = Staging(self._folder, self.path, self._old)
        with beside(partial(other.take_all, files)) as take:
            yield
            taken = take()
        self.names |= taken.names
        self.changed |= taken.changed
        self.keys |= taken.keys

    def _take(self, file: File) -> None:
        self.names.add(file.path)
        if file.content is None:
            self.keys[file.path] = self._old.keys[file.path]
            return
        new, old = self.path / file.path, self._folder / file.path
        if isinstance(file.content, (str, bytes)):
            data = file.content.encode() if isinstance(file.content, str) else file.content
            if file.key:
                self.keys[file.path] = file.key, sha256(data).hexdigest(), len(data)
            if _content(old) != data:
                self.changed.add(file.path)
                _stage(new, data)
            return
        new.parent.mkdir(parents=True, exist_ok=True)
        with new.open("w", encoding="utf-8", newline="") as written:
            written.writelines(file.content)
        if old.is_file() and filecmp.cmp(new, old, shallow=False):
            new.unlink()
        else:
            self.changed.add(file.path)


def _stage(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let a Ctrl-C wait for a moment, so that it does not come between two pages."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    try:
        with handled(lambda number, _: came.append(number), signal.SIGINT, signal.SIGTERM):
            yield
    finally:
        for late in came:
            signal.raise_signal(late)


def _move_all(folder: Path, staging: Path, names: set[str]) -> None:
    """Move new files first and the front page last: so no page links to a missing one."""
    order = sorted(names, key=lambda name: (name == FRONT, (folder / name).exists(), name))
    for parent in {(folder / name).parent for name in names}:
        parent.mkdir(parents=True, exist_ok=True)
    for name in order:
        (staging / name).replace(folder / name)


def _refuse_foreign(folder: Path, names: frozenset[str] | set[str]) -> None:
    for name in sorted(names):
        if (folder / name).exists() or (folder / name).is_symlink():
            what = f"'{name}' is already there and no earlier report wrote it"
            raise ArenaError(what, str(folder), "choose an empty folder, or move that file away")


def _write_manifest(
    folder: Path, staging: Staging, names: frozenset[str], keys: Keys, inputs: str = ""
) -> None:
    data = manifest_data(folder, names, keys, inputs)
    if _content(folder / MANIFEST) != data:
        _stage(staging.path / MANIFEST, data)
        (staging.path / MANIFEST).replace(folder / MANIFEST)


def _remove_stale(folder: Path, names: frozenset[str]) -> None:
    for name in sorted(names):
        path = folder / name
        path.unlink(missing_ok=True)
        if path.parent != folder and path.parent.is_dir() and not any(path.parent.iterdir()):
            path.parent.rmdir()
