"""Bundles: unpacked, they are the staged bot, byte for byte; damaged ones are refused."""

import os
import stat
import zlib
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from arena.bots.builds.staging import Bundle, pack_bundle, stage, unpack_bundle
from arena.bots.sandboxes.process import ProcessSandbox
from arena.io.errors import ArenaError
from tests.league.store import hostile
from tests.support.live import write_bot

BUILD = "build: sh -c 'echo made > made; chmod 700 made; mkdir -p a/b; ln -s ../../made a/b/link'\n"


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return the contents of a folder: modes, and file contents or link targets."""
    entries = {}
    for path in (folder, *folder.rglob("*")):
        mode = path.lstat().st_mode
        if path.is_symlink():
            content = os.fsencode(path.readlink())
        else:
            content = path.read_bytes() if path.is_file() else b""
        entries[str(path.relative_to(folder))] = (mode, content)
    return entries


def test_unpacked_bundle_equals_the_staged_bot(tmp_path: Path, runs: Path) -> None:
    bot = write_bot(tmp_path / "bot", "print('hello')", more=BUILD)
    (bot.folder / "caf\N{LATIN SMALL LETTER E WITH ACUTE}").write_bytes(b"\0\xff")
    staged = stage(
        write_bot(tmp_path / "bot", "print('hello')", more=BUILD), runs, ProcessSandbox()
    )
    unpack_bundle(pack_bundle(staged.folder), tmp_path / "copy")
    copy = tree(tmp_path / "copy")
    assert copy == tree(staged.folder)
    assert {"made", "a/b/link", "bot.py"} <= copy.keys()
    assert copy["made"][0] & stat.S_IXOTH
    assert not copy["bot.py"][0] & 0o222


def test_same_files_make_the_same_bundle(tmp_path: Path) -> None:
    for number, order in enumerate(("ab", "ba")):
        for name in order:
            path = tmp_path / str(number) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(name)
            os.utime(path, (number, number))
    one, other = (pack_bundle(tmp_path / str(number)) for number in range(2))
    assert one == other
    (tmp_path / "1" / "a").write_text("b")
    assert pack_bundle(tmp_path / "1").digest != one.digest


def test_bundle_keeps_names_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path / "bot") + b"/\xff")).write_bytes(b"x")
    unpack_bundle(pack_bundle(tmp_path / "bot"), tmp_path / "copy")
    assert [os.fsencode(path.name) for path in (tmp_path / "copy").iterdir()] == [b"\xff"]


def test_changed_bundle_is_refused(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", "")
    bundle = pack_bundle(bot.folder)
    changed = bytes([*bundle.content[:-1], bundle.content[-1] ^ 1])
    with pytest.raises(ArenaError, match="damaged on its way"):
        unpack_bundle(Bundle(bundle.digest, changed), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("content", [b"", zlib.compress(b"\xff"), hostile.unpacking(8192)])
def test_bundle_that_is_none_is_refused(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.bots.builds.staging._MAX_CONTENT", 1 << 24)
    with pytest.raises(ArenaError, match="cannot be unpacked"):
        unpack_bundle(Bundle(sha256(content).hexdigest(), content), tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", [b"../out", b"/out", b"a/../../out"])
def test_bundle_cannot_write_outside_its_folder(tmp_path: Path, path: bytes) -> None:
    content = zlib.compress(msgspec.msgpack.encode([(path, "file", b"x")]))
    with pytest.raises(ArenaError, match="inside its folder"):
        unpack_bundle(Bundle(sha256(content).hexdigest(), content), tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []
