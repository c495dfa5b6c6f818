"""What control groups add to the sandboxes, and that nothing of them stays behind."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.sandboxes.base import ENVIRONMENT, MIB, Quota, Sandbox
from arena.sandboxes.bubblewrap import BubblewrapSandbox
from arena.sandboxes.cgroups import systemd_scope as scope
from arena.sandboxes.cgroups.groups import PREFIX, Cgroup, Cgroups, cgroups
from arena.sandboxes.cgroups.mounts import FEATURES, CgroupMount, mounts_of
from arena.sandboxes.cgroups.systemd_scope import SystemdScope, SystemdScopes, process_trees
from arena.sandboxes.process import ProcessSandbox
from arena.submissions.staging import stage
from tests.support.live import BOMB, HANG, run_inside, write_bot

Kind = Callable[[Quota], Sandbox]
KINDS = pytest.mark.parametrize("kind", [BubblewrapSandbox, ProcessSandbox])
needs_groups = pytest.mark.skipif(
    not (found := cgroups()) or not found.caps_memory, reason="no control groups for this user"
)


def folders(pid: int) -> list[Path]:
    """Return the groups that a process has made and not yet removed."""
    found = cgroups()
    homes_ = {home.folder for home in found.homes.values()} if found else set()
    mine = [folder for home in homes_ for folder in home.glob(f"{PREFIX}.*.{pid}.*.*")]
    return [folder for folder in mine if folder.name.split(".")[2] == str(pid)]


FAMILY_HOG = """
import json, mmap, os, sys
for _ in range(4):
    if not os.fork():
        kept = bytearray(40 * 2**20) if sys.argv[1] == "private" else mmap.mmap(-1, 40 * 2**20)
        kept[::4096] = b"x" * (len(kept) // 4096)
        os.read(0, 1)
        os._exit(0)
print(json.dumps([os.wait()[1]]))
"""
WHERE = "import json\nprint(json.dumps(open('/proc/self/cgroup').read()))"


@needs_groups
@KINDS
@pytest.mark.parametrize("memory", ["private", "shared"])
def test_the_memory_of_a_family_has_one_limit(memory: str, kind: Kind, runs: Path) -> None:
    """Four children with 40 MiB each, where 64 MiB are allowed a process."""
    sandbox = kind(Quota(memory=64 * MIB))
    bot = stage(
        write_bot(runs / "hog", FAMILY_HOG, f"python3 -I -S bot.py {memory}"), runs, sandbox
    )
    running = sandbox.start(bot.program)
    try:
        assert select.select([running.stdout, running.exit_fd], [], [], HANG)[0]
        said = os.read(running.stdout, 100)
        assert said in {b"", b"[9]\n"}
        if not said:
            assert running.exit_code() in {-signal.SIGKILL, 128 + signal.SIGKILL}
    finally:
        running.kill()
        running.close()


@needs_groups
@KINDS
def test_the_processes_of_a_family_are_counted(kind: Kind, runs: Path) -> None:
    sandbox = kind(Quota(processes=20))
    bot = stage(write_bot(runs / "bomb", BOMB), runs, sandbox)
    children, error = run_inside(sandbox, bot).told
    assert 1 <= children < 20
    assert error == "Resource temporarily unavailable"


@needs_groups
def test_a_bot_is_in_its_group_from_the_start(runs: Path) -> None:
    sandbox = ProcessSandbox()
    told = run_inside(sandbox, stage(write_bot(runs / "bot", WHERE), runs, sandbox)).told
    assert told.count(f"/{PREFIX}.") >= 1
    found = cgroups()
    assert found is not None
    assert told.count(f"/{PREFIX}.") == len({home.folder for home in found.homes.values()})


@needs_groups
@KINDS
def test_groups_go_with_their_bots(kind: Kind, runs: Path) -> None:
    sandbox = kind(Quota())
    bot = stage(write_bot(runs / "bot", "print(1)"), runs, sandbox)
    for _ in range(3):
        run_inside(sandbox, bot)
    assert folders(os.getpid()) == []


HERMIT = """
import os, signal
if not os.fork():
    os.setsid()
    os.fork() and os._exit(0)
    for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
    os.close(0), os.close(1), os.close(2)
    alive = os.open("alive", os.O_WRONLY)
    os.write(alive, b".")
while True: signal.pause()
"""


@needs_groups
def test_what_left_the_process_group_is_ended_all_the_same(runs: Path) -> None:
    sandbox = ProcessSandbox()
    bot = stage(write_bot(runs / "bot", HERMIT), runs, sandbox)
    fifo = bot.folder / "alive"
    os.mkfifo(fifo)
    alive = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    running = sandbox.start(bot.program)
    assert select.select([alive], [], [], HANG)[0]
    assert os.read(alive, 1) == b"."
    running.freeze(frozen=True)
    running.kill()
    assert os.read(alive, 1) == b""
    running.close()
    os.close(alive)


DOOMED = """
import os, signal
from pathlib import Path
from arena.sandboxes.process import ProcessSandbox
from arena.sandboxes.base import Program
sandbox = ProcessSandbox()
started = sandbox.start(Program(Path("/"), ["sh", "-c", "setsid sleep 1000 & echo; wait"]))
os.set_blocking(started.stdout, True)
os.read(started.stdout, 1)
started.freeze(frozen=FROZEN)
print(os.getpid(), flush=True)
signal.pause()
"""
NEXT = "from arena.sandboxes.cgroups.groups import cgroups\ncgroups()"


@needs_groups
@pytest.mark.parametrize("frozen", [False, True])
def test_what_a_dead_arena_left_is_cleared_away_by_the_next(frozen: bool) -> None:
    """With the helper that had left the bot's process group and outlived both."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    argv = [sys.executable, "-c", DOOMED.replace("FROZEN", str(frozen))]
    with subprocess.Popen(argv, env=environ, stdout=subprocess.PIPE) as arena:
        assert arena.stdout
        pid = int(arena.stdout.readline())
        left = folders(pid)
        assert left
        subprocess.run([sys.executable, "-c", NEXT], env=environ, check=True, timeout=HANG)
        assert folders(pid) == left, "that of a live arena is left alone"
        arena.kill()
    [helper, *_] = map(int, (left[0] / "cgroup.procs").read_text().split())
    watched = os.pidfd_open(helper)
    subprocess.run([sys.executable, "-c", NEXT], env=environ, check=True, timeout=HANG)
    assert select.select([watched], [], [], HANG)[0]
    assert folders(pid) == []
    os.close(watched)


UNIFIED = Path("/sys/fs/cgroup/unified")
SPINNER = [sys.executable, "-c", "while True: pass"]


def ends_while_frozen(made: Cgroup | SystemdScope, argv: list[str]) -> None:
    """Start a program in a group; it is counted, frozen, and ended all the same."""
    spinner = subprocess.Popen(argv)
    made.started(spinner.pid)
    while (made.cpu() or 0.0) < 0.1:
        assert spinner.poll() is None
    made.freeze(frozen=True)
    made.kill()
    assert spinner.wait(HANG) == -signal.SIGKILL
    made.close()


@pytest.mark.skipif(not os.access(UNIFIED, os.W_OK), reason="no version 2 hierarchy to write to")
def test_version_2_counts_freezes_and_ends() -> None:
    made = Cgroups(dict.fromkeys(("cpuacct", "freezer"), CgroupMount(UNIFIED, 2))).make(Quota())
    ends_while_frozen(made, made.around(SPINNER))
    assert not list(UNIFIED.glob(f"{PREFIX}.*.{os.getpid()}.*"))


# ---------------------------------------------------------------- what is mounted where

V1 = """
22 1 0:20 / /sys rw - sysfs sysfs rw
31 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
32 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
33 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
""".strip()
V2 = "30 23 0:25 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
INSIDE = "30 23 0:25 /docker/ab /sys/fs/cgroup rw - cgroup cgroup rw,memory"


def test_each_feature_has_its_hierarchy_of_version_1_or_that_of_version_2() -> None:
    own = {"memory": Path("/a"), "cpu": Path("/b"), "cpuacct": Path("/b"), "": Path("/c")}
    v1 = Path("/sys/fs/cgroup")
    unified = CgroupMount(v1 / "unified/c", 2)
    assert mounts_of(V1, own) == {
        "memory": CgroupMount(v1 / "memory/a", 1),
        "cpu": CgroupMount(v1 / "cpu,cpuacct/b", 1),
        "cpuacct": CgroupMount(v1 / "cpu,cpuacct/b", 1),
        "pids": unified,
        "freezer": unified,
    }


def test_version_2_has_them_all() -> None:
    slice_ = Path("/user.slice/x.scope")
    home = CgroupMount(Path("/sys/fs/cgroup/user.slice/x.scope"), 2)
    assert mounts_of(V2, {"": slice_}) == dict.fromkeys(FEATURES, home)


def test_a_group_that_is_not_in_view() -> None:
    assert mounts_of(INSIDE, {"memory": Path("/elsewhere")}) == {}
    inside = {"memory": CgroupMount(Path("/sys/fs/cgroup/x"), 1)}
    assert mounts_of(INSIDE, {"memory": Path("/docker/ab/x")}) == inside


# ---------------------------------------------------------------- systemd

SYSTEMD_RUN = """#!/bin/sh
# Does what systemd-run does for a scope, where version 2 can be written to.
for word; do
    case $word in --unit=*) unit=${word#--unit=};; --) shift; break;; esac
    shift
done
mkdir "UNIFIED/$unit" && echo 0 >"UNIFIED/$unit/cgroup.procs" && exec "$@"
"""


@pytest.mark.skipif(not os.access(UNIFIED, os.W_OK), reason="no version 2 hierarchy to write to")
def test_a_bot_in_a_scope(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a stand-in for systemd-run."""
    stand_in = runs / "systemd-run"
    stand_in.write_text(SYSTEMD_RUN.replace("UNIFIED", str(UNIFIED)))
    stand_in.chmod(0o755)
    monkeypatch.setattr(scope, "_ROOT", UNIFIED)
    monkeypatch.setenv("PATH", f"{runs}:{os.environ['PATH']}")
    monkeypatch.setitem(ENVIRONMENT, "PATH", os.environ["PATH"])
    made = SystemdScopes(("--user",)).make(Quota())
    assert made.cpu() is None
    argv = made.around(SPINNER)
    assert "MemoryMax=570425344" in argv
    assert "TasksMax=64" in argv
    ends_while_frozen(made, argv)
    [left] = UNIFIED.glob(f"perudo-arena-{os.getpid()}-*.scope")
    left.rmdir()


def test_without_systemd_there_are_no_scopes() -> None:
    if not Path("/run/systemd/system").is_dir():
        assert process_trees() == cgroups()
