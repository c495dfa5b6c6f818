"""The machine that a league is played on."""

import os
import platform
from contextlib import suppress
from pathlib import Path

from arena.game.machine import MachineInfo
from arena.io.cores import core_count


def this_machine() -> MachineInfo:
    """Return the machine that this process runs on."""
    from importlib.metadata import version

    cpu_info = ""
    with suppress(OSError):
        cpu_info = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    return MachineInfo(
        processor=cpu_model(cpu_info) or platform.machine(),
        cores=core_count(),
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        numpy=version("numpy"),
    )


def cpu_model(cpu_info: str) -> str:
    """Return the model's name from the text of /proc/cpuinfo, or "" if it has none, as on ARM."""
    pairs = (line.partition(":") for line in cpu_info.splitlines())
    return next((value.strip() for key, _, value in pairs if key.strip() == "model name"), "")
