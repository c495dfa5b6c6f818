"""Where control groups can be: the mounted hierarchies, and the arena's own group in each."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

FEATURES = ("memory", "pids", "cpu", "cpuacct", "freezer")
"""What groups can do, by the kernel's names: cap memory, processes and processor, count processor
time, freeze."""
_CONTROLLERS = {"memory", "pids", "cpu"}
"""What version 2 does only where it was asked to; the rest it does everywhere."""


class Home(NamedTuple):
    """Where groups for one feature are made."""

    folder: Path
    version: int
    """1: a hierarchy of its own for the feature; 2: the one hierarchy of all."""


def candidates() -> dict[str, Home]:
    """Return the arena's own groups by feature: a hierarchy of version 1, else that of version 2.

    Whether groups can be made below them is for the caller to try.
    """
    own = own_groups()
    found: dict[str, Home] = {}
    for version, controllers, root, mounted in _mounts():
        name = next((c for c in controllers if c in own), "") if version == 1 else ""
        path = own.get(name)
        if path is None or not path.is_relative_to(root):
            continue
        folder = mounted / path.relative_to(root)
        if version == 1:
            found |= {key: Home(folder, 1) for key in FEATURES if key in controllers}
        else:
            found = {key: Home(folder, 2) for key in FEATURES} | found
    for key, home in found.items():
        if home.version == 2 and key in _CONTROLLERS:
            _enable(home.folder, key)
    return found


def own_groups(pid: str = "self") -> dict[str, Path]:
    """Return a process's group by controller; that of version 2 has the name ""."""
    found: dict[str, Path] = {}
    with suppress(OSError):
        for line in Path("/proc", pid, "cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            found |= dict.fromkeys(controllers.split(","), Path(path))
    return found


def _mounts() -> list[tuple[int, list[str], Path, Path]]:
    """Return what is mounted: version, controllers, the group at its root, where."""
    found = []
    with suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
            before, _, after = line.partition(" - ")
            kind, _, options = after.split(" ", 2)
            if kind in {"cgroup", "cgroup2"}:
                root, mounted = before.split(" ")[3:5]
                version = 2 if kind == "cgroup2" else 1
                found.append((version, options.split(","), Path(root), Path(mounted)))
    return found


def _enable(folder: Path, controller: str) -> None:
    """Ask for a controller of version 2; where it is not to be had, nothing changes."""
    with suppress(OSError):
        (folder / "cgroup.subtree_control").write_text(f"+{controller}", encoding="ascii")
