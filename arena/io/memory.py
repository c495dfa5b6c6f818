"""Memory that processes take."""

import os
from collections import defaultdict
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


def memory_of(pid: int) -> int:
    """Return the bytes of memory of a process and of all that it began, directly or not.

    Memory that several of them share is counted for each.
    """
    children = defaultdict[int, list[int]](list)
    resident: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it ended
            continue
        children[int(fields[1])].append(int(folder.name))
        resident[int(folder.name)] = int(fields[21]) * _PAGE
    tree = [pid]
    for parent in tree:
        tree += children[parent]
    return sum(resident.get(one, 0) for one in tree)
