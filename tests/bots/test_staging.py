"""Bots copied, built and opened to the sandbox's user: nothing of the operator goes with them."""

import os
import select
from pathlib import Path

import pytest

from arena.bots import manifest, stage
from arena.bots.manifest import Bot, digest, files_of, load_bot
from arena.bots.process import ProcessSandbox
from arena.errors import ArenaError
from arena.shipped import folder

SANDBOX = ProcessSandbox()


def bot_folder(
    where: Path, build: str = "", command: str = "sh bot.sh", runtime: str = "c"
) -> Path:
    home = where / "ann"
    home.mkdir()
    (home / "bot.sh").write_text("cat\n")
    built = f"build: {build}\n" if build else ""
    (home / "bot.yaml").write_text(f"name: ann\ncommand: {command}\nruntime: {runtime}\n{built}")
    return home


def staged(home: Path, runs: Path) -> Bot:
    runs.mkdir()
    return stage.stage(load_bot(home), runs, SANDBOX)


def test_a_bot_is_copied_read_only(tmp_path: Path) -> None:
    home = bot_folder(tmp_path)
    (home / "data").mkdir()
    (home / "data" / "run").write_text("x")
    (home / "data" / "run").chmod(0o4700)
    bot = staged(home, tmp_path / "runs")
    assert bot.folder.is_relative_to(tmp_path / "runs")
    modes = {path.name: path.stat().st_mode & 0o7777 for path in bot.folder.rglob("*")}
    assert modes == {"bot.sh": 0o444, "bot.yaml": 0o444, "data": 0o755, "run": 0o555}
    assert digest(bot.folder) == load_bot(home).info.digest


def test_the_copies_go_when_they_are_done() -> None:
    with stage.staging() as runs:
        stage.stage(load_bot(folder("sample_bots") / "honest"), runs, SANDBOX)
        assert list(runs.rglob("bot.py"))
    assert not runs.exists()


def test_a_build_works_on_the_copy_alone(tmp_path: Path) -> None:
    home = bot_folder(tmp_path, "sh -c 'echo made > made'")
    before = files_of(home)
    bot = staged(home, tmp_path / "runs")
    assert (bot.folder / "made").read_text() == "made\n"
    assert files_of(home) == before


def test_a_build_that_fails(tmp_path: Path) -> None:
    home = bot_folder(tmp_path, "sh -c 'echo no such thing >&2; exit 7'")
    with pytest.raises(ArenaError, match=r"build of 'ann' failed \(exit code 7\)") as caught:
        staged(home, tmp_path / "runs")
    assert caught.value.hint == "no such thing"
    assert caught.value.where.startswith("sh -c")


def test_a_build_that_fails_without_a_word(tmp_path: Path) -> None:
    home = bot_folder(tmp_path, "sh -c 'exit 1'")
    with pytest.raises(ArenaError, match="exit code 1") as caught:
        staged(home, tmp_path / "runs")
    assert caught.value.hint == ""


def test_a_build_that_takes_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its child holds the pipes open after the shell is gone, and must go with it.
    monkeypatch.setattr(stage, "BUILD_SECONDS", 0.2)
    home = bot_folder(tmp_path, "sh -c 'tail -f /dev/null & wait'")
    with pytest.raises(ArenaError, match=r"took longer than 0\.2 s"):
        staged(home, tmp_path / "runs")


def test_a_daemon_left_by_a_build_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "BUILD_SECONDS", 0.5)
    home = bot_folder(tmp_path, "sh -c 'tail -f /dev/null & echo $! > pid'")
    with pytest.raises(ArenaError, match="took longer"):
        staged(home, tmp_path / "runs")
    [pid] = [int(path.read_text()) for path in (tmp_path / "runs").rglob("pid")]
    assert has_ended(pid)


def has_ended(pid: int) -> bool:
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], 60)[0])
    finally:
        os.close(fd)


@pytest.mark.parametrize(
    ("runtime", "hint"),
    [("python", "python3"), ("node", "nodejs"), ("c", "gcc libc6-dev"), ("any", "bot.yaml")],
)
def test_a_missing_program_comes_with_what_to_install(
    tmp_path: Path, runtime: str, hint: str
) -> None:
    home = bot_folder(tmp_path, command="no-such-program x", runtime=runtime)
    with pytest.raises(ArenaError, match="'ann' needs 'no-such-program'") as caught:
        staged(home, tmp_path / "runs")
    assert caught.value.where == str(home)
    assert hint in caught.value.hint


def test_a_program_that_the_build_makes_is_not_missed(tmp_path: Path) -> None:
    home = bot_folder(tmp_path, "cp bot.sh made", command="./made")
    assert stage.missing_program(load_bot(home)) == ""
    (home / "bot.yaml").write_text("name: ann\ncommand: ./made\n")
    assert stage.missing_program(load_bot(home)) == "./made"


def test_a_folder_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = bot_folder(tmp_path)
    with (home / "big").open("wb") as big:
        big.truncate(manifest.MAX_FOLDER_BYTES)
    with pytest.raises(ArenaError, match="64 MiB at most") as caught:
        load_bot(home)
    assert caught.value.where == str(home)
    fits = sum(path.stat().st_size for path in home.iterdir())
    monkeypatch.setattr(manifest, "MAX_FOLDER_BYTES", fits)
    assert load_bot(home).name == "ann"


@pytest.mark.parametrize("target", ["secret", "secrets", "nowhere", "ann/bot.sh"])
def test_links_are_refused(tmp_path: Path, target: str) -> None:
    home = bot_folder(tmp_path)
    (tmp_path / "secret").write_text("mine")
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "key").write_text("mine")
    (home / "inside").mkdir()
    (home / "inside" / "link").symlink_to(tmp_path / target)
    with pytest.raises(ArenaError, match="may hold no links") as caught:
        load_bot(home)
    assert caught.value.where == str(home / "inside" / "link")


def test_a_link_that_came_after_loading_is_not_followed(tmp_path: Path) -> None:
    home = bot_folder(tmp_path)
    bot = load_bot(home)
    (tmp_path / "secret").write_text("mine")
    (home / "bot.sh").unlink()
    (home / "bot.sh").symlink_to(tmp_path / "secret")
    (tmp_path / "runs").mkdir()
    with pytest.raises(ArenaError, match="may hold no links"):
        stage.stage(bot, tmp_path / "runs", SANDBOX)
    assert not list((tmp_path / "runs").rglob("bot.sh"))


@pytest.mark.parametrize("target", ["secret", "secrets", "nowhere"])
def test_links_that_a_build_leaves_open_nothing(tmp_path: Path, target: str) -> None:
    (tmp_path / "secret").write_text("mine")
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "key").write_text("mine")
    closed = [tmp_path / "secret", tmp_path / "secrets" / "key", tmp_path / "secrets"]
    for path in closed:
        path.chmod(0o700)
    home = bot_folder(tmp_path, f"ln -s {tmp_path / target} link")
    staged(home, tmp_path / "runs")
    assert [path.stat().st_mode & 0o777 for path in closed] == [0o700] * 3


def test_odd_files_and_names(tmp_path: Path) -> None:
    home = bot_folder(tmp_path)
    plain = digest(home)
    os.mkfifo(home / "fifo")
    (home / "__pycache__").mkdir()
    (home / "__pycache__" / "bot.pyc").write_bytes(b"1")
    (home / ".git").mkdir()
    (home / ".git" / "HEAD").write_bytes(b"1")
    assert digest(home) == plain
    (home / os.fsdecode(b"caf\xe9\n")).write_bytes(b"")
    assert digest(home) != plain
    assert staged(home, tmp_path / "runs").name == "ann"


def test_a_bot_below_an_ignored_folder_keeps_its_files(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    home = bot_folder(tmp_path / ".git")
    assert [path.name for path in files_of(home)] == ["bot.sh", "bot.yaml"]


def test_the_digest_says_names_and_contents(tmp_path: Path) -> None:
    home = bot_folder(tmp_path)
    digests = {digest(home)}
    (home / "bot.sh").write_text("exec cat\n")
    digests.add(digest(home))
    (home / "bot.sh").rename(home / "bot2.sh")
    digests.add(digest(home))
    (home / "empty").write_text("")
    digests.add(digest(home))
    assert len(digests) == 4
