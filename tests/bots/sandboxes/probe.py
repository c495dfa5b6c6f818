"""The program that looks around in a sandbox and prints what it finds as one JSON object.

It is run there as it is, so it uses the standard library alone.
"""

import ctypes
import json
import mmap
import os
import resource
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
CALLS = {
    "x86_64": {
        "ptrace": 101,
        "mount": 165,
        "unshare": 272,
        "keyctl": 250,
        "bpf": 321,
        "clone": 56,
        "fcntl": 72,
        "inotify_add_watch": 254,
        "io_uring_setup": 425,
        "fspick": 433,
        "clone3": 435,
        "flock": 73,
    },
    "aarch64": {
        "ptrace": 117,
        "mount": 40,
        "unshare": 97,
        "keyctl": 219,
        "bpf": 280,
        "clone": 220,
        "fcntl": 25,
        "inotify_add_watch": 27,
        "io_uring_setup": 425,
        "fspick": 433,
        "clone3": 435,
        "flock": 32,
    },
}
NEW_USER = 0x10000000
SHARED_FOLDERS, LEASE = 0x200, 1024
FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16, "packet": 17, "alg": 38, "vsock": 40}


def error_of(action: Callable[[], object]) -> str:
    """Return the name of the error that an action ends with, or "" if it works."""
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
    """Write 1 MiB files until the disk is full, 64 at most; return how many fit."""
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
    """Return whether a gigabyte of memory can be allocated."""
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


def open_socket(family: int) -> str:
    return error_of(lambda: socket.socket(family, socket.SOCK_DGRAM).close())


def interfaces() -> list[str]:
    lines = Path("/proc/net/dev").read_text(encoding="ascii").splitlines()[2:]
    return [line.split(":")[0].strip() for line in lines]


def names(folder: str) -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def look(request: dict[str, Any]) -> dict[str, object]:
    """`request` has a port, a process id and paths on the host."""
    return {
        "fds": names("/proc/self/fd"),
        "environment": dict(os.environ),
        "session": [os.getpid(), os.getpgid(0), os.getsid(0)],
        "uid": os.getuid(),
        "groups": os.getgroups(),
        "capabilities": int(status("CapEff:"), 16),
        "no_new_privileges": status("NoNewPrivs:"),
        "folder": str(Path.cwd()),
        "interfaces": interfaces(),
        "connect": connect(request["port"]),
        "visible": [path for path in request["paths"] if os.path.lexists(path)],
        "root": names("/"),
        "processes": [int(name) for name in names("/proc") if name.isdigit()],
        "signal": error_of(lambda: os.kill(request["pid"], 0)),
        "write": {
            path: write(path) for path in ("x", "/x", "/usr/x", "/etc/x", "/dev/x", "/tmp/x")
        },
        "calls": {
            "mount": call("mount", 0, 0, 0, 0, 0),
            "unshare": call("unshare", NEW_USER),
            "ptrace": call("ptrace", 0, 0, 0, 0),
            "keyctl": call("keyctl", 0, -3, 0),
            "bpf": call("bpf", 0, 0, 0),
            "clone": call("clone", NEW_USER | SHARED_FOLDERS, 0, 0, 0, 0),
            "fcntl": call("fcntl", 0, LEASE, 0),
            "inotify_add_watch": call("inotify_add_watch", -1, 0, 0),
            "io_uring_setup": call("io_uring_setup", 0, 0),
            "fspick": call("fspick", -1, 0, 0),
        },
        "unknown_calls": {"clone3": call("clone3", 0, 0), "flock": call("flock", 0, 2)},
        "sockets": {name: open_socket(family) for name, family in FAMILIES.items()},
        "shared": error_of(lambda: mmap.mmap(-1, 4096).close()),
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
