"""What the arena runs on, for the conditions that a report shows."""

import os
import platform
from pathlib import Path

from arena.records import MachineInfo

_PROCESSORS = Path("/proc/cpuinfo")


def this_machine() -> MachineInfo:
    """Return the machine that this process runs on."""
    return MachineInfo(
        processor=processor(_read(_PROCESSORS)) or platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
    )


def processor(listed: str) -> str:
    """Return the model's name from the text of /proc/cpuinfo; "" where there is none, as on ARM."""
    pairs = (line.partition(":") for line in listed.splitlines())
    return next((value.strip() for key, _, value in pairs if key.strip() == "model name"), "")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
