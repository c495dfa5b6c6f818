"""Outlives an arena that is killed: ends its containers and removes their folder.

A container that is still being created when its arena dies cannot see that its lease ended.
"""

import shutil
import sys
import time

from arena.bots.docker import engine
from arena.errors import ArenaError

_QUIET = 1.0
"""Seconds without a container of the run after which no more will come."""
_PAUSE = 0.1


def main(folder: str) -> None:
    """Wait for the end of the arena that started this, then clean up after it."""
    sys.stdin.buffer.read()
    try:
        _end_containers(f"{engine.LABEL}={folder}")
    except ArenaError:
        # No engine, no containers.
        return
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _end_containers(label: str) -> None:
    last = time.monotonic()
    while time.monotonic() - last < _QUIET:
        with engine.calls() as api:
            found = api.containers(all=True, filters={"label": label})
        for container in found:
            engine.remove(container["Id"])
            last = time.monotonic()
        time.sleep(_PAUSE)


if __name__ == "__main__":
    main(sys.argv[1])
