"""The `process` sandbox: resource limits and a clean environment, for bots that are trusted."""

from resource import RLIM_INFINITY, RLIMIT_NPROC, getrlimit

from msgspec.structs import replace

from arena.bots.sandboxes.base import Program, Unavailable
from arena.bots.sandboxes.child_process import (
    Begun,
    ChildProcess,
    HostSandbox,
    missing_tools,
    too_low_limit,
    with_limits,
)

_UNLIMITED = 65_536


class ProcessSandbox(HostSandbox):
    """Runs a bot as the operator's own user, in a session of its own, with limits.

    It does not protect files, the network or other processes.
    """

    name = "process"
    isolates = False

    def unavailable_reason(self) -> Unavailable | None:
        """Return which tool is missing or which limit too low, or None if it works."""
        missing = missing_tools(["setpriv", "prlimit"], "sudo apt-get install util-linux")
        return missing or too_low_limit(self._quota, processes=False)

    def start(self, program: Program, *, space: int = 0) -> ChildProcess:
        """Start a program in its folder; the kernel kills it when its worker dies."""
        # RLIMIT_NPROC counts all processes of the user, not of the bot: innocent bots would fail.
        own = self._quota.with_space(space)
        _, highest = getrlimit(RLIMIT_NPROC)
        processes = _UNLIMITED if highest == RLIM_INFINITY else min(_UNLIMITED, highest)
        limits = replace(own, processes=processes)
        begun = Begun()
        limited = with_limits(begun.wrap(program.command), limits, program.reserves)
        argv = ["setpriv", "--pdeathsig", "KILL", "--", *limited]
        environment = program.environment(modules=str(self._modules))
        try:
            tree = self._make_tree(own)
        except OSError:
            begun.close()
            raise
        child = ChildProcess(argv, program.folder, begun=begun, tree=tree, environment=environment)
        return self._watch_memory(child, program)
