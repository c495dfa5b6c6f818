"""Processes that a bot was refused by other limits than its own: groups above were full."""

from contextlib import suppress
from pathlib import Path


class Refusals:
    """Tells whether a control group was refused a process since it was made, below its own limit.

    Linux counts that in the group that asks for it (version 1, and version 2 before Linux 6.11), or
    in the group whose limit was met.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._above = self._counted_above()

    def any(self) -> bool:
        """Return whether it was; False, too, where the kernel does not count it."""
        below_own_limit = 0 < self._number("pids.peak") < self._number("pids.max")
        if self._number("pids.events") > 0 and below_own_limit:
            return True
        return self._counted_above() > self._above

    def _counted_above(self) -> int:
        return sum(_number(folder / "pids.events.local") for folder in self._folder.parents)

    def _number(self, file: str) -> int:
        return _number(self._folder / file)


def _number(path: Path) -> int:
    """Return the number at the end of a file of a group, as in `max 3`; 0 if it has none."""
    with suppress(OSError, ValueError, IndexError):
        return int(path.read_text(encoding="ascii").split()[-1])
    return 0
