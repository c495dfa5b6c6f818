"""Control groups: one a bot, which caps, counts, freezes and ends all its processes together.

Groups are made below the arena's own, so whatever holds the arena holds its bots, too. A group's
name tells which process made it: what a dead arena left is cleared away by the next one.
"""

import os
import select
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from arena.sandboxes.base import Quota
from arena.sandboxes.cgroups.mounts import CgroupMount, mounts_of, own_cgroups, own_mounts

PREFIX = "perudo-arena"
_PERIOD = 100_000
_NANO, _MICRO = 1e-9, 1e-6
_PATIENCE = 1.0
"""Seconds that killed processes have to be gone."""
_JOIN = 'while [ "$1" != -- ]; do echo 0 >"$1" || exit 125; shift; done; shift; exec "$@"'
"""A shell that moves itself into groups and then becomes the program."""
_FREEZER_WORDS = {1: (b"THAWED", b"FROZEN"), 2: (b"0", b"1")}
_numbers = count()
_left: list[Path] = []
"""Groups that could not be removed yet."""


class Cgroups(Struct, frozen=True):
    """What control groups can do here, and where."""

    homes: dict[str, CgroupMount]
    """By feature; those that do not work here are not in it."""

    def make(self, quota: Quota) -> "Cgroup":
        """Make a group for one bot; raises OSError."""
        name = f"{_mine()}.{next(_numbers)}"
        group = Cgroup(
            {key: home._replace(folder=home.folder / name) for key, home in self.homes.items()}
        )
        try:
            group.set_up(quota)
        except OSError:
            group.close()
            raise
        return group

    def clear_away(self) -> None:
        """End and remove what arenas that are gone have left."""
        for home in self.homes.values():
            _reap(home)

    @property
    def caps_memory(self) -> bool:
        """Whether the memory of all processes of a bot has one limit."""
        return "memory" in self.homes

    @property
    def freezes(self) -> bool:
        """Whether a bot can be frozen."""
        return "freezer" in self.homes


class Cgroup:
    """The control group of one bot, over as many hierarchies as its features take."""

    environment: Mapping[str, str] = MappingProxyType({})
    """Nothing is needed to join."""

    def __init__(self, places: dict[str, CgroupMount]) -> None:
        self._places = places
        self._folders = sorted({place.folder for place in places.values()})
        self._usage: int | None = None
        self._freezer: int | None = None
        self._words = (b"", b"")
        self._frozen = False

    def set_up(self, quota: Quota) -> None:
        """Make the group and write its limits; raises OSError."""
        for folder in self._folders:
            folder.mkdir()
        for feature, place in self._places.items():
            for file, value in _settings(feature, place, quota):
                (place.folder / file).write_text(value, encoding="ascii")
        self.enter()

    def enter(self) -> None:
        """Open the files of a group that is there; raises OSError."""
        if place := self._places.get("cpuacct"):
            file = "cpuacct.usage" if place.version == 1 else "cpu.stat"
            self._usage = os.open(place.folder / file, os.O_RDONLY | os.O_CLOEXEC)
        if place := self._places.get("freezer"):
            file = "freezer.state" if place.version == 1 else "cgroup.freeze"
            self._freezer = os.open(place.folder / file, os.O_WRONLY | os.O_CLOEXEC)
            self._words = _FREEZER_WORDS[place.version]

    @property
    def counts(self) -> bool:
        """Whether the group's processor time can be told."""
        return self._usage is not None

    @property
    def freezes(self) -> bool:
        """Whether the group can be frozen."""
        return self._freezer is not None

    def around(self, argv: Sequence[str]) -> list[str]:
        """Return a command that joins the group before it becomes `argv`."""
        files = [str(folder / "cgroup.procs") for folder in self._folders]
        return ["sh", "-c", _JOIN, "sh", *files, "--", *argv]

    def started(self, pid: int) -> None:
        """Leave it to the process to join."""

    def cpu(self) -> float | None:
        """Return the seconds of processor time that all in the group used; None once it is gone."""
        if self._usage is None:
            return None
        try:
            said = os.pread(self._usage, 64, 0)
        except OSError:
            return None
        if said.startswith(b"usage_usec"):
            return int(said.split(None, 2)[1]) * _MICRO
        return int(said) * _NANO

    def freeze(self, *, frozen: bool) -> None:
        """Stop or go on with all in the group."""
        if self._freezer is not None and frozen != self._frozen:
            os.pwrite(self._freezer, self._words[frozen], 0)
            self._frozen = frozen

    def kill(self) -> None:
        """End all that is in the group and wait until it is gone."""
        with suppress(OSError):
            while True:
                # What is frozen cannot start others, nor end and leave its id to a stranger.
                self.freeze(frozen=True)
                killed = [_kill(pid) for pid in _members(self._folders[0])]
                self.freeze(frozen=False)
                gone = [_gone(fd) for fd in killed if fd is not None]
                if not killed or not all(gone):
                    return

    def leave(self) -> None:
        """Close the files of the group."""
        for fd in (self._usage, self._freezer):
            if fd is not None:
                os.close(fd)
        self._usage = self._freezer = None

    def close(self) -> None:
        """Remove the group, which is empty; one that lingers is removed with a later one."""
        self.leave()
        _left.extend(self._folders)
        _left[:] = [folder for folder in _left if not _removed(folder)]


def cgroup_of(pid: int) -> Cgroup | None:
    """Return the group that a process is in, to look at and to freeze as far as this user may.

    None where it cannot be seen, as where an engine runs in a machine of its own. Such a group is
    left with `leave`, not closed: who made it removes it.
    """
    try:
        mountinfo = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        places = mounts_of(mountinfo, own_cgroups(str(pid)))
    except OSError:
        return None
    for features in (("cpuacct", "freezer"), ("cpuacct",)):
        group = Cgroup({key: places[key] for key in features if key in places})
        with suppress(OSError):
            group.enter()
            return group if group.counts else None
        group.leave()
    return None


@cache
def _found(_pid: int) -> Cgroups | None:
    mounts_of = {key: home for key, home in own_mounts().items() if _works(key, home)}
    found = Cgroups(mounts_of) if mounts_of else None
    if found:
        found.clear_away()
    return found


def cgroups() -> Cgroups | None:
    """Return what control groups can do for this process; None where they can do nothing."""
    return _found(os.getpid())


def memory_limit(quota: Quota) -> int:
    """Return the bytes that a bot's processes may take: what is in /tmp and /dev/shm counts."""
    return quota.memory + 2 * quota.file_size


def _works(feature: str, home: CgroupMount) -> bool:
    """Try a group, as permissions and kernels differ in more ways than can be asked for."""
    trial = Cgroups({feature: home})
    try:
        trial.make(Quota()).close()
    except OSError:
        return False
    return True


def _settings(feature: str, place: CgroupMount, quota: Quota) -> list[tuple[str, str]]:
    """Return the files to write, and what, for a feature."""
    memory = str(memory_limit(quota))
    if feature == "pids":
        return [("pids.max", str(quota.processes))]
    if place.version == 1:
        swap = "memory.memsw.limit_in_bytes"
        more = [(swap, memory)] if (place.folder / swap).exists() else []
        return {
            "memory": [("memory.limit_in_bytes", memory), *more],
            "cpu": [("cpu.cfs_period_us", str(_PERIOD)), ("cpu.cfs_quota_us", str(_PERIOD))],
        }.get(feature, [])
    more = [("memory.swap.max", "0")] if (place.folder / "memory.swap.max").exists() else []
    return {
        "memory": [("memory.max", memory), *more, ("memory.oom.group", "1")],
        "cpu": [("cpu.max", f"{_PERIOD} {_PERIOD}")],
    }.get(feature, [])


# ---------------------------------------------------------------- ending and clearing away


def _members(folder: Path) -> list[int]:
    """Return the processes in a group; raises OSError."""
    return [int(pid) for pid in (folder / "cgroup.procs").read_text(encoding="ascii").split()]


def _kill(pid: int) -> int | None:
    """Kill a process; returns a descriptor that tells when it is gone, None when it is already."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(fd, signal.SIGKILL)
    return fd


def _gone(fd: int) -> bool:
    """Wait for the end of a killed process; returns whether it came."""
    try:
        return bool(select.select([fd], [], [], _PATIENCE)[0])
    finally:
        os.close(fd)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _mine() -> str:
    """Return how the names of this process's groups begin."""
    return f"{PREFIX}.{_namespace()}.{os.getpid()}.{_born(os.getpid())}"


def _namespace() -> int:
    """Return the mark of the process namespace: in another one, ids mean other processes."""
    return Path("/proc/self/ns/pid").stat().st_ino


def _born(pid: int) -> str:
    """Return when a process was started, in the kernel's ticks; "" when there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return stat.rpartition(")")[2].split()[19]


def _reap(home: CgroupMount) -> None:
    """Clear away the groups of arenas that are gone."""
    for folder in home.folder.glob(f"{PREFIX}.{_namespace()}.*"):
        pid, born = folder.name.split(".")[2:4]
        if _born(int(pid)) != born:
            left = Cgroup({"freezer": home._replace(folder=folder)})
            with suppress(OSError):
                left.enter()
            left.kill()
            left.close()
