"""Where control groups can be: the mounted hierarchies, and the arena's own group in each."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

FEATURES = ("memory", "pids", "cpu", "cpuacct", "freezer")
"""What groups can do, by the kernel's names: cap memory, processes and processor, count processor
time, freeze."""
_CONTROLLERS = {"memory", "pids", "cpu"}
"""What version 2 does only where it was asked to; the rest it does everywhere."""


class CgroupMount(NamedTuple):
    """Where groups for one feature are made."""

    folder: Path
    version: int
    """1: a hierarchy of its own for the feature; 2: the one hierarchy of all."""


class _Mount(NamedTuple):
    version: int
    controllers: frozenset[str]
    root: Path
    """The group that is seen at the top."""
    folder: Path


def own_mounts() -> dict[str, CgroupMount]:
    """Return the arena's own groups by feature: a hierarchy of version 1, else that of version 2.

    Whether groups can be made below them is for the caller to try.
    """
    try:
        mountinfo = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    found = mounts_of(mountinfo, own_cgroups())
    for key, home in found.items():
        if home.version == 2 and key in _CONTROLLERS:
            # Where it is not to be had, nothing changes.
            with suppress(OSError):
                (home.folder / "cgroup.subtree_control").write_text(f"+{key}", encoding="ascii")
    return found


def mounts_of(mountinfo: str, own: dict[str, Path]) -> dict[str, CgroupMount]:
    """Return where a process's groups are by feature, from what is mounted and its own groups."""
    found: dict[str, CgroupMount] = {}
    for mount in _mounts(mountinfo):
        name = next((c for c in mount.controllers if c in own), None)
        path = own.get("" if mount.version == 2 else name or "?")
        if path is None or not path.is_relative_to(mount.root):
            continue
        home = CgroupMount(mount.folder / path.relative_to(mount.root), mount.version)
        if mount.version == 2:
            found = dict.fromkeys(FEATURES, home) | found
        else:
            found |= {key: home for key in FEATURES if key in mount.controllers}
    return found


def own_cgroups(pid: str = "self") -> dict[str, Path]:
    """Return a process's group by controller; that of version 2 has the name ""."""
    found: dict[str, Path] = {}
    with suppress(OSError):
        for line in Path("/proc", pid, "cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            found |= dict.fromkeys(controllers.split(","), Path(path))
    return found


def _mounts(mountinfo: str) -> list[_Mount]:
    found = []
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in {"cgroup", "cgroup2"}:
            root, folder = map(Path, before.split(" ")[3:5])
            version = 2 if kind == "cgroup2" else 1
            found.append(_Mount(version, frozenset(options.split(",")), root, folder))
    return found
