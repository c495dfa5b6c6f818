"""Names in archives: which are refused, and how they are decoded."""

import struct
from pathlib import Path

import pytest

from arena.bots.manifest import load_bot
from tests.support.archives import (
    BOT,
    END,
    MANIFEST,
    entry,
    header,
    padded,
    pax,
    record,
    refused,
    tar_info,
    tar_of,
    zip_info,
    zip_of,
)

HOSTILE_NAMES = {
    "absolute": ("/etc/passwd", "an absolute path"),
    "a drive": ("C:/bot.txt", "an absolute path"),
    "a drive's own folder": ("c:bot.txt", "an absolute path"),
    "a share": ("//host/share", "an absolute path"),
    "up": ("../evil", "a path that leads out of the archive"),
    "up and down": ("a/../../evil", "a path that leads out of the archive"),
    "up at the end": ("a/..", "a path that leads out of the archive"),
    "up after a dot": ("./../evil", "a path that leads out of the archive"),
    "backslashes": ("..\\evil", "a name with a backslash"),
    "a newline": ("a\nb", "a character that does not show"),
    "an escape": ("a\x1b[2Jb", "a character that does not show"),
    "right to left": ("a\u202eyp.tob", "a character that does not show"),
    "a zero width": ("bot\u200b.py", "a character that does not show"),
    "a dot inside": ("a/./b", "a path with an empty part"),
    "two slashes": ("a//b", "a path with an empty part"),
    "a trailing dot": ("bot.py.", "a name that not every system can hold"),
    "a trailing space": ("bot.py ", "a name that not every system can hold"),
    "a stream": ("bot.py:evil", "a name that not every system can hold"),
    "three dots": (".../x", "a name that not every system can hold"),
    "a long name": ("x" * 256, "a name of more than 255 bytes"),
    "a long name in UTF-8": ("é" * 128, "a name of more than 255 bytes"),
    "a long path": ("/".join(["x" * 200] * 6), "a path of more than 1024 bytes"),
    "deep": ("/".join("x" * 35), "more than 33 folders"),
    "case": ("BOT.py", "differs only by case or Unicode form from bot.py"),
    "case of a folder": ("Data/y", "differs only by case or Unicode form from data"),
    "sharp s": ("DATA/STRASSE", "differs only by case"),
    "composed": ("data/cafe\u0301", "differs only by case or Unicode form"),
    "twice": ("bot.py", "the same file twice"),
    "a file and a folder": ("data", "a file and a folder of one name"),
    "a folder and a file": ("bot.py/x", "a file and a folder of one name"),
}
BEFORE = BOT | {"data/straße": b"x", "data/café": b"x"}


@pytest.mark.parametrize("what", HOSTILE_NAMES)
@pytest.mark.parametrize("name", ["a.zip", "a.tar", "b.tar.gz"])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_hostile_name_is_refused(tmp_path: Path, what: str, name: str) -> None:
    written, reason = HOSTILE_NAMES[what]
    if name == "a.zip":
        made = zip_of(tmp_path / name, BEFORE, zip_info(written))
    else:
        made = tar_of(tmp_path / name, BEFORE, tar_info(written, size=1))
    error = refused(made)
    assert reason in error.what
    assert error.where.startswith(f"{made}: {written[:1]}")
    assert error.where.isprintable()
    assert len(error.where) < len(str(made)) + 140


def zip_with_name(path: Path, name: bytes, *, utf8: bool) -> Path:
    """Write a zip archive whose last entry has this name, which may be any bytes."""
    zip_of(path, BOT, zip_info("N" * len(name)))
    content = path.read_bytes()
    if utf8:
        at = content.rindex(b"PK\1\2")
        flags = struct.unpack_from("<H", content, at + 8)[0] | 0x800
        content = content[: at + 8] + struct.pack("<H", flags) + content[at + 10 :]
    path.write_bytes(content.replace(b"N" * len(name), name))
    return path


@pytest.mark.parametrize("utf8", [False, True])
def test_zip_name_that_is_not_utf8_is_refused(tmp_path: Path, utf8: bool) -> None:
    error = refused(zip_with_name(tmp_path / "a.zip", b"caf\xe9-tables", utf8=utf8))
    assert error.what == "the archive holds a name that is not UTF-8"


def test_zip_name_with_a_nul_is_refused(tmp_path: Path) -> None:
    error = refused(zip_with_name(tmp_path / "a.zip", b"bot.py\0.txt", utf8=False))
    assert error.what == "the archive holds a name with a character that does not show"


def test_unmarked_zip_names_are_utf8(tmp_path: Path) -> None:
    named = zip_with_name(tmp_path / "a.zip", "café".encode(), utf8=False)
    folder = tmp_path / "ann"
    folder.mkdir()
    for name, content in (BOT | {"café": b"x"}).items():
        (folder / name).write_bytes(content)
    assert load_bot(named).info == load_bot(folder).info


RAW_TARS = {
    "a name that is not UTF-8": (entry(b"caf\xe9"), "a name that is not UTF-8", "caf\\xe9"),
    "a NUL in a long name": (
        pax(record(b"path", b"a\0b")) + entry(b"a"),
        "a name with a character that does not show",
        "a\\x00b",
    ),
    "no name": (entry(b""), "a path with an empty part", ""),
    "a file that is the top": (entry(b"./"), "a path with an empty part", "./"),
    "a file that is a dot": (entry(b"."), "a file in place of the bot's folder", "."),
    "a folder that is the root": (header(b"/", type=b"5"), "a path with an empty part", ""),
    "a folder that is up": (header(b"..", type=b"5"), "a path that leads out", ".."),
    "a long name that leads up": (
        header(b"x", type=b"L", size=8) + padded(b"../evil\0") + entry(b"x"),
        "a path that leads out",
        "../evil",
    ),
    "attributes that lead up": (
        pax(record(b"path", b"../evil")) + entry(b"x"),
        "a path that leads out",
        "../evil",
    ),
}


@pytest.mark.parametrize("what", RAW_TARS)
def test_handmade_hostile_name_is_refused(tmp_path: Path, what: str) -> None:
    content, reason, shown = RAW_TARS[what]
    (tmp_path / "a.tar").write_bytes(entry(b"bot.yaml", MANIFEST) + content + END)
    error = refused(tmp_path / "a.tar")
    assert reason in error.what
    assert error.where == f"{tmp_path}/a.tar" + (f": {shown}" if shown else "")
