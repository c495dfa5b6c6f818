"""System calls that no bot needs: one table of denials, and a seccomp filter made of it.

Denied are calls that change the system, look into other processes, reach past the mounts, open ways
into rarely used parts of the kernel, or let two sandboxes signal each other.
"""

import errno
import platform
from collections.abc import Iterable
from struct import pack
from typing import Literal, NamedTuple

from arena.sandboxes.syscalls import ARCHES, NUMBERS


class Denial(NamedTuple):
    """A system call that fails: always, or where one of its arguments meets a condition.

    A call is denied when one of its denials holds. Arguments are unsigned 64-bit numbers; where the
    kernel looks at the lower half alone, the mask leaves out the upper one.
    """

    name: str
    errno: int = errno.EPERM
    """What the caller is told."""
    op: Literal["", "==", ">"] = ""
    """The condition: none, (argument & mask) == value, argument > value."""
    argument: int = 0
    """Which argument, from 0."""
    value: int = 0
    mask: int = 0xFFFFFFFF


_SYSTEM = """
    acct adjtimex bpf chroot clock_adjtime clock_settime delete_module finit_module init_module
    ioperm iopl kexec_file_load kexec_load lookup_dcookie nfsservctl perf_event_open personality
    quotactl quotactl_fd reboot settimeofday swapoff swapon sysfs syslog uselib ustat vhangup
"""
_MOUNTS = """
    fsconfig fsmount fsopen fspick mount mount_setattr move_mount name_to_handle_at
    open_by_handle_at open_tree pivot_root setns umount2 unshare
"""
_OTHER_PROCESSES = """
    kcmp pidfd_getfd process_madvise process_mrelease process_vm_readv process_vm_writev ptrace
"""
_RARE = """
    add_key io_uring_enter io_uring_register io_uring_setup keyctl mbind memfd_secret migrate_pages
    modify_ldt move_pages remap_file_pages request_key set_mempolicy set_mempolicy_home_node
    userfaultfd
"""
_BETWEEN_SANDBOXES = "cachestat fanotify_init fanotify_mark inotify_add_watch"
"""They tell what others do with files that all sandboxes share."""
_UNCOUNTED = "memfd_create shmget"
"""Memory that no limit on a process counts; where the whole tree's memory is capped, it does."""

_NEW_NAMESPACES = (17, 25, 26, 27, 28, 29, 30)
"""Bits of clone's flags: a mount, cgroup, UTS, IPC, user, process or network namespace."""
_MAX_FAMILY = 10
_FAMILIES = {1, 2, _MAX_FAMILY}
"""Sockets that are left: local ones, IPv4 and IPv6, none of which leads out of the sandbox."""
_LEASE, _NOTIFY = 1024, 1026
_SHARED_ANONYMOUS = 0x21


def denials(*, capped: bool = True) -> list[Denial]:
    """Return what bots are denied; `capped`: the memory of all their processes has one limit."""
    plain = f"{_SYSTEM} {_MOUNTS} {_OTHER_PROCESSES} {_RARE} {_BETWEEN_SANDBOXES}"
    found = [Denial(name) for name in plain.split()]
    # "No such call": the C library then uses clone, whose flags a filter can see.
    found.append(Denial("clone3", errno.ENOSYS))
    found += [_with_flags("clone", 0, 1 << bit) for bit in _NEW_NAMESPACES]
    found += _sockets()
    found.append(Denial("flock", errno.ENOSYS))
    found += [Denial("fcntl", op="==", argument=1, value=value) for value in (_LEASE, _NOTIFY)]
    if not capped:
        found += [Denial(name) for name in _UNCOUNTED.split()]
        found.append(_with_flags("mmap", 3, _SHARED_ANONYMOUS))
    return found


def _with_flags(name: str, argument: int, flags: int) -> Denial:
    """Deny a call where all these flags are set."""
    return Denial(name, op="==", argument=argument, value=flags, mask=flags)


def _sockets() -> list[Denial]:
    """Deny every family of sockets but a few."""
    others = sorted(set(range(_MAX_FAMILY)) - _FAMILIES)
    no_family = Denial("socket", errno.EAFNOSUPPORT)
    return [
        *(no_family._replace(op="==", value=family) for family in others),
        no_family._replace(op=">", value=_MAX_FAMILY),
    ]


_LOAD, _JEQ, _JGT, _JSET, _AND, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x54, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_X32_BIT = 0x40000000
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16


def deny_filter(denied: Iterable[Denial], machine: str = "") -> bytes:
    """Return the BPF program for a machine (default: this one); a foreign architecture is killed.

    On a machine whose call numbers are not known here the filter allows everything: the namespaces
    stay the guard.
    """
    machine = machine or platform.machine()
    if machine not in ARCHES:
        return _step(_RETURN, _ALLOW)
    column, arch = ARCHES[machine]
    program = [
        _step(_LOAD, _ARCH_AT),
        _step(_JEQ, arch, then=1),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER_AT),
        _step(_JSET, _X32_BIT, otherwise=1),
        _step(_RETURN, _ERROR | errno.EPERM),
    ]
    for one in denied:
        number = NUMBERS[one.name][column]
        if number is not None:
            program += _refuse(number, one)
    return b"".join([*program, _step(_RETURN, _ALLOW)])


def _refuse(number: int, one: Denial) -> list[bytes]:
    """Return the steps that deny a call; the number of the call is loaded before and after."""
    refuse = _step(_RETURN, _ERROR | one.errno)
    if not one.op:
        return [_step(_JEQ, number, otherwise=1), refuse]
    inner = [*_unless(one), refuse, _step(_LOAD, _NUMBER_AT)]
    return [_step(_JEQ, number, otherwise=len(inner)), *inner]


def _unless(one: Denial) -> list[bytes]:
    """Return the steps that jump over the next one where the condition does not hold."""
    low = _ARGUMENTS_AT + 8 * one.argument
    if one.op == "==":
        return [_step(_LOAD, low), _step(_AND, one.mask), _step(_JEQ, one.value, otherwise=1)]
    beyond = [_step(_LOAD, low), _step(_JGT, one.value, otherwise=1)]
    return [_step(_LOAD, low + 4), _step(_JEQ, 0, otherwise=2), *beyond]


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return pack("=HBBI", code, then, otherwise, value)
