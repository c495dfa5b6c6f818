"""Control groups, one per bot for all its processes together: made by the arena, or by systemd."""

import errno
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from arena.bots.sandboxes.base import ENVIRONMENT, Quota
from arena.bots.sandboxes.owner import is_abandoned, is_unseen, own_name
from arena.io.uptime import wait_readable

FEATURES = ("memory", "pids", "cpu", "cpuacct", "freezer")
"""By the kernel's names: limit memory, processes and CPU, count CPU time, freeze."""
_CONTROLLERS = {"memory", "pids", "cpu"}
"""Controllers of version 2 that must be enabled; the others always work."""
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
_CGROUP_ROOT = Path("/sys/fs/cgroup")
_BUS_VARIABLES = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
"""What systemd-run needs to reach the manager of a user."""
_TRIAL_SECONDS = 10.0
_JOIN_SECONDS = 60.0
"""The most seconds from the making of a group until a bot has joined it."""
_numbers = count()
_lingering: list[Path] = []
"""Groups that could not be removed yet."""


class CgroupMount(NamedTuple):
    """A folder below which groups for one feature are made."""

    folder: Path
    version: int
    """1: a hierarchy of its own for the feature; 2: the one hierarchy of all."""


class Hierarchy(NamedTuple):
    """A mount of control groups, as /proc/self/mountinfo has it."""

    root: Path
    """The group that is mounted."""
    folder: Path
    """Where it is mounted."""
    version: int
    options: str


def own_mounts() -> dict[str, CgroupMount]:
    """Return the arena's own groups by feature; the caller must try to make groups below them."""
    mounts = mounts_of("self")
    for feature, mount in mounts.items():
        if mount.version == 2 and feature in _CONTROLLERS:
            with suppress(OSError):
                control = mount.folder / "cgroup.subtree_control"
                control.write_text(f"+{feature}", encoding="ascii")
    return mounts


def mounts_of(pid: str) -> dict[str, CgroupMount]:
    """Return a process's groups by feature, as far as they are visible here."""
    return parse_mounts(_mountinfo(), own_cgroups(pid))


def _mountinfo() -> str:
    with suppress(OSError):
        return Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    return ""


def hierarchies() -> list[Hierarchy]:
    """Return where all hierarchies are mounted."""
    return list(_parsed(_mountinfo()))


def _parsed(mountinfo: str) -> Iterator[Hierarchy]:
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        file_system, _, options = after.split(" ", 2)
        if file_system.startswith("cgroup"):
            root, folder = map(Path, before.split(" ")[3:5])
            yield Hierarchy(root, folder, 2 if file_system == "cgroup2" else 1, options)


def parse_mounts(mountinfo: str, own: dict[str, Path]) -> dict[str, CgroupMount]:
    """Return a process's groups by feature, in version 1 if it has the feature, else in 2.

    Where both can freeze, version 2 does: there a frozen process can be killed.
    """
    mounts: dict[str, CgroupMount] = {}
    unified: dict[str, CgroupMount] = {}
    for hierarchy in _parsed(mountinfo):
        controllers = [""] if hierarchy.version == 2 else hierarchy.options.split(",")
        path = next((own[name] for name in controllers if name in own), None)
        if path is None or not path.is_relative_to(hierarchy.root):
            continue
        mount = CgroupMount(hierarchy.folder / path.relative_to(hierarchy.root), hierarchy.version)
        if hierarchy.version == 2:
            unified = dict.fromkeys(FEATURES, mount)
        else:
            mounts |= {key: mount for key in FEATURES if key in controllers}
    if "freezer" in unified:
        mounts["freezer"] = unified["freezer"]
    return unified | mounts


def own_cgroups(pid: str) -> dict[str, Path]:
    """Return a process's group by controller; that of version 2 has the name ""."""
    groups: dict[str, Path] = {}
    with suppress(OSError):
        for line in Path("/proc", pid, "cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            groups |= dict.fromkeys(controllers.split(","), Path(path))
    return groups


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

    keeps_environment = True
    """Whether what `wrap` returns passes on its environment without a change."""

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

    def wrap(self, argv: Sequence[str]) -> list[str]:
        """Return a command that joins the group before it becomes `argv`."""
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
        """Freeze or thaw all in the group; it does nothing if the group is gone."""
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
                # Frozen processes can neither fork nor leave their ids to others.
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

    Call `close_files` when done, not `close`: another program made the group.
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
    working: dict[str, CgroupMount] = {}
    for feature, mount in own_mounts().items():
        # Permissions and kernels differ in more ways than can be checked: try to make a group.
        with suppress(OSError):
            Cgroups({feature: mount}).make(Quota()).close()
            working[feature] = mount
    return Cgroups(working) if working else None


def remove_abandoned() -> None:
    """Kill and remove the groups that dead arenas left, wherever their own groups were."""
    # The freezer first: frozen processes do not die.
    for hierarchy in sorted(hierarchies(), key=lambda each: "freezer" not in each.folder.name):
        for path, _, _ in os.walk(hierarchy.folder):
            folder = Path(path)
            if not os.access(folder.parent, os.W_OK):
                continue
            if is_abandoned(folder.name):
                group = Cgroup({"freezer": CgroupMount(folder, hierarchy.version)})
                with suppress(OSError):
                    group.open_files()
                group.kill()
                group.close()
            elif is_unseen(folder.name) and _age(folder) > _JOIN_SECONDS:
                # Its maker may be alive; the kernel keeps a group with processes in it.
                _remove(folder)


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


def _age(folder: Path) -> float:
    """Return the seconds since a group was made, or fewer; 0 if it is gone."""
    with suppress(OSError):
        return time.time() - folder.stat().st_mtime
    return 0.0


def _remove(folder: Path) -> bool:
    with suppress(OSError):
        folder.rmdir()
    return not folder.exists()


class Refusals:
    """Tells whether a control group was refused a process since it was made, below its own limit.

    Linux counts refusals in the group that asked (version 1, and version 2 before Linux 6.11), or
    in the group whose limit was met.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._above = self._counted_above()

    def any(self) -> bool:
        """Return whether it was refused one; also False where the kernel does not count that."""
        below_own_limit = 0 < self._number("pids.peak") < self._number("pids.max")
        if self._number("pids.events") > 0 and below_own_limit:
            return True
        return self._counted_above() > self._above

    def _counted_above(self) -> int:
        return sum(_number(folder / "pids.events.local") for folder in self._folder.parents)

    def _number(self, file: str) -> int:
        return _number(self._folder / file)


def _number(path: Path) -> int:
    """Return the number at the end of a file of a group, as in `max 3`; 0 if it has none."""
    with suppress(OSError, ValueError, IndexError):
        return int(path.read_text(encoding="ascii").split()[-1])
    return 0


class SystemdScopes(Struct, frozen=True):
    """Makes scopes: of the user's own manager, or of the system's if the arena runs as root."""

    manager: tuple[str, ...]
    """Options of systemd-run that choose the manager."""
    root: Path = _CGROUP_ROOT
    """Where version 2 is mounted."""
    caps_memory: bool = True
    freezes: bool = True

    def make(self, quota: Quota) -> "SystemdScope":
        """Name a scope for one bot; systemd makes it when the bot is started."""
        return SystemdScope(self, quota)


class SystemdScope:
    """The scope of one bot; systemd removes it when it is empty."""

    keeps_environment = False

    def __init__(self, scopes: SystemdScopes, quota: Quota) -> None:
        self._unit = f"{own_name()}.{next(_numbers)}.scope"
        self._scopes = scopes
        self._quota = quota
        self._pid = 0
        self._cgroup: Cgroup | None = None

    def wrap(self, argv: Sequence[str]) -> list[str]:
        """Return a command that enters the scope before it becomes `argv`."""
        properties = (
            "Delegate=yes",
            f"MemoryMax={memory_limit(self._quota)}",
            "MemorySwapMax=0",
            f"TasksMax={self._quota.processes}",
            "CPUQuota=100%",
        )
        bus = [f"{name}={os.environ[name]}" for name in _BUS_VARIABLES if name in os.environ]
        run = ["env", *bus, "systemd-run", *self._scopes.manager, "--scope", "--quiet", "--collect"]
        run += [f"--unit={self._unit}", *(f"--property={each}" for each in properties)]
        return [*run, "--", *argv]

    def started(self, pid: int) -> None:
        """Take note of the process that enters the scope and becomes the bot."""
        self._pid = pid

    def cpu_time(self) -> float | None:
        """Return the CPU time that all in the scope used so far, in seconds, or None if unknown."""
        return cgroup.cpu_time() if (cgroup := self._entered()) else None

    def pids(self) -> list[int]:
        """Return the processes in the scope; raises OSError."""
        return cgroup.pids() if (cgroup := self._entered()) else []

    def lacked_processes(self) -> bool:
        """Return False: systemd removes a scope with its last process, and what it counted."""
        return False

    def freeze(self, *, frozen: bool) -> None:
        """Freeze or thaw all in the scope."""
        if cgroup := self._entered():
            cgroup.freeze(frozen=frozen)

    def kill(self) -> None:
        """Kill all in the scope and wait until it is gone."""
        if cgroup := self._entered():
            cgroup.kill()

    def close(self) -> None:
        """Close the scope's files; systemd removes it."""
        if self._cgroup:
            self._cgroup.close_files()

    def _entered(self) -> Cgroup | None:
        """Return the scope's group once the process is in it: before, it is in the arena's own."""
        if self._cgroup is None and self._pid:
            path = own_cgroups(str(self._pid)).get("", Path())
            if path.name == self._unit:
                mount = CgroupMount(self._scopes.root / path.relative_to("/"), 2)
                cgroup = Cgroup(dict.fromkeys(FEATURES, mount))
                try:
                    cgroup.open_files()
                except OSError as error:  # systemd removes a scope when its last process ends
                    cgroup.close_files()
                    if error.errno not in GONE:
                        raise
                else:
                    self._cgroup = cgroup
        return self._cgroup


@cache
def systemd_scopes() -> SystemdScopes | None:
    """Return systemd's scopes if it makes them for this user, else None."""
    unified = (_CGROUP_ROOT / "cgroup.controllers").exists()
    if not unified or not Path("/run/systemd/system").is_dir() or not shutil.which("systemd-run"):
        return None
    scopes = SystemdScopes(() if os.geteuid() == 0 else ("--user",))
    try:
        ended = subprocess.run(
            scopes.make(Quota()).wrap(["true"]),
            env=ENVIRONMENT,
            capture_output=True,
            timeout=_TRIAL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return scopes if ended.returncode == 0 else None
