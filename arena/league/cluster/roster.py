"""The workers of a cluster that take part in a run."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from distributed import Client

from arena.io.errors import ArenaError
from arena.league.cluster.tasks import prepare, workers_handler
from arena.league.cluster.worker import identity

PREPARE_SECONDS = 120.0
"""How long a run waits at its start for workers that do not answer."""
_INTERVAL = 0.5
"""Seconds between two checks for workers that joined or left."""
_NO_ARENA = "No module named 'arena"
"""Part of every such error, whatever Dask wraps it in."""
_Joined = tuple[str, int]
"""A worker's address, and a number: another worker may get the address of one that left."""


class Roster:
    """The workers that are fit for a run; each is made ready before it gets anything to play.

    A worker that cannot take part is left out, and named once.
    """

    def __init__(self, client: Client, run: str, where: str, notify: Callable[[str], None]) -> None:
        self._client = client
        self._run = run
        self._where = where
        self._notify = notify
        self._preparing: dict[_Joined, asyncio.Task[None]] = {}
        """The preparation of every worker there is, also when it is done."""
        self._sandboxes: dict[_Joined, str] = {}
        """The sandboxes of the workers that are fit."""
        self._unfit: list[ArenaError] = []
        """The refusals that were not reported yet."""
        self._watching: Future[None] | None = None

    def open(self) -> None:
        """Prepare the workers that are there, and from now on those that join.

        Raises ArenaError if none of them can take part.
        """
        silent = self._client.sync(self._prepare_all)
        if not self._sandboxes:
            hint = f"none answered within {PREPARE_SECONDS:.0f} s: restart the workers"
            raise next(iter(self._unfit), ArenaError("no worker is ready", self._where, hint))
        counts = sorted(Counter(self._sandboxes.values()).items())
        chosen = ", ".join(f"{sandbox} ({count})" for sandbox, count in counts)
        fit = len(self._sandboxes)
        self._notify(f"workers: {fit} at {self._where}; their sandboxes: {chosen}")
        for worker in silent:
            self._notify(f"left out until it answers: the worker {worker}")
        loop: Any = self._client.loop
        self._watching = asyncio.run_coroutine_threadsafe(self._watch(), loop.asyncio_loop)

    def count(self) -> int:
        """Return how many fit workers there are; names the others that joined.

        Raises OSError if the connection to the scheduler is lost.
        """
        while self._unfit:
            self._notify(f"left out: {self._unfit.pop(0)}")
        if self._watching and self._watching.done():
            raise OSError("the scheduler does not answer") from self._watching.exception()
        return len(self._sandboxes)

    def close(self) -> None:
        """Stop following workers that join and leave."""
        if self._watching:
            self._watching.cancel()

    async def _prepare_all(self) -> list[str]:
        """Prepare all workers that are there; returns those that did not answer."""
        await self._update()
        if not self._preparing:
            return []
        _, silent = await asyncio.wait(self._preparing.values(), timeout=PREPARE_SECONDS)
        return [address for (address, _), task in self._preparing.items() if task in silent]

    async def _watch(self) -> None:
        try:
            while True:
                await self._update()
                await asyncio.sleep(_INTERVAL)
        finally:
            for task in self._preparing.values():
                task.cancel()

    async def _update(self) -> None:
        """Begin to prepare workers that joined, and forget those that left."""
        workers = await getattr(self._client.scheduler, workers_handler(self._run))()
        present = {(address, number) for address, number in workers}
        for left in self._preparing.keys() - present:
            self._preparing.pop(left).cancel()
            self._sandboxes.pop(left, None)
        for joined in present - self._preparing.keys():
            self._preparing[joined] = asyncio.create_task(self._prepare(joined))

    async def _prepare(self, joined: _Joined) -> None:
        address, _ = joined
        call = self._client.run(
            prepare, self._run, identity(), workers=[address], on_error="return"
        )
        answer = (await call).get(address)
        if isinstance(answer, str):
            self._sandboxes[joined] = answer
        elif answer is None or _is_silent(answer):
            self._preparing.pop(joined, None)  # if it is still there, it is asked again
        else:
            self._unfit.append(refusal(f"the worker {address}", answer, self._where))


def _is_silent(error: BaseException) -> bool:
    """Return whether a worker was not reached in time, which is no refusal of its own."""
    # Dask's errors have no number; those of the worker's system calls do.
    return isinstance(error, OSError) and error.errno is None


def refusal(who: str, error: BaseException, where: str) -> ArenaError:
    """Return the error of a scheduler or worker that cannot take part in a run."""
    if isinstance(error, ArenaError):
        return ArenaError(error.what, error.where or where, error.hint)
    if _NO_ARENA in str(error):
        hint = "install the arena there: pip install 'perudo-arena[cluster]'"
        return ArenaError(f"{who} has no arena to play with: {short(error)}", where, hint)
    hint = "start it with the same arena, Python and Dask as here"
    return ArenaError(f"{who} cannot take part: {short(error)}", where, hint)


def short(error: BaseException) -> str:
    """Return an error's text in one line, or its kind if it has none."""
    return " ".join(str(error).split())[:200] or type(error).__name__
