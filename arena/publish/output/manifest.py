"""The list of a site's files: which are ours, and what they are made of."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from arena.publish.output.made_by import maker

MANIFEST = ".perudo-arena-site.json"

Keys = dict[str, tuple[str, str, int]]
"""By path: the key, the SHA-256 of the file, and its bytes."""


class Manifest(NamedTuple):
    """The files of earlier runs."""

    files: frozenset[str]
    keys: Keys
    """Of files that this arena made."""


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
    files = frozenset(filter(_is_inside, document.files))
    keys: Keys = {}
    if document.made_by == maker():
        with suppress(msgspec.MsgspecError):
            keys = msgspec.json.decode(document.keys, type=Keys)
    return Manifest(files, {name: key for name, key in keys.items() if name in files})


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


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
