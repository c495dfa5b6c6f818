"""Bots are copied, built inside the sandbox, and cannot be changed while they play."""

import stat
from pathlib import Path

import pytest

from arena.bots import stage as stage_module
from arena.bots.choose import make_sandbox
from arena.bots.manifest import Bot, load_bot
from arena.bots.sandbox import Sandbox
from arena.bots.stage import install_hint, missing_program, stage, staging
from arena.errors import ArenaError
from tests.bots.live import HANG, run_inside, write_bot

BUILD = "build: sh build.sh\n"


def write_built(folder: Path, script: str, program: str = "") -> Bot:
    folder.mkdir()
    folder.joinpath("build.sh").write_text(script, encoding="utf-8")
    return write_bot(folder, program, more=BUILD)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def open_files() -> int:
    """Count open files, but not the sockets: Docker's SDK keeps some to use them again."""
    names = [str(e.readlink()) for e in Path("/proc/self/fd").iterdir() if e.is_symlink()]
    return len([name for name in names if not name.startswith("socket:")])


# ---------------------------------------------------------------- copying


def test_a_staged_bot_is_a_copy_that_all_can_read(sandbox: Sandbox, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", "print(1)")
    (bot.folder / "data").mkdir(mode=0o700)
    (bot.folder / "data" / "table.txt").write_text("x")
    (bot.folder / "data" / "table.txt").chmod(0o600)
    (bot.folder / "run.sh").write_text("#!/bin/sh\n")
    (bot.folder / "run.sh").chmod(0o700)
    (bot.folder / "__pycache__").mkdir()
    (bot.folder / "__pycache__" / "bot.pyc").write_text("x")
    with staging() as runs:
        staged = stage(bot, runs, sandbox)
        assert (staged.info, staged.command) == (bot.info, bot.command)
        assert staged.folder.is_relative_to(runs)
        assert mode(staged.folder / "data") == 0o755
        assert mode(staged.folder / "data" / "table.txt") == 0o444
        assert mode(staged.folder / "run.sh") == 0o555
        assert not (staged.folder / "__pycache__").exists()
    assert not runs.exists()
    assert mode(bot.folder / "data" / "table.txt") == 0o600


def test_links_are_refused(sandbox: Sandbox, runs: Path, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", "")
    (bot.folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(ArenaError, match="may hold no links") as refusal:
        stage(bot, runs, sandbox)
    assert refusal.value.where == str(bot.folder / "link")
    with pytest.raises(ArenaError, match="may hold no links"):
        load_bot(bot.folder)


@pytest.mark.parametrize("name", ["bubblewrap", "process"])
def test_a_missing_program_is_named_with_what_brings_it(name: str, runs: Path) -> None:
    """Containers have programs of their own."""
    sandbox = make_sandbox(name)
    bot = write_bot(runs / "bot", "", command="no-such-program x", more="runtime: node\n")
    assert missing_program(bot) == "no-such-program"
    with pytest.raises(ArenaError, match="'bot' needs 'no-such-program'") as refusal:
        stage(bot, runs, sandbox)
    assert refusal.value.hint == install_hint(bot) == "sudo apt-get install nodejs"


# ---------------------------------------------------------------- building


def test_a_build_runs_before_the_bot(sandbox: Sandbox, runs: Path) -> None:
    script = "mkdir sub && printf 42 > sub/answer && cp /bin/true made && env > environment\n"
    bot = write_built(runs / "bot", script, "print(open('sub/answer').read())")
    before = open_files()
    staged = stage(bot, runs, sandbox)
    assert open_files() == before
    assert run_inside(sandbox, staged).told == 42
    assert mode(staged.folder / "sub" / "answer") == 0o444
    assert mode(staged.folder / "made") == 0o555
    seen = (staged.folder / "environment").read_text().splitlines()
    names = {line.split("=")[0] for line in seen}
    assert names - {"PWD", "OLDPWD", "SHLVL", "_"} == {"PATH", "HOME", "LANG", "TMPDIR"}
    assert not (bot.folder / "sub").exists()


def test_a_build_runs_in_the_sandbox(bubblewrap: Sandbox, runs: Path) -> None:
    script = """
id -u > uid
ls /etc/passwd > passwd 2>&1
cat /proc/net/dev > net
touch /usr/x 2> usr
true
"""
    staged = stage(write_built(runs / "bot", script), runs, bubblewrap)
    said = {name: (staged.folder / name).read_text() for name in ("uid", "passwd", "net", "usr")}
    assert said["uid"] != "0\n"
    assert "No such file" in said["passwd"]
    assert [line.split(":")[0].strip() for line in said["net"].splitlines()[2:]] == ["lo"]
    assert "cannot touch" in said["usr"]


def test_a_built_bot_is_read_only_in_play(bubblewrap: Sandbox, runs: Path) -> None:
    program = "open('made', 'a').write('!')"
    staged = stage(write_built(runs / "bot", "echo x > made", program), runs, bubblewrap)
    ran = run_inside(bubblewrap, staged)
    assert ran.code == 1
    assert (staged.folder / "made").read_text() == "x\n"


def test_a_build_that_fails_says_why(sandbox: Sandbox, runs: Path) -> None:
    bot = write_built(runs / "bot", "echo 'bot.c:1: no main' >&2; exit 3\n")
    with pytest.raises(ArenaError) as refusal:
        stage(bot, runs, sandbox)
    assert refusal.value.what == "the build of 'bot' failed (exit code 3)"
    assert refusal.value.where == "sh build.sh"
    assert refusal.value.hint == "bot.c:1: no main"


def test_a_build_that_does_not_end_is_ended(
    sandbox: Sandbox, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With everything it started: what it left would hold the pipes open."""
    monkeypatch.setattr(stage_module, "BUILD_SECONDS", 0.3)
    bot = write_built(runs / "bot", f"sleep {HANG * 10:g} & sleep {HANG * 10:g}\n")
    before = open_files()
    with pytest.raises(ArenaError, match=r"the build of 'bot' took longer than 0\.3 s"):
        stage(bot, runs, sandbox)
    assert open_files() == before


def test_links_made_by_a_build_lead_nowhere(sandbox: Sandbox, runs: Path, tmp_path: Path) -> None:
    """Opening the built files to the sandbox's user must not open what a link points at."""
    secret = tmp_path / "secret"
    secret.write_text("x")
    secret.chmod(0o600)
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    script = f"ln -s {secret} link; ln -s nowhere broken; ln -s {private} folder\n"
    staged = stage(write_built(runs / "bot", script), runs, sandbox)
    assert (staged.folder / "link").readlink() == secret
    assert mode(secret) == 0o600
    assert mode(private) == 0o700
    assert mode(staged.folder / "bot.py") == 0o444
