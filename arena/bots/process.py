"""The `process` sandbox: resource limits and a clean environment, for bots that are trusted."""

from typing import Literal

from arena.bots.local import LocalProcess, with_limits
from arena.bots.sandbox import Program, Quota, needs


class ProcessSandbox:
    """Runs a bot as the operator's own user, in a session of its own, with limits.

    It does not keep a bot from files, the network or other processes.
    """

    name = "process"
    clock: Literal["wall", "cpu"] = "wall"
    isolates = False

    def __init__(self, quota: Quota | None = None) -> None:
        # The process limit counts every process of the user, not of the bot: it would only fail
        # the innocent.
        self._quota = quota or Quota(processes=65_536)

    def why_not(self) -> str:
        """Return which tool is missing, "" when it works."""
        return needs(["setpriv", "prlimit"])

    def start(self, program: Program, *, writable: bool = False) -> LocalProcess:
        """Start a program in its folder; the kernel ends it when its worker dies."""
        del writable
        limited = with_limits(program.command, self._quota)
        return LocalProcess(["setpriv", "--pdeathsig", "KILL", "--", *limited], program.folder)
