"""A staged bot as bytes, so that it can be played where the arena's own files are not."""

import os
import stat
import zlib
from hashlib import sha256
from pathlib import Path, PurePath

import msgspec
from msgspec import Struct

from arena.errors import ArenaError
from arena.sandboxes.run_folder import remove_tree
from arena.submissions.folder import walk

_LEVEL = 6


class _Entry(Struct, frozen=True, array_like=True):
    """A file, a link or a folder; paths are bytes, as a name need not be UTF-8."""

    path: bytes
    kind: str
    """`file`, `program` (a file that can be executed), `link` or `folder`."""
    content: bytes = b""
    """What is in the file, or where the link leads."""


_encode = msgspec.msgpack.Encoder().encode
_entries = msgspec.msgpack.Decoder(list[_Entry])


def pack(folder: Path) -> bytes:
    """Return all that is in a staged bot's folder; the same files make the same bytes.

    What a build made goes with the rest. Times and owners stay behind.
    """
    found = sorted(walk(folder), key=lambda entry: os.fsencode(entry[0]))
    packed = [_entry(path, info, folder) for path, info in found]
    return zlib.compress(_encode(packed), _LEVEL)


def bundle_digest(parcel: bytes) -> str:
    """Return what a parcel is known by: the SHA-256 of its bytes, hexadecimal."""
    return sha256(parcel).hexdigest()


def unpack(parcel: bytes, expected: str, folder: Path) -> None:
    """Write a parcel's files to a new folder, as readable to a sandbox's user as staged ones.

    Raises ArenaError where it is not the parcel `expected`, or there is no space for it.
    """
    if bundle_digest(parcel) != expected:
        raise ArenaError("a bot was damaged on its way", expected, "run it again")
    try:
        folder.mkdir()
        folder.chmod(0o755)
        for entry in _entries.decode(zlib.decompress(parcel)):
            _write(entry, _inside(entry.path, folder))
    except BaseException as error:
        # What is there in part must not be taken for ready.
        remove_tree(folder)
        if not isinstance(error, OSError):
            raise
        what = f"a bot cannot be made ready: {error.strerror}"
        hint = "free some space, or set TMPDIR to a folder that has some"
        raise ArenaError(what, str(folder), hint) from None


def _entry(path: Path, info: os.stat_result, folder: Path) -> _Entry:
    inner = os.fsencode(path.relative_to(folder))
    if stat.S_ISDIR(info.st_mode):
        return _Entry(inner, "folder")
    if stat.S_ISLNK(info.st_mode):
        return _Entry(inner, "link", os.fsencode(path.readlink()))
    kind = "program" if info.st_mode & stat.S_IXUSR else "file"
    return _Entry(inner, kind, path.read_bytes())


def _inside(path: bytes, folder: Path) -> Path:
    inner = PurePath(os.fsdecode(path))
    if inner.is_absolute() or ".." in inner.parts:
        raise ArenaError("a parcel's files lie inside its folder", str(inner), "run it again")
    return folder / inner


def _write(entry: _Entry, path: Path) -> None:
    """Write one entry; a folder comes before what is in it."""
    if entry.kind == "link":
        path.symlink_to(os.fsdecode(entry.content))
    elif entry.kind == "folder":
        path.mkdir()
        path.chmod(0o755)
    else:
        path.write_bytes(entry.content)
        path.chmod(0o555 if entry.kind == "program" else 0o444)
