"""What each sandbox keeps and what it does not promise, in the words of `docs/sandboxing.md`."""

from msgspec import Struct

_INODES = "The number of files in /tmp is not capped, and each takes some of the machine's memory."
_KERNEL = "Bots share the machine's kernel: a hole in it is a way out."
_SIGNALS = "Two bots at a table can signal each other by how busy they keep the machine."


class Promise(Struct, frozen=True):
    """What a bot in a sandbox can and cannot do."""

    keeps: tuple[str, ...]
    open: tuple[str, ...]
    """What is not promised."""


PROMISES = {
    "docker": Promise(
        (
            "No network, no sight of other processes, no privileges.",
            "Files: those of its image and its own folder, read-only, and a small /tmp.",
            "Memory, processes and one core, capped for all of a bot together.",
            "All that a bot started ends with its match, and with the arena.",
        ),
        (
            _KERNEL,
            _SIGNALS,
        ),
    ),
    "bubblewrap": Promise(
        (
            "No network, no sight of other processes, no privileges.",
            "Files: its own folder and the system's programs, read-only, and a small /tmp.",
            "Memory and open files of a process are capped, and the number of processes.",
            "All that a bot started ends with its match, and with the arena.",
        ),
        (
            _INODES,
            "Without a control group, memory is capped by process and processor time not at all.",
            _KERNEL,
            _SIGNALS,
        ),
    ),
    "process": Promise(
        (
            "Memory, open files and the largest file of a process are capped.",
            "A clean environment, and no way to type into the operator's terminal.",
        ),
        (
            "A bot may do all that your user may: read, write, fill disks, signal, connect.",
            "The number of a bot's processes and threads is not capped.",
            "A System V memory segment of a bot outlives it.",
            "What a bot started may stay when the arena is killed.",
            _SIGNALS,
        ),
    ),
}
"""By the name that records give."""
