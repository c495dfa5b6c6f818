"""Where bots run: one interface, and the choice of the strongest sandbox that works here."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where a bot's command is looked for, in every sandbox."""
ENVIRONMENT = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": "/tmp", "TMPDIR": "/tmp"}
"""All that a bot sees of the environment."""
MIB = 1024 * 1024


class Quota(Struct, frozen=True):
    """What one bot may use of the machine."""

    memory: int = 512 * MIB
    """Data a process may hold, in bytes."""
    processes: int = 64
    files: int = 64
    """Open files a process."""
    file_size: int = 16 * MIB
    """Largest file written, in bytes; also the size of /tmp where the sandbox has its own."""


class Started(Struct, frozen=True):
    """A process that has just been started; its three pipes are open and unbuffered."""

    process: "subprocess.Popen[bytes]"
    info: int | None = None
    """A pipe on which the sandbox says which process is the bot; None where it is `process`."""


class Sandbox(Protocol):
    """A way to run a command on a bot's folder."""

    name: str
    clock: Literal["wall", "cpu"]
    """What it can time answers by."""
    isolates: bool
    """Whether bots that nobody vetted may run in it."""

    def why_not(self) -> str:
        """Return why it does not work on this machine; "" when it does."""
        ...

    def start(self, folder: Path, command: Sequence[str], *, writable: bool = False) -> Started:
        """Start a command in a bot's folder, which is read-only unless `writable` (for a build)."""
        ...


def spawn(
    argv: Sequence[str], folder: Path, *, pass_fds: Sequence[int] = (), info: int | None = None
) -> Started:
    """Start a process in a session of its own with pipes to it; raises OSError."""
    process = subprocess.Popen(
        list(argv),
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=ENVIRONMENT,
        start_new_session=True,
        pass_fds=list(pass_fds),
    )
    return Started(process, info)


def with_limits(command: Sequence[str], quota: Quota) -> list[str]:
    """Return a command that puts limits on itself before it becomes the bot."""
    return [
        "prlimit",
        f"--data={quota.memory}",
        f"--nproc={quota.processes}",
        f"--nofile={quota.files}",
        f"--fsize={quota.file_size}",
        "--core=0",
        "--",
        *command,
    ]


def find_command(command: Sequence[str], folder: Path) -> bool:
    """Tell whether the program that a command names exists on this machine or in the folder."""
    program = command[0]
    if "/" in program:
        return (folder / program).is_file()
    return shutil.which(program, path=PATH) is not None


def needs(tools: Sequence[str]) -> str:
    """Return which tools are missing, as a reason; "" when all are here."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return f"{', '.join(missing)} not found" if missing else ""
