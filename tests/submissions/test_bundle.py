"""Parcels: what is packed comes out the same elsewhere, or not at all."""

import os
import stat
import zlib
from pathlib import Path

import msgspec
import pytest

from arena.errors import ArenaError
from arena.sandboxes.process import ProcessSandbox
from arena.submissions import bundle as parcel
from arena.submissions.staging import stage
from tests.support.live import write_bot

BUILD = "build: sh -c 'echo made > made; chmod 700 made; mkdir -p a/b; ln -s ../../made a/b/link'\n"


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return all that is in a folder: modes, and contents or where links lead."""
    found = {}
    for path in (folder, *folder.rglob("*")):
        mode = path.lstat().st_mode
        if path.is_symlink():
            content = os.fsencode(path.readlink())
        else:
            content = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (mode, content)
    return found


def test_a_built_bot_comes_out_as_it_was_staged(tmp_path: Path, runs: Path) -> None:
    bot = write_bot(tmp_path / "bot", "print('hello')", more=BUILD)
    (bot.folder / "caf\N{LATIN SMALL LETTER E WITH ACUTE}").write_bytes(b"\0\xff")
    staged = stage(
        write_bot(tmp_path / "bot", "print('hello')", more=BUILD), runs, ProcessSandbox()
    )
    packed = parcel.pack(staged.folder)
    parcel.unpack(packed, parcel.bundle_digest(packed), tmp_path / "copy")
    copy = tree(tmp_path / "copy")
    assert copy == tree(staged.folder)
    assert {"made", "a/b/link", "bot.py"} <= copy.keys()
    assert copy["made"][0] & stat.S_IXOTH
    assert not copy["bot.py"][0] & 0o222


def test_the_same_files_make_the_same_bytes(tmp_path: Path) -> None:
    for number, order in enumerate(("ab", "ba")):
        for name in order:
            path = tmp_path / str(number) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(name)
            os.utime(path, (number, number))
    one, other = (parcel.pack(tmp_path / str(number)) for number in range(2))
    assert one == other
    (tmp_path / "1" / "a").write_text("b")
    assert parcel.bundle_digest(parcel.pack(tmp_path / "1")) != parcel.bundle_digest(one)


def test_a_name_need_not_be_utf_8(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path / "bot") + b"/\xff")).write_bytes(b"x")
    packed = parcel.pack(tmp_path / "bot")
    parcel.unpack(packed, parcel.bundle_digest(packed), tmp_path / "copy")
    assert [os.fsencode(path.name) for path in (tmp_path / "copy").iterdir()] == [b"\xff"]


def test_a_parcel_that_was_changed_is_refused(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", "")
    packed = parcel.pack(bot.folder)
    changed = bytes([*packed[:-1], packed[-1] ^ 1])
    with pytest.raises(ArenaError, match="damaged on its way"):
        parcel.unpack(changed, parcel.bundle_digest(packed), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("path", [b"../out", b"/out", b"a/../../out"])
def test_nothing_is_written_outside(tmp_path: Path, path: bytes) -> None:
    packed = zlib.compress(msgspec.msgpack.encode([(path, "file", b"x")]))
    with pytest.raises(ArenaError, match="inside its folder"):
        parcel.unpack(packed, parcel.bundle_digest(packed), tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []
