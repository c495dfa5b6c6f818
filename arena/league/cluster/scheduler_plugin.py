"""What a run keeps in the scheduler: its bots, for the workers to fetch, and its end."""

import pickle
from collections.abc import Mapping
from typing import Any

from distributed.diagnostics.plugin import SchedulerPlugin

from arena.league.cluster import tasks as hands
from arena.league.cluster.worker import check_identity


class RunPlugin(SchedulerPlugin):
    """Hands out a run's parcels by name, and has all workers clear up when its client is gone.

    It lives in the scheduler, which sees a client go however it ends.
    """

    def __init__(self, run: str, client: str, asking: str, stock: Mapping[str, bytes]) -> None:
        self.name = run
        self._client = client
        self._asking = asking
        self._stock = stock

    async def start(self, scheduler: Any) -> None:
        """Open for the workers; raises ArenaError in a scheduler of another arena."""
        check_identity(self._asking, f"the scheduler {scheduler.address}")
        scheduler.handlers[self.name] = self.hand_out

    async def hand_out(self, item: str) -> bytes:
        """Return what a worker asks for by name."""
        return self._stock[item]

    def remove_client(self, scheduler: Any, client: str) -> None:
        """Close where it was this run's client that went."""
        if client == self._client:
            scheduler.handlers.pop(self.name, None)
            scheduler.loop.add_callback(self._end, scheduler)

    async def _end(self, scheduler: Any) -> None:
        leave = {"function": pickle.dumps(hands.leave), "args": pickle.dumps((self.name,))}
        await scheduler.broadcast(msg={"op": "run", **leave}, on_error="ignore")
        await scheduler.unregister_scheduler_plugin(self.name)
