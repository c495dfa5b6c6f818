"""A build takes no more space than it may, however it hides what it takes."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.bots.builds import build
from arena.bots.builds.staging import stage
from arena.bots.folder import BotLimits
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.docker.sandbox import DockerSandbox
from arena.bots.sandboxes.registry import make_sandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.bots.sandboxes.run_once import RunResult, run_to_end
from arena.io.errors import ArenaError
from tests.support.live import run_inside, write_built
from tests.support.sampling import paired

SMALL = BotLimits(entries=50, size=2**20)
NAMELESS = """
exec python3 -c '
import os, time
files = []
while True:
    try:
        if len(files) < 40:
            files.append(os.open("file", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            os.unlink("file")
            os.write(files[-1], bytes(500_000))
    except OSError:
        pass
'
"""
"""Files that are removed while they are open."""
CLOSED = "mkdir -m 0300 d; while :; do i=$((i + 1)); head -c 200000 /dev/zero > d/$i; done"
"""A folder that its owner cannot list."""
LINKS = "while :; do i=$((i + 1)); ln build.sh $i; done"
HIDDEN = {"nameless": NAMELESS, "closed": CLOSED, "links": LINKS}
OF_OTHERS = {
    "nameless": NAMELESS,
    "closed": CLOSED,
    "well": "mkdir d; echo ok > made; chmod 300 d",
}
STAGE = """
import sys
from pathlib import Path
from arena.io.errors import ArenaError
from arena.bots.sandboxes.registry import make_sandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.bots.folder import BotLimits
from arena.bots.manifest import load_bot
from arena.bots.builds.staging import stage
with run_folder() as runs:
    try:
        staged = stage(load_bot(Path(sys.argv[2])), runs, make_sandbox(sys.argv[1]), limits=SMALL)
        print("built:", (staged.folder / "made").read_text(), oct(staged.folder.stat().st_mode))
    except ArenaError as error:
        print("refused:", error)
"""


@pytest.mark.parametrize(
    ("hidden", "isolating"),
    paired(HIDDEN, ["bubblewrap", "docker"], "hidden files"),
    indirect=["isolating"],
)
def test_hidden_files_of_a_build_count(
    isolating: Sandbox, runs: Path, tmp_path: Path, hidden: str
) -> None:
    bot = write_built(tmp_path / "bot", HIDDEN[hidden])
    with pytest.raises(ArenaError, match="'bot' filled its folder") as refusal:
        stage(bot, runs, isolating, limits=SMALL)
    assert refusal.value.where == "sh build.sh"
    assert list(runs.iterdir()) == []


def test_files_of_a_build_are_not_on_the_disk(isolating: Sandbox, tmp_path: Path) -> None:
    """They are in memory until it has ended well: 60 files are refused before any is stored."""
    script = "for i in $(seq 60); do echo x > $i; done"
    with run_folder() as runs:
        with pytest.raises(ArenaError, match="may hold 50 files and folders at most") as refusal:
            stage(write_built(tmp_path / "bot", script), runs, isolating, limits=SMALL)
        assert refusal.value.where == str(tmp_path / "bot")


def test_result_of_a_build_is_taken_over(isolating: Sandbox, runs: Path) -> None:
    script = """
mkdir -m 0300 closed && mkdir closed/inner && echo 1 > closed/inner/deep
echo 2 > one && ln one two && ln -s one three && chmod 000 one
cp /bin/true run && chmod 4711 run && rm build.sh
"""
    program = "print([len(open(name).read()) for name in ('two', 'three', 'closed/inner/deep')])"
    staged = stage(write_built(runs / "bot", script, program), runs, isolating)
    assert run_inside(isolating, staged).told == [2, 2, 2]
    assert (staged.folder / "one").samefile(staged.folder / "two")
    assert (staged.folder / "three").is_symlink()
    assert (staged.folder / "run").stat().st_mode & 0o7777 == 0o555
    assert not (staged.folder / "build.sh").exists()


def test_build_that_uses_all_its_memory_keeps_its_files(isolating: Sandbox, runs: Path) -> None:
    """The folder does not count against what its processes may use."""
    script = """
for i in 1 2 3; do head -c 10000000 /dev/zero > $i; done
python3 -c 'x = bytearray(480 * 2**20); x[::4096] = bytes(len(x[::4096])); print(len(x))'
"""
    stage(write_built(runs / "bot", script), runs, isolating)


def test_disk_that_shrinks_ends_a_build_that_writes_there(runs: Path, tmp_path: Path) -> None:
    """Where the arena cannot open files in containers."""
    blind = DockerSandbox()
    assert blind.clock == "wall"
    bot = write_built(tmp_path / "bot", NAMELESS)
    with pytest.raises(ArenaError, match="MiB while 'bot' was built"):
        stage(bot, runs, blind, limits=SMALL)


def test_build_that_ended_is_not_blamed_for_what_others_write(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files without a name are gone with its processes."""
    free = [2**40]

    def run_and_fill(*args: Any, **kwargs: Any) -> RunResult:
        ran = run_to_end(*args, **kwargs)
        free[0] = 0
        return ran

    monkeypatch.setattr(build, "_free", lambda _: free[0])
    monkeypatch.setattr(build, "run_to_end", run_and_fill)
    bot = write_built(tmp_path / "bot", "echo ok > made")
    staged = stage(bot, runs, make_sandbox("process"))
    assert free == [0]
    assert (staged.folder / "made").read_text() == "ok\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize(
    ("what", "name"), paired(OF_OTHERS, ["bubblewrap", "process"], "builds of another user")
)
def test_builds_of_another_user(runs: Path, name: str, what: str) -> None:
    script = OF_OTHERS[what]
    bot = write_built(runs / "bot", script)
    source = STAGE.replace("SMALL", repr(SMALL))
    user = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "--inh-caps=-all"]
    ran = subprocess.run(
        [*user, sys.executable, "-c", source, name, bot.folder],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""
    if script == NAMELESS:
        full, lost = "the build of 'bot' filled its folder", "MiB while 'bot' was built"
        assert (full if name == "bubblewrap" else lost) in ran.stdout
    elif name == "process":
        assert "the build of 'bot' made a folder that cannot be read" in ran.stdout
    elif script == CLOSED:
        assert "the build of 'bot' filled its folder" in ran.stdout
    else:
        assert ran.stdout == "built: ok\n 0o40755\n"
