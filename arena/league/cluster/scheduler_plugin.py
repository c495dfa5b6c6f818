"""A run's plugin in the scheduler: serves its bots to the workers, and cleans up after it."""

import pickle
from collections.abc import Mapping
from typing import Any

from distributed.diagnostics.plugin import SchedulerPlugin

from arena.league.cluster import tasks
from arena.league.cluster.worker import check_identity


class RunPlugin(SchedulerPlugin):
    """Serves a run's files by name, and has all workers forget the run when its client is gone.

    The scheduler sees a client go however it ends.
    """

    def __init__(self, run: str, client: str, identity: str, files: Mapping[str, bytes]) -> None:
        self.name = run
        self._client = client
        self._identity = identity
        self._files = files

    async def start(self, scheduler: Any) -> None:
        """Start serving; raises ArenaError in a scheduler of another arena."""
        check_identity(self._identity, f"the scheduler {scheduler.address}")
        scheduler.handlers[self.name] = self.serve

    async def serve(self, name: str) -> bytes:
        """Return the file of a name, for a worker."""
        return self._files[name]

    def remove_client(self, scheduler: Any, client: str) -> None:
        """Stop serving if the client that left is this run's."""
        if client == self._client:
            scheduler.handlers.pop(self.name, None)
            scheduler.loop.add_callback(self._end, scheduler)

    async def _end(self, scheduler: Any) -> None:
        call = {"function": pickle.dumps(tasks.forget_run), "args": pickle.dumps((self.name,))}
        await scheduler.broadcast(msg={"op": "run", **call}, on_error="ignore")
        await scheduler.unregister_scheduler_plugin(self.name)
