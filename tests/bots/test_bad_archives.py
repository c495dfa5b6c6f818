"""Archives that are refused: special files, too large, with false sizes, damaged."""

import bz2
import gzip
import lzma
import os
import stat
import struct
import subprocess
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.folder import BotLimits
from arena.bots.manifest import load_bot
from tests.support.archives import (
    BOT,
    END,
    MANIFEST,
    NAMES,
    entry,
    header,
    padded,
    pax,
    record,
    refused,
    tar_info,
    tar_of,
    write,
    zip_info,
    zip_of,
)
from tests.support.live import write_bot

# ---------------------------------------------------------------- special files


TAR_KINDS = {
    "a symbolic link": tar_info("link", type=tarfile.SYMTYPE, linkname="bot.py"),
    "a hard link": tar_info("link", type=tarfile.LNKTYPE, linkname="bot.py"),
    "a device": tar_info("null", type=tarfile.CHRTYPE, devmajor=1, devminor=3),
    "a FIFO": tar_info("pipe", type=tarfile.FIFOTYPE),
    "a file with holes": tar_info("holes", type=tarfile.GNUTYPE_SPARSE),
    "what is neither a file nor a folder": tar_info("odd", type=b"Z"),
}
ZIP_KINDS = {
    "a symbolic link": zip_info("link", stat.S_IFLNK | 0o777),
    "what is neither a file nor a folder": zip_info("pipe", stat.S_IFIFO | 0o644),
    "a folder that is named like a file": zip_info("folder", stat.S_IFDIR | 0o755),
}


@pytest.mark.parametrize("what", TAR_KINDS)
def test_tar_entry_that_is_not_a_file_is_refused(tmp_path: Path, what: str) -> None:
    error = refused(tar_of(tmp_path / "a.tar", BOT, TAR_KINDS[what]))
    assert error.what == f"the archive holds {what}"
    assert error.where == f"{tmp_path}/a.tar: {TAR_KINDS[what].name}"
    assert error.hint


@pytest.mark.parametrize("what", ZIP_KINDS)
def test_zip_entry_that_is_not_a_file_is_refused(tmp_path: Path, what: str) -> None:
    error = refused(zip_of(tmp_path / "a.zip", BOT, ZIP_KINDS[what]))
    assert error.what == f"the archive holds {what}"
    assert error.where == f"{tmp_path}/a.zip: {ZIP_KINDS[what].filename}"


def test_sparse_file_of_gnu_tar_is_refused(tmp_path: Path) -> None:
    """Programs write them with attributes, too: the size that they name is no size to trust."""
    sparse = pax(record(b"GNU.sparse.major", b"1"), record(b"GNU.sparse.realsize", b"9" * 12))
    (tmp_path / "a.tar").write_bytes(entry(b"bot.yaml", MANIFEST) + sparse + entry(b"x") + END)
    assert refused(tmp_path / "a.tar").what == "the archive holds a file with holes"


def test_encrypted_zip_is_refused(tmp_path: Path) -> None:
    folder = write_bot(tmp_path / "ann", "").folder
    subprocess.run(["zip", "-qr", "-P", "x", "../a.zip", "."], cwd=folder, check=True)
    assert refused(tmp_path / "a.zip").what == "the archive holds an encrypted file"


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_rare_zip_compression_is_refused(tmp_path: Path, method: int) -> None:
    info = zip_info("table")
    info.compress_type = method
    error = refused(zip_of(tmp_path / "a.zip", BOT, info))
    assert error.what == "the archive holds a file with an unsupported compression method"


# ---------------------------------------------------------------- too much


SMALL = BotLimits(entries=50, size=2**20)
"""Limits that a test reaches quickly."""


@pytest.mark.parametrize("name", NAMES)
def test_bomb_is_refused(tmp_path: Path, name: str) -> None:
    """Bytes count as they are unpacked, not as they are stored."""
    error = refused(write(tmp_path / name, BOT | {"bomb": bytes(2**20)}), SMALL)
    assert error.what == "the archive holds more than 1 MiB"
    assert error.where == f"{tmp_path / name}: bomb"
    assert error.hint == "leave out what the bot does not need"


@pytest.mark.parametrize("name", NAMES)
def test_files_too_large_together_are_refused(tmp_path: Path, name: str) -> None:
    files = {str(number): bytes(2**18) for number in range(4)}
    assert (
        refused(write(tmp_path / name, BOT | files), SMALL).what
        == "the archive holds more than 1 MiB"
    )
    del files["3"]
    assert load_bot(write(tmp_path / name, BOT | files), SMALL).name == "ann"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["{}", "{}/", "{}/x"])
def test_too_many_entries_are_refused(tmp_path: Path, name: str, kind: str) -> None:
    files = {kind.format(number): b"" for number in range(49)}
    assert "more than 50 " in refused(write(tmp_path / name, BOT | files), SMALL).what


@pytest.mark.parametrize("name", ["a.zip", "a.tar"])
def test_too_many_implied_folders_are_refused(tmp_path: Path, name: str) -> None:
    files = {f"{number}/a/b": b"" for number in range(20)}
    error = refused(write(tmp_path / name, BOT | files), SMALL)
    assert error.what == "the archive holds more than 50 files and folders"


def test_folder_named_too_often_is_refused(tmp_path: Path) -> None:
    content = header(b"x", type=b"5") * 1000
    (tmp_path / "a.tar").write_bytes(entry(b"bot.yaml", MANIFEST) + content + END)
    assert refused(tmp_path / "a.tar", SMALL).what == "the archive holds more than 50 entries"


@pytest.mark.parametrize("note", [header(b"x", type=b"L", size=2) + padded(b"x\0"), pax()])
def test_chain_of_headers_is_refused(tmp_path: Path, note: bytes) -> None:
    """Long names and attributes are not entries, but take time; tarfile would recurse."""
    content = entry(b"bot.yaml", MANIFEST) + note * 8 + entry(b"x")
    (tmp_path / "a.tar").write_bytes(content + END)
    assert load_bot(tmp_path / "a.tar").name == "ann"
    (tmp_path / "b.tar.gz").write_bytes(gzip.compress(note * 10_000 + content + END))
    assert "more than 8 headers for one entry" in refused(tmp_path / "b.tar.gz").what


def test_too_many_headers_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each entry there are not too many, but of all together."""
    monkeypatch.setattr("arena.bots.archives.tar._MIN_HEADERS", 300)
    some = pax(record(b"a", b"")) * 8
    content = entry(b"bot.yaml", MANIFEST) + b"".join(some + entry(b"%d" % n) for n in range(34))
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(content + END, 1))
    error = refused(tmp_path / "a.tar.gz", SMALL)
    assert error.what == "the archive holds more than 300 headers"


def test_header_with_too_many_attributes_is_refused(tmp_path: Path) -> None:
    content = entry(b"bot.yaml", MANIFEST) + pax(*[record(b"a", b"")] * 10_000) + entry(b"x")
    (tmp_path / "a.tar").write_bytes(content + END)
    assert "a header of more than 64 attributes" in refused(tmp_path / "a.tar").what


def test_long_headers_count_as_size(tmp_path: Path) -> None:
    note = pax(record(b"comment", bytes(60_000)))
    content = b"".join(note + entry(b"%d" % number) for number in range(40))
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(content + END))
    assert refused(tmp_path / "a.tar.gz", SMALL).what == "the archive unpacks to too many bytes"


def test_bytes_after_the_end_count_as_size(tmp_path: Path) -> None:
    content = entry(b"bot.yaml", MANIFEST) + END + bytes(2**22)
    (tmp_path / "a.tar.xz").write_bytes(lzma.compress(content))
    assert refused(tmp_path / "a.tar.xz", SMALL).what == "the archive unpacks to too many bytes"


STREAMS: dict[str, Callable[[bytes], bytes]] = {
    "a.tar.gz": gzip.compress,
    "a.tar.bz2": bz2.compress,
    "a.tar.xz": lzma.compress,
}


@pytest.mark.parametrize("name", STREAMS)
def test_many_empty_streams_are_refused(tmp_path: Path, name: str) -> None:
    """They unpack to nothing, so bytes do not bound them; a few of them are a whole archive."""
    path = write(tmp_path / name, BOT)
    content, empty = path.read_bytes(), STREAMS[name](b"")
    path.write_bytes(empty * 1000 + content + bytes(8) + empty * 998 + bytes(100_000))
    assert load_bot(path).name == "ann"
    path.write_bytes(empty * 2000 + content)
    assert refused(path).what == "the archive is compressed in more than 2,000 parts"


@pytest.mark.parametrize("name", STREAMS)
def test_rubbish_after_the_last_stream_is_refused(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, BOT)
    path.write_bytes(path.read_bytes() + b"rubbish")
    assert "the archive is damaged" in refused(path).what


@pytest.mark.parametrize("name", STREAMS)
def test_archive_in_several_streams_is_read(tmp_path: Path, name: str) -> None:
    noise = os.urandom(300_000)
    plain = tar_of(tmp_path / "a.tar", {"noise": noise} | BOT).read_bytes()
    pieces = [plain[at : at + 50_000] for at in range(0, len(plain), 50_000)]
    (tmp_path / name).write_bytes(b"".join(map(STREAMS[name], pieces)))
    assert load_bot(tmp_path / name).info.digest == load_bot(tmp_path / "a.tar").info.digest


def test_gzip_header_of_megabytes_is_skipped(tmp_path: Path) -> None:
    """Its comment has no limit; read byte by byte it takes a second."""
    content = gzip.compress(tar_of(tmp_path / "a.tar", BOT).read_bytes(), mtime=0)
    comment = b"\x1f\x8b\x08\x10" + bytes(6) + b"x" * 10_000_000 + b"\0" + content[10:]
    (tmp_path / "b.tar.gz").write_bytes(comment)
    assert load_bot(tmp_path / "b.tar.gz").name == "ann"


def test_large_empty_archive_is_refused(tmp_path: Path) -> None:
    made = zip_of(tmp_path / "a.zip", BOT)
    with made.open("r+b") as file:
        file.truncate(2**22)
    assert refused(made, SMALL).what == "the archive is too large"


def test_zip_with_huge_directory_is_refused(tmp_path: Path) -> None:
    """Its length is checked before it is read."""
    made = zip_of(tmp_path / "a.zip", BOT)
    content = bytearray(made.read_bytes())
    end = content.rindex(b"PK\5\6")
    room = 5 * 2**20
    struct.pack_into("<II", content, end + 12, room, len(content))
    made.write_bytes(content[:end] + bytes(room) + content[end:])
    limits = BotLimits(entries=50, size=2**23)
    assert refused(made, limits).what == "the archive's list of contents is too long"


@pytest.mark.parametrize("size", [8**11 - 1, 2**62])
def test_false_tar_sizes_are_refused(tmp_path: Path, size: int) -> None:
    """The size that a header claims is never read in one piece."""
    tables = {
        "a file": (header(b"big", size=size) + bytes(2048), "the archive is cut off"),
        "a name": (header(b"x", type=b"L", size=size) + bytes(2048), "a header of more than"),
        "attributes": (header(b"x", type=b"x", size=size) + bytes(2048), "a header of more than"),
        "a folder": (header(b"f", type=b"5", size=size) + END, ""),
    }
    for what, (content, reason) in tables.items():
        path = tmp_path / what / "a.tar"
        path.parent.mkdir()
        path.write_bytes(entry(b"bot.yaml", MANIFEST) + content)
        if reason:
            assert reason in refused(path).what
        else:
            assert load_bot(path).name == "ann"


@pytest.mark.parametrize("more", [1, -1, 2**31])
def test_false_zip_size_is_refused(tmp_path: Path, more: int) -> None:
    made = zip_of(tmp_path / "a.zip", {"data": bytes(5000)} | BOT)
    content = bytearray(made.read_bytes())
    struct.pack_into("<I", content, content.index(b"PK\1\2") + 24, 5000 + more)
    made.write_bytes(content)
    error = refused(made)
    if more > 0:
        assert error.what == "the archive holds a file that is not as long as it says"
        assert error.where == f"{made}: data"
    else:
        assert error.what == "the archive is damaged: Bad CRC-32 for file 'data'"


BAD_HEADERS = {
    "a negative size": (header(b"x", size=-512), "a size that is not a number"),
    "a negative name": (header(b"x", type=b"L", size=-512), "a header of more than"),
    "a size in words": (pax(record(b"size", b"many")) + entry(b"x"), "a size that is not a number"),
    "a size below zero": (pax(record(b"size", b"-9")) + entry(b"x"), "a size that is not a number"),
    "a size of thousands of digits": (
        pax(record(b"size", b"9" * 9000)) + entry(b"x"),
        "a size that is not a number",
    ),
    "a record of no length": (pax(b"path=x\n") + entry(b"x"), "bad attributes"),
    "a record of length zero": (pax(b"0 path=x\n") + entry(b"x"), "bad attributes"),
    "a record beyond its end": (pax(b"99 path=x\n") + entry(b"x"), "bad attributes"),
    "another record beyond its end": (
        pax(record(b"comment", b"x" * 200), b"99 path=x\n") + entry(b"x"),
        "bad attributes",
    ),
    "a size for all": (pax(record(b"size", b"1"), kind=b"g") + entry(b"x"), "for all entries"),
    "a checksum": (header(b"x").replace(b"x", b"y", 1), "the archive is damaged: bad checksum"),
}


@pytest.mark.parametrize("what", BAD_HEADERS)
def test_invalid_headers_are_refused(tmp_path: Path, what: str) -> None:
    content, reason = BAD_HEADERS[what]
    (tmp_path / "a.tar").write_bytes(entry(b"bot.yaml", MANIFEST) + content + END)
    assert reason in refused(tmp_path / "a.tar").what


def test_xz_that_asks_for_gigabytes_is_refused(tmp_path: Path) -> None:
    """The header says how much memory unpacking takes: here half a gigabyte."""
    plain = tar_of(tmp_path / "a.tar", BOT).read_bytes()
    content = bytearray(lzma.compress(plain))
    # After 12 bytes comes a block's header: its length, flags, then LZMA2 (0x21), one byte of
    # properties: the size of the dictionary. Its CRC stands last.
    end = 12 + (content[12] + 1) * 4 - 4
    assert content[14:16] == b"\x21\1"
    content[16] = 34
    struct.pack_into("<I", content, end, zlib.crc32(content[12:end]))
    (tmp_path / "b.tar.xz").write_bytes(content)
    assert "Memory usage limit" in refused(tmp_path / "b.tar.xz").what
