"""Control groups by way of systemd: each bot in a scope of its own, made by `systemd-run`."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path

from msgspec import Struct

from arena.sandboxes.base import ENVIRONMENT, Quota
from arena.sandboxes.cgroups.groups import Cgroup, Cgroups, cgroups, memory_limit
from arena.sandboxes.cgroups.mounts import FEATURES, CgroupMount, own_cgroups

_ROOT = Path("/sys/fs/cgroup")
_BUS = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
_TRIAL_SECONDS = 10.0
_numbers = count()


class SystemdScopes(Struct, frozen=True):
    """What systemd can do here: the user's own manager, or the system's where root asks."""

    manager: tuple[str, ...]
    caps_memory: bool = True
    freezes: bool = True

    def make(self, quota: Quota) -> "SystemdScope":
        """Name a scope for one bot; systemd makes it when the bot is started."""
        return SystemdScope(self.manager, quota)


class SystemdScope:
    """The scope of one bot; systemd removes it when it is empty."""

    def __init__(self, manager: Sequence[str], quota: Quota) -> None:
        self.environment: Mapping[str, str] = {k: os.environ[k] for k in _BUS if k in os.environ}
        self._unit = f"perudo-arena-{os.getpid()}-{next(_numbers)}.scope"
        self._manager = manager
        self._quota = quota
        self._pid = 0
        self._group: Cgroup | None = None

    def around(self, argv: Sequence[str]) -> list[str]:
        """Return a command that enters the scope before it becomes `argv`."""
        quota = self._quota
        run = ["systemd-run", *self._manager, "--scope", "--quiet", "--collect"]
        run += [
            f"--unit={self._unit}",
            "-p",
            "Delegate=yes",
            "-p",
            f"MemoryMax={memory_limit(quota)}",
        ]
        run += ["-p", "MemorySwapMax=0", "-p", f"TasksMax={quota.processes}", "-p", "CPUQuota=100%"]
        clean = [f"{name}={value}" for name, value in ENVIRONMENT.items()]
        return [*run, "--", "env", "-i", *clean, *argv]

    def started(self, pid: int) -> None:
        """Take note of the process that enters the scope and becomes the bot."""
        self._pid = pid

    def cpu(self) -> float | None:
        """Return the seconds of processor time that all in the scope used so far."""
        group = self._entered()
        return group.cpu() if group else None

    def freeze(self, *, frozen: bool) -> None:
        """Stop or go on with all in the scope."""
        if group := self._entered():
            group.freeze(frozen=frozen)

    def kill(self) -> None:
        """End all that is in the scope and wait until it is gone."""
        if group := self._entered():
            group.kill()

    def close(self) -> None:
        """Close the scope's files; systemd removes it."""
        if self._group:
            self._group.leave()

    def _entered(self) -> Cgroup | None:
        """Return the scope's group once its process is in it: before, that is still the arena's."""
        if self._group is None and self._pid:
            path = own_cgroups(str(self._pid)).get("", Path())
            if path.name == self._unit:
                home = CgroupMount(_ROOT / path.relative_to("/"), 2)
                self._group = Cgroup(dict.fromkeys(FEATURES, home))
                self._group.enter()
        return self._group


def process_trees() -> Cgroups | SystemdScopes | None:
    """Return what can hold a bot's processes together here; None where nothing can.

    Groups that the arena may make itself come first, unless only systemd's can cap memory.
    """
    own = cgroups()
    if own and own.caps_memory:
        return own
    return _scopes(os.getpid()) or own


@cache
def _scopes(_pid: int) -> SystemdScopes | None:
    """Try whether systemd makes scopes for this user."""
    unified = (_ROOT / "cgroup.controllers").exists() and Path("/run/systemd/system").is_dir()
    if not unified or not shutil.which("systemd-run"):
        return None
    scopes = SystemdScopes(() if os.geteuid() == 0 else ("--user",))
    trial = scopes.make(Quota())
    environment = {**ENVIRONMENT, **trial.environment}
    try:
        ended = subprocess.run(
            trial.around(["true"]),
            env=environment,
            capture_output=True,
            timeout=_TRIAL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return scopes if ended.returncode == 0 else None
