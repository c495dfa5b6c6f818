"""The mounts of control groups, and the arena's own group in each hierarchy."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

FEATURES = ("memory", "pids", "cpu", "cpuacct", "freezer")
"""By the kernel's names: limit memory, processes and CPU, count CPU time, freeze."""
_CONTROLLERS = {"memory", "pids", "cpu"}
"""Controllers of version 2 that must be enabled; the others always work."""


class CgroupMount(NamedTuple):
    """A folder below which groups for one feature are made."""

    folder: Path
    version: int
    """1: a hierarchy of its own for the feature; 2: the one hierarchy of all."""


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
    with suppress(OSError):
        mountinfo = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        return parse_mounts(mountinfo, own_cgroups(pid))
    return {}


def hierarchies() -> list[CgroupMount]:
    """Return where all hierarchies are mounted."""
    with suppress(OSError):
        mountinfo = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        fields = [line.partition(" - ") for line in mountinfo.splitlines()]
        return [
            CgroupMount(Path(before.split(" ")[4]), 2 if after.startswith("cgroup2 ") else 1)
            for before, _, after in fields
            if after.startswith("cgroup")
        ]
    return []


def parse_mounts(mountinfo: str, own: dict[str, Path]) -> dict[str, CgroupMount]:
    """Return a process's groups by feature, in version 1 if it has the feature, else in 2.

    It is frozen by version 2 where both can: there what is frozen can be killed.
    """
    mounts: dict[str, CgroupMount] = {}
    unified: dict[str, CgroupMount] = {}
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        file_system, _, options = after.split(" ", 2)
        root, folder = map(Path, before.split(" ")[3:5])
        controllers = [""] if file_system == "cgroup2" else options.split(",")
        path = next((own[name] for name in controllers if name in own), None)
        if not file_system.startswith("cgroup") or path is None or not path.is_relative_to(root):
            continue
        folder /= path.relative_to(root)
        if file_system == "cgroup2":
            unified = dict.fromkeys(FEATURES, CgroupMount(folder, 2))
        else:
            mounts |= {key: CgroupMount(folder, 1) for key in FEATURES if key in controllers}
    freezer = {key: unified[key] for key in ("freezer",) if key in unified}
    return unified | mounts | freezer


def own_cgroups(pid: str) -> dict[str, Path]:
    """Return a process's group by controller; that of version 2 has the name ""."""
    groups: dict[str, Path] = {}
    with suppress(OSError):
        for line in Path("/proc", pid, "cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            groups |= dict.fromkeys(controllers.split(","), Path(path))
    return groups
