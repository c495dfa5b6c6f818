"""The Executor that hands calls to a Dask scheduler."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from typing import Any
from weakref import WeakSet

from distributed import Client


class TaskExecutor(Executor):
    """Runs calls on the workers that have the resources; equal calls are run separately.

    Dask's own executor mistakes a result for an error if its worker leaves while the result is
    fetched (distributed 2026.8, `cfexecutor._cascade_future`).
    """

    def __init__(self, client: Client, resources: Mapping[str, float]) -> None:
        self._client = client
        self._resources = resources
        self._tasks: WeakSet[Any] = WeakSet()
        """Dask's futures: the scheduler forgets a task once nobody holds its own."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand a call to the scheduler."""
        settings = {"pure": False, "retries": 0, "resources": self._resources}
        task = self._client.submit(function, *args, **settings, **kwargs)
        self._tasks.add(task)
        loop: Any = self._client.loop
        return asyncio.run_coroutine_threadsafe(_outcome(task), loop.asyncio_loop)

    def cancel(self) -> None:
        """Have the scheduler forget all calls that are under way."""
        self._client.cancel(list(self._tasks))


async def _outcome(task: Any) -> Any:
    return await task
