"""Programs that are child processes of the arena, on this machine's own kernel."""

import errno
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_NOFILE, RLIMIT_NPROC, getrlimit
from threading import Thread
from typing import Literal

from arena.bots.sandboxes.base import ENVIRONMENT, Program, Quota, Unavailable
from arena.bots.sandboxes.kernel.cgroups import (
    Cgroup,
    Cgroups,
    SystemdScope,
    SystemdScopes,
    cgroups,
    kill,
    systemd_scopes,
    wait_for_exit,
)
from arena.bots.sandboxes.kernel.processes import Watched, descendants, watch_memory
from arena.bots.sandboxes.numpy_folder import numpy_folder
from arena.bots.sandboxes.run_once import open_copy
from arena.io.uptime import wait_readable

ProcessTree = Cgroup | SystemdScope
"""The group of all processes of one bot."""
_INIT_SECONDS = 1.0
"""The most seconds until a sandbox names its init process."""
_STATUS_BYTES = 65_536
_CPUCLOCK_SCHED = 2
"""A process's CPU time, in the low bits of a clock id: see `clock_getcpuclockid`."""
_SAY = 'echo >"$1" && shift && exec "$@"'
"""A shell script that writes a line to a file and becomes the program."""


class Begun:
    """Learns through a pipe that a program was started: its sandbox may fail before."""

    def __init__(self) -> None:
        """Make the pipe; raises OSError."""
        self._fd, writer = os.pipe()
        os.close(writer)
        self._said = b""

    def wrap(self, command: Sequence[str]) -> list[str]:
        """Return a command that says that it has begun before it becomes `command`."""
        # Opened by name, the pipe is no descriptor that the program inherits.
        return ["sh", "-c", _SAY, "sh", f"/proc/{os.getpid()}/fd/{self._fd}", *command]

    def seen(self) -> bool:
        """Return whether the program had begun; call it once all has ended."""
        os.set_blocking(self._fd, False)
        with suppress(BlockingIOError):
            self._said += os.read(self._fd, 1)
        return bool(self._said)

    def close(self) -> None:
        """Close the pipe that this object holds."""
        os.close(self._fd)


class ChildProcess(Watched):
    """A child process in a session of its own, with pipes to it; raises OSError.

    On `status_fd` a sandbox writes a line of JSON that names its init, the first process inside,
    and at the end one with the exit code of the program, if it was started. The descriptor and the
    tree are closed with the child, or if the child cannot be started. `copies`: the program is a
    build that works on a copy of its folder.
    """

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        *,
        pass_fds: Sequence[int] = (),
        status_fd: int | None = None,
        begun: Begun | None = None,
        tree: ProcessTree | None = None,
        copies: bool = False,
        environment: Mapping[str, str] = ENVIRONMENT,
    ) -> None:
        self._copies = copies
        self._status_fd = status_fd
        self._begun = begun
        self._status = b""
        self._tree = tree
        self.freezes_quickly = tree is not None
        self._stopped: set[int] = set()
        """The processes that were stopped, for want of a tree that freezes."""
        self._memory_watch: Thread | None = None
        self._cpu_clock: int | None = None
        """The id of the kernel's clock of the program's CPU time; None until it has begun."""
        command = list(argv)
        if tree and not tree.keeps_environment:
            command = ["env", "-i", *(f"{name}={value}" for name, value in environment.items())]
            command += argv
        try:
            self._process = process = subprocess.Popen(
                tree.wrap(command) if tree else command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=environment,
                start_new_session=True,
                pass_fds=list(pass_fds),
            )
        except (OSError, subprocess.SubprocessError):
            self._release()
            raise
        self._pipes = [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe]
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in self._pipes)
        try:
            self.exit_fd = os.pidfd_open(process.pid)
        except OSError:
            process.kill()
            self._close()
            raise
        if tree:
            tree.started(process.pid)
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)

    def open_folder(self) -> int | None:
        """Let a build begin; return a descriptor of the copy that it changes."""
        return open_copy(self, lambda: self._init_pid) if self._copies else None

    def watch_memory(self, most: int) -> None:
        """Kill each process of the program that uses more than `most` bytes."""
        self._memory_watch = watch_memory(self._process.pid, self.exit_fd, most)

    def end_input(self) -> None:
        """Close the program's standard input."""
        self._pipes[0].close()

    def exit_code(self) -> int:
        """Wait for the program to end; return its exit code, or -n if signal n ended it."""
        return self._process.wait()

    def ran(self) -> bool:
        """Return whether the program was started, as its sandbox says once all has ended."""
        if self._begun:
            return self._begun.seen()
        if self._status_fd is None:
            return True
        while wait_readable([self._status_fd], 0) and (piece := self._read_status()):
            self._status += piece
        # One that was killed could not say more than that it began.
        return (b"child-pid" if self.exit_code() < 0 else b"exit-code") in self._status

    def lacked_processes(self) -> bool:
        """Return whether the tree was refused a process though it had fewer than it may have."""
        return self._tree is not None and self._tree.lacked_processes()

    def cpu_time(self) -> float | None:
        """Return the CPU time of the whole tree; without a tree, of the program alone."""
        used = self._tree.cpu_time() if self._tree else None
        if used is not None:
            return used
        if self._cpu_clock is None and (pid := self.pid()) is not None:
            self._cpu_clock = _CPUCLOCK_SCHED | ~pid << 3
        with suppress(OSError):
            return None if self._cpu_clock is None else time.clock_gettime(self._cpu_clock)
        return None

    def pid(self) -> int | None:
        """Return the id of the program itself, not of its sandbox; None while it begins."""
        if self._status_fd is None:
            return self._process.pid
        # The sandbox's init starts it as the second process of its PID namespace.
        init_pid = self._init_pid
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                status = (process / "status").read_text(encoding="utf-8", errors="replace")
                fields = dict(line.split(":", 1) for line in status.splitlines())
                if (int(fields["PPid"]), int(fields["NSpid"].split()[-1])) == (init_pid, 2):
                    return int(process.name)
        return None

    def freeze(self, *, frozen: bool) -> None:
        """Freeze or thaw the whole tree; without one, stop or continue what is in the sandbox."""
        if self._tree:
            self._tree.freeze(frozen=frozen)
        elif frozen:
            # Stopped processes cannot fork: the last look finds nothing new.
            while new := set(self._family()) - self._stopped:
                _signal(new, signal.SIGSTOP)
                self._stopped |= new
        else:
            _signal(self._stopped, signal.SIGCONT)
            self._stopped.clear()

    def _pids(self) -> list[int]:
        return self._tree.pids() if self._tree else self._family()

    def _family(self) -> list[int]:
        """Return the processes in the sandbox; without one, the program and those below it."""
        if self._status_fd is None:
            return [self._process.pid, *descendants(self._process.pid)]
        return descendants(self._init_pid) if self._init_pid is not None else []

    def kill(self) -> None:
        """Kill the process, its process group and its tree, or all that is in its sandbox."""
        self.freeze(frozen=False)
        if self._init_pid is not None and self._process.poll() is None:
            wait_for_exit(kill(self._init_pid))
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        if self._tree:
            self._tree.kill()

    def close(self) -> None:
        """Wait for the end and close all descriptors."""
        self._close()
        os.close(self.exit_fd)

    def _close(self) -> None:
        self._process.wait()
        if self._memory_watch:
            self._memory_watch.join()
        for pipe in self._pipes:
            pipe.close()
        self._release()

    def _release(self) -> None:
        if self._status_fd is not None:
            os.close(self._status_fd)
        if self._begun:
            self._begun.close()
        if self._tree:
            self._tree.close()

    @cached_property
    def _init_pid(self) -> int | None:
        """The first process inside the sandbox, which takes all others with it when it ends."""
        while self._status_fd is not None and wait_readable([self._status_fd], _INIT_SECONDS):
            piece = self._read_status()
            if not piece:
                break
            self._status += piece
            with suppress(ValueError, KeyError):
                return int(json.loads(self._status.partition(b"\n")[0])["child-pid"])
        return None

    def _read_status(self) -> bytes:
        return b"" if self._status_fd is None else os.read(self._status_fd, _STATUS_BYTES)


class HostSandbox:
    """The common part of sandboxes on this machine's own kernel.

    If control groups are available, they cap and end all processes of a bot together.
    """

    clock: Literal["wall", "cpu"] = "cpu"
    uses_host_programs = True
    starts_slowly = False

    def __init__(
        self, quota: Quota | None = None, *, use_cgroups: bool = True, paths: Sequence[str] = ()
    ) -> None:
        """`paths` of this machine are shown, too, if the sandbox hides anything."""
        self._quota = quota or Quota()
        self._paths = paths
        self._trees = process_trees() if use_cgroups else None
        self._caps_memory = self._trees is not None and self._trees.caps_memory
        self.freezes = self._trees is not None and self._trees.freezes

    def image_id(self, runtime: str) -> str:  # noqa: ARG002 (as of every sandbox)
        """Return "": programs are this machine's."""
        return ""

    def missing_image(self, runtime: str) -> str:  # noqa: ARG002 (as of every sandbox)
        """Return "": no program needs one."""
        return ""

    def warning(self) -> str:
        """Return "": there is nothing to know that `arena doctor` does not say."""
        return ""

    @cached_property
    def _modules(self) -> Path:
        """The folder of the arena's numpy; workers get it with the sandbox."""
        return numpy_folder()

    def _watch_memory(self, child: ChildProcess, program: Program) -> ChildProcess:
        """Watch the memory of a program that may reserve more than it may use.

        If its tree has a limit, that is enough. Raises OSError.
        """
        if program.reserves and not self._caps_memory:
            try:
                child.watch_memory(self._quota.memory)
            except RuntimeError as error:  # no thread can be started
                child.kill()
                child.close()
                raise BlockingIOError(errno.EAGAIN, str(error)) from None
        return child

    def _make_tree(self, quota: Quota) -> ProcessTree | None:
        return self._trees.make(quota) if self._trees else None


def process_trees() -> Cgroups | SystemdScopes | None:
    """Return what makes process trees here, if anything: systemd if only that can cap memory."""
    own = cgroups()
    return own if own and own.caps_memory else systemd_scopes() or own


def with_limits(command: Sequence[str], quota: Quota, reserves: int) -> list[str]:
    """Return a command that limits itself before it becomes `command`.

    The kernel's limit of data counts what a process has reserved, used or not: `reserves` is what
    it may reserve beside the memory that it may use.
    """
    data = quota.memory + reserves
    limits = [f"--data={data}", f"--nproc={quota.processes}", f"--nofile={quota.files}"]
    return ["prlimit", *limits, f"--fsize={quota.file_size}", "--core=0", "--", *command]


def too_low_limit(quota: Quota, *, processes: bool) -> Unavailable | None:
    """Return which limit of this process is below what a bot may use, or None if none is.

    `processes`: whether a bot gets a limit on processes of its own.
    """
    wanted = [("open files", RLIMIT_NOFILE, quota.files, "-n")]
    wanted += [("processes", RLIMIT_NPROC, quota.processes, "-u")] if processes else []
    for what, limit, number, option in wanted:
        _, highest = getrlimit(limit)
        if RLIM_INFINITY != highest < number:
            text = f"a bot may use {number} {what}, and the limit here is {highest}"
            return Unavailable(text, f"raise it: ulimit {option} 4096")
    return None


def missing_tools(tools: Sequence[str], hint: str) -> Unavailable | None:
    """Return which tools are missing, or None if all are installed."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return Unavailable(f"{', '.join(missing)} not found", hint) if missing else None


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
