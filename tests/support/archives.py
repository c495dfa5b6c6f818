"""Archives for tests: such as zip and tar programs write, and handmade ones."""

import io
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from arena.bots.folder import BOT_LIMITS, BotLimits
from arena.bots.manifest import load_bot
from arena.io.errors import ArenaError

MANIFEST = b"name: ann\ncommand: python3 bot.py\n"
NAMES = ["a.zip", "a.tar", "a.tar.gz", "a.tar.bz2", "a.tar.xz"]
BOT = {"bot.yaml": MANIFEST, "bot.py": b"print(1)\n"}
"""The files of a bot, by their paths."""


def zip_of(path: Path, files: dict[str, bytes], *more: zipfile.ZipInfo, **options: Any) -> Path:
    """Write a zip archive of files; the entries `more` hold one byte each."""
    with zipfile.ZipFile(path, "w", options.pop("method", zipfile.ZIP_DEFLATED)) as archive:
        for name, content in files.items():
            archive.writestr(zip_info(name, **options), content)
        for info in more:
            archive.writestr(info, b"x")
    return path


def zip_info(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    # The constructor cuts names off at a NUL.
    info.filename = name
    info.external_attr = mode << 16
    info.create_system = 3
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def tar_of(path: Path, files: dict[str, bytes], *more: tarfile.TarInfo, **options: Any) -> Path:
    """Write a tar archive of files, compressed as its name says; `more` are further entries."""
    mode = {"gz": "w:gz", "bz2": "w:bz2", "xz": "w:xz", "tar": "w"}[path.name.rsplit(".", 1)[-1]]
    # Each mode has a signature of its own, which a mode that is looked up cannot choose.
    with tarfile.open(path, mode, **options) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            kind = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            archive.addfile(tar_info(name, type=kind, size=len(content)), io.BytesIO(content))
        for info in more:
            archive.addfile(info, io.BytesIO(bytes(info.size)) if info.isreg() else None)
    return path


def tar_info(name: str, **keys: Any) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    for key, value in keys.items():
        setattr(info, key, value)
    return info


def header(name: bytes, **keys: Any) -> bytes:
    """Return the 512 bytes before an entry, with any name and size."""
    info = tar_info("x", **keys)
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    block[:100] = name.ljust(100, b"\0")
    return resigned(block)


def resigned(block: bytearray) -> bytes:
    """Return a header with its right checksum."""
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def pax(*records: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    """Return a header of attributes for the next entry."""
    note = b"".join(records)
    return header(b"note", type=kind, size=len(note)) + padded(note)


def record(key: bytes, value: bytes) -> bytes:
    """Return one attribute of a pax header."""
    rest = b" " + key + b"=" + value + b"\n"
    length = next(n for n in range(len(rest), len(rest) + 9) if len(str(n)) + len(rest) == n)
    return b"%d%b" % (length, rest)


def padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 512)


def entry(name: bytes, content: bytes = b"x", **keys: Any) -> bytes:
    """Return a tar entry with its content."""
    return header(name, size=len(content), **keys) + padded(content)


END = bytes(1024)
"""The end of a tar archive."""


def write(path: Path, files: dict[str, bytes]) -> Path:
    """Write an archive of the type that its name says."""
    return zip_of(path, files) if path.suffix == ".zip" else tar_of(path, files)


def refused(archive: Path, limits: BotLimits = BOT_LIMITS) -> ArenaError:
    """Load an archive that is refused, check that no files are left, and return the error."""
    temporary = archive.parent / "tmp"
    temporary.mkdir()
    before = set(archive.parent.rglob("*"))
    with mock.patch("tempfile.tempdir", str(temporary)), pytest.raises(ArenaError) as refusal:
        load_bot(archive, limits)
    assert set(archive.parent.rglob("*")) == before
    assert "\n" not in str(refusal.value)
    assert str(temporary) not in str(refusal.value)
    assert refusal.value.where.startswith(str(archive))
    return refusal.value
