"""Attempts to escape the sandbox: files, processes, the kernel, the network, the terminal."""

import ctypes
import fcntl
import os
import signal
import socket
import stat
import struct
import sys
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from .frame import TARGETS, attempt, processes, try_each

_ALLOWED = {
    "PATH", "LANG", "HOME", "TMPDIR", "PWD", "HOSTNAME", "OPENBLAS_NUM_THREADS", "PYTHONPATH",
}  # fmt: skip
_CALLS = {
    "x86_64": {
        "clone": 56, "ptrace": 101, "mount": 165, "adjtimex": 159, "keyctl": 250, "unshare": 272,
        "setns": 308, "process_vm_readv": 310, "bpf": 321, "userfaultfd": 323,
        "perf_event_open": 298, "open_by_handle_at": 304,
    },
    "aarch64": {
        "clone": 220, "ptrace": 117, "mount": 40, "adjtimex": 171, "keyctl": 219, "unshare": 97,
        "setns": 268, "process_vm_readv": 270, "bpf": 280, "userfaultfd": 282,
        "perf_event_open": 241, "open_by_handle_at": 265,
    },
}  # fmt: skip
_CLONE3, _IO_URING_SETUP = 435, 425
_ATTACH, _NEW_USER, _NEW_EVERYTHING = 16, 0x10000000, 0x7E020000
_LIBC = ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    """Make a bare system call; raises OSError."""
    found = _LIBC.syscall(number, *arguments)
    if found == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return int(found)


def _system_call(name: str, *arguments: object) -> Callable[[], int]:
    return lambda: _call(_CALLS[os.uname().machine][name], *arguments)


# ---------------------------------------------------------------- files and processes


@attempt
def reads_the_program_of_another_bot() -> list[str]:
    beside = [path for path in Path("..").glob("*/bot.*") if path.exists()]
    others = [path for path in beside if path.parent.resolve() != Path.cwd()]
    found = try_each(by_its_path=Path(TARGETS["other_bot"]).read_bytes)
    return found + [str(path) for path in others]


@attempt
def reads_the_store() -> list[str]:
    return try_each(
        by_its_path=Path(TARGETS["store"]).read_bytes,
        by_the_arena=Path(f"/proc/{TARGETS['pid']}/root/{TARGETS['store']}").read_bytes,
    )


@attempt
def reads_the_environment_of_the_arena() -> list[str]:
    """Any variable of any process that the bot itself does not have."""
    found = set()
    for process in processes():
        with suppress(OSError):
            pairs = (process / "environ").read_bytes().split(b"\0")
            found |= {pair.partition(b"=")[0].decode() for pair in pairs if pair} - _ALLOWED
    return sorted(found)


@attempt
def imports_the_arena_and_its_packages() -> list[str]:
    """By the folder in which it finds numpy, which an image has elsewhere."""
    place = Path(os.environ.get("PYTHONPATH", "/opt/python"))
    folders = [place, *place.glob("*/")]
    sys.path += map(str, folders)
    found = [name for name in ("arena", "msgspec", "trueskill", "pytest") if find_spec(name)]
    return found + [str(path) for folder in folders for path in folder.glob("*.dist-info")]


@attempt
def lists_other_processes() -> list[str]:
    """Its own processes have the mark, but for the first in its namespace."""
    found = []
    for process in processes():
        with suppress(OSError):
            command = (process / "cmdline").read_bytes()
            if command and TARGETS["mark"].encode() not in command and process.name != "1":
                found.append(process.name)
    return found


@attempt
def signals_the_arena() -> list[str]:
    return try_each(signal=lambda: os.kill(TARGETS["pid"], 0))


@attempt
def reads_the_memory_and_files_of_the_arena() -> list[str]:
    """Through /proc."""
    arena = Path(f"/proc/{TARGETS['pid']}")
    return try_each(
        memory=(arena / "maps").read_bytes,
        files=lambda: list((arena / "fd").iterdir()),
    )


@attempt
def writes_into_the_folder_of_its_fifos() -> list[str]:
    """If its standard input is a FIFO with a name."""
    folder = Path("/proc/self/fd/0").readlink().parent
    return try_each(
        file=(folder / TARGETS["mark"]).touch,
        fifo=lambda: os.mkfifo(folder / f"{TARGETS['mark']}-fifo"),
        removal=Path("/proc/self/fd/0").readlink().unlink,
    )


# ---------------------------------------------------------------- the kernel


@attempt
def traces_another_process() -> list[str]:
    child = os.fork()
    if not child:
        signal.pause()
    zero = ctypes.c_void_p(0)
    found = try_each(attach=_system_call("ptrace", _ATTACH, child, zero, zero))
    os.kill(child, signal.SIGKILL)
    return found


@attempt
def becomes_root() -> list[str]:
    return try_each(
        user=lambda: os.setuid(0), group=lambda: os.setgid(0), groups=lambda: os.setgroups([0])
    )


@attempt
def mounts_a_file_system() -> list[str]:
    none = ctypes.c_char_p(b"none")
    return try_each(
        mount=_system_call(
            "mount", none, ctypes.c_char_p(b"/tmp"), ctypes.c_char_p(b"tmpfs"), 0, None
        )
    )


@attempt
def makes_a_device() -> list[str]:
    """The machine's memory, and a disk."""
    return try_each(
        memory=lambda: os.mknod("/tmp/mem", stat.S_IFCHR | 0o666, os.makedev(1, 1)),
        disk=lambda: os.mknod("/tmp/disk", stat.S_IFBLK | 0o666, os.makedev(8, 0)),
    )


@attempt
def makes_a_user_namespace() -> list[str]:
    """A process is root in it, and may use parts of the kernel that only root may."""
    rest = (0, 0, 0, int(signal.SIGCHLD), 0, 0, 0)
    return try_each(
        unshare=_system_call("unshare", _NEW_USER),
        clone=lambda: _forked(
            _system_call("clone", _NEW_USER | signal.SIGCHLD, None, None, None, None)
        ),
        clone_all=lambda: _forked(
            _system_call("clone", _NEW_EVERYTHING | signal.SIGCHLD, None, None, None, None)
        ),
        clone3=lambda: _forked(lambda: _call(_CLONE3, struct.pack("8Q", _NEW_USER, *rest), 64)),
    )


def _forked(clone: Callable[[], int]) -> None:
    child = clone()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


@attempt
def changes_its_root_directory() -> list[str]:
    return try_each(chroot=lambda: os.chroot("/tmp"))


@attempt
def sets_the_clock() -> list[str]:
    """Forward by a second."""
    offset_mode = struct.pack("Iq", 1, 1).ljust(208, b"\0")
    return try_each(
        set=lambda: time.clock_settime(time.CLOCK_REALTIME, time.time() + 1),
        adjust=_system_call("adjtimex", offset_mode),
    )


@attempt
def makes_dangerous_system_calls() -> list[str]:
    parameters = bytes(120)
    return try_each(
        keyring=_system_call("keyctl", 0, -3, 0),
        bpf=_system_call("bpf", 0, parameters, 48),
        userfaultfd=_system_call("userfaultfd", 1),
        io_uring=lambda: _call(_IO_URING_SETUP, 1, parameters),
        perf=_system_call(
            "perf_event_open", struct.pack("II", 1, 112).ljust(112, b"\0"), 0, -1, -1, 0
        ),
        namespace=_system_call("setns", 0, 0),
        peek=_system_call("process_vm_readv", TARGETS["pid"], None, 0, None, 0, 0),
    )


# ---------------------------------------------------------------- network and terminal


@attempt
def connects_to_the_machine() -> list[str]:
    """By TCP, and by an abstract Unix socket, which no file system hides."""

    def connect(family: socket.AddressFamily, address: tuple[str, int] | str) -> None:
        with socket.socket(family) as connection:
            connection.connect(address)

    return try_each(
        tcp=lambda: connect(socket.AF_INET, ("127.0.0.1", TARGETS["tcp"])),
        abstract=lambda: connect(socket.AF_UNIX, "\0" + TARGETS["abstract"]),
    )


@attempt
def queries_a_name_server() -> list[str]:
    """One on this machine, and one in a network reserved for documentation."""

    def ask(address: tuple[str, int]) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.connect(address)
            server.send(bytes(12))
            if error := server.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                raise OSError(error, "refused")

    return try_each(
        here=lambda: ask(("127.0.0.1", TARGETS["udp"])), there=lambda: ask(("192.0.2.53", 53))
    )


@attempt
def opens_a_raw_socket() -> list[str]:
    return try_each(
        ip=lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close(),
        packets=lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close(),
    )


@attempt
def types_into_the_terminal() -> list[str]:
    def type_into(terminal: int) -> None:
        fcntl.ioctl(terminal, termios.TIOCSTI, b"x")

    return try_each(
        dev_tty=lambda: os.close(os.open("/dev/tty", os.O_RDWR)),
        input=lambda: type_into(0),
        errors=lambda: type_into(2),
    )
