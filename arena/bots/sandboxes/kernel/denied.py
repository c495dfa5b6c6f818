"""What no bot may do or see: system calls, and files in which the kernel counts.

One table of system calls gives a seccomp filter (bubblewrap) and a profile (Docker).
"""

import errno
import platform
from collections.abc import Iterable
from functools import cache
from struct import pack
from typing import Any, Literal, NamedTuple

_PROC = (
    "buddyinfo", "cgroups", "diskstats", "fs", "interrupts", "key-users", "keys", "locks",
    "pagetypeinfo", "pressure", "schedstat", "slabinfo", "softirqs", "swaps", "sys/fs",
    "sys/kernel/pty", "vmallocinfo", "vmstat", "zoneinfo",
)  # fmt: skip
_SYS = (
    "block", "bus", "class", "dev", "devices", "fs/btrfs", "fs/erofs", "fs/ext4", "fs/fuse",
    "fs/xfs", "kernel", "module", "power",
)  # fmt: skip
HIDDEN_PROC = tuple(f"/proc/{name}" for name in _PROC)
"""Hidden in every sandbox that isolates. No bot needs them; `stat`, `loadavg` and `meminfo`, which
runtimes read, stay."""
HIDDEN_SYS = tuple(f"/sys/{name}" for name in _SYS)
"""Hidden where /sys is mounted; control groups, by which runtimes learn their limits, stay."""
ENGINE_DEFAULTS = (
    "/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/latency_stats", "/proc/sched_debug",
    "/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/sys/firmware",
)  # fmt: skip
"""The paths that Docker hides unless it is given others."""


ARCHES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""By machine: its column in the tables, and the kernel's number of the architecture."""
_DENIED = """
    # They change the system.
    acct=163/89 adjtimex=159/171 bpf=321/280 chroot=161/51 clock_adjtime=305/266
    clock_settime=227/112 delete_module=176/106 finit_module=313/273 init_module=175/105
    ioperm=173/- iopl=172/- kexec_file_load=320/294 kexec_load=246/104 lookup_dcookie=212/18
    nfsservctl=180/42 perf_event_open=298/241 personality=135/92 quotactl=179/60
    quotactl_fd=443/443 reboot=169/142 settimeofday=164/170 swapoff=168/225 swapon=167/224
    sysfs=139/- syslog=103/116 uselib=134/- ustat=136/- vhangup=153/58
    # They reach past the mounts and namespaces.
    fsconfig=431/431 fsmount=432/432 fsopen=430/430 fspick=433/433 mount=165/40
    mount_setattr=442/442 move_mount=429/429 name_to_handle_at=303/264 open_by_handle_at=304/265
    open_tree=428/428 pivot_root=155/41 setns=308/268 umount2=166/39 unshare=272/97
    # They look into other processes.
    kcmp=312/272 pidfd_getfd=438/438 process_madvise=440/440 process_mrelease=448/448
    process_vm_readv=310/270 process_vm_writev=311/271 ptrace=101/117
    # They open rarely used parts of the kernel.
    add_key=248/217 io_uring_enter=426/426 io_uring_register=427/427 io_uring_setup=425/425
    keyctl=250/219 mbind=237/235 memfd_secret=447/447 migrate_pages=256/238 modify_ldt=154/-
    move_pages=279/239 remap_file_pages=216/234 request_key=249/218 set_mempolicy=238/237
    set_mempolicy_home_node=450/450 userfaultfd=323/282
    # They tell what others do with files that all sandboxes share.
    cachestat=451/451 fanotify_init=300/262 fanotify_mark=301/263 inotify_add_watch=254/27
"""
_UNCOUNTED_MEMORY = "memfd_create=319/279 shmget=29/194"
"""Memory that only a limit on all processes together counts."""
_CONDITIONAL = """
    clone=56/220 clone3=435/435 fcntl=72/25 flock=73/32 mincore=27/232 mmap=9/222
    preadv2=327/286 sched_setaffinity=203/122 socket=41/198
"""
"""Denied for some arguments only, or with an error of their own."""


def _numbers(table: str) -> dict[str, tuple[int | None, ...]]:
    """Parse a table of `name=x86_64/aarch64`, from the kernel's asm/unistd_64.h and asm-generic."""
    lines = [line for line in table.splitlines() if "#" not in line]
    calls = [entry.split("=") for line in lines for entry in line.split()]
    return {
        name: tuple(None if number == "-" else int(number) for number in numbers.split("/"))
        for name, numbers in calls
    }


DENIED = _numbers(_DENIED)
UNCOUNTED_MEMORY = _numbers(_UNCOUNTED_MEMORY)
NUMBERS = DENIED | UNCOUNTED_MEMORY | _numbers(_CONDITIONAL)
"""Numbers of system calls by name and column; None if a machine does not have the call."""


class Denial(NamedTuple):
    """A system call that fails: always, or if one of its arguments meets a condition.

    A call is denied if one of its denials holds. Arguments are unsigned 64-bit numbers; if the
    kernel looks at the lower half alone, the mask leaves out the upper one.
    """

    name: str
    errno: int = errno.EPERM
    """The error for the caller; 0: the call seems to work, but does nothing."""
    op: Literal["", "==", ">"] = ""
    """The condition: "" for none, (argument & mask) == value, argument > value."""
    argument: int = 0
    value: int = 0
    mask: int = 0xFFFFFFFF


_NEW_NAMESPACES = (17, 25, 26, 27, 28, 29, 30)
"""Bits of clone's flags: a mount, cgroup, UTS, IPC, user, process or network namespace."""
_MAX_FAMILY = 10
_ALLOWED_FAMILIES = {1, 2, _MAX_FAMILY}
"""Local sockets, IPv4 and IPv6, none of which leads out of the sandbox."""
_F_SETLEASE, _F_NOTIFY = 1024, 1026
_RECORD_LOCKS = (6, 7, 37, 38)
"""fcntl's F_SETLK, F_SETLKW, F_OFD_SETLK and F_OFD_SETLKW."""
_RWF_NOWAIT = 0x8
_SHARED_ANONYMOUS = 0x21


def denials(*, memory_capped: bool = True, builds: bool = False) -> list[Denial]:
    """Return the denials for bots; `memory_capped`: all processes of a bot share a memory limit.

    Builds may lock files: compilers insist on it, and no rival could read a signal.
    """
    denied = [Denial(name) for name in DENIED]
    # "No such call": the C library then uses clone, whose flags a filter can see.
    denied.append(Denial("clone3", errno.ENOSYS))
    denied += [_if_flags("clone", 0, 1 << bit) for bit in _NEW_NAMESPACES]
    families = sorted(set(range(_MAX_FAMILY)) - _ALLOWED_FAMILIES)
    denied += [Denial("socket", errno.EAFNOSUPPORT, "==", value=family) for family in families]
    denied.append(Denial("socket", errno.EAFNOSUPPORT, ">", value=_MAX_FAMILY))
    denied.append(Denial("mincore", errno.ENOSYS))
    denied.append(_if_flags("preadv2", 5, _RWF_NOWAIT, errno.EOPNOTSUPP))
    if not builds:
        # A lock on a file that all sandboxes share is a signal. As none is ever set, F_GETLK finds
        # none, and programs that lock a file of their own, such as SQLite, go on.
        denied.append(Denial("flock", errno.ENOSYS))
        denied += [Denial("fcntl", 0, "==", 1, command) for command in _RECORD_LOCKS]
    # A bot stays on the core of its worker; programs that choose a core themselves go on.
    denied.append(Denial("sched_setaffinity", 0))
    for command in (_F_SETLEASE, _F_NOTIFY):
        denied.append(Denial("fcntl", op="==", argument=1, value=command))
    if not memory_capped:
        denied += [Denial(name) for name in UNCOUNTED_MEMORY]
        denied.append(_if_flags("mmap", 3, _SHARED_ANONYMOUS))
    return denied


def _if_flags(name: str, argument: int, flags: int, error: int = errno.EPERM) -> Denial:
    return Denial(name, error, "==", argument, flags, mask=flags)


# ---------------------------------------------------------------- as a BPF program

_LOAD = 0x20
_JEQ = 0x15
_JGT = 0x25
_JSET = 0x45
_AND = 0x54
_RETURN = 0x06
"""Codes of BPF's instructions."""
_ALLOW = 0x7FFF0000
_ERROR = 0x00050000
_KILL = 0x80000000
"""What a filter returns; to _ERROR the number of an error is added."""
_X32_BIT = 0x40000000
_NUMBER_AT = 0
_ARCH_AT = 4
_ARGUMENTS_AT = 16
"""Offsets in `struct seccomp_data`."""


def bpf_filter(denied: Iterable[Denial], machine: str = "") -> bytes:
    """Return the BPF program for a machine (default: this one); other architectures are killed.

    It allows everything if the machine's call numbers are unknown: the namespaces remain the guard.
    """
    machine = machine or platform.machine()
    if machine not in ARCHES:
        return _step(_RETURN, _ALLOW)
    column, arch = ARCHES[machine]
    program = [
        _step(_LOAD, _ARCH_AT),
        _step(_JEQ, arch, if_true=1),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER_AT),
        _step(_JSET, _X32_BIT, if_false=1),
        _step(_RETURN, _ERROR | errno.EPERM),
    ]
    for denial in denied:
        number = NUMBERS[denial.name][column]
        if number is not None:
            program += _deny(number, denial)
    return b"".join([*program, _step(_RETURN, _ALLOW)])


def _deny(number: int, denial: Denial) -> list[bytes]:
    """Return the steps that deny a call; the number of the call is loaded before and after."""
    refuse = _step(_RETURN, _ERROR | denial.errno)
    if not denial.op:
        return [_step(_JEQ, number, if_false=1), refuse]
    # Steps that skip `refuse` unless the condition holds.
    low = _ARGUMENTS_AT + 8 * denial.argument
    if denial.op == "==":
        test = [_step(_LOAD, low), _step(_AND, denial.mask), _step(_JEQ, denial.value, if_false=1)]
    else:
        test = [_step(_LOAD, low + 4), _step(_JEQ, 0, if_false=2)]
        test += [_step(_LOAD, low), _step(_JGT, denial.value, if_false=1)]
    steps = [*test, refuse, _step(_LOAD, _NUMBER_AT)]
    return [_step(_JEQ, number, if_false=len(steps)), *steps]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one instruction; a jump skips so many of the next ones."""
    return pack("=HBBI", code, if_true, if_false, value)


# ---------------------------------------------------------------- as Docker's profile


@cache
def docker_profile(*, builds: bool = False) -> dict[str, Any]:
    """Return the profile of containers."""
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "syscalls": [_docker_rule(denial) for denial in denials(builds=builds)],
    }


def _docker_rule(denial: Denial) -> dict[str, Any]:
    rule = {"names": [denial.name], "action": "SCMP_ACT_ERRNO", "errnoRet": denial.errno}
    if not denial.op:
        return rule
    condition = {"index": denial.argument, "value": denial.value, "op": "SCMP_CMP_GT"}
    if denial.op == "==":
        condition |= {"value": denial.mask, "valueTwo": denial.value, "op": "SCMP_CMP_MASKED_EQ"}
    return rule | {"args": [condition]}
