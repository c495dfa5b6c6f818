"""Bots are copied, built inside the sandbox, and cannot be changed while they play."""

import tracemalloc
from pathlib import Path

import pytest

from arena.bots.builds.build import BUILD_FACTOR
from arena.bots.builds.staging import stage
from arena.bots.folder import BOT_LIMITS, BotLimits
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.base import ENVIRONMENT, Quota, Sandbox
from arena.bots.sandboxes.numpy_folder import numpy_folder
from arena.bots.sandboxes.registry import SANDBOXES, make_sandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.bots.sandboxes.run_once import TAIL_BYTES
from arena.io.errors import ArenaError
from tests.support.live import HANG, any_sandbox, mode, run_inside, write_bot, write_built
from tests.support.sampling import paired

SMALL = BotLimits(entries=50, size=2**20)


def open_files() -> int:
    """Count open files without sockets, as Docker's SDK keeps some of those."""
    numpy_folder()  # its lock is held from the first use on
    names = [str(e.readlink()) for e in Path("/proc/self/fd").iterdir() if e.is_symlink()]
    return len([name for name in names if not name.startswith("socket:")])


# ---------------------------------------------------------------- copying


def test_staged_bot_is_a_world_readable_copy(sandbox: Sandbox, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", "print(1)")
    (bot.folder / "data").mkdir(mode=0o700)
    (bot.folder / "data" / "table.txt").write_text("x")
    (bot.folder / "data" / "table.txt").chmod(0o600)
    (bot.folder / "run.sh").write_text("#!/bin/sh\n")
    (bot.folder / "run.sh").chmod(0o700)
    (bot.folder / "__pycache__").mkdir()
    (bot.folder / "__pycache__" / "bot.pyc").write_text("x")
    bot = load_bot(bot.folder)
    with run_folder() as runs:
        staged = stage(bot, runs, sandbox)
        assert (staged.info, staged.command) == (bot.info, bot.command)
        assert staged.folder.is_relative_to(runs)
        assert mode(staged.folder / "data") == 0o755
        assert mode(staged.folder / "data" / "table.txt") == 0o444
        assert mode(staged.folder / "run.sh") == 0o555
        assert not (staged.folder / "__pycache__").exists()
    assert not runs.exists()
    assert mode(bot.folder / "data" / "table.txt") == 0o600


@any_sandbox("links are refused")
def test_links_are_refused(sandbox: Sandbox, runs: Path, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", "")
    (bot.folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(ArenaError, match="may hold no links") as refusal:
        stage(bot, runs, sandbox)
    assert refusal.value.where == str(bot.folder / "link")
    with pytest.raises(ArenaError, match="may hold no links"):
        load_bot(bot.folder)


@pytest.mark.parametrize("name", ["bubblewrap", "process"])
def test_missing_program_is_named_with_how_to_get_it(name: str, runs: Path) -> None:
    """Containers have programs of their own."""
    sandbox = make_sandbox(name)
    bot = write_bot(runs / "bot", "", command="no-such-program x", more="runtime: node\n")
    assert bot.missing_program == "no-such-program"
    with pytest.raises(ArenaError, match="'bot' needs 'no-such-program'") as refusal:
        stage(bot, runs, sandbox)
    assert refusal.value.hint == "install it, or correct the command in bot.yaml"


# ---------------------------------------------------------------- building


def test_build_runs_before_the_bot(sandbox: Sandbox, runs: Path) -> None:
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
    assert names - {"PWD", "OLDPWD", "SHLVL", "_", "PYTHONPATH"} == ENVIRONMENT.keys()
    assert not (bot.folder / "sub").exists()


def test_build_runs_in_the_sandbox(bubblewrap: Sandbox, runs: Path) -> None:
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


def test_built_bot_is_read_only_in_play(bubblewrap: Sandbox, runs: Path) -> None:
    program = "open('made', 'a').write('!')"
    staged = stage(write_built(runs / "bot", "echo x > made", program), runs, bubblewrap)
    ran = run_inside(bubblewrap, staged)
    assert ran.code == 1
    assert (staged.folder / "made").read_text() == "x\n"


@any_sandbox("failed build shows its output")
def test_failed_build_shows_its_output(sandbox: Sandbox, runs: Path) -> None:
    bot = write_built(runs / "bot", "echo 'bot.c:1: no main' >&2; exit 3\n")
    with pytest.raises(ArenaError) as refusal:
        stage(bot, runs, sandbox)
    assert refusal.value.what == "the build of 'bot' failed (exit code 3)"
    assert refusal.value.where == "sh build.sh"
    assert refusal.value.hint == "bot.c:1: no main"


@any_sandbox("end of a long build output is shown")
def test_end_of_a_long_build_output_is_shown(sandbox: Sandbox, runs: Path) -> None:
    """From both pipes, in the order it came, with any bytes."""
    script = """
for n in 1 2 3 4 5 6; do echo "warning $n"; done
printf 'bad \\033[2J byte \\377\\n\\n'
printf '%0300d\\n' 7
echo 'Error 1' >&2
exit 2
"""
    outputs: list[str] = []
    bot = write_built(runs / "bot", script)
    with pytest.raises(ArenaError) as refusal:
        stage(bot, runs, sandbox, lambda output, _: outputs.append(output))
    shown = refusal.value.hint.split(" | ")
    assert len(shown) == 5
    assert set(shown) >= {"bad \x1b[2J byte \ufffd", "0" * 200, "Error 1"}
    [output] = outputs
    assert output.startswith("warning 1\n")
    assert output.count("\n") == 9


TORN = """
exec python3 -c '
import fcntl, os, termios
def write(pipe, text):
    os.write(pipe, text)
    while any(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4))): pass
write(2, b"cat: ")
write(1, b"whole\\n")
write(2, b"no such file\\n")
write(1, b"no newline")
os._exit(3)
'
"""
"""Waits until each part of a line was read."""


def test_lines_of_build_output_are_not_torn(bubblewrap: Sandbox, runs: Path) -> None:
    with pytest.raises(ArenaError) as refusal:
        stage(write_built(runs / "bot", TORN), runs, bubblewrap)
    assert refusal.value.hint == "whole | cat: no such file | no newline"


@any_sandbox("build output and the time of a build are passed on")
def test_build_output_and_the_time_of_a_build_are_passed_on(sandbox: Sandbox, runs: Path) -> None:
    builds: list[tuple[str, float]] = []
    bot = write_built(runs / "bot", "echo 'unused variable' >&2; sleep 0.1\n")
    stage(bot, runs, sandbox, lambda *build: builds.append(build))
    [(output, seconds)] = builds
    assert output == "unused variable"
    assert seconds >= 0.1


@any_sandbox("flood of build output is not kept")
def test_flood_of_build_output_is_not_kept(sandbox: Sandbox, runs: Path) -> None:
    """The last 64 KiB of 50 MB are kept, with memory for little more."""
    flood = "yes flood | head -c 25000000 & yes FLOOD | head -c 25000000 >&2; wait"
    # Which of the two is read last is a matter of chance.
    script = f"{flood}; echo end; echo end >&2\n"
    outputs: list[str] = []
    bot = write_built(runs / "bot", script)
    tracemalloc.start()
    try:
        stage(bot, runs, sandbox, lambda output, _: outputs.append(output))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert outputs[0].endswith("end")
    left_out, _, kept = outputs[0].partition("\n")
    assert left_out == "... 47.6 MiB more of the build's output left out"
    assert TAIL_BYTES - 9 <= len(kept) <= TAIL_BYTES
    assert most < 5_000_000


FILLERS = {
    "bytes": "while :; do i=$((i + 1)); head -c 200000 /dev/zero > $i; done",
    "one file": "while :; do head -c 200000 /dev/zero >> big; done",
    "files": "while :; do i=$((i + 1)); : > $i; done",
    "folders": "while :; do mkdir d; cd d; done",
}


@pytest.mark.usefixtures("quiet_disk")
@pytest.mark.parametrize(
    ("what", "sandbox"), paired(FILLERS, SANDBOXES, "fillers"), indirect=["sandbox"]
)
def test_build_that_fills_the_disk_is_ended(sandbox: Sandbox, tmp_path: Path, what: str) -> None:
    bot = write_built(tmp_path / "bot", FILLERS[what])
    before = open_files()
    with (
        run_folder() as runs,
        pytest.raises(ArenaError, match="'bot' filled its folder") as refusal,
    ):
        stage(bot, runs, sandbox, limits=SMALL)
    assert refusal.value.hint == "at most 4 MiB and 200 files while it runs"
    assert not runs.exists()
    assert open_files() == before


@any_sandbox("build has no input")
def test_build_has_no_input(sandbox: Sandbox, runs: Path) -> None:
    """A question reads the end of the input, not the operator's terminal."""
    staged = stage(write_built(runs / "bot", "cat > answer; echo $? >> answer\n"), runs, sandbox)
    assert (staged.folder / "answer").read_text() == "0\n"


@any_sandbox("build that closes its output is awaited")
def test_build_that_closes_its_output_is_awaited(sandbox: Sandbox, runs: Path) -> None:
    script = "exec >&- 2>&-\ni=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done\necho $i > made\n"
    staged = stage(write_built(runs / "bot", script), runs, sandbox)
    assert (staged.folder / "made").read_text() == "2000\n"


def test_build_has_the_limits_of_a_bot_and_more_space(sandbox: Sandbox, runs: Path) -> None:
    script = "ulimit -n > made; ulimit -d >> made; ulimit -f >> made; ulimit -c >> made\n"
    quota = Quota()
    staged = stage(write_built(runs / "bot", script), runs, sandbox)
    files, data, size, core = map(int, (staged.folder / "made").read_text().split())
    assert (files, data, core) == (quota.files, quota.memory // 1024, 0)
    assert size == BUILD_FACTOR * BOT_LIMITS.size // 512


def test_build_that_takes_too_long_is_ended(sandbox: Sandbox, runs: Path) -> None:
    """With everything it started, which would hold the pipes open."""
    bot = write_built(runs / "bot", f"sleep {HANG * 10:g} & sleep {HANG * 10:g}\n")
    before = open_files()
    with pytest.raises(ArenaError, match=r"the build of 'bot' took longer than 0\.3 s"):
        stage(bot, runs, sandbox, limits=BotLimits(build_seconds=0.3))
    assert open_files() == before


@any_sandbox("bot is staged once")
def test_bot_is_staged_once(sandbox: Sandbox, runs: Path, tmp_path: Path) -> None:
    outputs: list[str] = []
    bot = write_built(tmp_path / "bot", "echo built\n")
    for _ in range(2):
        staged = stage(bot, runs, sandbox, lambda output, _: outputs.append(output))
    assert outputs == ["built"]
    assert list(runs.iterdir()) == [staged.folder]


@any_sandbox("refused bot is refused again")
def test_refused_bot_is_refused_again(sandbox: Sandbox, runs: Path) -> None:
    bot = write_built(runs / "bot", "ln -s /etc link\n")
    for _ in range(2):
        with pytest.raises(ArenaError, match="no link that leads out of it"):
            stage(bot, runs, sandbox)
    assert list(runs.iterdir()) == [bot.folder]


@pytest.mark.parametrize("user", [0, 1000])
def test_run_folder_is_private_unless_root(user: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots run as another user only where the arena runs as root."""
    monkeypatch.setattr("os.geteuid", lambda: user)
    with run_folder() as runs:
        assert mode(runs) == (0o700 if user else 0o755)
