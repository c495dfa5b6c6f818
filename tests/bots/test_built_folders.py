"""What a build leaves behind: links, modes and files that are refused or made safe."""

from pathlib import Path

import pytest

from arena.bots.builds.staging import stage
from arena.bots.folder import BotLimits
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import SANDBOXES, make_sandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.io.errors import ArenaError
from tests.support.depth import depth
from tests.support.live import any_sandbox, mode, run_inside, write_built
from tests.support.sampling import paired

SMALL = BotLimits(entries=50, size=2**20)

LINKS_OUT = {
    "absolute": "ln -s {secret} link",
    "up": "mkdir -p sub && ln -s ../../x sub/link",
    "by way of a link": "ln -s .. up_1 2>/dev/null; ln -s up_1/x link",
    "a folder": "ln -s /etc link",
    "a broken one": "ln -s /nowhere link",
}


@pytest.mark.parametrize(
    ("what", "sandbox"), paired(LINKS_OUT, SANDBOXES, "links out"), indirect=["sandbox"]
)
def test_link_out_of_a_built_folder_is_refused(
    sandbox: Sandbox, runs: Path, tmp_path: Path, what: str
) -> None:
    """Its target is not opened to the sandbox's user, either."""
    secret = tmp_path / "secret"
    secret.write_text("x")
    secret.chmod(0o600)
    script = LINKS_OUT[what].format(secret=secret)
    bot = write_built(tmp_path / "bot", script)
    with pytest.raises(ArenaError, match="no link that leads out of it") as refusal:
        stage(bot, runs, sandbox)
    assert refusal.value.what.startswith("after the build of 'bot': ")
    assert refusal.value.where.startswith(str(bot.folder))
    assert refusal.value.hint == "make it a copy, or a relative link"
    assert mode(secret) == 0o600


@any_sandbox("links within a built folder are kept")
def test_links_within_a_built_folder_are_kept(sandbox: Sandbox, runs: Path) -> None:
    """Libraries have them; they may be broken, or circular."""
    script = "mkdir sub; echo 7 > lib.so.1; ln -s ../lib.so.1 sub/lib.so; ln -s a b; ln -s b a\n"
    staged = stage(
        write_built(runs / "bot", script, "print(open('sub/lib.so').read())"), runs, sandbox
    )
    assert run_inside(sandbox, staged).told == 7
    assert (staged.folder / "sub" / "lib.so").is_symlink()


@any_sandbox("space of a file with several names counts once")
def test_space_of_a_file_with_several_names_counts_once(sandbox: Sandbox, runs: Path) -> None:
    """Cargo gives each program two names."""
    script = "head -c 400000 /dev/zero > big; ln big a; ln big b; ln big c\n"
    staged = stage(write_built(runs / "bot", script), runs, sandbox, limits=SMALL)
    assert (staged.folder / "c").stat().st_size == 400_000


@any_sandbox("largest files of a built folder are named")
def test_largest_files_of_a_built_folder_are_named(sandbox: Sandbox, runs: Path) -> None:
    script = "head -c 900000 /dev/zero > big; head -c 300000 /dev/zero > small\n"
    with pytest.raises(ArenaError, match="1 MiB at most") as refusal:
        stage(write_built(runs / "bot", script), runs, sandbox, limits=SMALL)
    assert refusal.value.hint.startswith("its largest files: big (0.9 MiB), small (0.3 MiB)")


LEFTOVERS = {
    "a FIFO": ("mkfifo pipe", "nothing but files and folders", "/pipe"),
    "a socket": (
        """python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'""",
        "nothing but files and folders",
        "/sock",
    ),
    "too many bytes": ("head -c 600000 /dev/zero | tee a > b", "1 MiB at most", ""),
    "holes": ("truncate -s 3M a", "1 MiB at most", ""),
    "too many files": (
        "mkdir sub; cd sub; i=0; while [ $i -lt 60 ]; do : > $i; i=$((i + 1)); done",
        "50 files and folders at most",
        "",
    ),
    "too deep": (
        "i=0; while [ $i -lt 40 ]; do mkdir d; cd d; i=$((i + 1)); done",
        "32 folders deep at most",
        "/d/d/",
    ),
}


@pytest.mark.usefixtures("quiet_disk")
@pytest.mark.parametrize(
    ("what", "sandbox"), paired(LEFTOVERS, SANDBOXES, "leftovers"), indirect=["sandbox"]
)
def test_forbidden_leftovers_of_a_build_are_refused(
    sandbox: Sandbox, tmp_path: Path, what: str
) -> None:
    script, reason, where = LEFTOVERS[what]
    bot = write_built(tmp_path / "bot", script)
    with run_folder() as runs, pytest.raises(ArenaError) as refusal:
        stage(bot, runs, sandbox, limits=SMALL)
    assert reason in refusal.value.what
    assert refusal.value.what.startswith("after the build of 'bot': ")
    assert refusal.value.where.startswith(str(bot.folder) + where)
    assert not runs.exists()


@any_sandbox("build too deep for python is removed")
def test_build_too_deep_for_python_is_removed(sandbox: Sandbox, tmp_path: Path) -> None:
    deep = f"import os\nfor _ in range({depth(1100, 3000)}): os.mkdir('d'); os.chdir('d')"
    bot = write_built(tmp_path / "bot", f'python3 -c "{deep}"\n')
    # On a disk the build is also looked at while it runs.
    refused = "32 folders deep at most|filled its folder"
    with run_folder() as runs, pytest.raises(ArenaError, match=refused):
        stage(bot, runs, sandbox)
    assert not runs.exists()


def test_built_folder_is_readable_and_has_no_setuid_files(sandbox: Sandbox, runs: Path) -> None:
    script = """
cp /bin/true made; chmod 6755 made
echo x > data; chmod 0 data
mkdir closed; echo 1 > closed/inside; chmod 7000 closed
"""
    staged = stage(write_built(runs / "bot", script), runs, sandbox)
    modes = {path.name: mode(path) for path in staged.folder.rglob("*")}
    expected = {"made": 0o555, "data": 0o444, "closed": 0o755, "inside": 0o444}
    assert {name: modes[name] for name in expected} == expected


def test_hard_link_to_a_file_outside_is_refused(runs: Path, tmp_path: Path) -> None:
    """In `process` a build may make one; opening it to all would open the operator's file."""
    secret = runs / "secret"
    secret.write_text("x")
    secret.chmod(0o600)
    bot = write_built(tmp_path / "bot", f"ln {secret} link; ln bot.py twice\n")
    with pytest.raises(ArenaError, match="no link that leads out of it") as refusal:
        stage(bot, runs, make_sandbox("process"))
    assert refusal.value.where == str(bot.folder / "link")
    assert mode(secret) == 0o600
