"""Which kind of archive a file is, by how it begins."""

import tarfile
from pathlib import Path

from msgspec import Struct

from arena.bots.archives.tar import is_tar


class Kind(Struct, frozen=True):
    """A kind of archive."""

    words: str
    endings: tuple[str, ...] = ()
    """The endings of its name, the usual one first; () if it is not read."""


_TAR = Kind("a tar archive", (".tar",))
_BEGINNINGS = {
    b"PK": Kind("a zip archive", (".zip",)),
    b"\x1f\x8b": Kind("compressed by gzip", (".tar.gz", ".tgz")),
    b"BZh": Kind("compressed by bzip2", (".tar.bz2", ".tbz2")),
    b"\xfd7zXZ": Kind("compressed by xz", (".tar.xz", ".txz")),
    b"Rar!\x1a\x07": Kind("a RAR archive"),
    b"7z\xbc\xaf\x27\x1c": Kind("a 7z archive"),
}
"""The kinds by the first bytes of a file."""


def kind_of(path: Path) -> Kind | None:
    """Return the kind of a file, maybe damaged; None if it is no archive. Raises OSError."""
    with path.open("rb") as file:
        beginning = file.read(tarfile.BLOCKSIZE)
    for magic, kind in _BEGINNINGS.items():
        if beginning.startswith(magic):
            return kind
    return _TAR if is_tar(beginning) else None
