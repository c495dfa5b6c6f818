"""The `docker` sandbox: one container a bot, closed on every side but its pipes."""

import itertools
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from multiprocessing.util import Finalize
from typing import TYPE_CHECKING, Any, Literal

from arena.sandboxes.base import ENVIRONMENT, Program, Quota, Running, Unavailable
from arena.sandboxes.docker import engine
from arena.sandboxes.docker.attached import AttachedContainer, Attachment
from arena.sandboxes.docker.container import KEEPER, PIPES, Container
from arena.sandboxes.docker.guard import ALL_IS_WELL
from arena.sandboxes.docker.images import IMAGES
from arena.sandboxes.docker.profile import profile
from arena.sandboxes.run_folder import RunFolder

if TYPE_CHECKING:
    from docker import APIClient

_FIRST_UID = 1_000_000
_SLOTS = 64
"""More containers than one process ever runs at once."""
_INODES = 1024
_QUEUE_BYTES = 65_536
"""Of messages in POSIX queues."""
_CORE_NANOS = 10**9
_ALL_STREAMS = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
_HELLO = b"perudo\n"
_TRIAL_SECONDS = 30.0


class DockerSandbox:
    """Runs a bot in a container without network, privileges, or anything to write but /tmp."""

    name = "docker"
    clock: Literal["wall", "cpu"] = "wall"
    isolates = True
    freezes = False
    uses_host_programs = False
    starts_slowly = True

    def __init__(
        self,
        quota: Quota | None = None,
        images: Mapping[str, str] = IMAGES,
        runtimes: frozenset[str] = frozenset(IMAGES),
        *,
        attach: bool = False,
    ) -> None:
        """`images` by runtime, of which `runtimes` are used.

        `attach`: over the attach socket; `unavailable_reason` sets it where FIFOs don't work.
        """
        self.attach = attach
        self._quota = quota or Quota()
        self._images = dict(images)
        self._runtimes = runtimes

    def unavailable_reason(self) -> Unavailable | None:
        """Return what keeps the bots' containers from running here; None when nothing does.

        Containers of each image are tried, over FIFOs and, where those fail, over the socket.
        """
        images = sorted({self._images[runtime] for runtime in self._runtimes})
        if found := engine.unavailable_reason(images):
            return found
        first, *others = sorted(self._runtimes)
        reason = self._try(first)
        if reason and not self.attach:
            self.attach = True
            reason = self._try(first)
        if not reason and others:
            with ThreadPoolExecutor(len(others)) as threads:
                reason = next(filter(None, threads.map(self._try, others)), "")
        return Unavailable(reason) if reason else None

    def _try(self, runtime: str) -> str:
        """Have a container say a word back; returns what went wrong.

        Learns on the way whether this user can see and freeze the groups of containers.
        """
        running = self._start(Program(_crew().folder.path, ["cat"], runtime), writable=False)
        try:
            os.write(running.stdin, _HELLO)
            select.select([running.stdout, running.exit_fd], [], [], _TRIAL_SECONDS)
            with suppress(BlockingIOError):
                if os.read(running.stdout, len(_HELLO)) == _HELLO:
                    self.clock = "wall" if running.cpu() is None else "cpu"
                    self.freezes = running.freezes
                    return ""
            return _last_words(running)
        finally:
            running.kill()
            running.close()

    def start(self, program: Program, *, writable: bool = False) -> Running:
        """Start a program in a container with its folder mounted at /bot.

        It is started while the caller goes on; where that fails, the program's standard error says
        why.
        """
        return self._start(program, writable=writable)

    def _start(self, program: Program, *, writable: bool) -> Container | AttachedContainer:
        number, folder = _crew().new_folder()
        uid = _FIRST_UID + os.getpid() * _SLOTS + number % _SLOTS
        mounts = [f"{program.folder}:/bot:{'rw' if writable else 'ro'}", f"{folder}:{PIPES}:ro"]
        config: dict[str, Any] = {
            "image": self._images[program.runtime],
            "command": list(program.command),
            "user": f"{uid}:{uid}",
            "environment": ENVIRONMENT,
            "working_dir": "/bot",
            "hostname": "bot",
            "labels": {engine.LABEL: str(_crew().folder.path)},
            "network_disabled": True,
        }
        limits = self._limits(mounts)
        if self.attach:
            config |= {"entrypoint": [], "stdin_open": True}
            attach = partial(_launch_attached, config, limits)
            return AttachedContainer(attach, engine.wait, engine.remove)
        config["entrypoint"] = ["sh", "-c", KEEPER, "keeper"]
        launch = partial(_launch, config, limits | {"auto_remove": True})
        return Container(folder, launch, engine.is_running, engine.remove)

    def _limits(self, mounts: list[str]) -> dict[str, Any]:
        quota = self._quota
        tmpfs = f"rw,noexec,nosuid,nodev,size={quota.file_size},nr_inodes={_INODES},mode=1777"
        return {
            "binds": mounts,
            "network_mode": "none",
            "read_only": True,
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges", f"seccomp={json.dumps(profile())}"],
            "ipc_mode": "private",
            "mem_limit": quota.memory,
            "memswap_limit": quota.memory,
            "nano_cpus": _CORE_NANOS,
            "cpuset_cpus": _core(),
            "pids_limit": quota.processes,
            "tmpfs": {"/tmp": tmpfs, "/dev/shm": tmpfs},
            "ulimits": _ulimits(quota),
            "log_config": {"Type": "none"},
            "init": True,
        }


def _launch(config: Mapping[str, Any], limits: Mapping[str, Any]) -> tuple[str, int | None]:
    with engine.api_client() as api:
        made = engine.retry_server_errors(partial(_started, api, config, limits))
        return made, _first_process(api, made)


def _launch_attached(config: Mapping[str, Any], limits: Mapping[str, Any]) -> Attachment:
    sockets: list[Any] = []

    def attach(made: str) -> None:
        sockets.append(api.attach_socket(made, _ALL_STREAMS))

    with engine.api_client() as api:
        made = engine.retry_server_errors(partial(_started, api, config, limits, attach))
        # Taken over from the SDK, which would neither close it nor leave it open.
        carrier = socket.socket(fileno=getattr(sockets[-1], "_sock", sockets[-1]).detach())
        carrier.setblocking(True)
        return Attachment(made, carrier, _first_process(api, made))


def _started(
    api: "APIClient",
    config: Mapping[str, Any],
    limits: Mapping[str, Any],
    prepare: Callable[[str], None] | None = None,
) -> str:
    """Create and start a container and return its id; nothing of it stays where that fails."""
    host_config = api.create_host_config(**limits)
    made = str(api.create_container(**config, host_config=host_config)["Id"])
    try:
        if prepare:
            prepare(made)
        api.start(made)
    except Exception:
        engine.remove(made)
        raise
    return made


def _first_process(api: "APIClient", container: str) -> int | None:
    """Return the first process of a container, as the engine's machine knows it."""
    from docker.errors import NotFound

    with suppress(NotFound):
        return int(api.inspect_container(container)["State"]["Pid"])
    return None


def _last_words(running: Running) -> str:
    """End a program; returns what it said on standard error, or how it ended."""
    running.kill()
    with suppress(BlockingIOError):
        if said := " ".join(os.read(running.stderr, 4096).decode("utf-8", "replace").split()):
            return said
    return f"a container ended with {running.exit_code()}"


def _ulimits(quota: Quota) -> list[dict[str, Any]]:
    # Not nproc: the kernel counts it by user over the whole machine.
    limits = {
        "nofile": quota.files,
        "fsize": quota.file_size,
        "data": quota.memory,
        "core": 0,
        "msgqueue": _QUEUE_BYTES,
    }
    return [{"Name": name, "Soft": most, "Hard": most} for name, most in limits.items()]


def _core() -> str | None:
    """Return the core that this process is pinned to, for its bots; None where it has several."""
    cores = os.sched_getaffinity(0)
    return str(*cores) if len(cores) == 1 else None


class _Crew:
    """The containers of this process: a folder for their pipes, and a guard that outlives it."""

    def __init__(self) -> None:
        engine.remove_abandoned()
        self.folder = RunFolder()
        self._numbers = itertools.count()
        self._guard = subprocess.Popen(
            [sys.executable, "-m", "arena.sandboxes.docker.guard", str(self.folder.path)],
            stdin=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        # Unlike what `atexit` knows, it is called at the end of worker processes, too.
        Finalize(None, self.end, exitpriority=0)

    def new_folder(self) -> tuple[int, Any]:
        number = next(self._numbers)
        folder = self.folder.path / str(number)
        folder.mkdir(mode=0o755)
        return number, folder

    def end(self) -> None:
        """Remove the folder: every container was ended by whoever started it."""
        self._guard.communicate(ALL_IS_WELL)
        self.folder.remove()


@cache
def _crew() -> _Crew:
    return _Crew()
