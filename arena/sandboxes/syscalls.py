"""System calls that bots are denied, by reason, with their numbers.

From the kernel's tables: asm/unistd_64.h (x86_64) and asm-generic/unistd.h (aarch64).
"""

ARCHES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""By machine: its column in the tables below, and the kernel's number of the architecture."""

Calls = dict[str, tuple[int | None, int | None]]
"""Numbers by name; None if the machine does not have the call."""

DENIED: Calls = {
    # They change the system.
    "acct": (163, 89),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "finit_module": (313, 273),
    "init_module": (175, 105),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "settimeofday": (164, 170),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "sysfs": (139, None),
    "syslog": (103, 116),
    "uselib": (134, None),
    "ustat": (136, None),
    "vhangup": (153, 58),
    # They reach past the mounts and namespaces.
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "pivot_root": (155, 41),
    "setns": (308, 268),
    "umount2": (166, 39),
    "unshare": (272, 97),
    # They look into other processes.
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    # They open rarely used parts of the kernel.
    "add_key": (248, 217),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "mbind": (237, 235),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, None),
    "move_pages": (279, 239),
    "remap_file_pages": (216, 234),
    "request_key": (249, 218),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "userfaultfd": (323, 282),
    # They tell what others do with files that all sandboxes share.
    "cachestat": (451, 451),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "inotify_add_watch": (254, 27),
}
UNCOUNTED_MEMORY: Calls = {
    "memfd_create": (319, 279),
    "shmget": (29, 194),
}
"""Memory that only a limit on all processes together counts; denied without one."""
CONDITIONAL: Calls = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "fcntl": (72, 25),
    "flock": (73, 32),
    "mmap": (9, 222),
    "socket": (41, 198),
}
"""Denied for some arguments only, or with an error of their own."""
NUMBERS = DENIED | UNCOUNTED_MEMORY | CONDITIONAL
