"""The `process` sandbox: resource limits and a clean environment, for bots that are trusted."""

import subprocess
from typing import Literal

from msgspec.structs import replace

from arena.sandboxes.base import Program, Quota, Unavailable, missing_tools
from arena.sandboxes.cgroups.systemd_scope import process_trees
from arena.sandboxes.child_process import ChildProcess, with_limits

_ANY_NUMBER = 65_536


class ProcessSandbox:
    """Runs a bot as the operator's own user, in a session of its own, with limits.

    It does not keep a bot from files, the network or other processes. Where control groups can be
    had, they cap what its processes take together and end them all.
    """

    name = "process"
    clock: Literal["wall", "cpu"] = "cpu"
    isolates = False
    uses_host_programs = True
    starts_slowly = False

    def __init__(self, quota: Quota | None = None) -> None:
        self._quota = quota or Quota()
        self._holders = process_trees()
        self.freezes = self._holders is not None and self._holders.freezes

    def unavailable_reason(self) -> Unavailable | None:
        """Return which tool is missing; None when it works."""
        return missing_tools(["setpriv", "prlimit"], "sudo apt-get install util-linux")

    def start(self, program: Program, *, writable: bool = False) -> ChildProcess:
        """Start a program in its folder; the kernel ends it when its worker dies."""
        del writable
        # A process's own limit on processes counts every one of the user, not of the bot: it would
        # only fail the innocent.
        limited = with_limits(program.command, replace(self._quota, processes=_ANY_NUMBER))
        argv = ["setpriv", "--pdeathsig", "KILL", "--", *limited]
        group = self._holders.make(self._quota) if self._holders else None
        try:
            return ChildProcess(argv, program.folder, group=group)
        except (OSError, subprocess.SubprocessError):
            if group:
                group.close()
            raise
