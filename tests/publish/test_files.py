"""Replacing a site: what is left when something goes wrong on the way."""

import errno
import json
import os
import shutil
import signal
from pathlib import Path
from threading import Thread

import pytest

from arena.io.errors import ArenaError
from arena.publish.site_folder import MANIFEST, STAGING, File, locked_site, replace_site
from tests.publish.in_memory import write_site
from tests.publish.pages import broken_links, tree
from tests.support import factory
from tests.support.sampling import sample

OLD = factory.sample()
NEW = factory.sample(("alpha", "Bravo Bot", "epsilon", "zeta"))


class Stop(BaseException):
    """Stands for a killed run."""


def interrupt_move(monkeypatch: pytest.MonkeyPatch, after: int, error: BaseException) -> None:
    """Let so many files be moved into place, then fail."""
    move, moved = Path.replace, iter(range(after))

    def replace(self: Path, target: Path) -> Path:
        if next(moved, None) is None:
            raise error
        return move(self, target)

    monkeypatch.setattr(Path, "replace", replace)


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(*OLD, tmp_path_factory.mktemp("old")).parent


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(*NEW, tmp_path_factory.mktemp("new")).parent


@pytest.mark.slow
def test_stale_pages_are_removed_and_foreign_files_stay(old: Path, tmp_path: Path) -> None:
    shutil.copytree(old, tmp_path, dirs_exist_ok=True)
    (tmp_path / "CNAME").write_text("mine")
    (tmp_path / "bots" / "notes.txt").write_text("mine")
    write_site(*NEW, tmp_path)
    names = set(tree(tmp_path))
    assert {"CNAME", "bots/notes.txt", "bots/zeta.html"} <= names
    assert not {"bots/gamma.html", "bots/delta.html"} & names
    assert broken_links(tmp_path) == []


def test_emptied_folder_is_removed(tmp_path: Path) -> None:
    replace_site(tmp_path, [("index.html", "1"), ("bots/a.html", "2")])
    replace_site(tmp_path, [("index.html", "1")])
    assert sorted(path.name for path in tmp_path.iterdir()) == [MANIFEST, "index.html"]


@pytest.mark.slow
@pytest.mark.parametrize("after", sample(range(0, 24, 3), 3, "moves of a rerun"))
def test_a_rerun_cut_short_at_any_move_leaves_every_link_whole(
    old: Path, new: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    shutil.copytree(old, tmp_path, dirs_exist_ok=True)
    with monkeypatch.context() as patch:
        interrupt_move(patch, after, Stop())
        with pytest.raises(Stop):
            write_site(*NEW, tmp_path)
    assert broken_links(tmp_path) == []
    write_site(*NEW, tmp_path)
    assert tree(tmp_path) == tree(new)


@pytest.mark.parametrize("after", [0, 1, 11, 20])
def test_a_first_run_cut_short_has_no_front_page_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    interrupt_move(monkeypatch, after, Stop())
    with pytest.raises(Stop):
        write_site(*OLD, tmp_path)
    assert not (tmp_path / "index.html").exists()


def test_a_full_disk_leaves_the_old_site_untouched(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(old, tmp_path, dirs_exist_ok=True)
    before = tree(tmp_path)
    write, written = Path.write_bytes, iter(range(5))

    def write_bytes(self: Path, data: bytes) -> int:
        if next(written, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(ArenaError, match="No space left on device") as caught:
        write_site(*NEW, tmp_path)
    assert caught.value.where == str(tmp_path)
    assert "free some space" in caught.value.hint
    assert tree(tmp_path) == before


@pytest.mark.parametrize("path", ["file", "file/below"])
def test_impossible_folder_is_an_arena_error(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ArenaError) as caught:
        write_site(*OLD, tmp_path / path)
    assert "file" in caught.value.hint
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_without_permission_is_an_arena_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_move(monkeypatch, 0, PermissionError(errno.EACCES, "Permission denied"))
    with pytest.raises(ArenaError, match="Permission denied") as caught:
        write_site(*OLD, tmp_path / "site")
    assert "may write" in caught.value.hint


def test_foreign_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(ArenaError, match=r"'index\.html' is already there"):
        write_site(*OLD, tmp_path)
    assert tree(tmp_path) == {"index.html": b"mine"}


@pytest.mark.parametrize("name", ["../victim", "/victim", "", ".", "a/../../victim", 7])
def test_a_forged_manifest_removes_nothing_outside(tmp_path: Path, name: object) -> None:
    site, victim = tmp_path / "site", tmp_path / "victim"
    site.mkdir()
    victim.write_text("mine")
    path = str(victim) if name == "/victim" else name
    (site / MANIFEST).write_text(json.dumps({"files": [path]}))
    replace_site(site, [("index.html", "1")])
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("text", ["", "[]", "{}", "{", '{"files": 3}'])
def test_a_broken_manifest_is_no_manifest(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    replace_site(tmp_path, [("index.html", "1")])
    assert json.loads((tmp_path / MANIFEST).read_bytes())["files"] == ["index.html"]


def test_staging_folder_of_a_killed_run_is_removed(tmp_path: Path) -> None:
    left = tmp_path / f"{STAGING}dead" / "bots"
    left.mkdir(parents=True)
    (left / "a.html").write_text("half")
    replace_site(tmp_path, [("index.html", "1")])
    assert sorted(tree(tmp_path)) == [MANIFEST, "index.html"]


def test_edited_shard_is_written_again(old: Path, tmp_path: Path) -> None:
    shutil.copytree(old, tmp_path, dirs_exist_ok=True)
    whole = tree(tmp_path)
    (tmp_path / "replays/0-0.js").write_text("mine")
    (tmp_path / "replays/1-0.js").unlink()
    write_site(*OLD, tmp_path)
    assert tree(tmp_path) == whole


def test_changed_files_have_no_key(tmp_path: Path) -> None:
    files = [File("index.html", "1"), File("a.js", "2", "key a"), File("b.js", "3", "key b")]
    replace_site(tmp_path, files)
    (tmp_path / "b.js").write_text("4")
    with locked_site(tmp_path) as there:
        assert there == {"a.js": "key a"}
        replace_site(tmp_path, [File("index.html", "1"), File("a.js", None, "key a")])
    with locked_site(tmp_path) as there:
        assert there == {"a.js": "key a"}
    assert sorted(tree(tmp_path)) == [MANIFEST, "a.js", "index.html"]


def test_a_file_that_a_killed_run_did_not_write_has_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_site(tmp_path, [File("index.html", "1"), File("a.js", "2", "key")])
    os.utime(tmp_path / "a.js", (0, 0))
    with monkeypatch.context() as patch:
        interrupt_move(patch, 1, Stop())
        with pytest.raises(Stop):
            replace_site(tmp_path, [File("index.html", "1"), File("a.js", "3", "later key")])
    with locked_site(tmp_path) as there:
        assert there == {}


def test_files_that_are_older_than_the_manifest_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_site(tmp_path, [File("index.html", "1"), File("a.js", "2", "key")])
    os.utime(tmp_path / "a.js", (0, 0))
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) if path.name != "a.js" else b"")
    with locked_site(tmp_path) as there:
        assert there == {"a.js": "key"}
    (tmp_path / "a.js").write_text("cut short")
    os.utime(tmp_path / "a.js", (0, 0))
    with locked_site(tmp_path) as there:
        assert there == {}


@pytest.mark.parametrize("keys", [3, {"a": 1}, {"index.html": 1}, {"index.html": ["key"]}, []])
def test_malformed_keys_are_ignored(tmp_path: Path, keys: object) -> None:
    replace_site(tmp_path, [("index.html", "1")])
    document = {"files": ["index.html"], "keys": keys}
    (tmp_path / MANIFEST).write_text(json.dumps(document))
    with locked_site(tmp_path) as there:
        assert there == {}
    replace_site(tmp_path, [("index.html", "2")])
    assert (tmp_path / "index.html").read_text() == "2"


def test_keys_of_another_arena_say_nothing(tmp_path: Path) -> None:
    replace_site(tmp_path, [File("index.html", "1"), File("a.js", "2", "key")])
    with locked_site(tmp_path) as keys:
        assert keys == {"a.js": "key"}
    manifest = json.loads((tmp_path / MANIFEST).read_bytes())
    (tmp_path / MANIFEST).write_text(json.dumps({**manifest, "made_by": "another"}))
    with locked_site(tmp_path) as keys:
        assert keys == {}


def test_ctrl_c_between_two_pages_waits_for_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = Path.replace
    seen: list[list[str]] = []

    def replace(self: Path, target: Path) -> Path:
        signal.raise_signal(signal.SIGINT)
        return move(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    # A handler of its own: it does not matter what an earlier test left, nor where it would raise.
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(sorted(tree(tmp_path))))
    try:
        replace_site(tmp_path, [("index.html", "1"), ("a.html", "2"), ("b.html", "3")])
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen
    assert {*map(tuple, seen)} == {(MANIFEST, "a.html", "b.html", "index.html")}


def test_a_report_waits_for_another_into_the_same_folder(tmp_path: Path) -> None:
    order: list[str] = []

    def other() -> None:
        with locked_site(tmp_path):
            order.append("other")

    with locked_site(tmp_path):
        thread = Thread(target=other)
        thread.start()
        # The lock of a folder is the file system's own: /proc says who waits for it.
        while not any("->" in line for line in Path("/proc/locks").read_text().splitlines()):
            assert thread.is_alive()
        order.append("first")
    thread.join()
    assert order == ["first", "other"]
