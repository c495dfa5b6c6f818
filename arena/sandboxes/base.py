"""Where bots run: what is started, what runs, and the one interface of all sandboxes."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct

PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where a bot's command is looked for, in every sandbox."""
ENVIRONMENT = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": "/tmp", "TMPDIR": "/tmp"}
"""All that a bot sees of the environment."""
MIB = 1024 * 1024


class Quota(Struct, frozen=True):
    """What one bot may use of the machine."""

    memory: int = 512 * MIB
    """Data a process may hold, in bytes; where the tree has a control group, all of it together."""
    processes: int = 64
    files: int = 64
    """Open files a process."""
    file_size: int = 16 * MIB
    """Largest file written, in bytes; also the size of /tmp where the sandbox has its own."""


class Program(NamedTuple):
    """What a sandbox can start: a command, and the folder that it belongs to."""

    folder: Path
    command: Sequence[str]
    runtime: str = "any"
    """What it is written for, as in bot.yaml."""


class Running(Protocol):
    """A program from its start to its end, and its three pipes as non-blocking descriptors."""

    stdin: int
    stdout: int
    stderr: int
    exit_fd: int
    """Becomes readable when the program has ended."""

    def end_input(self) -> None:
        """Close the program's standard input."""
        ...

    def exit_code(self) -> int:
        """Wait for the end of the program; returns its exit code, or -n where signal n ended it."""
        ...

    def cpu(self) -> float | None:
        """Return the seconds of processor time used so far; None where that cannot be told."""
        ...

    def freeze(self, *, frozen: bool) -> None:
        """Stop or go on with the program and what it started, where the sandbox can."""
        ...

    def kill(self) -> None:
        """End the program and what it started, as far as the sandbox holds it together."""
        ...

    def close(self) -> None:
        """Wait for the end and close all descriptors."""
        ...


class Unavailable(NamedTuple):
    """Why a sandbox does not work on this machine, and what would mend it ("" where unknown)."""

    what: str
    hint: str = ""


class Sandbox(Protocol):
    """A way to run a command on a bot's folder."""

    name: str
    clock: Literal["wall", "cpu"]
    """What it can time answers by."""
    isolates: bool
    """Whether bots that nobody vetted may run in it."""
    freezes: bool
    """Whether it can freeze a bot."""
    uses_host_programs: bool
    """Whether interpreters and compilers are this machine's, not an image's."""
    starts_slowly: bool
    """Whether it pays to start a program long before it is needed."""

    def unavailable_reason(self) -> Unavailable | None:
        """Return why it does not work on this machine; None when it does."""
        ...

    def start(self, program: Program, *, writable: bool = False) -> Running:
        """Start a program; its folder is read-only unless `writable` (for a build).

        Raises OSError where it cannot be started.
        """
        ...


def command_exists(command: Sequence[str], folder: Path) -> bool:
    """Tell whether the program that a command names exists on this machine or in the folder."""
    program = command[0]
    if "/" in program:
        return (folder / program).is_file()
    return shutil.which(program, path=PATH) is not None


def missing_tools(tools: Sequence[str], hint: str) -> Unavailable | None:
    """Return which tools are missing; None when all are here."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return Unavailable(f"{', '.join(missing)} not found", hint) if missing else None
