"""The `bubblewrap` sandbox: namespaces without a daemon and without root."""

import os
import subprocess
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from arena.bots.runtimes import config_paths
from arena.bots.sandboxes.base import GET_ISOLATION, MODELS, Program, Unavailable
from arena.bots.sandboxes.child_process import (
    ChildProcess,
    HostSandbox,
    missing_tools,
    too_low_limit,
    with_limits,
)
from arena.bots.sandboxes.kernel.denied import HIDDEN_PROC, bpf_filter, denials
from arena.bots.sandboxes.kernel.processes import new_user
from arena.bots.sandboxes.run_once import SOURCE, RunResult, copy_first, last_line, run_once
from arena.io.errors import shortage_in, shortage_of

_MODULES = "/opt/python"
"""The mount point of the folder of the arena's numpy."""
_OWN_PROCESSES = 2
"""bubblewrap's own: one outside, and the init inside."""
_TRIAL_SECONDS = 20.0
_SEE = "see what it needs: arena help sandboxes"
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
CONFIG = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime")
"""What programs of all languages read in /etc."""


class BubblewrapSandbox(HostSandbox):
    """Runs a bot in namespaces of its own: no network, no other processes, a read-only system."""

    name = "bubblewrap"
    isolates = True

    def unavailable_reason(self) -> Unavailable | None:
        """Return why bubblewrap does not work on this machine, or None if it does.

        Raises ShortageError if the machine lacks something for now.
        """
        if missing := missing_tools(["bwrap", "setpriv", "prlimit"], GET_ISOLATION):
            return missing
        if too_low := too_low_limit(self._quota, processes=True):
            return too_low
        try:
            switch = subprocess.run([*_as_user(), "true"], capture_output=True, check=False)
            if switch.returncode != 0:
                return Unavailable(
                    "it would run as root, whom limits do not bind, and cannot switch to another"
                    " user",
                    "run the arena as another user",
                )
            trial = run_once(self, Program(Path("/usr"), ["true"]), _TRIAL_SECONDS)
        except OSError as error:
            if shortage := shortage_of(error):
                raise shortage from None
            # It may be where bots do not look for programs.
            hint = GET_ISOLATION if isinstance(error, FileNotFoundError) else _SEE
            return Unavailable(f"it cannot be started: {error.strerror}", hint)
        return None if trial.code == 0 else _why_not(trial)

    def start(self, program: Program, *, space: int = 0) -> ChildProcess:
        """Start a program with its folder mounted at /bot; it dies with its worker."""
        own = self._quota.with_space(space)
        processes = own.processes + _OWN_PROCESSES
        together = replace(own.with_files_in_memory(space), processes=processes)
        denied = denials(memory_capped=self._caps_memory, builds=space > 0)
        command = copy_first(program.command) if space else program.command
        with ExitStack() as stack:
            options = (os.fsencode(option) for option in self._options(program, space))
            options_fd = _memory_file(b"\0".join(options), stack)
            filter_fd = _memory_file(bpf_filter(denied), stack)
            status_fd, child_status_fd = os.pipe()
            stack.callback(os.close, child_status_fd)
            argv = [*_as_user(), "bwrap", "--args", str(options_fd), "--seccomp", str(filter_fd)]
            argv += ["--json-status-fd", str(child_status_fd), "--"]
            argv += with_limits(command, own, program.reserves)
            try:
                tree = self._make_tree(together)
            except OSError:
                os.close(status_fd)
                raise
            child = ChildProcess(
                argv,
                program.folder,
                pass_fds=(options_fd, filter_fd, child_status_fd),
                status_fd=status_fd,
                tree=tree,
                copies=space > 0,
            )
        return self._watch_memory(child, program)

    def _options(self, program: Program, space: int) -> list[str]:
        size = str(self._quota.with_space(space).file_size)
        options = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        options += ["--hostname", "bot", "--clearenv"]
        for name, value in program.environment(MODELS, _MODULES).items():
            options += ["--setenv", name, value]
        options += ["--ro-bind", "/usr", "/usr", *_system_mounts()]
        options += ["--ro-bind", str(self._modules), _MODULES]
        # Unless it has a size and is read-only, /dev may take half of the machine's memory.
        options += ["--proc", "/proc", *_hidden()]
        options += ["--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm"]
        if not self._caps_memory:
            # Mapped, it gives shared memory, which no per-process limit counts.
            options += ["--dev-bind", "/dev/null", "/dev/zero"]
        options += ["--remount-ro", "/dev", "--size", size, "--tmpfs", "/tmp"]
        for path in self._paths:
            options += ["--ro-bind", path, path]
        if program.socket:
            # A socket in a folder that is read-only can be connected to.
            options += ["--ro-bind", str(program.socket.parent), MODELS]
        options += ["--ro-bind", str(program.folder), SOURCE if space else "/bot"]
        if space:
            options += ["--size", str(space), "--tmpfs", "/bot"]
        return [*options, "--remount-ro", "/", "--chdir", "/bot"]


def _why_not(trial: RunResult) -> Unavailable:
    """Return why a trial failed; raises ShortageError if the machine lacked something."""
    reason = last_line(trial.stderr) or f"bwrap ended with {trial.code}"
    if shortage := shortage_in(reason):
        raise shortage
    return Unavailable(reason, how_to_allow() or _SEE)


def _system_mounts() -> list[str]:
    mounts: list[str] = []
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            mounts += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            mounts += ["--ro-bind", name, name]
    for name in (*CONFIG, *config_paths()):
        mounts += ["--ro-bind-try", name, name]
    return mounts


@cache
def _hidden() -> list[str]:
    """Return the options that hide parts of /proc."""
    exist = [
        path for path in map(Path, HIDDEN_PROC) if path.exists() and path.stat().st_mode & 0o004
    ]
    # /proc/1: in the memory of the init process a bot could undo what ends it with the arena.
    folders = ["/proc/1", *(str(path) for path in exist if path.is_dir())]
    options = [word for path in folders for word in ("--tmpfs", path, "--remount-ro", path)]
    files = [str(path) for path in exist if not path.is_dir()]
    return options + [word for path in files for word in ("--dev-bind", "/dev/null", path)]


def _as_user() -> list[str]:
    """Return a command prefix that drops real root, which ignores the limit on processes."""
    if os.geteuid() != 0:
        return []
    user = str(new_user())
    switch = ["--reuid", user, "--regid", user, "--clear-groups"]
    return ["setpriv", *switch, "--inh-caps=-all", "--pdeathsig", "KILL", "--"]


def _memory_file(content: bytes, stack: ExitStack) -> int:
    """Return a descriptor from which a child can read `content` once; the stack closes it."""
    fd = os.memfd_create("arena")
    stack.callback(os.close, fd)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


_SETTINGS = {
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),
    "kernel/unprivileged_userns_clone": ("0", "1"),
    "user/max_user_namespaces": ("0", "15000"),
}
"""Files below /proc/sys with the value that forbids namespaces, and one that allows them: of
AppArmor on Ubuntu, of Debian's kernels, and of all."""


def how_to_allow(settings: Path = Path("/proc/sys")) -> str:
    """Return the command that lets users have namespaces; "" if no setting forbids them."""
    commands = []
    for name, (forbids, allows) in _SETTINGS.items():
        with suppress(OSError):
            if (settings / name).read_text(encoding="ascii").strip() == forbids:
                commands.append(f"sudo sysctl {name.replace('/', '.')}={allows}")
    return " && ".join(commands)
