"""Which files belong to a bot, their limits, and their copies."""

import os
import select
from pathlib import Path

import pytest

from arena.bots.bot import StagedBot
from arena.bots.builds.staging import stage
from arena.bots.folder import BotLimits, digest, files_of
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.io.errors import ArenaError
from arena.io.shipped import folder
from tests.support.refusals import refused

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


def staged(home: Path, runs: Path) -> StagedBot:
    runs.mkdir()
    return stage(load_bot(home), runs, SANDBOX)


def test_staged_bots_are_removed_with_the_run_folder() -> None:
    with run_folder() as runs:
        stage(load_bot(folder("sample_bots") / "honest"), runs, SANDBOX)
        assert list(runs.rglob("bot.py"))
    assert not runs.exists()


def test_silent_build_failure_has_no_hint(tmp_path: Path) -> None:
    home = bot_folder(tmp_path, "sh -c 'exit 1'")
    with pytest.raises(ArenaError, match="exit code 1") as caught:
        staged(home, tmp_path / "runs")
    assert caught.value.hint == ""


def test_daemon_of_a_build_is_ended(tmp_path: Path) -> None:
    """It holds the build's pipes open, and could change the bot after it was checked."""
    home = bot_folder(tmp_path, "sh -c 'tail -f /dev/null & echo $! > pid'")
    bot = staged(home, tmp_path / "runs")
    assert has_ended(int((bot.folder / "pid").read_text()))


def has_ended(pid: int) -> bool:
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], 60)[0])
    finally:
        os.close(fd)


def test_program_made_by_the_build_is_not_missing(tmp_path: Path) -> None:
    home = bot_folder(tmp_path, "cp bot.sh made", command="./made")
    assert load_bot(home).missing_program == ""
    (home / "bot.yaml").write_text("name: ann\ncommand: ./made\n")
    assert load_bot(home).missing_program == "./made"


def test_folder_too_large_is_refused(tmp_path: Path) -> None:
    home = bot_folder(tmp_path)
    with (home / "big").open("wb") as big:
        big.truncate(BotLimits().size)
    with refused("64 MiB at most", home):
        load_bot(home)
    fits = sum(path.stat().st_size for path in home.iterdir())
    assert load_bot(home, BotLimits(size=fits)).name == "ann"


def test_folder_with_too_many_files_is_refused(tmp_path: Path) -> None:
    """Ignored files are not counted."""
    limits = BotLimits(entries=5)
    home = bot_folder(tmp_path)
    (home / ".git").mkdir()
    for number in range(3):
        (home / str(number)).touch()
        (home / ".git" / str(number)).touch()
    assert load_bot(home, limits).name == "ann"
    (home / "more").mkdir()
    with refused("5 files and folders at most", home):
        load_bot(home, limits)


def test_folder_too_deep_is_refused(tmp_path: Path) -> None:
    home = bot_folder(tmp_path)
    deep = home.joinpath(*["d"] * 32)
    deep.mkdir(parents=True)
    (deep / "file").touch()
    assert load_bot(home).name == "ann"
    (deep / "d").mkdir()
    with pytest.raises(ArenaError, match="32 folders deep at most") as caught:
        load_bot(home)
    assert caught.value.where.startswith(str(home / "d"))


def test_path_too_long_is_refused(tmp_path: Path) -> None:
    home = bot_folder(tmp_path)
    long = home.joinpath(*["d" * 200] * 5)
    long.mkdir(parents=True)
    (long / ("f" * 19)).touch()
    assert load_bot(home).name == "ann"
    (long / ("f" * 20)).touch()
    with refused("may have 1,024 bytes at most"):
        load_bot(home)


@pytest.mark.parametrize("target", ["secret", "secrets", "nowhere", "ann/bot.sh"])
def test_links_are_refused(tmp_path: Path, target: str) -> None:
    home = bot_folder(tmp_path)
    (tmp_path / "secret").write_text("mine")
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "key").write_text("mine")
    (home / "inside").mkdir()
    (home / "inside" / "link").symlink_to(tmp_path / target)
    with refused("may hold no links", home / "inside" / "link"):
        load_bot(home)


def test_link_made_after_loading_is_not_followed(tmp_path: Path) -> None:
    home = bot_folder(tmp_path)
    bot = load_bot(home)
    (tmp_path / "secret").write_text("mine")
    (home / "bot.sh").unlink()
    (home / "bot.sh").symlink_to(tmp_path / "secret")
    (tmp_path / "runs").mkdir()
    with refused("may hold no links"):
        stage(bot, tmp_path / "runs", SANDBOX)
    assert not list((tmp_path / "runs").rglob("bot.sh"))


def test_odd_files_and_names_are_handled(tmp_path: Path) -> None:
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


def test_bot_below_an_ignored_folder_keeps_its_files(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    home = bot_folder(tmp_path / ".git")
    assert [path.name for path in files_of(home)] == ["bot.sh", "bot.yaml"]


def test_digest_covers_names_and_contents(tmp_path: Path) -> None:
    home = bot_folder(tmp_path)
    digests = {digest(home)}
    (home / "bot.sh").write_text("exec cat\n")
    digests.add(digest(home))
    (home / "bot.sh").rename(home / "bot2.sh")
    digests.add(digest(home))
    (home / "empty").write_text("")
    digests.add(digest(home))
    assert len(digests) == 4
