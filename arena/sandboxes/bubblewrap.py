"""The `bubblewrap` sandbox: namespaces without a daemon and without root."""

import os
import subprocess
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from arena.sandboxes.base import ENVIRONMENT, Program, Quota, Unavailable, missing_tools
from arena.sandboxes.cgroups.systemd_scope import process_trees
from arena.sandboxes.child_process import ChildProcess, with_limits
from arena.sandboxes.seccomp import denials, deny_filter

GET_BUBBLEWRAP = "sudo apt-get install bubblewrap"
NOBODY = 65_534
"""The user and group that bubblewrap runs as when the arena runs as root: root ignores limits."""
_OWN_PROCESSES = 2
"""bubblewrap's own: one outside, one that is the first inside."""
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_CONFIG = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime")


class BubblewrapSandbox:
    """Runs a bot in namespaces of its own: no network, no other processes, a read-only system.

    Where control groups can be had, they cap what all its processes take together; without them,
    nothing caps the memory of a bot's processes taken together.
    """

    name = "bubblewrap"
    clock: Literal["wall", "cpu"] = "cpu"
    isolates = True
    uses_host_programs = True
    starts_slowly = False

    def __init__(self, quota: Quota | None = None) -> None:
        self._quota = quota or Quota()
        self._holders = process_trees()
        self.freezes = self._holders is not None and self._holders.freezes
        self._capped = self._holders is not None and self._holders.caps_memory

    def unavailable_reason(self) -> Unavailable | None:
        """Return why bubblewrap does not work on this machine; None when it does."""
        missing = missing_tools(["bwrap", "setpriv", "prlimit"], GET_BUBBLEWRAP)
        if missing:
            return missing
        if not _can_drop():
            what = "it would run as root, whom limits do not hold, and no other user can be taken"
            return Unavailable(what, "run the arena as another user")
        try:
            tried = self.start(Program(Path("/usr"), ["true"]))
        except OSError as error:
            return Unavailable(f"it cannot be started: {error.strerror}", GET_BUBBLEWRAP)
        _, said = tried.process.communicate(timeout=20)
        code = tried.exit_code()
        tried.close()
        if code == 0:
            return None
        lines = said.decode("utf-8", "replace").strip().splitlines()
        return Unavailable(lines[-1] if lines else f"bwrap ended with {code}", GET_BUBBLEWRAP)

    def start(self, program: Program, *, writable: bool = False) -> ChildProcess:
        """Start a program with its folder mounted at /bot; it dies with its worker."""
        room = replace(self._quota, processes=self._quota.processes + _OWN_PROCESSES)
        group = self._holders.make(room) if self._holders else None
        info, info_end = os.pipe()
        arguments = _in_memory(
            b"\0".join(os.fsencode(a) for a in self._arguments(program.folder, writable))
        )
        filter_fd = _in_memory(deny_filter(denials(capped=self._capped)))
        ours = ["bwrap", "--args", str(arguments), "--seccomp", str(filter_fd)]
        ours += ["--info-fd", str(info_end), "--", *with_limits(program.command, self._quota)]
        try:
            fds = (arguments, filter_fd, info_end)
            argv = [*_as_nobody(), *ours]
            return ChildProcess(argv, program.folder, pass_fds=fds, info=info, group=group)
        except (OSError, subprocess.SubprocessError):
            os.close(info)
            if group:
                group.close()
            raise
        finally:
            for fd in (arguments, filter_fd, info_end):
                os.close(fd)

    def _arguments(self, folder: Path, writable: bool) -> list[str]:
        tmp = str(self._quota.file_size)
        options = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        options += ["--hostname", "bot", "--clearenv"]
        for name, value in ENVIRONMENT.items():
            options += ["--setenv", name, value]
        options += ["--ro-bind", "/usr", "/usr", *_system_mounts()]
        # Without a size and read-only, /dev would be as large as half of the machine's memory.
        options += ["--proc", "/proc", "--dev", "/dev", "--size", tmp, "--tmpfs", "/dev/shm"]
        if not self._capped:
            # Shared memory can be had of it, which no limit on a process counts.
            options += ["--dev-bind", "/dev/null", "/dev/zero"]
        options += ["--remount-ro", "/dev", "--size", tmp, "--tmpfs", "/tmp"]
        options += ["--bind" if writable else "--ro-bind", str(folder), "/bot"]
        return [*options, "--remount-ro", "/", "--chdir", "/bot"]


def _system_mounts() -> list[str]:
    """Mount what lies beside /usr the way this machine has it."""
    mounts: list[str] = []
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            mounts += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            mounts += ["--ro-bind", name, name]
    for name in _CONFIG:
        mounts += ["--ro-bind-try", name, name]
    return mounts


def _as_nobody() -> list[str]:
    """Drop real root first: it ignores the limit on processes."""
    if os.geteuid() != 0:
        return []
    user = ["--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
    return ["setpriv", *user, "--inh-caps=-all", "--pdeathsig", "KILL", "--"]


def _can_drop() -> bool:
    """Tell whether the arena is no root, or can run something as another user."""
    if os.geteuid() != 0:
        return True
    argv = [*_as_nobody(), "true"]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


def _in_memory(content: bytes) -> int:
    """Return a descriptor from which a child can read `content` once."""
    fd = os.memfd_create("arena")
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
