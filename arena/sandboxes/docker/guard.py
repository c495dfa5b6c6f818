"""Outlives an arena that is killed: ends its containers and removes their folder.

A container that is still being created when its arena dies cannot see that its lease ended.
"""

import sys
import time

from arena.errors import ArenaError
from arena.sandboxes.docker import engine
from arena.sandboxes.run_folder import remove_abandoned

ALL_IS_WELL = b"."
"""What an arena says at its end that has cleaned up by itself."""
_QUIET = 1.0
"""Seconds without a container of the run after which no more will come."""
_PAUSE = 0.1


def main(folder: str) -> None:
    """Wait for the end of the arena that started this; clean up after it if it could not."""
    if sys.stdin.buffer.read() == ALL_IS_WELL:
        return
    try:
        _end_containers(f"{engine.LABEL}={folder}")
    except ArenaError:
        # No engine, no containers.
        return
    finally:
        remove_abandoned()


def _end_containers(label: str) -> None:
    last = time.monotonic()
    while time.monotonic() - last < _QUIET:
        with engine.api_client() as api:
            found = api.containers(all=True, filters={"label": label})
        for container in found:
            engine.remove(container["Id"])
            last = time.monotonic()
        time.sleep(_PAUSE)


if __name__ == "__main__":
    main(sys.argv[1])
