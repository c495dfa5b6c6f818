"""A seccomp filter for bots: system calls that no bot needs fail with EPERM."""

import platform
from struct import pack

_ARCHES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000

# Numbers from the kernel's tables (asm/unistd_64.h and asm-generic/unistd.h).
_DENIED = {
    "x86_64": {
        "ptrace": 101, "syslog": 103, "personality": 135, "pivot_root": 155, "adjtimex": 159,
        "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166,
        "swapon": 167, "swapoff": 168, "reboot": 169, "init_module": 175, "delete_module": 176,
        "quotactl": 179, "clock_settime": 227, "mbind": 237, "kexec_load": 246, "add_key": 248,
        "request_key": 249, "keyctl": 250, "unshare": 272, "move_pages": 279,
        "perf_event_open": 298, "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310,
        "process_vm_writev": 311, "finit_module": 313, "memfd_create": 319, "kexec_file_load": 320,
        "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425, "io_uring_enter": 426,
        "io_uring_register": 427, "open_tree": 428, "move_mount": 429, "fsopen": 430,
        "fsmount": 432, "pidfd_getfd": 438, "mount_setattr": 442, "memfd_secret": 447,
    },
    "aarch64": {
        "umount2": 39, "mount": 40, "pivot_root": 41, "quotactl": 60, "chroot": 51, "acct": 89,
        "personality": 92, "unshare": 97, "kexec_load": 104, "init_module": 105,
        "delete_module": 106, "clock_settime": 112, "syslog": 116, "ptrace": 117, "reboot": 142,
        "settimeofday": 170, "adjtimex": 171, "add_key": 217, "request_key": 218, "keyctl": 219,
        "swapon": 224, "swapoff": 225, "mbind": 235, "move_pages": 239, "perf_event_open": 241,
        "open_by_handle_at": 265, "setns": 268, "process_vm_readv": 270, "process_vm_writev": 271,
        "finit_module": 273, "memfd_create": 279, "bpf": 280, "userfaultfd": 282,
        "kexec_file_load": 294, "io_uring_setup": 425, "io_uring_enter": 426,
        "io_uring_register": 427, "open_tree": 428, "move_mount": 429, "fsopen": 430,
        "fsmount": 432, "pidfd_getfd": 438, "mount_setattr": 442, "memfd_secret": 447,
    },
}  # fmt: skip

# A process starts with clone, and with this flag or others in a namespace of its own, where it is
# root and reaches parts of the kernel that only root may. clone3 has its flags in memory, which a
# filter cannot read; libraries that find it "not implemented" use clone.
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_NEW_NAMESPACES = 0x7E020000

_LOAD, _JEQ, _JSET, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _EPERM, _ENOSYS, _KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
_CALL, _ARCH, _FIRST_ARGUMENT = 0, 4, 16


def deny_filter(machine: str = "") -> bytes:
    """Return the BPF program for a machine (default: this one); a foreign architecture is killed.

    On a machine whose call numbers are not known here the filter allows everything: the namespaces
    stay the guard.
    """
    machine = machine or platform.machine()
    if machine not in _ARCHES:
        return _step(_RETURN, _ALLOW)
    denied = sorted(_DENIED[machine].values())
    deny_at = len(denied) + 6
    program = [
        _step(_LOAD, _ARCH),
        _step(_JEQ, _ARCHES[machine], then=1),
        _step(_RETURN, _KILL),
        _step(_LOAD, _CALL),
        _step(_JSET, _X32_BIT, then=deny_at),
    ]
    program += [_step(_JEQ, number, then=deny_at - 1 - i) for i, number in enumerate(denied)]
    program += [
        _step(_JEQ, _CLONE3, otherwise=1),
        _step(_RETURN, _ENOSYS),
        _step(_JEQ, _CLONE[machine], otherwise=2),
        _step(_LOAD, _FIRST_ARGUMENT),
        _step(_JSET, _NEW_NAMESPACES, then=1),
    ]
    return b"".join([*program, _step(_RETURN, _ALLOW), _step(_RETURN, _EPERM)])


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return pack("=HBBI", code, then, otherwise, value)
