"""The `docker` sandbox: one container per bot, closed on every side but its pipes."""

import json
import os
import socket
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from arena.bots.runtimes import IMAGES, OF_SAMPLES
from arena.bots.sandboxes.base import MODELS, Program, Quota, Unavailable
from arena.bots.sandboxes.docker import engine
from arena.bots.sandboxes.docker.container import (
    PIPES,
    SUPERVISOR,
    AttachedContainer,
    Attachment,
    Container,
    FifoContainer,
)
from arena.bots.sandboxes.docker.reaper import current_run
from arena.bots.sandboxes.kernel.denied import (
    ENGINE_DEFAULTS,
    HIDDEN_PROC,
    HIDDEN_SYS,
    docker_profile,
)
from arena.bots.sandboxes.kernel.processes import new_user
from arena.bots.sandboxes.run_once import SOURCE, copy_first, last_line, run_to_end, started
from arena.io.errors import shortage_in

if TYPE_CHECKING:
    from docker import APIClient

_SWITCH_USER = ["SETGID", "SETPCAP", "SETUID"]
"""The privileges of a container's supervisor, which runs as root; its bot has none."""
_MASKED = [*ENGINE_DEFAULTS, *HIDDEN_PROC, *HIDDEN_SYS]
_INODES = 1024
"""Most files in /tmp."""
_BUILD_INODES = 65_536
"""Most files in /tmp during a build: compilers keep thousands there."""
_MESSAGE_QUEUE_BYTES = 65_536
_NANO_CPUS = 10**9
_ALL_STREAMS = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
_UNSEEN = "the engine does not see this machine's files"
_TRIAL = "trial.txt"
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
        runtimes: frozenset[str] = frozenset(OF_SAMPLES),
        *,
        attach: bool = False,
        pipes: str = PIPES,
        paths: Sequence[str] = (),
    ) -> None:
        """`images` are by runtime; `runtimes` are those in use; `paths` of the host are shown.

        `attach`: talk over the attach socket; `unavailable_reason` sets it if FIFOs do not work.
        """
        self.attach = attach
        self._quota = quota or Quota()
        self._images = dict(images)
        self._runtimes = runtimes
        self._pipes = pipes
        self._paths = paths

    def unavailable_reason(self) -> Unavailable | None:
        """Return why containers do not run here; try each image, by FIFOs, then over the socket.

        Raises ShortageError if the machine lacks something for now.
        """
        images = sorted({self._images[runtime] for runtime in self._runtimes})
        if unavailable := engine.unavailable_reason(images):
            return unavailable
        trial = current_run().folder / _TRIAL
        trial.write_bytes(_HELLO)
        trial.chmod(0o644)  # whatever the umask is
        first, *others = sorted(self._runtimes)
        reason = self._try(first)
        if reason and not self.attach and not shortage_in(reason):
            self.attach = True
            reason = self._try(first)
        if not reason and others:
            with ThreadPoolExecutor(len(others)) as threads:
                reason = next(filter(None, threads.map(self._try, others)), "")
        if not reason:
            return None
        if shortage := shortage_in(reason):
            raise shortage
        hint = "set TMPDIR to a folder that is the same for the engine" if _UNSEEN in reason else ""
        hint = "an image needs sh and setpriv (util-linux)" if "setpriv" in reason else hint
        return Unavailable(reason, hint)

    def image_id(self, runtime: str) -> str:
        """Return the digest of the image of a runtime; its name if the engine does not have it."""
        image = self._images[runtime]
        with engine.api_client() as api:
            return engine.image_id(api, image) or image

    def missing_image(self, runtime: str) -> str:
        """Return the image of a runtime if the engine does not have it, else ""."""
        image = self._images[runtime]
        with engine.api_client() as api:
            return "" if engine.has_image(api, image) else image

    def warning(self) -> str:
        """Return a warning if runc lets containers write through /proc, else ""."""
        return engine.runc_warning()

    def _try(self, runtime: str) -> str:
        """Have a container read a file and echo a line; return what went wrong, or "".

        If it works, note the clock of containers, and whether they can be frozen.
        """
        folder = current_run().folder
        with started(self, Program(folder, ["cat", _TRIAL, "-"], runtime)) as running:
            os.write(running.stdin, _HELLO)
            clock: Literal["wall", "cpu"] = "wall" if running.cpu_time() is None else "cpu"
            freezes = cast("Container", running).freezes
            ran = run_to_end(running, _TRIAL_SECONDS)
        if ran.stdout == _HELLO and b"No such file" in ran.stderr:
            return f"{_UNSEEN}: {folder / _TRIAL}"
        if ran.stdout != 2 * _HELLO:
            return last_line(ran.stderr) or f"a container ended with {ran.code}"
        self.clock, self.freezes = clock, freezes
        return ""

    def start(self, program: Program, *, space: int = 0) -> FifoContainer | AttachedContainer:
        """Start a program and return at once; if that fails, its standard error says why."""
        run = current_run()
        pipes = run.new_pipe_folder()
        user = str(new_user())
        # As root, this process can open files in containers, but not those of a virtual machine.
        sees_files = os.geteuid() == 0 and self.clock == "cpu" and not self.attach
        copies = space > 0 and sees_files
        mode = "rw" if space and not copies else "ro"
        bot_mount = f"{program.folder}:{SOURCE if copies else '/bot'}:{mode}"
        config: dict[str, Any] = {
            "image": self._images[program.runtime],
            "environment": program.environment(MODELS),
            "working_dir": "/bot",
            "hostname": "bot",
            "labels": {engine.LABEL: str(run.folder)},
            "network_disabled": True,
        }
        mounts = [bot_mount, f"{pipes}:{self._pipes}:ro"]
        mounts += [f"{path}:{path}:ro" for path in self._paths]
        mounts += [f"{program.socket.parent}:{MODELS}:ro"] if program.socket else []
        limits = self._limits(mounts, space, program.reserves)
        if copies:
            options = f"rw,exec,nosuid,nodev,size={space},uid={user},gid={user}"
            limits["tmpfs"] |= {"/bot": options}
        if self.attach:
            config |= {"entrypoint": [], "command": list(program.command), "stdin_open": True}
            config["user"] = f"{user}:{user}"
            return AttachedContainer(partial(_launch_attached, config, limits))
        config["entrypoint"] = ["sh", "-c", SUPERVISOR, "supervisor"]
        command = copy_first(program.command) if copies else program.command
        drop = ["--clear-groups", "--bounding-set=-all", "--inh-caps=-all"]
        as_user = ["setpriv", "--reuid", user, "--regid", user, *drop, "--"]
        config |= {"command": [*as_user, *command], "user": "0:0"}
        limits |= {"auto_remove": True, "cap_add": _SWITCH_USER}
        launch = partial(_launch, config, limits)
        return FifoContainer(pipes, launch, engine.is_running, engine.remove, copies=copies)

    def _limits(self, mounts: list[str], space: int, reserves: int) -> dict[str, Any]:
        quota = self._quota.with_space(space)
        inodes = _BUILD_INODES if space else _INODES
        tmpfs = f"rw,noexec,nosuid,nodev,size={quota.file_size},nr_inodes={inodes},mode=1777"
        memory = quota.with_files_in_memory(space).memory
        profile = json.dumps(docker_profile(builds=space > 0))
        # Not nproc: the kernel counts it by user over the whole machine.
        ulimits = {
            "nofile": quota.files,
            "fsize": quota.file_size,
            "data": quota.memory + reserves,
            "core": 0,
            "msgqueue": _MESSAGE_QUEUE_BYTES,
        }
        cores = os.sched_getaffinity(0)
        return {
            "binds": mounts,
            "network_mode": "none",
            "read_only": True,
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges", f"seccomp={profile}"],
            "ipc_mode": "private",
            "mem_limit": memory,
            "memswap_limit": memory,
            "nano_cpus": _NANO_CPUS,
            # A process that is pinned to a core shares it with its bots.
            "cpuset_cpus": str(*cores) if len(cores) == 1 else None,
            "pids_limit": quota.processes,
            "tmpfs": {"/tmp": tmpfs, "/dev/shm": tmpfs},
            "ulimits": [{"Name": name, "Soft": n, "Hard": n} for name, n in ulimits.items()],
            "log_config": {"Type": "none"},
            "init": True,
        }


def _launch(config: Mapping[str, Any], limits: Mapping[str, Any]) -> tuple[str, int]:
    with engine.api_client() as api:
        container, _ = engine.retry_server_errors(partial(_create_and_start, api, config, limits))
        return container, _first_process(api, container)


def _launch_attached(config: Mapping[str, Any], limits: Mapping[str, Any]) -> Attachment:
    with engine.api_client() as api:
        start = partial(_create_and_start, api, config, limits, attach=True)
        container, attached = engine.retry_server_errors(start)
        # Taken over from the SDK, which would neither close it nor leave it open.
        own = socket.socket(fileno=getattr(attached, "_sock", attached).detach())
        own.setblocking(True)
        return Attachment(container, own, _first_process(api, container))


def _create_and_start(
    api: "APIClient", config: Mapping[str, Any], limits: Mapping[str, Any], *, attach: bool = False
) -> tuple[str, Any]:
    """Create and start a container, or leave nothing; return its id and, if asked, its socket."""
    # The SDK has no argument for it.
    host_config = api.create_host_config(**limits) | {"MaskedPaths": _MASKED}
    container = str(api.create_container(**config, host_config=host_config)["Id"])
    try:
        attached = api.attach_socket(container, _ALL_STREAMS) if attach else None
        api.start(container)
    except Exception:
        engine.remove(container)
        raise
    return container, attached


def _first_process(api: "APIClient", container: str) -> int:
    """Return a container's first process by the engine's numbers, or 0 if it is gone."""
    from docker.errors import NotFound

    with suppress(NotFound):
        return int(api.inspect_container(container)["State"]["Pid"])
    return 0
