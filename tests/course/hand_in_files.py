"""Hand-ins as folders and archives, and what the intake finds in them."""

import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from arena.course.intake.inside import Inside, look_inside
from tests.support.archives import BOT, tar_info, write

FORMS = ["folder", "a.zip", "a.tar", "a.tar.gz", "a.tar.bz2", "a.tar.xz"]
Files = Mapping[str, bytes]


def under(folder: str, files: Files = BOT) -> dict[str, bytes]:
    """Return files in a folder."""
    return {f"{folder}/{name}": content for name, content in files.items()}


def folder_of(path: Path, files: Files) -> Path:
    """Write files, and folders whose names end in a slash."""
    for name, content in files.items():
        if name.endswith("/"):
            (path / name).mkdir(parents=True, exist_ok=True)
        else:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(content)
    return path


def packed(path: Path, files: Files) -> Path:
    """Write files as a folder, or as the archive that the path names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return write(path, dict(files)) if "." in path.name else folder_of(path, files)


def archived(name: str, files: Files) -> bytes:
    """Return the bytes of an archive."""
    file = io.BytesIO()
    if name.endswith(".zip"):
        with zipfile.ZipFile(file, "w") as made:
            for inner, content in files.items():
                made.writestr(inner, content)
    else:
        with tarfile.open(fileobj=file, mode="w:gz") as made_tar:
            for inner, content in files.items():
                made_tar.addfile(tar_info(inner, size=len(content)), io.BytesIO(content))
    return file.getvalue()


def zipped(files: Files) -> bytes:
    return archived("a.zip", files)


def old_zip(files: Mapping[bytes, bytes], date: int = 0x5D7C, flags: int = 0) -> bytes:
    """Return a zip archive with names as they are, stored, as old programs wrote it."""
    body, directory = b"", b""
    for name, content in files.items():
        size = len(content)
        crc = zlib.crc32(content)
        common = struct.pack("<HHHHHIIIHH", 20, flags, 0, 0, date, crc, size, size, len(name), 0)
        at = len(body)
        body += b"PK\x03\x04" + common + name + content
        directory += b"PK\x01\x02\x14\x00" + common + struct.pack("<HHHII", 0, 0, 0, 0, at) + name
    count = len(files)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end


def looked(tmp_path: Path, files: Mapping[str, Path]) -> Inside:
    """Look into a hand-in, and check what holds for all of them."""
    work = tmp_path / "work"
    work.mkdir(0o700, parents=True)
    inside = look_inside(files, work)
    assert (inside.bot is None) == bool(inside.why)
    assert str(tmp_path) not in repr((inside.where, inside.why, inside.hint, inside.ignored))
    assert "\n" not in inside.why + inside.hint + inside.where
    return inside


def looked_into(tmp_path: Path, name: str, content: bytes) -> Inside:
    """Look into a single file that was handed in."""
    (tmp_path / name).write_bytes(content)
    return looked(tmp_path, {name: tmp_path / name})
