"""A staged bot as bytes, to be played on machines that do not share the arena's files."""

import os
import stat
import zlib
from hashlib import sha256
from pathlib import Path, PurePath

import msgspec
from msgspec import Struct

from arena.bots.archives.entry import MAX_PATH
from arena.bots.builds.packages import COMPILED
from arena.bots.builds.staging import no_space
from arena.bots.folder import BOT_LIMITS, BotLimits, walk
from arena.io.errors import ArenaError
from arena.io.files import remove_tree
from arena.io.inflate import inflate

STAGED = BotLimits(
    entries=BOT_LIMITS.entries + COMPILED.entries, size=BOT_LIMITS.size + COMPILED.size
)
"""A bot with its packages."""
_MAX_CONTENT = STAGED.size + STAGED.entries * (MAX_PATH + 64)
"""Bytes of a bundle's content before it was compressed."""


class _Entry(Struct, frozen=True, array_like=True):
    """A file, a link or a folder; paths are bytes, as a name need not be UTF-8."""

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


def pack(folder: Path) -> Bundle:
    """Return all files of a staged bot, without times and owners: same files, same bundle."""
    paths = sorted(walk(folder, STAGED), key=lambda entry: os.fsencode(entry[0]))
    entries = [_entry(path, info, folder) for path, info in paths]
    content = zlib.compress(msgspec.msgpack.encode(entries))
    return Bundle(sha256(content).hexdigest(), content)


def unpack(bundle: Bundle, folder: Path) -> None:
    """Write a bundle's files to a new folder, as readable to a sandbox's user as staged ones.

    Raises ArenaError if the content is no bundle or does not match the digest, or there is no space
    for it.
    """
    if sha256(bundle.content).hexdigest() != bundle.digest:
        raise ArenaError("a bot was damaged on its way", bundle.digest, "run it again")
    try:
        folder.mkdir()
        folder.chmod(0o755)
        folders = {PurePath()}
        for entry in _entries(bundle):
            _write(entry, folder, folders)
    except BaseException as error:
        # An incomplete folder must not be taken for a bot.
        remove_tree(folder)
        if not isinstance(error, OSError):
            raise
        raise no_space("a bot", error, folder) from None


def _entries(bundle: Bundle) -> list[_Entry]:
    """Return the entries of a bundle; raises ArenaError if it has none, or is too large."""
    try:
        return msgspec.msgpack.decode(inflate(bundle.content, _MAX_CONTENT), type=list[_Entry])
    except (zlib.error, msgspec.MsgspecError) as error:
        what = f"a bot cannot be unpacked: {error}"
        raise ArenaError(what, bundle.digest, "run it again") from None


def _entry(path: Path, info: os.stat_result, folder: Path) -> _Entry:
    inner = os.fsencode(path.relative_to(folder))
    if stat.S_ISDIR(info.st_mode):
        return _Entry(inner, "folder")
    if stat.S_ISLNK(info.st_mode):
        return _Entry(inner, "link", os.fsencode(path.readlink()))
    kind = "program" if info.st_mode & stat.S_IXUSR else "file"
    return _Entry(inner, kind, path.read_bytes())


def _write(entry: _Entry, folder: Path, folders: set[PurePath]) -> None:
    """Write one entry into one of the `folders` that were made: no link is followed."""
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
