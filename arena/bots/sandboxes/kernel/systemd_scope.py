"""Control groups by way of systemd: each bot in a scope of its own, made by `systemd-run`."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path

from msgspec import Struct

from arena.bots.sandboxes.base import ENVIRONMENT, Quota
from arena.bots.sandboxes.kernel.cgroup_mounts import FEATURES, CgroupMount, own_cgroups
from arena.bots.sandboxes.kernel.cgroups import GONE, Cgroup, memory_limit
from arena.bots.sandboxes.owner import own_name

_CGROUP_ROOT = Path("/sys/fs/cgroup")
_BUS_VARIABLES = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
_TRIAL_SECONDS = 10.0
_numbers = count()


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

    def __init__(self, scopes: SystemdScopes, quota: Quota) -> None:
        self._unit = f"{own_name()}.{next(_numbers)}.scope"
        self._scopes = scopes
        self._quota = quota
        self._pid = 0
        self._cgroup: Cgroup | None = None

    def wrap(self, argv: Sequence[str], environment: Mapping[str, str] = ENVIRONMENT) -> list[str]:
        """Return a command that enters the scope before it becomes `argv` in an environment."""
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
        clean = ["env", "-i", *(f"{name}={value}" for name, value in environment.items())]
        return [*run, "--", *clean, *argv]

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
