"""Files and folders get their names when they are whole."""

import os
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Thread
from typing import BinaryIO

import pytest

from arena.io.errors import ArenaError
from arena.io.files import new_file, part_of, replacing, write_file


def _link(part: Path) -> None:
    part.symlink_to("elsewhere")


def _folder(part: Path) -> None:
    (part / "deep").mkdir(parents=True)
    (part / "deep" / "file").write_text("new")
    (part / "deep").chmod(0o500)


@pytest.mark.parametrize("make", [Path.touch, _link, _folder])
def test_takes_its_name_at_the_end(tmp_path: Path, make: Callable[[Path], None]) -> None:
    with part_of(tmp_path / "x") as part:
        make(part)
        assert not os.path.lexists(tmp_path / "x")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("make", [Path.touch, _link, _folder, lambda _part: None])
def test_a_failure_leaves_the_folder_as_it_was(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    def interrupted() -> None:
        with part_of(tmp_path / "x") as part:
            make(part)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [*tmp_path.iterdir()] == []


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    write_file(tmp_path / "link", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["link"]
    assert not (tmp_path / "link").is_symlink()


def _write_half(opened: AbstractContextManager[BinaryIO]) -> None:
    with opened as file:
        file.write(b"half")
        raise ValueError("half")


def test_a_failure_keeps_the_file_of_before(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    with pytest.raises(ValueError, match="half"):
        _write_half(replacing(path))
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    ("umask", "mode", "permissions"),
    [(0o022, None, 0o644), (0o077, None, 0o600), (0o077, 0o644, 0o644), (0o000, 0o400, 0o400)],
)
@pytest.mark.parametrize("durable", [False, True])
def test_permissions(
    tmp_path: Path, umask: int, mode: int | None, permissions: int, *, durable: bool
) -> None:
    path = tmp_path / "x"
    path.touch(0o777)
    before = os.umask(umask)
    try:
        write_file(path, b"new", mode, durable=durable)
    finally:
        os.umask(before)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == permissions


def test_a_secret_is_readable_by_its_owner_alone_while_it_is_written(tmp_path: Path) -> None:
    with replacing(tmp_path / "x", 0o600) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_file(pipe, b"new")
    reader.join()
    assert read == [b"new"]
    assert pipe.is_fifo()


def test_two_may_write_at_once_and_the_last_stays(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with replacing(path) as one, replacing(path) as other:
        one.write(b"1" * 9)
        other.write(b"2" * 9)
    assert path.read_bytes() == b"1" * 9
    assert [*tmp_path.iterdir()] == [path]


def test_parents_are_made_on_request(tmp_path: Path) -> None:
    path = tmp_path / "no" / "such" / "x"
    with pytest.raises(ArenaError, match="it cannot be written: No such file") as caught:
        write_file(path, b"new")
    assert caught.value.where == str(path)
    write_file(path, b"new", parents=True)
    assert path.read_bytes() == b"new"


def test_a_new_file_stays_only_if_nothing_goes_wrong(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with pytest.raises(ValueError, match="half"):
        _write_half(new_file(path))
    with new_file(path) as file:
        file.write(b"whole")
    with pytest.raises(ArenaError, match="it exists already"), new_file(path):
        pass
    assert path.read_bytes() == b"whole"
    assert [*tmp_path.iterdir()] == [path]
