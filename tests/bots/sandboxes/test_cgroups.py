"""Control groups: what they add to the sandboxes, and that all of them are removed."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.bots.builds.staging import stage
from arena.bots.sandboxes.base import ENVIRONMENT, MIB, PATH, Quota, Sandbox
from arena.bots.sandboxes.bubblewrap import BubblewrapSandbox
from arena.bots.sandboxes.child_process import ChildProcess, process_trees
from arena.bots.sandboxes.kernel import cgroups as control_groups
from arena.bots.sandboxes.kernel.cgroups import (
    FEATURES,
    Cgroup,
    CgroupMount,
    Cgroups,
    SystemdScope,
    SystemdScopes,
    cgroups,
    parse_mounts,
    remove_abandoned,
)
from arena.bots.sandboxes.owner import PREFIX, own_name
from arena.bots.sandboxes.process import ProcessSandbox
from tests.cli.command import environment
from tests.support.live import BOMB, HANG, run_inside, write_bot
from tests.support.namespaces import FIRST

Make = Callable[[Quota], Sandbox]
HOST_SANDBOXES = pytest.mark.parametrize("make", [BubblewrapSandbox, ProcessSandbox])
needs_cgroups = pytest.mark.skipif(
    not (own := cgroups()) or not own.caps_memory, reason="no control groups for this user"
)


def group_folders(pid: int) -> list[Path]:
    """Return the groups that a process has made and not yet removed."""
    own = cgroups()
    parents = {mount.folder for mount in own.mounts.values()} if own else set()
    folders = [folder for parent in parents for folder in parent.glob(f"{PREFIX}.*.{pid}.*.*")]
    return [folder for folder in folders if folder.name.split(".")[2] == str(pid)]


HOG_WITH_CHILDREN = """
import json, mmap, os, sys
for _ in range(4):
    if not os.fork():
        memory = bytearray(40 * 2**20) if sys.argv[1] == "private" else mmap.mmap(-1, 40 * 2**20)
        memory[::4096] = b"x" * (len(memory) // 4096)
        os.read(0, 1)
        os._exit(0)
print(json.dumps([os.wait()[1]]))
"""
PRINT_CGROUP = "import json\nprint(json.dumps(open('/proc/self/cgroup').read()))"


@needs_cgroups
@HOST_SANDBOXES
@pytest.mark.parametrize("memory", ["private", "shared"])
def test_memory_of_all_processes_together_is_limited(memory: str, make: Make, runs: Path) -> None:
    """Four children with 40 MiB each; 64 MiB are allowed per bot."""
    sandbox = make(Quota(memory=64 * MIB))
    bot = stage(
        write_bot(runs / "hog", HOG_WITH_CHILDREN, f"python3 -I -S bot.py {memory}"), runs, sandbox
    )
    running = sandbox.start(bot.program)
    try:
        assert select.select([running.stdout, running.exit_fd], [], [], HANG)[0]
        output = os.read(running.stdout, 100)
        assert output in {b"", b"[9]\n"}
        if not output:
            assert running.exit_code() in {-signal.SIGKILL, 128 + signal.SIGKILL}
    finally:
        running.kill()
        running.close()


@needs_cgroups
@HOST_SANDBOXES
def test_number_of_processes_is_limited(make: Make, runs: Path) -> None:
    sandbox = make(Quota(processes=20))
    bot = stage(write_bot(runs / "bomb", BOMB), runs, sandbox)
    children, error = run_inside(sandbox, bot).told
    assert 1 <= children < 20
    assert error == "Resource temporarily unavailable"


@needs_cgroups
def test_bot_is_in_its_group_from_the_start(runs: Path) -> None:
    sandbox = ProcessSandbox()
    printed = run_inside(sandbox, stage(write_bot(runs / "bot", PRINT_CGROUP), runs, sandbox)).told
    assert printed.count(f"/{PREFIX}.") >= 1
    own = cgroups()
    assert own is not None
    assert printed.count(f"/{PREFIX}.") == len({mount.folder for mount in own.mounts.values()})


@needs_cgroups
@HOST_SANDBOXES
def test_groups_are_removed_with_their_bots(make: Make, runs: Path) -> None:
    sandbox = make(Quota())
    bot = stage(write_bot(runs / "bot", "print(1)"), runs, sandbox)
    for _ in range(3):
        run_inside(sandbox, bot)
    assert group_folders(os.getpid()) == []


@needs_cgroups
def test_group_that_was_removed_is_frozen_and_killed_without_an_error() -> None:
    """Somebody else may remove it as soon as its last process has ended."""
    own = cgroups()
    assert own is not None
    group = own.make(Quota())
    for folder in group_folders(os.getpid()):
        folder.rmdir()
    group.freeze(frozen=True)
    group.freeze(frozen=False)
    group.kill()
    assert group.cpu_time() is None
    group.close()


class AddingScope(SystemdScope):
    """A scope whose command adds a variable to the environment, as systemd-run may."""

    def wrap(self, argv: Sequence[str]) -> list[str]:
        return ["env", "ADDED=1", *argv]


def test_program_in_a_scope_has_its_own_environment(tmp_path: Path) -> None:
    scope = AddingScope(SystemdScopes(()), Quota())
    variables = {"PATH": PATH, "PYTHONPATH": "/modules"}
    child = ChildProcess(["env"], tmp_path, tree=scope, environment=variables)
    try:
        assert child.exit_code() == 0
        printed = os.read(child.stdout, 4096).decode().splitlines()
        assert sorted(printed) == [f"PATH={PATH}", "PYTHONPATH=/modules"]
    finally:
        child.close()


def test_scope_that_is_gone_when_it_is_looked_for_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    scope = SystemdScopes(("--user",)).make(Quota())
    [unit] = [word for word in scope.wrap(["true"]) if word.startswith("--unit=")]
    gone = Path("/gone") / unit.removeprefix("--unit=")
    monkeypatch.setattr(control_groups, "own_cgroups", lambda _: {"": gone})
    scope.started(os.getpid())
    scope.freeze(frozen=True)
    assert (scope.cpu_time(), scope.pids()) == (None, [])


@needs_cgroups
def test_abandoned_groups_are_removed_wherever_they_are(tmp_path: Path) -> None:
    """The arena that made them may have been in another group than this one."""
    own = cgroups()
    assert own is not None
    parent = own.mounts["memory"].folder / f"test-{os.getpid()}"
    dead = own_name().rpartition(".")[0] + ".1.0"
    alive = f"{own_name()}.0"
    for folder in (parent, parent / dead, parent / alive):
        folder.mkdir()
    try:
        remove_abandoned()
        assert [path.name for path in parent.iterdir() if path.is_dir()] == [alive]
    finally:
        for folder in (parent / dead, parent / alive, parent):
            if folder.exists():
                folder.rmdir()


MAKES_GROUP = """
import subprocess
from arena.bots.sandboxes.base import Quota
from arena.bots.sandboxes.kernel.cgroups import cgroups
from arena.bots.sandboxes.owner import own_name
within = cgroups().make(Quota()).wrap(["sh", "-c", "echo; exec cat"])
subprocess.Popen(within, stdin=subprocess.PIPE, stdout=subprocess.PIPE).stdout.readline()
print(own_name(), flush=True)
input()
"""
MAKES_EMPTY_GROUP = """
from arena.bots.sandboxes.base import Quota
from arena.bots.sandboxes.kernel.cgroups import cgroups
from arena.bots.sandboxes.owner import own_name
cgroups().make(Quota())
print(own_name(), flush=True)
input()
"""
REMOVES = "from arena.bots.sandboxes.kernel.cgroups import remove_abandoned; remove_abandoned()"


@contextmanager
def made_elsewhere(program: str) -> Iterator[tuple[subprocess.Popen[str], list[Path]]]:
    """Run a program that makes a group in another PID namespace; yields it and its folders."""
    own = cgroups()
    assert own is not None
    parents = {mount.folder for mount in own.mounts.values()}
    with subprocess.Popen(
        [*FIRST, sys.executable, "-c", program],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as maker:
        assert maker.stdout
        name = maker.stdout.readline().strip()
        folders = [folder for parent in parents for folder in parent.glob(f"{name}.*")]
        assert len(folders) == len(parents)
        yield maker, folders


def remove(*within: str) -> None:
    """Remove what dead arenas left, as seen from here or `within` another namespace."""
    subprocess.run([*within, sys.executable, "-c", REMOVES], env=environment(), check=True)


def make_old(group: Path) -> None:
    """Let a group seem to be made long ago, unless it was removed meanwhile."""
    with suppress(FileNotFoundError):
        os.utime(group, (0, 0))


@needs_cgroups
@pytest.mark.slow
@pytest.mark.parametrize("within", [(), FIRST], ids=["outside", "in another"])
def test_groups_of_a_namespace_are_removed_once_it_has_ended(within: tuple[str, ...]) -> None:
    with made_elsewhere(MAKES_GROUP) as (unshare, folders):
        remove(*within)
        assert all(folder.exists() for folder in folders)
        [first] = Path(f"/proc/{unshare.pid}/task/{unshare.pid}/children").read_text().split()
        with Path(f"/proc/{first}/ns/pid").open("rb"):  # no other one gets its number
            os.kill(int(first), signal.SIGKILL)
            unshare.wait(HANG)
            # An arena that begins just now may be the first to remove them.
            for folder in folders:
                make_old(folder)
            remove(*within)
    assert not any(folder.exists() for folder in folders)


@needs_cgroups
@pytest.mark.slow
def test_a_new_group_of_another_namespace_stays_as_a_bot_may_join_it() -> None:
    with made_elsewhere(MAKES_EMPTY_GROUP) as (maker, folders):
        remove(*FIRST)
        assert all(folder.exists() for folder in folders)
        for folder in folders:
            make_old(folder)
        remove(*FIRST)
        assert not any(folder.exists() for folder in folders)
        maker.communicate("\n", HANG)


DAEMON = """
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


@needs_cgroups
def test_daemon_outside_the_process_group_is_killed(runs: Path) -> None:
    sandbox = ProcessSandbox()
    bot = stage(write_bot(runs / "bot", DAEMON), runs, sandbox)
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


ABANDONING_ARENA = """
import os, signal
from pathlib import Path
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sandboxes.base import Program
sandbox = ProcessSandbox()
started = sandbox.start(Program(Path("/"), ["sh", "-c", "setsid sleep 1000 & echo; wait"]))
os.set_blocking(started.stdout, True)
os.read(started.stdout, 1)
started.freeze(frozen=FROZEN)
print(os.getpid(), flush=True)
signal.pause()
"""
NEXT_ARENA = "from arena.bots.sandboxes.run_folder import run_folder\nwith run_folder(): pass"


@needs_cgroups
@pytest.mark.parametrize("frozen", [False, True])
def test_groups_of_a_dead_arena_are_removed_by_the_next(frozen: bool) -> None:
    """With the daemon that had left the bot's process group and outlived both."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    argv = [sys.executable, "-c", ABANDONING_ARENA.replace("FROZEN", str(frozen))]
    with subprocess.Popen(argv, env=environ, stdout=subprocess.PIPE) as arena:
        assert arena.stdout
        pid = int(arena.stdout.readline())
        abandoned = group_folders(pid)
        assert abandoned
        subprocess.run([sys.executable, "-c", NEXT_ARENA], env=environ, check=True, timeout=HANG)
        assert group_folders(pid) == abandoned, "the group of a live arena was touched"
        arena.kill()
    [daemon, *_] = map(int, (abandoned[0] / "cgroup.procs").read_text().split())
    pidfd = os.pidfd_open(daemon)
    subprocess.run([sys.executable, "-c", NEXT_ARENA], env=environ, check=True, timeout=HANG)
    assert select.select([pidfd], [], [], HANG)[0]
    assert group_folders(pid) == []
    os.close(pidfd)


UNIFIED = Path("/sys/fs/cgroup/unified")
SPINNER = [sys.executable, "-c", "while True: pass"]


def check_measures_freezes_and_kills(tree: Cgroup | SystemdScope, argv: list[str]) -> None:
    """Start a program in a tree; its CPU time is measured, and it is killed while frozen."""
    spinner = subprocess.Popen(argv)
    tree.started(spinner.pid)
    while (tree.cpu_time() or 0.0) < 0.1:
        assert spinner.poll() is None
    tree.freeze(frozen=True)
    tree.kill()
    assert spinner.wait(HANG) == -signal.SIGKILL
    tree.close()


@pytest.mark.skipif(not os.access(UNIFIED, os.W_OK), reason="no version 2 hierarchy to write to")
def test_version_2_measures_freezes_and_kills() -> None:
    group = Cgroups(dict.fromkeys(("cpuacct", "freezer"), CgroupMount(UNIFIED, 2))).make(Quota())
    check_measures_freezes_and_kills(group, group.wrap(SPINNER))
    assert not list(UNIFIED.glob(f"{PREFIX}.*.{os.getpid()}.*"))


# ---------------------------------------------------------------- mounts

V1 = """
22 1 0:20 / /sys rw - sysfs sysfs rw
31 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
32 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
33 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
""".strip()
V2 = "30 23 0:25 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
INSIDE = "30 23 0:25 /docker/ab /sys/fs/cgroup rw - cgroup cgroup rw,memory"


def test_features_without_a_version_1_hierarchy_use_version_2() -> None:
    own = {"memory": Path("/a"), "cpu": Path("/b"), "cpuacct": Path("/b"), "": Path("/c")}
    v1 = Path("/sys/fs/cgroup")
    unified = CgroupMount(v1 / "unified/c", 2)
    assert parse_mounts(V1, own) == {
        "memory": CgroupMount(v1 / "memory/a", 1),
        "cpu": CgroupMount(v1 / "cpu,cpuacct/b", 1),
        "cpuacct": CgroupMount(v1 / "cpu,cpuacct/b", 1),
        "pids": unified,
        "freezer": unified,
    }


def test_version_2_has_all_features() -> None:
    slice_ = Path("/user.slice/x.scope")
    mount = CgroupMount(Path("/sys/fs/cgroup/user.slice/x.scope"), 2)
    assert parse_mounts(V2, {"": slice_}) == dict.fromkeys(FEATURES, mount)


def test_group_outside_the_mounted_root_is_ignored() -> None:
    assert parse_mounts(INSIDE, {"memory": Path("/elsewhere")}) == {}
    inside = {"memory": CgroupMount(Path("/sys/fs/cgroup/x"), 1)}
    assert parse_mounts(INSIDE, {"memory": Path("/docker/ab/x")}) == inside


# ---------------------------------------------------------------- systemd

SYSTEMD_RUN = """#!/bin/sh
# Does what systemd-run does for a scope, in a version 2 hierarchy.
for word; do
    case $word in --unit=*) unit=${word#--unit=};; --) shift; break;; esac
    shift
done
mkdir "UNIFIED/$unit" && echo 0 >"UNIFIED/$unit/cgroup.procs" && exec "$@"
"""


@pytest.mark.skipif(not os.access(UNIFIED, os.W_OK), reason="no version 2 hierarchy to write to")
def test_bot_runs_in_a_systemd_scope(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for systemd-run."""
    stand_in = runs / "systemd-run"
    stand_in.write_text(SYSTEMD_RUN.replace("UNIFIED", str(UNIFIED)))
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{runs}:{os.environ['PATH']}")
    monkeypatch.setitem(ENVIRONMENT, "PATH", os.environ["PATH"])
    scope = SystemdScopes(("--user",), root=UNIFIED).make(Quota())
    assert scope.cpu_time() is None
    argv = scope.wrap(SPINNER)
    assert "--property=MemoryMax=570425344" in argv
    assert "--property=TasksMax=64" in argv
    check_measures_freezes_and_kills(scope, argv)
    [left] = UNIFIED.glob(f"{PREFIX}.*.{os.getpid()}.*.scope")
    left.rmdir()


def test_without_systemd_own_groups_are_used() -> None:
    if not Path("/run/systemd/system").is_dir():
        assert process_trees() == cgroups()
