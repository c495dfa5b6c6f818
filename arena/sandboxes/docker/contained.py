"""What is the same of every container: its control group, which the engine made."""

from abc import ABC, abstractmethod

from arena.sandboxes.cgroups.groups import Cgroup, cgroup_of


class Contained(ABC):
    """A container that is being started: the time that it takes, and whether it goes on."""

    _group: Cgroup | None = None

    def cpu(self) -> float | None:
        """Return the processor time of the container; None where its group cannot be seen."""
        self._wait_for_start()
        return self._group.cpu() if self._group else None

    def freeze(self, *, frozen: bool) -> None:
        """Stop or go on with the container, as far as this user may."""
        if self._group:
            self._group.freeze(frozen=frozen)

    @property
    def freezes(self) -> bool:
        """Whether it can be frozen."""
        self._wait_for_start()
        return self._group is not None and self._group.freezes

    @abstractmethod
    def _wait_for_start(self) -> None:
        """Wait until the container is started, or could not be."""

    def _find_group(self, pid: int | None) -> None:
        """Find the group by the container's first process, as the engine's machine knows it."""
        self._group = None if pid is None else cgroup_of(pid)

    def _leave_group(self) -> None:
        if self._group:
            self._group.leave()
            self._group = None
