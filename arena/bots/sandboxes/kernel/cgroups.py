"""Control groups below the arena's own: one per bot, for all its processes together."""

import errno
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

from msgspec import Struct

from arena.bots.sandboxes.base import Quota
from arena.bots.sandboxes.kernel.cgroup_mounts import (
    CgroupMount,
    hierarchies,
    mounts_of,
    own_mounts,
)
from arena.bots.sandboxes.kernel.refusals import Refusals
from arena.bots.sandboxes.owner import is_abandoned, is_unseen, own_name
from arena.io.uptime import wait_readable

_CPU_PERIOD = 100_000
"""Microseconds; the same amount of CPU time per period is one core."""
_KILL_SECONDS = 1.0
"""The most seconds until a killed process is gone."""
_JOIN = 'while [ "$1" != -- ]; do echo 0 >"$1" || exit 125; shift; done; shift; exec "$@"'
"""A shell script that moves itself into groups and then becomes the program."""
_FREEZER_STATES = {1: (b"THAWED", b"FROZEN"), 2: (b"0", b"1")}
GONE = frozenset({errno.ENODEV, errno.ENOENT})
"""Errors from the files of a removed group: of open ones, and of others."""
_SWAP_FILES = {"memory.memsw.limit_in_bytes", "memory.swap.max"}
_numbers = count()
_lingering: list[Path] = []
"""Groups that could not be removed yet."""


class Cgroups(Struct, frozen=True):
    """Makes control groups, as far as they work here."""

    mounts: dict[str, CgroupMount]
    """By feature; features that do not work here are missing."""

    def make(self, quota: Quota) -> "Cgroup":
        """Make a group for one bot; raises OSError. Its name says which process made it."""
        name = f"{own_name()}.{next(_numbers)}"
        group = Cgroup(
            {key: mount._replace(folder=mount.folder / name) for key, mount in self.mounts.items()}
        )
        try:
            group.create(quota)
        except OSError:
            group.close()
            raise
        return group

    @property
    def caps_memory(self) -> bool:
        """Whether the memory of all processes of a bot has one limit."""
        return "memory" in self.mounts

    @property
    def freezes(self) -> bool:
        """Whether a bot can be frozen."""
        return "freezer" in self.mounts


class Cgroup:
    """The control group of one bot, in as many hierarchies as its features take."""

    def __init__(self, mounts: dict[str, CgroupMount]) -> None:
        self._mounts = mounts
        self._folders = sorted({mount.folder for mount in mounts.values()})
        self._refusals: Refusals | None = None
        self._usage_fd: int | None = None
        self._freezer_fd: int | None = None
        self._frozen = False

    def create(self, quota: Quota) -> None:
        """Make the group's folders and write its limits; raises OSError."""
        for folder in self._folders:
            folder.mkdir()
        for feature, mount in self._mounts.items():
            for file, value in _settings(feature, mount, quota):
                (mount.folder / file).write_text(value, encoding="ascii")
        if pids := self._mounts.get("pids"):
            self._refusals = Refusals(pids.folder)
        self.open_files()

    def open_files(self) -> None:
        """Open the files that measure and freeze the group; raises OSError."""
        if mount := self._mounts.get("cpuacct"):
            file = "cpuacct.usage" if mount.version == 1 else "cpu.stat"
            self._usage_fd = os.open(mount.folder / file, os.O_RDONLY | os.O_CLOEXEC)
        if mount := self._mounts.get("freezer"):
            file = "freezer.state" if mount.version == 1 else "cgroup.freeze"
            self._freezer_fd = os.open(mount.folder / file, os.O_WRONLY | os.O_CLOEXEC)

    @property
    def freezes(self) -> bool:
        """Whether the group can be frozen."""
        return self._freezer_fd is not None

    def wrap(self, argv: Sequence[str], environment: Mapping[str, str] | None = None) -> list[str]:
        """Return a command that joins the group before it becomes `argv`.

        The environment is the one that the command is started with.
        """
        del environment
        files = [str(folder / "cgroup.procs") for folder in self._folders]
        return ["sh", "-c", _JOIN, "sh", *files, "--", *argv]

    def started(self, pid: int) -> None:
        """Do nothing: the process joins by itself."""

    def pids(self) -> list[int]:
        """Return the processes in the group; raises OSError."""
        procs = (self._folders[0] / "cgroup.procs").read_text(encoding="ascii")
        return [int(pid) for pid in procs.split()]

    def lacked_processes(self) -> bool:
        """Return whether a process was refused though the group had fewer than it may have."""
        return self._refusals is not None and self._refusals.any()

    def cpu_time(self) -> float | None:
        """Return the CPU time that all in the group used, in seconds, or None once it is gone."""
        if self._usage_fd is None:
            return None
        with suppress(OSError):
            usage = os.pread(self._usage_fd, 64, 0)
            if usage.startswith(b"usage_usec"):
                return int(usage.split(None, 2)[1]) * 1e-6
            return int(usage) * 1e-9
        return None

    def freeze(self, *, frozen: bool) -> None:
        """Freeze or thaw all in the group; one that is gone has nothing left to freeze."""
        if self._freezer_fd is not None and frozen != self._frozen:
            version = self._mounts["freezer"].version
            try:
                os.pwrite(self._freezer_fd, _FREEZER_STATES[version][frozen], 0)
            except OSError as error:
                if error.errno not in GONE:
                    raise
            self._frozen = frozen

    def kill(self) -> None:
        """Kill all in the group and wait until it is gone."""
        with suppress(OSError):
            while True:
                # What is frozen cannot fork, nor exit and leave its pid to another process.
                self.freeze(frozen=True)
                pidfds = [kill(pid) for pid in self.pids()]
                self.freeze(frozen=False)
                gone = [wait_for_exit(pidfd) for pidfd in pidfds]
                if not pidfds or not all(gone):
                    return

    def close_files(self) -> None:
        """Close the files of the group."""
        for fd in (self._usage_fd, self._freezer_fd):
            if fd is not None:
                os.close(fd)
        self._usage_fd = self._freezer_fd = None

    def close(self) -> None:
        """Remove the group, which is empty; one that lingers is removed with a later one."""
        self.close_files()
        _lingering.extend(self._folders)
        _lingering[:] = [folder for folder in _lingering if not _remove(folder)]


def cgroup_of(pid: int) -> Cgroup | None:
    """Return the group of a process, or None if it cannot be seen, as in a virtual machine.

    Call `close_files` when done, not `close`: the group belongs to who made it.
    """
    mounts = mounts_of(str(pid))
    if "cpuacct" not in mounts:
        return None
    # As far as this user may: all can read, not all can freeze.
    for features in (("cpuacct", "freezer"), ("cpuacct",)):
        group = Cgroup({key: mounts[key] for key in features if key in mounts})
        with suppress(OSError):
            group.open_files()
            return group
        group.close_files()
    return None


@cache
def cgroups() -> Cgroups | None:
    """Return the control groups that work for this process, or None if none do."""
    mounts = {key: mount for key, mount in own_mounts().items() if _works(key, mount)}
    if not mounts:
        return None
    return Cgroups(mounts)


def remove_abandoned() -> None:
    """Kill and remove what dead arenas left, wherever their own groups were."""
    # The freezer first: what is frozen there does not die.
    for mount in sorted(hierarchies(), key=lambda mount: "freezer" not in mount.folder.name):
        for path, _, _ in os.walk(mount.folder):
            folder = Path(path)
            if not os.access(folder.parent, os.W_OK):
                continue
            if is_abandoned(folder.name):
                group = Cgroup({"freezer": mount._replace(folder=folder)})
                with suppress(OSError):
                    group.open_files()
                group.kill()
                group.close()
            elif is_unseen(folder.name):
                # Its maker may be alive. The kernel removes no group with processes in it; an arena
                # that loses one before a bot joined it starts the bot again.
                _remove(folder)


def _works(feature: str, mount: CgroupMount) -> bool:
    """Try to make a group: permissions and kernels differ in more ways than can be checked."""
    with suppress(OSError):
        Cgroups({feature: mount}).make(Quota()).close()
        return True
    return False


def memory_limit(quota: Quota) -> int:
    """Return the bytes that a bot's processes may use: files in /tmp and /dev/shm count, too."""
    return quota.memory + 2 * quota.file_size


def _settings(feature: str, mount: CgroupMount, quota: Quota) -> list[tuple[str, str]]:
    memory, period = str(memory_limit(quota)), str(_CPU_PERIOD)
    settings = {
        (1, "memory"): {"memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes": memory},
        (2, "memory"): {"memory.max": memory, "memory.swap.max": "0", "memory.oom.group": "1"},
        (1, "cpu"): {"cpu.cfs_period_us": period, "cpu.cfs_quota_us": period},
        (2, "cpu"): {"cpu.max": f"{period} {period}"},
        (1, "pids"): {"pids.max": str(quota.processes)},
        (2, "pids"): {"pids.max": str(quota.processes)},
    }.get((mount.version, feature), {})
    # Kernels without swap accounting have no file for it.
    return [
        (file, value)
        for file, value in settings.items()
        if file not in _SWAP_FILES or (mount.folder / file).exists()
    ]


def kill(pid: int) -> int | None:
    """Kill a process; return its pidfd, or None if it is gone, or no descriptor is left for one."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    except OSError:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return None
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    return pidfd


def wait_for_exit(pidfd: int | None) -> bool:
    """Wait for a process that was killed to exit, and close its pidfd; return whether it did."""
    if pidfd is None:
        return True
    try:
        return bool(wait_readable([pidfd], _KILL_SECONDS))
    finally:
        os.close(pidfd)


def _remove(folder: Path) -> bool:
    with suppress(OSError):
        folder.rmdir()
    return not folder.exists()
