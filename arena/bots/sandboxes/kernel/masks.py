"""Files in which the kernel counts what all sandboxes do: by such a count bots could signal."""

_PROC = (
    "buddyinfo", "cgroups", "diskstats", "fs", "interrupts", "key-users", "keys", "locks",
    "pagetypeinfo", "pressure", "schedstat", "slabinfo", "softirqs", "swaps", "sys/fs",
    "sys/kernel/pty", "vmallocinfo", "vmstat", "zoneinfo",
)  # fmt: skip
_SYS = (
    "block", "bus", "class", "dev", "devices", "fs/btrfs", "fs/erofs", "fs/ext4", "fs/fuse",
    "fs/xfs", "kernel", "module", "power",
)  # fmt: skip
PROC = tuple(f"/proc/{name}" for name in _PROC)
"""Hidden in every sandbox that isolates. No bot needs them; `stat`, `loadavg` and `meminfo`, which
runtimes read, stay."""
SYS = tuple(f"/sys/{name}" for name in _SYS)
"""Hidden where /sys is mounted; control groups, by which runtimes learn their limits, stay."""
ENGINE_DEFAULTS = (
    "/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/latency_stats", "/proc/sched_debug",
    "/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/sys/firmware",
)  # fmt: skip
"""The paths that Docker hides unless it is given others."""
