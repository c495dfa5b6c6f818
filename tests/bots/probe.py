"""The program that looks around inside a sandbox: it prints what it finds as one JSON object.

It is run there as it stands, so it uses the standard library alone.
"""

import ctypes
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
CALLS = {
    "x86_64": {
        "clone": 56, "ptrace": 101, "mount": 165, "unshare": 272, "keyctl": 250, "bpf": 321,
    },
    "aarch64": {
        "clone": 220, "ptrace": 117, "mount": 40, "unshare": 97, "keyctl": 219, "bpf": 280,
    },
}  # fmt: skip
CLONE3 = 435
NEW_USER = 0x10000000


def error_of(action: Callable[[], object]) -> str:
    """Return the name of the error that an action ends with; "" when it works."""
    try:
        action()
    except OSError as error:
        return os.strerror(error.errno or 0)
    return ""


def call(name: str, *arguments: int) -> str:
    """Return the error of a bare system call."""
    if LIBC.syscall(CALLS[os.uname().machine][name], *arguments) != -1:
        return ""
    return os.strerror(ctypes.get_errno())


def clone(flags: int) -> str:
    """Return the error of starting a process by the oldest system call for it."""
    child = LIBC.syscall(CALLS[os.uname().machine]["clone"], flags | signal.SIGCHLD, 0, 0, 0, 0)
    if not child:
        os._exit(0)
    if child == -1:
        return os.strerror(ctypes.get_errno())
    os.waitpid(child, 0)
    return ""


def clone3() -> str:
    """Return the error of the newest one, which takes its flags in memory, out of a filter's sight.

    Its arguments are too short to be valid.
    """
    LIBC.syscall(CLONE3, bytes(64), 8)
    return os.strerror(ctypes.get_errno())


def status(field: str) -> str:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(line.split()[1] for line in lines if line.startswith(field))


def write(path: str) -> str:
    return error_of(lambda: Path(path).write_bytes(b"x"))


def connect(port: int) -> str:
    def action() -> None:
        with socket.socket() as connection:
            connection.connect(("127.0.0.1", port))

    return error_of(action)


def fill(folder: str) -> int:
    """Write 1 MiB files until there is no room, 64 at most; return how many there was room for."""
    files: list[Path] = []
    try:
        while len(files) < 64:
            files.append(Path(folder, f"fill{len(files)}"))
            files[-1].write_bytes(bytes(2**20))
    except OSError:
        return len(files) - 1
    finally:
        for file in files:
            file.unlink()
    return len(files)


def hog() -> bool:
    """Tell whether a gigabyte can be had."""
    try:
        bytearray(2**30)
    except MemoryError:
        return False
    return True


def open_many() -> int:
    files: list[int] = []
    try:
        while len(files) < 1000:
            files.append(os.open("/dev/null", 0))
    except OSError:
        return len(files)
    finally:
        for file in files:
            os.close(file)
    return len(files)


def names(folder: str) -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def look(asked: dict[str, Any]) -> dict[str, object]:
    """`asked` names a port, a process id and paths on the host."""
    return {
        "fds": names("/proc/self/fd"),
        "environment": dict(os.environ),
        "session": [os.getpid(), os.getpgid(0), os.getsid(0)],
        "uid": os.getuid(),
        "groups": os.getgroups(),
        "capabilities": int(status("CapEff:"), 16),
        "no_new_privileges": status("NoNewPrivs:"),
        "folder": str(Path.cwd()),
        "interfaces": [name for _, name in socket.if_nameindex()],
        "connect": connect(asked["port"]),
        "visible": [path for path in asked["paths"] if os.path.lexists(path)],
        "root": names("/"),
        "processes": [int(name) for name in names("/proc") if name.isdigit()],
        "signal": error_of(lambda: os.kill(asked["pid"], 0)),
        "write": {
            path: write(path) for path in ("x", "/x", "/usr/x", "/etc/x", "/dev/x", "/tmp/x")
        },
        # Before it lets itself be traced: then its child's end would stop it.
        "plain clone": clone(0),
        "clone3": clone3(),
        "calls": {
            "mount": call("mount", 0, 0, 0, 0, 0),
            "unshare": call("unshare", NEW_USER),
            "clone": clone(NEW_USER),
            "ptrace": call("ptrace", 0, 0, 0, 0),
            "keyctl": call("keyctl", 0, -3, 0),
            "bpf": call("bpf", 0, 0, 0),
        },
        "limits": {
            name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
            for name in ("NPROC", "NOFILE", "FSIZE", "CORE", "DATA")
        },
        "hogged": hog(),
        "opened": open_many(),
    }


if __name__ == "__main__":
    request = json.loads(sys.stdin.readline())
    found = {"filled": fill(request["fill"])} if "fill" in request else look(request)
    print(json.dumps(found))
