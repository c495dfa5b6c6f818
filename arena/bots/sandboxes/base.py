"""The interface of all sandboxes: a `Sandbox` starts a `Program`, which is then `Running`."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.runtimes import reserved_by
from arena.io.files import is_noexec, program_folder

PATH = "/usr/local/bin:/usr/bin:/bin"
"""Searched for a bot's command, in every sandbox."""
ENVIRONMENT = {
    "PATH": PATH,
    "LANG": "C.UTF-8",
    "HOME": "/tmp",
    "TMPDIR": "/tmp",
    # numpy would start a thread for each core of the machine; a bot has one core.
    "OPENBLAS_NUM_THREADS": "1",
}
"""The whole environment of a bot, without the socket of its models and the path of numpy."""
MODELS = "/run/models"
"""The mount point of the folder with the socket of a bot's models."""
_MODELS_VARIABLE = "ARENA_MODELS"
MIB = 1024 * 1024
GET_ISOLATION = "sudo apt-get install bubblewrap"
"""The command that installs the sandbox that isolates bots with the least trouble."""


class Quota(Struct, frozen=True):
    """The most that one bot may use of the machine."""

    memory: int = 512 * MIB
    """Bytes in use per process; with a control group, of all the bot's processes together."""
    processes: int = 64
    files: int = 256
    """Open files per process: R does not start with 160, all other languages do with 32."""
    file_size: int = 16 * MIB
    """Largest file written, in bytes; also the size of /tmp if the sandbox has its own."""

    def with_space(self, space: int) -> "Quota":
        """Return the quota of a build, which may fill its folder and /tmp with `space` each."""
        return replace(self, file_size=max(self.file_size, space))

    def with_files_in_memory(self, space: int) -> "Quota":
        """Return the quota of all processes of a build together, if its files are in memory."""
        return replace(self, memory=self.memory + 2 * space)


class Program(NamedTuple):
    """A command that a sandbox can start, and the folder that it runs in."""

    folder: Path
    command: Sequence[str]
    runtime: str = "any"
    """The runtime in its bot.yaml; selects a container's image."""
    models: tuple[str, ...] = ()
    """The language models that it may ask."""
    socket: Path | None = None
    """The socket at which it asks them, alone in its folder; None if there is none."""

    @property
    def reserves(self) -> int:
        """Bytes that it may reserve beyond those that it may use."""
        return reserved_by(self.runtime, self.command[0])

    def environment(self, mounted: str = "", modules: str = "") -> dict[str, str]:
        """Return its whole environment.

        `mounted` is where it finds the folder of its socket. Without it, the program sees the files
        of this machine, where /tmp may be mounted noexec. `modules` is a folder of packages for its
        Python.
        """
        variables = dict(ENVIRONMENT)
        if modules:
            variables["PYTHONPATH"] = modules
        if not mounted and is_noexec(Path(variables["TMPDIR"])):
            variables["TMPDIR"] = str(program_folder())
        if self.socket is not None:
            path = Path(mounted) / self.socket.name if mounted else self.socket
            variables[_MODELS_VARIABLE] = str(path)
        return variables


class Running(Protocol):
    """A program from its start to its end, and its three pipes as non-blocking descriptors."""

    stdin: int
    stdout: int
    stderr: int
    exit_fd: int
    """Becomes readable when the program has ended."""
    freezes_quickly: bool
    """Whether freezing takes less than a thousandth of a second."""

    def open_folder(self) -> int | None:
        """Let a build begin; return a descriptor of the copy that it changes, which you close.

        None if it changes its folder itself, or has failed already. Raises OSError.
        """

    def end_input(self) -> None:
        """Close the program's standard input."""

    def exit_code(self) -> int:
        """Wait for the program to end; return its exit code, or -n if signal n ended it."""

    def ran(self) -> bool:
        """Return whether the program itself was started; call it once all has ended.

        If not, the sandbox could not start it, and standard error mostly says why. A program cannot
        feign that.
        """

    def lacked_processes(self) -> bool:
        """Return whether the machine refused it a process though it had fewer than it may have.

        False if unknown.
        """

    def cpu_time(self) -> float | None:
        """Return the CPU time used so far, in seconds, or None if unknown."""

    def is_busy(self) -> bool | None:
        """Return whether one of its threads runs or waits for a processor; None if unknown.

        False means that all of them sleep or wait for something else.
        """

    def pid(self) -> int | None:
        """Return the program's process id on this machine; None if unknown."""

    def peak_memory(self) -> int | None:
        """Return the most bytes that its largest process has held; None if unknown."""

    def freeze(self, *, frozen: bool) -> None:
        """Freeze or thaw the program and its children, if the sandbox can."""

    def kill(self) -> None:
        """Kill the program and all that it started, as far as the sandbox tracks it."""

    def close(self) -> None:
        """Wait for the end and close all descriptors."""


class Unavailable(NamedTuple):
    """Why a sandbox does not work on this machine."""

    what: str
    hint: str = ""
    """How to fix it; "" if unknown."""

    def in_words(self) -> str:
        """Return both in a line."""
        return f"{self.what} ({self.hint})" if self.hint else self.what


class Sandbox(Protocol):
    """A way to run programs. To add one, see `registry.SANDBOXES`."""

    name: str
    clock: Literal["wall", "cpu"]
    """The time of a bot that it can measure; final once `unavailable_reason` has returned None."""
    isolates: bool
    """Whether untrusted bots may run in it."""
    freezes: bool
    """Whether it can freeze a bot; final once `unavailable_reason` has returned None."""
    uses_host_programs: bool
    """Whether interpreters and compilers are this machine's, not an image's."""
    starts_slowly: bool
    """Whether programs are worth starting long before they are needed."""

    def unavailable_reason(self) -> Unavailable | None:
        """Return why it does not work on this machine, or None if it does."""

    def image_id(self, runtime: str) -> str:
        """Return the id of the image of a runtime; "" if programs are this machine's."""

    def missing_image(self, runtime: str) -> str:
        """Return the image of a runtime if it is missing, else "".

        Raises ArenaError if the engine that has the images does not answer.
        """

    def warning(self) -> str:
        """Return a warning for the operator of a league before it begins; "" if there is none."""

    def start(self, program: Program, *, space: int = 0) -> Running:
        """Start a program, or raise OSError; its folder is read-only.

        A build needs `space`, in bytes: its folder is writable and, where possible, a copy that can
        hold no more. Call `open_folder` next.
        """


def command_exists(command: Sequence[str], folder: Path) -> bool:
    """Return whether a command's program is in the folder or on this machine's PATH for bots."""
    program = command[0]
    if "/" in program:
        return (folder / program).is_file()
    return shutil.which(program, path=PATH) is not None


class PassingSandbox:
    """Describes itself as the sandbox behind it; subclasses start programs there."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.name = sandbox.name
        self.clock = sandbox.clock
        self.isolates = sandbox.isolates
        self.freezes = sandbox.freezes
        self.uses_host_programs = sandbox.uses_host_programs
        self.starts_slowly = sandbox.starts_slowly

    def unavailable_reason(self) -> None:
        """Return None: the sandbox behind it was tried before."""

    def image_id(self, runtime: str) -> str:
        """Return the id of the image of a runtime; "" if programs are this machine's."""
        return self._sandbox.image_id(runtime)

    def missing_image(self, runtime: str) -> str:
        """Return the image of a runtime if it is missing, else "".

        Raises ArenaError if the engine that has the images does not answer.
        """
        return self._sandbox.missing_image(runtime)

    def warning(self) -> str:
        """Return a warning for the operator of a league before it begins; "" if there is none."""
        return self._sandbox.warning()


class ObservedSandbox(PassingSandbox):
    """Passes everything to another sandbox, and remembers the program that it started last."""

    running: Running
    """The program that it started last."""

    def start(self, program: Program, *, space: int = 0) -> Running:
        """Start a program; raises OSError."""
        self.running = self._sandbox.start(program, space=space)
        return self.running
