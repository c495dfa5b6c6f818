"""Functions that Dask calls by name, as no code is sent: tasks, and a plugin of the scheduler.

The scheduler also has what the workers share of language models during a run.
"""

import asyncio
import pickle
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from socket import gethostname
from typing import Any

import msgspec
from distributed import get_worker
from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.utils import sync

from arena.bots.models.ledger import Journal, Spending, Spent, add_spent, read_journal_lines
from arena.league.cluster.worker import (
    RunSource,
    TaskBatch,
    WorkerRuns,
    check_identity,
)
from arena.league.play.workers import BatchResult

_POLL_SECONDS = 0.05
_MOST_KEPT = 1 << 28
"""Bytes of journals; beyond, the oldest goes. Those of fixtures under way are the newest."""
Call = Callable[..., Any]
"""Calls the method of a `Desk` with that name, and fields."""
_encode = msgspec.json.Encoder().encode
_spending = msgspec.json.Decoder(Spending)


class Desk:
    """The scheduler's part: what was spent, who asks, and what was answered.

    `keep` gets the id of a fixture and a line of its journal, for the machine that stores.
    """

    def __init__(self, journals: dict[str, bytes], keep: Callable[[str, bytes], None]) -> None:
        self._spent: Spending = {}
        self._inside: dict[str, list[str]] = {}
        """The workers that ask the server of each model, each as often as it does."""
        self._journals = OrderedDict(journals)
        self._size = sum(map(len, journals.values()))
        self._keep = keep

    def call(self, worker: str, method: str, fields: dict[str, Any]) -> Any:
        """Do what a worker asks for."""
        calls = (self.add, self.spending, self.enter, self.leave, self.journal, self.keep)
        known = {call.__name__: call for call in calls}
        return known[method](worker, **fields)

    def add(self, _: str, model: str, bot: str, tokens: int, micros: int) -> None:
        """Add what an answer cost."""
        add_spent(self._spent, model, bot, Spent(tokens, micros))

    def spending(self, _: str) -> bytes:
        """Return what was spent."""
        return _encode(self._spent)

    def enter(self, worker: str, model: str, places: int) -> bool:
        """Give a worker one of so many places at a server, if one is free."""
        inside = self._inside.setdefault(model, [])
        if len(inside) >= places:
            return False
        inside.append(worker)
        return True

    def leave(self, worker: str, model: str) -> None:
        """Take a worker's place back."""
        if worker in self._inside.get(model, ()):
            self._inside[model].remove(worker)

    def left(self, worker: str) -> None:
        """Take back the places of a worker that is gone."""
        for model, inside in self._inside.items():
            self._inside[model] = [one for one in inside if one != worker]

    def journal(self, _: str, fixture: str) -> bytes:
        """Return what was answered in a fixture so far."""
        return self._journals.get(fixture, b"")

    def keep(self, _: str, fixture: str, line: bytes) -> None:
        """Keep an answer in the journal of a fixture, and hand it to the machine that stores."""
        self._journals[fixture] = self._journals.get(fixture, b"") + line
        self._journals.move_to_end(fixture)
        self._size += len(line)
        while self._size > _MOST_KEPT:
            _, oldest = self._journals.popitem(last=False)
            self._size -= len(oldest)
        self._keep(fixture, line)


class AtDesk:
    """A worker's part (see `arena.bots.models.ledger.Shared`)."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def add(self, model: str, bot: str, spent: Spent) -> None:
        """Add what an answer cost."""
        self._call("add", model=model, bot=bot, tokens=spent.tokens, micros=spent.micros)

    def spending(self) -> Spending:
        """Return what was spent in this run so far."""
        return _spending.decode(bytes(self._call("spending")))

    @contextmanager
    def place(self, model: str, places: int, stopped: Callable[[], bool]) -> Iterator[None]:
        """Wait for one of so many places at a server; raises InterruptedError if stopped."""
        while not self._call("enter", model=model, places=places):
            if stopped():
                raise InterruptedError
            time.sleep(_POLL_SECONDS)
        try:
            yield
        finally:
            self._call("leave", model=model)

    def journal(self, fixture: str, bots: Sequence[str]) -> Journal:
        """Return the journal of a fixture with that id."""

        def keep(line: bytes) -> None:
            self._call("keep", fixture=fixture, line=line)

        earlier = bytes(self._call("journal", fixture=fixture))
        return Journal(bots, [*read_journal_lines(earlier)], keep)


def resources(run: str) -> dict[str, float]:
    """Return a run's resources in Dask's sense: its tasks need them, its fit workers have them."""
    return {run: 1.0}


def workers_handler(run: str) -> str:
    """Return the scheduler's name for `RunPlugin.workers`."""
    return f"{run}/workers"


def end_handler(run: str) -> str:
    """Return the scheduler's name for `RunPlugin.end`."""
    return f"{run}/end"


def _models_handler(run: str) -> str:
    return f"{run}/models"


def _ready_handler(run: str) -> str:
    return f"{run}/ready"


def play(batch: TaskBatch) -> BatchResult:
    """Play a batch of fixtures, as a task."""
    worker = get_worker()
    return _runs(worker).play(batch, _source(worker, batch.run))


async def prepare(run: str, identity: str, dask_worker: Any = None) -> str:
    """Make this worker ready for a run's tasks; returns its sandbox. Raises ArenaError.

    In a thread, as it may take seconds in which the worker must go on to send heartbeats.
    """
    source = _source(dask_worker, run)
    sandbox = await asyncio.to_thread(_runs(dask_worker).prepare, run, identity, source)
    await dask_worker.set_resources(**resources(run))
    await getattr(dask_worker.scheduler, _ready_handler(run))(worker=dask_worker.address)
    return sandbox


async def forget_run(run: str, dask_worker: Any = None) -> None:
    """Have this worker clean up after a run."""
    await asyncio.to_thread(_runs(dask_worker).forget, run)


@cache
def _runs(worker: Any) -> WorkerRuns:
    """Return the runs of a worker: a process may have several workers."""
    return WorkerRuns(f"the worker {worker.address} on {gethostname()}")


def _source(worker: Any, run: str) -> RunSource:
    """Return what a worker gets from a run, in any thread but that of the worker's loop."""

    def call(handler: str, **fields: Any) -> Any:
        return sync(worker.loop, partial(getattr(worker.scheduler, handler), **fields))

    def models(method: str, **fields: Any) -> Any:
        who = worker.address
        return call(_models_handler(run), worker=who, method=method, fields=fields)

    return RunSource(lambda name: bytes(call(run, name=name)), AtDesk(models))


class RunPlugin(SchedulerPlugin):
    """A run's part in the scheduler: it serves files by name, and follows workers that come and go.

    It has all workers forget the run when its client is gone, which the scheduler notices however
    the client ends.
    """

    def __init__(
        self,
        run: str,
        client: str,
        identity: str,
        files: Mapping[str, bytes],
        journals: Mapping[str, bytes],
    ) -> None:
        """`journals` are those of language models, by fixture; the client gets what is added."""
        self.name = run
        self._desk = Desk(dict(journals), self._tell_client)
        self._client = client
        self._identity = identity
        self._files = files
        self._workers: dict[str, int] = {}
        """The number of each worker, by its address; no two have the same."""
        self._joined = 0

    async def start(self, scheduler: Any) -> None:
        """Start serving; raises ArenaError in a scheduler of another arena."""
        check_identity(self._identity, f"the scheduler {scheduler.address}")
        self._scheduler = scheduler
        for worker in scheduler.workers:
            self.add_worker(scheduler, worker)
        scheduler.handlers.update(self._handlers())

    async def serve(self, name: str) -> bytes:
        """Return the file of a name, for a worker."""
        return self._files[name]

    async def models(self, worker: str, method: str, fields: dict[str, Any]) -> Any:
        """Do for a worker what all share of language models."""
        return self._desk.call(worker, method, fields)

    def _tell_client(self, fixture: str, line: bytes) -> None:
        # As `log_event` does, which would keep all of them.
        event = time.time(), (fixture, line)
        told = {"op": "event", "topic": self.name, "event": event}
        self._scheduler.report(told, client=self._client)

    async def workers(self) -> list[tuple[str, int]]:
        """Return the address and the number of every worker there is, for the client."""
        return list(self._workers.items())

    async def ready(self, worker: str) -> None:
        """Give tasks that waited for a fit worker to one, for that worker."""
        # Dask itself does this when a worker joins, not when it gets resources.
        state = self._scheduler.workers[worker]
        waiting = self._scheduler.bulk_schedule_unrunnable_after_adding_worker(state)
        self._scheduler.transitions(waiting, stimulus_id=f"{self.name}-{worker}")

    async def end(self) -> None:
        """Stop serving, and have all workers forget the run, for a client that stays."""
        if self._stop_serving():
            await self._forget()

    def add_worker(self, scheduler: Any, worker: str) -> None:
        """Take note of a worker that joined."""
        del scheduler
        self._joined += 1
        self._workers[worker] = self._joined

    def remove_worker(self, scheduler: Any, worker: str, **_: Any) -> None:
        """Take note of a worker that left."""
        del scheduler
        self._workers.pop(worker, None)
        self._desk.left(worker)

    def remove_client(self, scheduler: Any, client: str) -> None:
        """Stop serving if the client that left is this run's."""
        if client == self._client and self._stop_serving():
            scheduler.loop.add_callback(self._forget)

    def _handlers(self) -> dict[str, Callable[..., Any]]:
        return {
            self.name: self.serve,
            _ready_handler(self.name): self.ready,
            _models_handler(self.name): self.models,
            workers_handler(self.name): self.workers,
            end_handler(self.name): self.end,
        }

    def _stop_serving(self) -> bool:
        """Take the handlers away; returns whether they were there."""
        handlers = self._scheduler.handlers
        removed = [handlers.pop(handler, None) for handler in self._handlers()]
        return all(removed)

    async def _forget(self) -> None:
        call = {"function": pickle.dumps(forget_run), "args": pickle.dumps((self.name,))}
        await self._scheduler.broadcast(msg={"op": "run", **call}, on_error="ignore")
        await self._scheduler.unregister_scheduler_plugin(self.name)
